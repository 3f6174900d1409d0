/* A recording that is shown: its model, what named it, and the data of its page.
 *
 * There may be two after each other: one with the names of this machine, which is shown at once,
 * and one with those of servers. Each has a number, its generation, because ids differ between
 * them.
 *
 * The recording that it is compared with is opened anew as well: names of both are compared.
 *
 * A model never changes, so several threads may read it. Blocks, annotations and modules are for
 * one thread at a time, and so are aggregates, which can be another one. */
#ifndef WK_SERVE_LOADED_H
#define WK_SERVE_LOADED_H

#include "serve/aggregates.h"
#include "serve/view.h"

struct wk_loaded {
	unsigned generation;
	bool sends_trees; /* the page is to ask for aggregates */
	unsigned users;   /* of this struct: wk_loaded_free is called by the last */
	struct wk_symbolizer symbolizer;
	struct wk_model *model, *before; /* before: to compare with; or NULL */
	struct wk_report_page *report;
	struct wk_aggregates *aggregates;
	struct wk_buf page, policy; /* the HTML, and its Content-Security-Policy */
	struct wk_loaded_block *blocks;
	size_t block_count, blocks_cap;
	struct wk_buf modules; /* JSON; empty: not made yet */
};

/* Frees the symbolizer, also on failure. */
struct wk_loaded *wk_loaded_new(const struct wk_view_options *options,
				const struct wk_open_options *open,
				struct wk_symbolizer *symbolizer, unsigned generation,
				const struct wk_messages *messages, struct wk_err *err);
void wk_loaded_free(struct wk_loaded *loaded);

/* Sets `bytes` to a block of the page (docs/report-format.md), which is made when it is first asked
 * for and lives as long as `loaded`. `*is_packed`: with gzip, which is asked for; it becomes false
 * if this build cannot pack. False: there is no such block. */
bool wk_loaded_block(struct wk_loaded *loaded, struct wk_str name, bool *is_packed,
		     struct wk_str *bytes);

/* The table of `wick symbols` as JSON, which lives as long. `recording` is its path. */
struct wk_str wk_loaded_modules(struct wk_loaded *loaded, const char *recording);

/* Source lines and instructions of a function as JSON. `filter` selects samples; `folders` are
 * searched for source code and end with NULL. */
void wk_loaded_annotate(struct wk_loaded *loaded, const char *function,
			const struct wk_filter_spec *filter, const char *const *folders,
			struct wk_out *out);

#endif
