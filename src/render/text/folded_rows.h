/* Folded stacks with two counts, straight from their rows (views/tree/stack_rows.h): byte for byte
 * what render/text/folded.c writes for a comparison's tree. Only for that file. */
#ifndef WK_RENDER_TEXT_FOLDED_ROWS_H
#define WK_RENDER_TEXT_FOLDED_ROWS_H

#include "base/out.h"
#include "views/tree/stack_rows.h"

void wk_folded_rows(struct wk_stack_rows *rows, const struct wk_model *model, struct wk_out *out);

/* A name as one part of a line, appended to `text`, which `names` writes to. */
void wk_folded_name(struct wk_out *names, struct wk_buf *text, struct wk_str name);

/* A blank and the count. Thousandths are written as they were read, behind a point. */
void wk_folded_count(struct wk_out *out, struct wk_str unit, uint64_t count);

#endif
