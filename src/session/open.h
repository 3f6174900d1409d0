/* Recordings as one model with names: what every use case that shows one begins with.
 *
 * Files, and the side of a comparison that each is on, become one model. Stacks are unwound if the
 * files have copies of them, and functions, source lines and inlined calls are named as far as
 * possible. The model is the caller's to free. */
#ifndef WK_SESSION_OPEN_H
#define WK_SESSION_OPEN_H

#include "formats/reader.h"
#include "model/model.h"
#include "session/symbolizer.h"
#include "session/view_choice.h"
#include "views/filter/filter.h"
#include "views/tables/tables.h"

/* All zero is the default. What it points to is borrowed. */
struct wk_open_options {
	struct wk_naming_options naming;
	const char *format;             /* NULL: detected from the content */
	const char *name;               /* of a single input, for advice; NULL: its path */
	const struct wk_opened *opened; /* the single input, if it is open already; stays open */
	bool no_inlined;
	bool separates_unnamed;                /* model/resolve.h */
	uint64_t threads;                      /* for reading; 0: one per CPU */
	bool sums_samples, sums_other_sources; /* formats/reader.h */
	bool sums_blocks, separates_heaps;     /* model/model.h; within the time of `in_view` */
	bool slices_blocks;
	bool lists_stacks;  /* stacks of text may be lists (model/stack_lists.h), which only the
			     * comparison of functions reads; filters by frames do not */
	bool is_comparison; /* of two inputs, the first being "before" */

	/* What samples will be shown: files are only fetched for names of these. NULL: all. */
	const struct wk_filter_spec *in_view;
	bool is_of_any_event;              /* else of the filter's event, */
	const struct wk_table_view *table; /* or of the one that this table shows, if any */
};

/* `paths` ends with NULL and has at least one; "-" is standard input. `symbols` names addresses and
 * may know images already, such as those of a recording just made; it must have been made with the
 * same options. NULL: one is opened and closed here. */
struct wk_model *wk_open_paths(const char *const *paths, const struct wk_open_options *options,
			       struct wk_symbols *symbols, const struct wk_messages *messages,
			       struct wk_err *err);

/* The options for a view that adds samples up, as far as the choice allows. */
static inline struct wk_open_options wk_open_summed(const struct wk_open_options *options,
						    const struct wk_view_choice *choice)
{
	struct wk_open_options summed = *options;

	summed.sums_samples = !choice->needs_samples;
	summed.sums_other_sources = !choice->needs_samples && !choice->filter.source;
	summed.sums_blocks = !choice->needs_blocks;
	summed.in_view = &choice->filter;
	return summed;
}

#endif
