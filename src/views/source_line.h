/* Lines of source code as text: "src/parser.c:42".
 *
 * A line is given by a named frame of the model. People see the last two parts of its path: the
 * rest is the same for most lines, and machine-specific. */
#ifndef WK_VIEWS_SOURCE_LINE_H
#define WK_VIEWS_SOURCE_LINE_H

#include "base/buf.h"
#include "model/model.h"

/* Does the model know any line? */
bool wk_has_source_lines(const struct wk_model *model);

/* Samples of a clock are taken a moment after its interrupt was due. */
bool wk_source_is_late(const struct wk_model *model, wk_source_id source);
#define WK_SOURCE_IS_LATE \
	"a sample can be a line late: what takes the time may be on the line before"

/* Said of inputs whose functions have names and nothing else. */
#define WK_NO_LINES_IN_INPUT "no source lines are known: this input names functions only"

/* The file of a named frame; empty if its line is unknown. */
struct wk_str wk_source_file(const struct wk_model *model, uint32_t named_frame);

/* The last two parts of a path. */
struct wk_str wk_source_brief_path(struct wk_str path);

/* Nothing if the line is unknown. */
void wk_source_line_add(const struct wk_model *model, uint32_t named_frame, bool is_brief,
			struct wk_buf *text);

#endif
