#include "session/view_choice.h"

#include "base/mem.h"
#include "base/text/suggest.h"
#include "session/presets/preset_file.h"

static bool fail_to_find(const char *name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	struct wk_buf names = { 0 };

	wk_buf_add_text(&names, "choose one of ");
	for (size_t i = 0; wk_preset_names[i]; i++) {
		wk_suggestion_try(&near, wk_preset_names[i]);
		wk_buf_add_fmt(&names, "%s, ", wk_preset_names[i]);
	}
	wk_buf_add_text(&names, "or FILE.wpaProfile");
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no preset \"%s\"", name);
	wk_suggestion_add(&near, wk_buf_text(&names), err);
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

static bool read_group(struct wk_view_choice *choice, const char *group, struct wk_err *err)
{
	if (!wk_grouping_read(&choice->grouping, wk_str_c(group), err))
		return wk_err_in(err, "--group");
	choice->is_grouped = true;
	return true;
}

bool wk_view_choose(struct wk_view_choice *choice, const struct wk_view_args *view,
		    const struct wk_filter_spec *filter, const char *levels, struct wk_err *err)
{
	const char *group = view->group, *preset = view->preset;
	bool ok;

	*choice = (struct wk_view_choice){ .filter = *filter, .has_preset = preset,
					   .mine = view->mine,
					   .all_inlined = view->all_inlined };
	if (group && levels)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--group sets all levels; leave out --%s", levels);
	ok = !group || read_group(choice, group, err);
	if (ok && preset)
		ok = wk_preset_file_is_meant(preset) ? read_file(choice, preset, err)
						     : read_own(choice, preset, err);
	if (levels)
		choice->is_grouped = false;
	choice->needs_samples = choice->needs_blocks =
		choice->is_grouped && wk_grouping_has(&choice->grouping, WK_GROUP_CPU);
	if (wk_filter_spec_has_span(&choice->filter) && !choice->filter.source)
		choice->filter.source = "heap"; /* which snapshots are of */
	ok = ok && wk_filter_check(&choice->filter, &choice->needs, err);
	choice->needs_samples |= choice->needs.samples;
	choice->needs_blocks |= choice->needs.blocks;
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

bool wk_view_expect_tree(const struct wk_view_choice *choice, const char *file, struct wk_err *err)
{
	struct wk_buf command = { 0 };

	if (!choice->table)
		return true;
	wk_buf_add_text(&command, "wick show ");
	if (file) {
		wk_buf_add_shell(&command, wk_str_c(file));
		wk_buf_add_char(&command, ' ');
	}
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"this preset is a table, not a tree; print it with: %s%s", wk_buf_text(&command),
		choice->table);
	wk_buf_fini(&command);
	return false;
}

void wk_view_report(const struct wk_view_choice *choice, const struct wk_messages *messages)
{
	wk_warn_lines(messages, wk_buf_str(&choice->said));
}
