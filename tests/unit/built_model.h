/* A model out of events, for tests that include cmocka.
 *
 *	built_start(&built); built_give(&built, (struct wk_event){ ... }); built_end(&built);
 *
 * The model is the test's to free. */
#ifndef WK_TESTS_BUILT_MODEL_H
#define WK_TESTS_BUILT_MODEL_H

#include "model/builder.h"
#include "../model_check.h"

struct built {
	struct wk_model *model;
	struct wk_builder *builder;
	struct wk_sink sink;
};

static inline void built_start(struct built *built)
{
	built->model = wk_model_new();
	built->builder = wk_builder_new(built->model);
	built->sink = wk_builder_sink(built->builder);
}

static inline void built_give(struct built *built, struct wk_event event)
{
	struct wk_err err = { 0 };

	assert_true(wk_sink_emit(&built->sink, &event, &err));
}

static inline void built_end(struct built *built)
{
	struct wk_err err = { 0 };

	wk_builder_finish(built->builder);
	if (!model_check(built->model, &err))
		fail_msg("%s", err.text);
	wk_builder_free(built->builder);
}

#endif
