/* Finds the place of a typed address in an image. */
#ifndef WK_SESSION_SYMBOLIZE_ADDRESS_QUERY_H
#define WK_SESSION_SYMBOLIZE_ADDRESS_QUERY_H

#include "session/symbolize/typed_address.h"
#include "symbols/image/symbols.h"

struct wk_address_query {
	uint64_t vaddr; /* for wk_image_find_of */
	uint64_t shown; /* an address of the image's own tables; in a file that is not linked an
			 * offset in `section` */
	struct wk_str section;    /* empty for linked files, or if it is unknown */
	struct wk_str one, other; /* two functions of the typed name; empty: there is only one */
	bool is_first_section;    /* the section was not typed, and another may be meant */
	const char *outside;      /* why nothing of the image is there; NULL: it is inside */
};

/* An offset counts from the named function or else from the start of `section`. If that is NULL as
 * well, it counts from the start of the image; if that is not linked, from the start of its first
 * section with code that is large enough, as in addr2line. False if the image (which may be NULL)
 * has no such function or section, or several such functions. */
bool wk_address_query(struct wk_image_symbols *image, const char *section,
		      const struct wk_typed_address *typed, struct wk_address_query *place);

#endif
