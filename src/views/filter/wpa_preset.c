#include "views/filter/wpa_preset.h"

#define NONE ((const char *const[]){ NULL })

/* Of a calling tree's columns those that are shown as well, in any unit. */
static const char *const tree_values[] = {
	"Count", "Weight", "% Weight", "Waits", "Ready", "Size", "Impacting Size", "Count: Waits",
	"Count:Waits", "Time Since Last", "TimeSinceLast", NULL,
};

static const char *const process_values[] = {
	"Process", "Process Name", "Process ID", "Parent Process ID", "Parent PID", "Start Time",
	"End Time", "Exit Status", "Exit Code", "Command Line", "User Name", "User SID",
	"Session ID", "Package Full Name", "Hosted Services", "Process Tree", "Count", NULL,
};

static const char *const thread_values[] = {
	"Process", "Process Name", "Thread ID", "Thread Name", "Start Time", "End Time", "Count",
	NULL,
};

static const char *const image_values[] = {
	"Image Name", "Image Path", "File Name", "Count", NULL,
};

static const char *const mark_values[] = {
	"Mark", "Time", "Process", "Process Name", "Count", NULL,
};

static const char *const event_values[] = {
	"Provider Name", "Event Name", "Task Name", "Count", NULL,
};

/* The graphs that are known. */
static const struct graph {
	const char *guid;
	const char *element; /* of the older form; or NULL */
	const char *title;
	const char *table, *source; /* see struct wk_wpa_view */
	bool is_shown, has_lifetimes;
	const char *const *values;
} graphs[] = {
	{ "b855361e-7be0-4bc8-a754-3e8507715ca5", "CpuSampledGraphTreeItem", "CPU Usage (Sampled)",
	  NULL, NULL, true, false, tree_values },
	{ "c58f5fea-0319-4046-932d-e695ebe20b47", "CpuSchedulingWithReadyThreadGraphTreeItem",
	  "CPU Usage (Precise)", NULL, "wait", true, false, tree_values },
	{ "e6a4a964-3a87-46ef-9762-f9d9b9208051", NULL, "VirtualAlloc Commit LifeTimes", NULL,
	  "commit", true, true, tree_values },
	{ "1a64d983-f796-45f8-aa64-ac50b95d0e45", NULL, "Heap Allocations", NULL, "heap", true,
	  true, tree_values },
	{ "7c60aeff-a47f-4ba8-942c-d2b154087ab9", NULL, "Hard Faults", NULL, "hard fault", true,
	  false, tree_values },
	{ "b186f02d-8d06-4bbb-9ad1-abf7985fb61a", NULL, "Process Lifetimes", "processes", NULL,
	  true, false, process_values },
	{ "a20f1ccd-d67f-4cdf-a186-0fd3f6535f18", NULL, "Thread Lifetimes", "threads", NULL, true,
	  false, thread_values },
	{ "a1df89f9-5b2a-449e-aaab-1bcc3fd25c84", NULL, "Images", "images", NULL, true, false,
	  image_values },
	{ "ec60ccb2-4409-444e-98fa-792c5b3c36da", NULL, "Marks", "marks", NULL, true, false,
	  mark_values },
	{ "04f69f98-176e-4d1c-b44e-97f734996ab8", "GenericEventsGraphTreeItem", "Generic Events",
	  "events", NULL, true, false, event_values },
	{ "e2a7d340-0dbd-4f24-8b26-e5388eeaf562", NULL, "File I/O", NULL, NULL, false, false,
	  NONE },
	{ "3c18eb9c-2211-4988-bf94-bb029e4ce96e", NULL, "Window in Focus", NULL, NULL, false, false,
	  NONE },
	{ "b859d131-dfb5-4605-be19-810b298b6975", NULL, "GPU Utilization", NULL, NULL, false, false,
	  NONE },
	{ "920e6241-3dea-46c4-8e4f-04ce08f62c0a", NULL, "UI Delays", NULL, NULL, false, false,
	  NONE },
	{ "1ce7fd53-2344-4ea8-acd6-1a0722a51427", NULL, "Regions of Interest", NULL, NULL, false,
	  false, NONE },
	{ "bc4f0890-4a76-4fe7-b014-6ae70677f8f5", NULL, "Reference Set", NULL, NULL, false, false,
	  NONE },
	{ "463048cb-2f2b-480d-8e94-a54f3fd88080", NULL, "Heap Snapshot", NULL, NULL, false, false,
	  NONE },
};

static bool is_same(struct wk_str text, const char *known)
{
	return known && wk_str_is_any_case(text, known);
}

static const struct graph *find_graph(struct wk_str graph)
{
	for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++)
		if (is_same(graph, graphs[i].guid) || is_same(graph, graphs[i].element))
			return &graphs[i];
	return NULL;
}

/* A line for each, whatever is in a name. */
static void miss(struct wk_wpa_view *view, const char *before, struct wk_str text,
		 const char *behind)
{
	wk_buf_add_text(&view->missing, before);
	for (size_t i = 0; i < text.len; i++)
		wk_buf_add_char(&view->missing, (unsigned char)text.at[i] < ' ' ? ' ' : text.at[i]);
	wk_buf_add_text(&view->missing, behind);
	wk_buf_add_char(&view->missing, '\n');
	view->missing_count++;
}

/* ---- columns */

/* "Waits (us)" is "Waits". */
static struct wk_str without_unit(struct wk_str name)
{
	size_t len = 0;

