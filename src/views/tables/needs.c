/* What tables need that not every recording has. */
#include <string.h>

#include "views/lifetimes.h"
#include "views/tables/tables.h"
#include "views/windows_events.h"

struct needs {
	const char *table;
	/* What it is about is the first of these that there is; NULL: it is about no event. */
	const char *events[3];
	const char *lacks;     /* what is said where there is nothing of it */
	const char *elsewhere; /* the same of a recording that is not of Windows */
};

#define ONLY_WINDOWS " is known of traces of Windows (.etl) only; "

static const struct needs all_needs[] = {
	{ "memory", { "commit", "reserve" },
	  "this recording has no records of memory being committed or given back; "
	  WK_WINDOWS_VIRTUAL_MEMORY " makes some",
	  "what processes committed" ONLY_WINDOWS "on Linux `wick record -e page-faults -- "
	  "COMMAND` records who first touches memory" },
	{ "heap", { "heap" },
	  "this recording has no records of heaps; " WK_WINDOWS_HEAPS " makes some",
	  "what was allocated from heaps is known of traces of Windows (.etl) only" },
	{ "waits", { "wait", "ready" },
	  "this recording has no records of threads that wait; " WK_WINDOWS_SWITCHES
	  " makes some",
	  "how long threads waited" ONLY_WINDOWS "on Linux `wick record -e sched:sched_switch -- "
	  "COMMAND` records where they stop running" },
	{ "marks", { NULL },
	  "nobody set a mark in this recording; `xperf -m TEXT` or `wpr -marker TEXT` sets one",
	  "nobody set a mark in this recording" },
	{ "events", { NULL },
	  "nothing tells how many records of which kind this recording has; traces of Windows "
	  "(.etl) do", NULL },
};

static const struct needs *needs_of(const struct wk_table_view *view)
{
	for (size_t i = 0; i < sizeof(all_needs) / sizeof(all_needs[0]); i++)
		if (strcmp(all_needs[i].table, view->name) == 0)
			return &all_needs[i];
	return NULL;
}

static bool is_of_waits(const struct wk_table_view *view)
{
	return strcmp(view->name, "waits") == 0;
}

/* Memory has a lifetime, a wait has none. */
static bool has_source(const struct wk_table_view *view, const struct wk_model *model,
		       const char *name)
{
	if (!is_of_waits(view))
		return wk_lifetimes_source(model, name) != 0;
	for (wk_source_id i = 1; model->spells.count && i < model->source_count; i++)
		if (wk_str_is(wk_model_str(model, model->sources[i].name), name))
			return true;
	return false;
}

const char *wk_table_view_source(const struct wk_table_view *view, const struct wk_model *model)
{
	const struct needs *needs = needs_of(view);

	for (size_t i = 0; needs && needs->events[i]; i++)
		if (has_source(view, model, needs->events[i]))
			return needs->events[i];
	return NULL;
}

bool wk_table_view_accepts_source(const struct wk_table_view *view, const char *name)
{
	const struct needs *needs = needs_of(view);

	if (view->uses & WK_TABLE_HAS_EVENTS || !needs || !needs->events[0])
		return true;
	for (size_t i = 0; name && needs->events[i]; i++)
		if (strcmp(needs->events[i], name) == 0)
			return true;
	return false;
}

const char *wk_table_view_lacks(const struct wk_table_view *view, const struct wk_model *model)
{
	const struct needs *needs = needs_of(view);
	bool has = true;

	if (!needs)
		return NULL;
	if (is_of_waits(view))
		has = model->spells.count > 0;
	else if (needs->events[0])
		has = wk_table_view_source(view, model) != NULL;
	else if (strcmp(view->name, "marks") == 0)
		has = model->mark_count > 0;
	else if (strcmp(view->name, "events") == 0)
		has = model->count_count > 0;
	if (has)
		return NULL;
	return !model->is_windows && needs->elsewhere ? needs->elsewhere : needs->lacks;
}
