/* Folded lines as a model, as flamegraph.pl and inferno read them.
 *
 * The lines are decoded, checked or reversed as asked, read by wick's own reader, and their stacks
 * cut at a base function or reversed on their way into the model. */
#ifndef WK_SESSION_FOLD_FOLD_MODEL_H
#define WK_SESSION_FOLD_FOLD_MODEL_H

#include "formats/collapse.h"
#include "model/model.h"

struct wk_fold_input {
	const char *const *paths; /* NULL-terminated; none: standard input */
	enum wk_collapse_dialect dialect;
	const char *encoding;    /* NULL: UTF-8 */
	const char *const *base; /* stacks begin at these functions; NULL-terminated, or NULL */
	bool reverses_stacks;
	bool reverses_lines; /* of a chart, whose last line is the earliest */
	bool must_be_sorted;
	void (*warn)(void *context, struct wk_str text);
	void *context;
};

/* The caller's to free; NULL, with the reason, if there are no stacks. */
struct wk_model *wk_fold_model_open(const struct wk_fold_input *input, struct wk_err *err);

#endif
