#include "session/presets/page_presets.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "views/filter/filter.h"

static void add(struct wk_page_presets *presets, const struct wk_preset *preset)
{
	*WK_APPEND(presets->at, presets->count, presets->cap) =
		(struct wk_page_preset){ .preset = preset };
}

/* ---- a .wpaProfile */

/* The tab that shows what a graph does; NULL: none does. */
static const char *tab_of(const struct wk_wpa_view *view)
{
	static const struct {
		const char *source, *tab;
	} tabs[] = { { "commit", "memory" }, { "reserve", "memory" }, { "decommit", "memory" },
		     { "heap", "heap" },     { "wait", "waits" },     { "ready", "waits" } };

	if (!view->is_shown)
		return NULL;
	if (view->table)
		return strcmp(view->table, "processes") == 0 ? "processes" : NULL;
	for (size_t i = 0; view->source && i < sizeof(tabs) / sizeof(tabs[0]); i++)
		if (strcmp(tabs[i].source, view->source) == 0)
			return tabs[i].tab;
	return "cpu";
}

static void add_missing(struct wk_page_presets *presets, const struct wk_wpa_view *view,
			struct wk_str name)
{
	struct wk_str rest = wk_buf_str(&view->missing), line;

	if (view->has_query)
		wk_buf_add_fmt(&presets->missing, "\"%.*s\": not shown: its filter\n",
			       WK_STR_ARG(name));
	while (wk_str_split(rest, '\n', &line, &rest))
		wk_buf_add_fmt(&presets->missing, "\"%.*s\": not shown: %.*s\n", WK_STR_ARG(name),
			       WK_STR_ARG(line));
}

/* The tab of that name, made if there is none yet. */
static struct wk_preset_tab *find_tab(struct wk_preset_tab *tabs, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(tabs[i].tab, name) == 0)
			return &tabs[i];
	tabs[*count] = (struct wk_preset_tab){ .tab = name };
	return &tabs[(*count)++];
}

static struct wk_preset_view view_of(struct wk_page_presets *presets,
				     const struct wk_wpa_view *view, struct wk_str name)
{
	struct wk_buf group = { 0 };
	struct wk_preset_view result = {
		.title = wk_arena_copy(&presets->arena, name).at,
		.source = view->source,
		.outstanding = view->outstanding,
		.inverted = view->inverted,
	};

	if (view->grouping.count) {
		wk_grouping_write(&view->grouping, &group);
		result.group = wk_arena_copy(&presets->arena, wk_buf_str(&group)).at;
	}
	wk_buf_fini(&group);
	return result;
}

/* Views of one tab are one array, so they are added tab by tab. */
static void add_views(struct wk_page_presets *presets, struct wk_preset_tab *tab)
{
	const struct wk_wpa_profile *profile = &presets->profile;
	struct wk_preset_view *views =
		wk_arena_alloc(&presets->arena, profile->preset_count * sizeof(*views));

	tab->views = views;
	for (size_t i = 0; i < profile->preset_count; i++) {
		const struct wk_wpa_preset *preset = &profile->presets[i];
		const char *name;
		struct wk_wpa_view view;

		if (preset->is_copy)
			continue;
		wk_wpa_view_init(&view, profile, preset);
		name = tab_of(&view);
		if (name && !view.table && strcmp(name, tab->tab) == 0)
			views[tab->view_count++] = view_of(presets, &view, preset->name);
		wk_wpa_view_fini(&view);
	}
}

static void read_graphs(struct wk_page_presets *presets, const char *path)
{
	const struct wk_wpa_profile *profile = &presets->profile;
	struct wk_preset_tab *tabs =
		wk_arena_alloc(&presets->arena, (profile->preset_count + 1) * sizeof(*tabs));
	size_t count = 0;

	for (size_t i = 0; i < profile->preset_count; i++) {
		struct wk_wpa_view view;
		const char *name;

		if (profile->presets[i].is_copy)
			continue;
		wk_wpa_view_init(&view, profile, &profile->presets[i]);
		name = tab_of(&view);
		if (name)
			find_tab(tabs, &count, name);
		add_missing(presets, &view, profile->presets[i].name);
		wk_wpa_view_fini(&view);
	}
	for (size_t i = 0; i < count; i++)
		add_views(presets, &tabs[i]);
	presets->chosen = (struct wk_preset){
		.name = wk_arena_copy(&presets->arena, wk_str_basename(wk_str_c(path))).at,
		.tabs = tabs,
		.tab_count = count,
	};
	add(presets, &presets->chosen);
}

