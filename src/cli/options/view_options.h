/* The options that say how a view is grouped, and presets, which say that and more: by which event
 * samples weigh and which are left out. Usual order: wk_view_choose before anything is read, then
 * its filter for wk_selection_open and its grouping for trees; wk_view_choice_fini. */
#ifndef WK_CLI_OPTIONS_VIEW_OPTIONS_H
#define WK_CLI_OPTIONS_VIEW_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/options/options.h"
#include "views/filter/filter.h"
#include "views/tree/grouping.h"

struct wk_preset_file; /* cli/options/preset_file.h */

struct wk_view_args {
	const char *group;  /* columns; NULL: as the command has it */
	const char *preset; /* a name, or FILE[:NAME]; NULL: none */
};

extern const struct wk_opt_group wk_view_group;

/* What the options make of a view. */
struct wk_view_choice {
	struct wk_filter_spec filter; /* what was typed, and what the preset adds */
	struct wk_filter_needs needs;
	struct wk_grouping grouping;
	bool is_grouped;             /* else the command's own levels hold */
	bool needs_samples;          /* one by one, and not added up by their stacks */
	bool inverted;               /* the preset grows stacks from the innermost function */
	const char *table;           /* the preset is this table of `wick show`; or NULL */
	struct wk_preset_file *file; /* that all this is in; or NULL */
	struct wk_buf said;          /* for standard error: what a preset's file has that is not
				      * shown, a line each; empty: nothing */
};

struct wk_view_typed {
	const struct wk_view_args *view;
	const struct wk_filter_spec *filter;
	bool says_levels; /* an option says levels in other words */
};

bool wk_view_choose(struct wk_view_choice *choice, const struct wk_view_typed *typed,
		    struct wk_err *err);
void wk_view_choice_fini(struct wk_view_choice *choice);

/* Says on standard error what a preset of a file became. */
void wk_view_say(const struct wk_view_choice *choice);

/* Fails where the preset is a table: a tree cannot be drawn of it. */
bool wk_view_expect_tree(const struct wk_view_choice *choice, struct wk_err *err);

/* For wk_tree_options. */
static inline const struct wk_grouping *wk_view_grouping(const struct wk_view_choice *choice)
{
	return choice->is_grouped ? &choice->grouping : NULL;
}

#endif
