/* The tables of `wick show`: one entry a word, each with the function that fills it.
 *
 * To add one: a function that fills a wk_table, and a line in wk_table_views. Help text, the
 * hint for an unknown word and completion are printed from the same list. */
#ifndef WK_VIEWS_TABLES_TABLES_H
#define WK_VIEWS_TABLES_TABLES_H

#include "views/filter/filter.h"
#include "views/tables/table.h"
#include "views/tree/tree.h"

struct wk_table_options {
	double min_percent;          /* leave out rows under this share of the whole; 0: none */
	uint32_t limit;              /* at most so many rows, of "system" of each part; 0: all */
	bool by_total;               /* functions, images: most total first, not most self */
	struct wk_tree_options tree; /* how the calling tree is built */
};

/* What may be asked of a table, besides how many rows it has. What it has no use for is refused. */
enum wk_table_use {
	WK_TABLE_HAS_SHARES = 1 << 0,  /* rows under a share can be left out */
	WK_TABLE_HAS_TOTALS = 1 << 1,  /* and ranked by what they cost with all they call */
	WK_TABLE_HAS_LEVELS = 1 << 2,  /* that can be chosen */
	WK_TABLE_HAS_TIMES = 1 << 3,   /* it can be of a part of the time */
	WK_TABLE_HAS_SAMPLES = 1 << 4, /* it can be of one process, a thread ... */
	WK_TABLE_HAS_EVENTS = 1 << 5,  /* it is of one event of several, or what is left of it */
	WK_TABLE_HAS_STACKS = 1 << 6,  /* of those with a function, an image ... */
};

#define WK_TABLE_HAS_FILTERS (WK_TABLE_HAS_TIMES | WK_TABLE_HAS_SAMPLES | WK_TABLE_HAS_STACKS)

struct wk_table_view {
	const char *name, *summary;
	/* The table is freshly initialised; it borrows from the model. */
	void (*fill)(struct wk_table *table, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_table_options *options);
	uint32_t usual_limit;     /* for people who ask for none; 0: all rows */
	double usual_min_percent; /* the same */
	unsigned uses;            /* enum wk_table_use */
};

/* Ends with an entry without a name. */
extern const struct wk_table_view wk_table_views[];

/* Where the model has nothing of what it shows, a sentence that says so and what records it; else
 * NULL. */
const char *wk_table_view_lacks(const struct wk_table_view *view, const struct wk_model *model);

/* The name of the event that it is about unless another is asked for; NULL: as all views. */
const char *wk_table_view_source(const struct wk_table_view *view, const struct wk_model *model);

/* Whether it can be of that event; NULL is the one that views are about unless another is asked
 * for. A table of memory is of no other. */
bool wk_table_view_accepts_source(const struct wk_table_view *view, const char *name);

/* NULL where there is none of that name. */
const struct wk_table_view *wk_table_view_find(const char *name);

#endif
