/* A block of the page: bytes in a script element that no browser runs. docs/report-format.md
 * describes it. */
#ifndef WK_RENDER_PAGE_BLOCK_H
#define WK_RENDER_PAGE_BLOCK_H

#include "base/out.h"

/* `name` has no character that is special in HTML. Frees the bytes. */
void wk_page_block(struct wk_out *out, const char *name, struct wk_buf *bytes);

#endif
