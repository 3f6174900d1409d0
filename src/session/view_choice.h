/* Which event a view weighs by, which samples it leaves out and how it is grouped: from a filter,
 * columns and a preset, which can be one of wick's, a user's or of a .wpaProfile file.
 *
 * Order of calls: wk_view_choose before anything is read, then its filter for wk_selection_open and
 * its grouping for trees; wk_view_choice_fini. */
#ifndef WK_SESSION_VIEW_CHOICE_H
#define WK_SESSION_VIEW_CHOICE_H

#include "session/messages.h"
#include "views/filter/filter.h"
#include "views/filter/presets.h"
#include "views/tree/tree.h"

struct wk_own_preset;  /* session/presets/own_preset.h */
struct wk_preset_file; /* session/presets/preset_file.h */

struct wk_view_args {
	const char *group;  /* columns; NULL: as the command has it */
	const char *preset; /* a name, FILE.json or FILE[:NAME]; NULL: none */
	bool mine;          /* the user's own code is charged for what it calls */
	bool all_inlined;   /* small functions of standard libraries are shown as well */
};

struct wk_view_choice {
	struct wk_filter_spec filter; /* the given one, and what the preset adds */
	struct wk_filter_needs needs;
	struct wk_grouping grouping;
	bool is_grouped;    /* otherwise the command's own levels are used */
	bool needs_samples; /* one by one, not added up by their stacks, */
	bool needs_blocks;  /* and so are blocks of heaps */
	bool has_preset;
	bool mine, all_inlined;         /* as in wk_view_args */
	bool inverted;                  /* the preset starts with the innermost function */
	const char *table;              /* the preset is this table of `wick show`; or NULL */
	double min_percent;             /* the preset leaves out lighter rows; 0: it does not */
	const struct wk_preset *preset; /* with all its parts; NULL: none, or of a .wpaProfile */
	const struct wk_annotations *annotations; /* of that preset; or NULL */
	struct wk_own_preset *own;                /* owns the preset's texts; or NULL, */
	struct wk_preset_file *file;              /* if that does */
	struct wk_buf said; /* what the preset of a file became, one line each */
};

/* `levels`: the option other than `view->group` that sets levels; or NULL. */
bool wk_view_choose(struct wk_view_choice *choice, const struct wk_view_args *view,
		    const struct wk_filter_spec *filter, const char *levels, struct wk_err *err);
void wk_view_choice_fini(struct wk_view_choice *choice);

/* What a preset of a file became, and what of it is not shown. */
void wk_view_report(const struct wk_view_choice *choice, const struct wk_messages *messages);

/* Fails if the preset is a table, which cannot be drawn as a tree. `file` is the recording, for
 * advice; NULL: the default one. */
bool wk_view_expect_tree(const struct wk_view_choice *choice, const char *file, struct wk_err *err);

/* Sets the levels of a tree, if they were chosen, and which frames it shows. */
static inline void wk_view_shape(const struct wk_view_choice *choice, struct wk_tree_options *tree)
{
	tree->grouping = choice->is_grouped ? &choice->grouping : NULL;
	tree->annotations = choice->annotations;
	tree->charges_own = choice->mine;
	tree->hides_plumbing = !choice->all_inlined;
}

#endif
