/* What tables need that not every recording has. */
#include "views/filter/filter.h"
#include "views/lifetimes.h"
#include "views/source_line.h"
#include "views/tables/tables.h"

/* Memory has a lifetime, an interval has none. */
static bool has_source(const struct wk_table_view *view, const struct wk_model *model,
		       const char *name)
{
	if (!(view->uses & WK_TABLE_IS_OF_INTERVALS))
		return wk_lifetimes_source(model, name) != 0;
	for (wk_source_id i = 1; model->interval_count && i < model->source_count; i++)
		if (wk_str_is(wk_model_str(model, model->sources[i].name), name))
			return true;
	return false;
}

const char *wk_table_view_source(const struct wk_table_view *view, const struct wk_model *model)
{
	for (size_t i = 0; view->events && view->events[i]; i++)
		if (has_source(view, model, view->events[i]))
			return view->events[i];
	return NULL;
}

bool wk_table_view_accepts_source(const struct wk_table_view *view, const char *name)
{
	return view->uses & WK_TABLE_HAS_EVENTS || !view->events ||
	       (name && wk_str_is_one_of(wk_str_c(name), view->events));
}

const char *wk_table_view_lacks(const struct wk_table_view *view, const struct wk_model *model)
{
	if (view->has_content ? view->has_content(model)
			      : !view->events || wk_table_view_source(view, model))
		return NULL;
	if (view->lacks == WK_ADVICE_NO_MEMORY && model->use_count && !model->traits->logs_events)
		return "no calls that map memory were recorded; `wick show counters` has what "
		       "processes used";
	if (view->lacks == WK_ADVICE_NO_HEAPS && wk_model_fact(model, "heap").len)
		return "no allocations were recorded; if a program could not be, `wick record` "
		       "named it, with what to do (docs/heap.md)";
	if (view->lacks == WK_ADVICE_NO_LINES && model->samples.count == 0)
		return WK_NO_SAMPLES;
	if (view->lacks == WK_ADVICE_NO_LINES && model->came_named)
		return WK_NO_LINES_IN_INPUT;
	return wk_advice(model->traits->advice, view->lacks);
}
