#include "cli/options/view_options.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text/suggest.h"
#include "cli/options/preset_file.h"
#include "cli/terminal.h"
#include "views/filter/presets.h"

#define AT(field) offsetof(struct wk_view_args, field)

static const struct wk_opt options[] = {
	{ 0, "group", "COLUMN[,COLUMN...]", "levels of the tree, outermost first: process, "
		"pid, thread, cpu, module, function, stack; for waits wait-reason, "
		"readied-by; for heap blocks heap, allocator, size [default: process,stack]", WK_OPT_TEXT, AT(group), NULL },
	{ 0, "preset", "NAME|FILE[:NAME]", "event, grouping and filter by name: "
		"cpu-by-process, cpu-by-thread, cpu-by-module, cpu-by-function, "
		"wait-by-process, ready-by-process, commit-by-process, commits-by-process, "
		"heap-by-process, hard-faults, or one of a .wpaProfile (`wick show "
		"FILE.wpaProfile` lists them)", WK_OPT_TEXT,
	  AT(preset), wk_preset_names },
	{ 0 },
};

const struct wk_opt_group wk_view_group = { "Grouping", options };

/* ---- presets */

static bool fail_to_find(const char *name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	struct wk_buf names = { 0 };

	for (size_t i = 0; wk_preset_names[i]; i++) {
		wk_suggestion_try(&near, wk_preset_names[i]);
		wk_buf_add_fmt(&names, "%s%s", i ? ", " : "", wk_preset_names[i]);
	}
	if (near.best)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no preset \"%s\"; did you mean \"%s\"?", name,
			near.best);
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no preset \"%s\"; choose one of %s, or FILE.wpaProfile", name,
			wk_buf_text(&names));
	wk_buf_fini(&names);
	return false;
}

/* What was typed goes before what a preset says. */
static void read_measure(struct wk_view_choice *choice, const char *source, bool outstanding)
{
	if (choice->filter.source)
		return;
	choice->filter.source = source;
	choice->filter.outstanding |= outstanding;
}

static void read_grouping(struct wk_view_choice *choice, const struct wk_grouping *grouping)
{
	if (choice->is_grouped || grouping->count == 0)
		return;
	choice->grouping = *grouping;
	choice->is_grouped = true;
}

static bool read_own(struct wk_view_choice *choice, const char *name, struct wk_err *err)
{
	const struct wk_preset *preset = wk_presets;
	struct wk_grouping grouping;

	while (preset->name && !wk_str_is(wk_str_c(name), preset->name))
		preset++;
	if (!preset->name)
		return fail_to_find(name, err);
	read_measure(choice, preset->source, preset->outstanding);
	if (!wk_grouping_read(&grouping, wk_str_c(preset->group), err))
		return false;
	read_grouping(choice, &grouping);
	return true;
}

static bool read_file(struct wk_view_choice *choice, const char *text, struct wk_err *err)
{
	const struct wk_wpa_view *view;

	choice->file = wk_alloc_zeroed(1, sizeof(*choice->file));
	if (!wk_preset_file_open(choice->file, text, err))
		return false;
	view = &choice->file->view;
	read_measure(choice, view->source, view->outstanding);
	read_grouping(choice, &view->grouping);
	choice->table = view->table;
	choice->inverted = view->inverted;
	if (view->has_query)
		choice->filter.query = &view->query;
	wk_preset_file_say(choice->file, &choice->said);
	return true;
}

static bool read_preset(struct wk_view_choice *choice, const char *preset, struct wk_err *err)
{
	if (wk_preset_file_is_meant(preset))
		return read_file(choice, preset, err);
	return read_own(choice, preset, err);
}

/* ---- */

static bool read_group(struct wk_view_choice *choice, const char *group, struct wk_err *err)
{
	if (!wk_grouping_read(&choice->grouping, wk_str_c(group), err)) {
		wk_err_in(err, "--group");
		return false;
	}
	choice->is_grouped = true;
	return true;
}

bool wk_view_choose(struct wk_view_choice *choice, const struct wk_view_typed *typed,
		    struct wk_err *err)
{
	const char *group = typed->view->group, *preset = typed->view->preset;
	bool ok;

	*choice = (struct wk_view_choice){ .filter = *typed->filter };
	if (group && typed->says_levels)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--group sets all levels; leave out --by-process, "
			       "--by-thread and --no-process");
	ok = (!group || read_group(choice, group, err)) &&
	     (!preset || read_preset(choice, preset, err));
	if (typed->says_levels)
		choice->is_grouped = false;
	choice->needs_samples =
		choice->is_grouped && wk_grouping_has(&choice->grouping, WK_GROUP_CPU);
	ok = ok && wk_filter_check(&choice->filter, &choice->needs, err);
	choice->needs_samples |= choice->needs.samples;
	if (!ok)
		wk_view_choice_fini(choice);
	return ok;
}

void wk_view_choice_fini(struct wk_view_choice *choice)
{
	if (choice->file) {
		wk_preset_file_close(choice->file);
		wk_free(choice->file);
	}
	choice->file = NULL;
	wk_buf_fini(&choice->said);
}

bool wk_view_expect_tree(const struct wk_view_choice *choice, struct wk_err *err)
{
	return !choice->table ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "this preset is a table, not a tree; print it with: wick show FILE "
		       "%s",
		       choice->table);
}

void wk_view_say(const struct wk_view_choice *choice)
{
	if (choice->said.len)
		wk_say_lines(wk_buf_text(&choice->said));
}
