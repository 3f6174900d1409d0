/* The tables of `wick show`: one entry a word, each with the function that fills it.
 *
 * To add one: a function that fills a wk_table, and a line in wk_table_views. Help text, the
 * hint for an unknown word and completion are printed from the same list. */
#ifndef WK_VIEWS_TABLES_TABLES_H
#define WK_VIEWS_TABLES_TABLES_H

#include "event/advice.h"
#include "views/filter/filter.h"
#include "views/tables/table.h"
#include "views/tree/tree.h"

struct wk_table_options {
	double min_percent; /* leave out rows under this share of the whole; 0: none */
	uint32_t limit;     /* at most this many rows, for "system" of each part; 0: all */
	bool by_total; /* functions, lines, images: most total first, not most self; memory: most
			* allocated, not most left */
	bool splits_process; /* memory: of one process, by function */
	bool hides_callers; /* functions, lines: leave out code of others without weight of its own:
			     * if own code is charged, most of it has none */
	struct wk_tree_options tree; /* how the calling tree is built */
};

/* The options a table supports, besides a number of rows: it rejects any other. And its
 * properties. */
enum wk_table_use {
	WK_TABLE_HAS_SHARES = 1 << 0,  /* rows under a share can be left out */
	WK_TABLE_HAS_TOTALS = 1 << 1,  /* and ranked by their cost with everything they call,
					* or by all that was allocated */
	WK_TABLE_HAS_LEVELS = 1 << 2,  /* that can be chosen */
	WK_TABLE_HAS_TIMES = 1 << 3,   /* it can cover a part of the time */
	WK_TABLE_HAS_SAMPLES = 1 << 4, /* it can be of one process, a thread ... */
	WK_TABLE_HAS_EVENTS = 1 << 5,  /* it is about one event of several, or its outstanding
					* part */
	WK_TABLE_HAS_STACKS = 1 << 6,  /* of those with a function, an image ... */

	/* Properties by which `wick show` selects and checks it. */
	WK_TABLE_IS_OF_SAMPLES = 1 << 7,    /* without samples in view it fails ... */
	WK_TABLE_IS_OF_SYSTEM = 1 << 8,     /* ... unless nothing was sampled at all */
	WK_TABLE_EXPECTS_ROWS = 1 << 9,     /* it fails if it has no rows */
	WK_TABLE_HAS_CALLS = 1 << 10,       /* with levels, its calls are shown instead */
	WK_TABLE_IS_OF_INTERVALS = 1 << 11, /* of what threads did, not of samples */
	WK_TABLE_IS_OF_FUNCTION = 1 << 12,  /* a function follows its name */
	WK_TABLE_HAS_CODE = 1 << 13,   /* functions or lines that own code can be charged for */
	WK_TABLE_IS_OF_LEFT = 1 << 19, /* only of what is outstanding, as its calls are then */

	WK_TABLE_HAS_SNAPSHOTS = 1 << 16,  /* it can be about what was there at a snapshot */
	WK_TABLE_HAS_OWN_EVENTS = 1 << 18, /* it can be about each of its `events` */
	WK_TABLE_HAS_PEAKS = 1 << 17, /* of each heap, which sums of its blocks do not contain */

	/* The table for that job. */
	WK_TABLE_IS_DEFAULT = 1 << 14,
	WK_TABLE_IS_CALLS = 1 << 15,
};

#define WK_TABLE_HAS_FILTERS (WK_TABLE_HAS_TIMES | WK_TABLE_HAS_SAMPLES | WK_TABLE_HAS_STACKS)

/* The table is freshly initialised; it borrows from the model. */
typedef void wk_table_fill(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options);

struct wk_table_view {
	const char *name, *summary;
	wk_table_fill *fill;
	uint32_t usual_limit;     /* default for people; 0: all rows */
	double usual_min_percent; /* the same */
	unsigned uses;            /* enum wk_table_use */
	/* It is about the first of these events that was recorded; NULL: about any. */
	const char *const *events;
	bool (*has_content)(const struct wk_model *model); /* NULL: if it has one of the events */
	enum wk_advice_key lacks;                          /* the sentence if it has none */
	const char *other_name;                            /* accepted as well; or NULL */
};

/* Ends with an entry without a name. */
extern const struct wk_table_view wk_table_views[];

/* NULL, or a sentence if the model has nothing that it shows: how to record it. */
const char *wk_table_view_lacks(const struct wk_table_view *view, const struct wk_model *model);

/* The name of its default event; NULL: that of all views. */
const char *wk_table_view_source(const struct wk_table_view *view, const struct wk_model *model);

/* Whether it can show that event; NULL is the default of all views. A table of memory shows no
 * other. */
bool wk_table_view_accepts_source(const struct wk_table_view *view, const char *name);

/* By either name; NULL if there is none. */
const struct wk_table_view *wk_table_view_find(const char *name);

/* The first that has the use. */
const struct wk_table_view *wk_table_view_with(enum wk_table_use use);

#endif
