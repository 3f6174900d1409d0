#include "session/view_choice.h"

#include "base/mem.h"
#include "session/presets/own_preset.h"
#include "session/presets/preset_file.h"

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

static bool read_own(struct wk_view_choice *choice, const char *text, struct wk_err *err)
{
	const struct wk_preset *preset;
	struct wk_grouping grouping = { 0 };

	choice->own = wk_alloc_zeroed(1, sizeof(*choice->own));
	if (!wk_own_preset_open(choice->own, text, err))
		return false;
	preset = choice->preset = &choice->own->preset;
	read_measure(choice, preset->view.source, preset->view.outstanding);
	if (preset->view.group && !wk_grouping_read(&grouping, wk_str_c(preset->view.group), err))
		return false;
	read_grouping(choice, &grouping);
	choice->inverted = preset->view.inverted;
	choice->min_percent = preset->min_percent;
	choice->annotations = &choice->own->annotations;
	if (choice->own->has_query)
		choice->filter.query = &choice->own->query;
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

/* Without rules each stack would have the same label. */
static bool expect_rules(const struct wk_view_choice *choice, struct wk_err *err)
{
	bool has_rules = choice->annotations && choice->annotations->count;

	return has_rules || !choice->is_grouped ||
	       !wk_grouping_has(&choice->grouping, WK_GROUP_ANNOTATION) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "the level `annotation` needs the rules of a preset, such as --preset "
		       "rustc; %s",
		       choice->has_preset ? "this preset has none" : "no preset is given");
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
	ok = ok && expect_rules(choice, err);
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
	if (choice->own) {
		wk_own_preset_close(choice->own);
		wk_free(choice->own);
	}
	choice->file = NULL;
	choice->own = NULL;
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
