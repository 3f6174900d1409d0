/* Where in an image an address as it was typed lies. */
#ifndef WK_CLI_ASKED_PLACE_H
#define WK_CLI_ASKED_PLACE_H

#include "cli/typed_address.h"
#include "symbols/symbols.h"

/* As the image's own tables count. Where no function is named the offset is from the begin of
 * `section`, or of the image where that is NULL. False where the image (which may be NULL) has no
 * such function. */
bool wk_asked_place(const struct wk_image_symbols *image, const char *section,
		    const struct wk_typed_address *typed, uint64_t *vaddr);

/* Whether any of the image is mapped there. */
bool wk_asked_place_is_inside(const struct wk_image_symbols *image, uint64_t vaddr);

#endif
