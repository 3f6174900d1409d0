#include "session/shown_table.h"

#include "base/mem.h"
#include "render/renderer.h"
#include "views/function_choice.h"
#include "views/own_code.h"

bool wk_table_print(const struct wk_table *table, const struct wk_selection *selection,
		    const struct wk_table_look *look, struct wk_out *out, struct wk_err *err)
{
	static const char *const names[] = {
		[WK_TABLE_TEXT] = "text", [WK_TABLE_CSV] = "csv", [WK_TABLE_JSON] = "json" };
	struct wk_view view = {
		.model = selection ? selection->quality.model : NULL,
		.quality = selection ? &selection->quality : NULL,
		.table = table,
		.columns = look->columns,
		.has_colour = look->has_colour,
		.is_plain = look->is_plain,
		.has_details = look->has_details,
		.is_quiet = look->is_quiet,
	};

	return wk_renderer_find(names[look->form])->render(&view, out, err);
}

/* Whether options say how calls are put together. */
static bool has_levels(const struct wk_table_query *query)
{
	const struct wk_tree_options *tree = &query->options.tree;

	return tree->inverted || tree->by_process || tree->by_thread || tree->by_samples ||
	       query->choice->is_grouped;
}

const struct wk_table_view *wk_table_query_view(const struct wk_table_query *query)
{
	return query->view->uses & WK_TABLE_HAS_CALLS && has_levels(query)
		       ? wk_table_view_with(WK_TABLE_IS_CALLS)
		       : query->view;
}

/* A table can be about an event of its own, which not every recording has. A preset's event is
 * neither dropped silently nor replaced. */
static bool select_samples(struct wk_shown_table *shown, const struct wk_table_view *view,
			   const struct wk_table_query *query, const struct wk_model *model,
			   struct wk_err *err)
{
	struct wk_filter_spec filter = query->choice->filter;
	const char *lacks = wk_table_view_lacks(view, model);
	const char *own = wk_table_view_source(view, model);

	if (lacks)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, "%s", lacks);
	if (query->choice->has_preset && !wk_table_view_accepts_source(view, filter.source))
		return wk_fail(
			err, WK_EUSAGE, WK_NOWHERE,
			"table %s shows %s, but the preset is for %s; use `wick show %s calls` "
			"with the preset",
			view->name, own ? own : view->name,
			filter.source ? filter.source : "CPU time", wk_model_input(model));
	if (!filter.source)
		filter.source = own;
	filter.outstanding |=
		view->uses & WK_TABLE_IS_OF_LEFT && view != wk_table_query_view(query);
	return wk_selection_open(&shown->selection, model, &filter, err);
}

/* People see a part of a long table unless they ask for all; programs get all. */
static struct wk_table_options limited(const struct wk_table_query *query,
				       const struct wk_table_view *view)
{
	struct wk_table_options options = query->options;

	wk_view_shape(query->choice, &options.tree);
	options.tree.folds_recursion = !query->prints_all && !query->choice->is_grouped;
	if (!options.limit && !query->prints_all)
		options.limit = view->usual_limit;
	if (!query->has_min && !query->prints_all)
		options.min_percent = view->usual_min_percent;
	options.hides_callers = options.tree.charges_own && !query->prints_all;
	return options;
}

/* With --mine, only functions of the user's own have callers and callees. */
static bool expect_own(const struct wk_model *model, const uint8_t *functions, const char *word,
		       struct wk_err *err)
{
	uint8_t *own = wk_own_code(model);
	bool has_own = false;

	for (wk_function_id id = 1; id < model->function_count; id++)
		has_own |= functions[id] && own[id];
	wk_free(own);
	return has_own ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "%s is not your program's: --mine counts it at the function that called it; "
		       "leave --mine out",
		       word);
}

bool wk_shown_table_open(struct wk_shown_table *shown, const struct wk_table_query *query,
			 const struct wk_model *model, struct wk_err *err)
{
	const struct wk_table_view *view = wk_table_query_view(query);
	struct wk_table_options options = limited(query, view);
	/* Between two snapshots nothing may be new, but much be gone. */
	bool lists_gone = view->uses & WK_TABLE_HAS_OWN_EVENTS &&
			  wk_filter_spec_has_span(&query->choice->filter);

	/* A trace without samples still has processes, threads and images. */
	*shown = (struct wk_shown_table){
		.view = view,
		.expects_rows = lists_gone || view->uses & WK_TABLE_EXPECTS_ROWS,
		.needs_samples = view->uses & WK_TABLE_IS_OF_SAMPLES && !lists_gone &&
				 (model->samples.count || !(view->uses & WK_TABLE_IS_OF_SYSTEM)),
	};
	if (query->function) {
		shown->functions = wk_choose_functions(model, query->function,
						       query->choice->filter.ignore_case, err);
		options.tree.focus = shown->functions;
		if (!shown->functions ||
		    (options.tree.charges_own &&
		     !expect_own(model, shown->functions, query->function, err))) {
			wk_free(shown->functions);
			return false;
		}
	}
	if (!select_samples(shown, query->view, query, model, err) ||
	    (query->expects_samples && shown->needs_samples &&
	     !wk_selection_expect(&shown->selection, err))) {
		wk_selection_fini(&shown->selection);
		wk_free(shown->functions);
		return false;
	}
	wk_table_init(&shown->table, view->name);
	view->fill(&shown->table, model, &shown->selection.filter, &options);
	return true;
}

void wk_shown_table_fini(struct wk_shown_table *shown)
{
	wk_table_fini(&shown->table);
	wk_free(shown->functions);
	wk_selection_fini(&shown->selection);
}

bool wk_shown_table_is_filtered_out(const struct wk_shown_table *shown)
{
	return shown->table.row_count == 0 && shown->selection.filter.total;
}

bool wk_shown_table_expect(const struct wk_shown_table *shown, struct wk_err *err)
{
	/* Threads can have waited although no sample is of a wait. */
	bool lacks_rows = shown->table.row_count == 0 && shown->expects_rows;

	return (!shown->needs_samples && !lacks_rows) ||
	       wk_selection_expect(&shown->selection, err);
}

void wk_shown_table_report(const struct wk_shown_table *shown, const struct wk_table_query *query,
			   enum wk_table_form form, const struct wk_messages *messages)
{
	struct wk_buf words = { 0 };

	if (form == WK_TABLE_CSV && shown->table.names_functions)
		wk_selection_warn(&shown->selection, messages);
	else if (form == WK_TABLE_CSV)
		wk_selection_report_faults(&shown->selection, messages);
	if (!query->choice->is_grouped || shown->view->uses & WK_TABLE_HAS_LEVELS)
		return;
	wk_buf_add_fmt(&words, "table %s has no levels, so the preset's grouping (",
		       shown->view->name);
	wk_grouping_write(&query->choice->grouping, &words);
	wk_buf_add_fmt(&words, ") is not applied; `wick show %s calls` applies it",
		       wk_model_input(shown->selection.quality.model));
	wk_warn_buf(messages, &words);
}