	while (len < name.len && name.at[len] != '(')
		len++;
	while (len > 0 && name.at[len - 1] == ' ')
		len--;
	return len ? wk_str_of(name.at, len) : name;
}

static bool is_listed(struct wk_str name, const char *const *list)
{
	for (; *list; list++)
		if (is_same(without_unit(name), *list))
			return true;
	return false;
}

static enum wk_group_column group_of(enum wk_field field)
{
	static const enum wk_group_column groups[WK_FIELD_NONE + 1] = {
		[WK_FIELD_PROCESS_LABEL] = WK_GROUP_PID,   [WK_FIELD_PROCESS] = WK_GROUP_PROCESS,
		[WK_FIELD_PID] = WK_GROUP_PID,             [WK_FIELD_COMMAND] = WK_GROUP_COLUMNS,
		[WK_FIELD_TID] = WK_GROUP_THREAD,          [WK_FIELD_THREAD] = WK_GROUP_THREAD,
		[WK_FIELD_MODULE] = WK_GROUP_MODULE,       [WK_FIELD_FUNCTION] = WK_GROUP_FUNCTION,
		[WK_FIELD_STACK_FRAME] = WK_GROUP_STACK,   [WK_FIELD_CPU] = WK_GROUP_CPU,
		[WK_FIELD_NONE] = WK_GROUP_COLUMNS,
	};

	return groups[field];
}

static void add_key(struct wk_wpa_view *view, const struct wk_wpa_column *column)
{
	enum wk_group_column group = group_of(wk_wpa_field_of(column->name));

	if (column->stack_mode.len)
		miss(view, "the grouping by tags of column \"", column->name, "\"");
	else if (group == WK_GROUP_COLUMNS || wk_grouping_has(&view->grouping, WK_GROUP_STACK))
		miss(view, "the grouping by column \"", column->name, "\"");
	else
		wk_grouping_add(&view->grouping, group);
	view->inverted |= group == WK_GROUP_STACK && column->stack_is_inverted;
}

static void add_columns(struct wk_wpa_view *view, const struct wk_wpa_profile *profile,
			const struct wk_wpa_preset *preset, const char *const *values)
{
	const struct wk_wpa_column *columns = profile->columns + preset->first;

	for (uint32_t i = 0; i < preset->column_count; i++) {
		if (!columns[i].is_visible)
			continue;
		if (!view->table && i < preset->key_count)
			add_key(view, &columns[i]);
		else if (!is_listed(columns[i].name, values))
			miss(view, "column \"", columns[i].name, "\"");
	}
	if (view->grouping.count)
		wk_grouping_finish(&view->grouping);
}

/* ---- the filter */

static void add_filter(struct wk_wpa_view *view, const struct wk_wpa_preset *preset)
{
	struct wk_err err = { 0 };

	if (!preset->filter.len)
		return;
	if (!wk_wpa_query_read(&view->query, preset->filter, preset->filter_keeps, &err)) {
		miss(view, "the filter, which cannot be read: ", wk_str_c(err.text), "");
		return;
	}
	for (size_t i = 0; i < view->query.expr.term_count; i++) {
		const struct wk_term *term = &view->query.expr.terms[i];

		if (term->test == WK_TEST_UNKNOWN)
			miss(view, "the filter's ", term->written, "");
		else
			view->has_query = true;
	}
}

/* Waits are what is seen of switches, unless the time until a thread runs is all that is shown. */
static const char *source_of(const struct graph *graph, const struct wk_wpa_profile *profile,
			     const struct wk_wpa_preset *preset)
{
	static const char *const waits[] = { "Waits", "Count: Waits", "Count:Waits",
					     "Time Since Last", "TimeSinceLast", NULL };
	static const char *const ready[] = { "Ready", NULL };
	bool has_waits = false, has_ready = false;

	for (uint32_t i = 0; i < preset->column_count; i++) {
		const struct wk_wpa_column *column = &profile->columns[preset->first + i];

		has_waits |= column->is_visible && is_listed(column->name, waits);
		has_ready |= column->is_visible && is_listed(column->name, ready);
	}
	return graph->source && wk_str_is(wk_str_c(graph->source), "wait") && has_ready &&
			       !has_waits
		       ? "ready"
		       : graph->source;
}

void wk_wpa_view_init(struct wk_wpa_view *view, const struct wk_wpa_profile *profile,
		      const struct wk_wpa_preset *preset)
{
	const struct graph *graph = find_graph(preset->graph);

	*view = (struct wk_wpa_view){ .title = preset->graph };
	if (graph)
		view->title = wk_str_c(graph->title);
	if (!graph || !graph->is_shown) {
		miss(view, "the graph \"", view->title, "\"");
		return;
	}
	view->is_shown = true;
	view->table = graph->table;
	view->source = source_of(graph, profile, preset);
	view->outstanding = graph->has_lifetimes && wk_str_starts(preset->over_time, "Outstanding");
	add_columns(view, profile, preset, graph->values);
	add_filter(view, preset);
	if (wk_str_is(preset->over_time, "OutstandingPeak"))
		miss(view, "the peak (what is outstanding at the end is shown)",
		     (struct wk_str){ 0 }, "");
}

void wk_wpa_view_fini(struct wk_wpa_view *view)
{
	wk_preset_query_fini(&view->query);
	wk_buf_fini(&view->missing);
	*view = (struct wk_wpa_view){ 0 };
}
