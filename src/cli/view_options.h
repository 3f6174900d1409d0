/* The options that say how a view is grouped: which levels a tree has. */
#ifndef WK_CLI_VIEW_OPTIONS_H
#define WK_CLI_VIEW_OPTIONS_H

#include "base/err.h"
#include "cli/options.h"
#include "views/grouping.h"

struct wk_view_args {
	const char *group; /* columns; NULL: as the command has it */
};

extern const struct wk_opt_group wk_view_group;

/* What the options make of a view. */
struct wk_view_choice {
	struct wk_grouping grouping;
	bool is_grouped; /* else the command's own levels hold */
	bool needs_samples; /* one by one, and not added up by their stacks */
};

/* `says_levels`: an option that does the same in other words was given, too. */
bool wk_view_choose(struct wk_view_choice *choice, const struct wk_view_args *args,
		    bool says_levels, struct wk_err *err);

/* For wk_tree_options. */
static inline const struct wk_grouping *wk_view_grouping(const struct wk_view_choice *choice)
{
	return choice->is_grouped ? &choice->grouping : NULL;
}

#endif
