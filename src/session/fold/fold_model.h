/* The folded lines that a flamegraph tool is given, as a model.
 *
 * The lines are decoded, checked or turned round as the options ask, read by wick's own reader,
 * and their stacks cut at --base or reversed on their way into the model. */
#ifndef WK_CLI_AS_FLAMEGRAPH_INPUT_H
#define WK_CLI_AS_FLAMEGRAPH_INPUT_H

#include "cli/as/flamegraph_args.h"
#include "model/model.h"

struct wk_as_flamegraph_input {
	const struct wk_as_call *call;
	const struct wk_as_flamegraph_args *args;
	void (*warn)(void *context, struct wk_str text);
	void *context;
};

/* The caller's to free; NULL, with the reason, where there are no stacks. */
struct wk_model *wk_as_flamegraph_load(const struct wk_as_flamegraph_input *input,
				       struct wk_err *err);

#endif