/* ---- all of them */

bool wk_page_presets_open(struct wk_page_presets *presets, const char *text, struct wk_err *err)
{
	*presets = (struct wk_page_presets){ 0 };
	if (!text)
		return true;
	if (wk_preset_file_is_meant(text)) {
		if (!wk_preset_file_is_whole(text))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "a page has all presets of a file; leave out what follows "
				       "its name: --preset %s",
				       text);
		if (!wk_preset_file_read(&presets->profile, text, err))
			return false;
		presets->has_profile = true;
		read_graphs(presets, text);
		return true;
	}
	presets->has_own = true;
	if (!wk_own_preset_open(&presets->own, text, err))
		return false;
	add(presets, &presets->own.preset);
	return true;
}

/* Those of the threads that its filter keeps; all, if it is not about processes. */
static bool find_processes(struct wk_page_presets *presets, struct wk_page_preset *preset,
			   const struct wk_model *model, struct wk_err *err)
{
	struct wk_filter_spec spec = { .expression = preset->preset->filter };
	struct wk_filter_needs needs;
	struct wk_filter filter;

	if (!spec.expression)
		return true;
	if (!wk_filter_check(&spec, &needs, err) || !wk_filter_init(&filter, model, &spec, err))
		return false;
	if (needs.uses & ~(unsigned)WK_FILTER_USES_THREADS)
		wk_buf_add_fmt(&presets->missing,
			       "preset \"%s\": not shown: its filter, except for processes\n",
			       preset->preset->name);
	if (filter.threads) {
		preset->processes = wk_alloc_zeroed(model->process_count, 1);
		for (wk_thread_id id = 1; id < model->thread_count; id++)
			preset->processes[model->threads[id].process] |= filter.threads[id];
	}
	wk_filter_fini(&filter);
	return true;
}

static bool is_recorded(const struct wk_model *model, const struct wk_preset *preset)
{
	const char *name = preset->view.source;
	bool found = false;

	for (wk_source_id id = 1; id < model->source_count; id++)
		found |= name ? wk_str_is(wk_model_str(model, model->sources[id].name), name)
			      : model->sources[id].is_cpu_time;
	return found;
}

bool wk_page_presets_fill(struct wk_page_presets *presets, const struct wk_model *model,
			  bool compiles_rust, struct wk_err *err)
{
	static const char *const offered[] = { "rustc", "cpu", "memory", "heap", "waits", NULL };
	const char *chosen = presets->count ? presets->at[0].preset->name : "";

	for (size_t i = 0; offered[i]; i++) {
		const struct wk_preset *preset = wk_preset_find(offered[i]);
		bool is_of_rust = strcmp(offered[i], "rustc") == 0;

		if (strcmp(offered[i], chosen) != 0 &&
		    (is_of_rust ? compiles_rust : is_recorded(model, preset)))
			add(presets, preset);
	}
	for (size_t i = 0; i < presets->count; i++)
		if (!find_processes(presets, &presets->at[i], model, err))
			return false;
	return true;
}

void wk_page_presets_close(struct wk_page_presets *presets)
{
	for (size_t i = 0; i < presets->count; i++)
		wk_free(presets->at[i].processes);
	wk_free(presets->at);
	if (presets->has_own)
		wk_own_preset_close(&presets->own);
	if (presets->has_profile)
		wk_wpa_profile_fini(&presets->profile);
	wk_arena_fini(&presets->arena);
	wk_buf_fini(&presets->missing);
}
