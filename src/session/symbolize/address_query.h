/* Where in an image an address as it was typed lies. */
#ifndef WK_SESSION_SYMBOLIZE_ADDRESS_QUERY_H
#define WK_SESSION_SYMBOLIZE_ADDRESS_QUERY_H

#include "session/symbolize/typed_address.h"
#include "symbols/image/symbols.h"

struct wk_address_query {
	uint64_t vaddr; /* as wk_image_find_of wants it */
	uint64_t shown; /* as the image's own tables count; of a file that is not linked from the
			 * begin of `section` */
	struct wk_str section;    /* ... which linked files do not need; empty: none is known */
	struct wk_str one, other; /* two of the functions that may be meant; empty: it is clear */
	bool is_first_section;    /* which may not be the one that was meant */
	const char *outside;      /* why nothing of the image is there; NULL: it is inside */
};

/* Where no function is named the offset is from the begin of `section`. Where that is NULL, too, it
 * is from the begin of the image or, where that is not linked, of its first section with code that
 * is large enough, as addr2line has it. False where the image (which may be NULL) has no such
 * function or section, or several such functions. */
bool wk_address_query(struct wk_image_symbols *image, const char *section,
		      const struct wk_typed_address *typed, struct wk_address_query *place);

#endif
