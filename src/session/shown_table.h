/* One table of a recording, as `wick show` prints it: which table answers a query, its event, the
 * rows, and whether there is anything to show.
 *
 * Order of calls: wk_shown_table_open, wk_table_print, wk_shown_table_expect, wk_shown_table_fini.
 */
#ifndef WK_SESSION_SHOWN_TABLE_H
#define WK_SESSION_SHOWN_TABLE_H

#include "base/out.h"
#include "session/selection.h"
#include "session/view_choice.h"
#include "views/tables/tables.h"

enum wk_table_form { WK_TABLE_TEXT, WK_TABLE_CSV, WK_TABLE_JSON };

/* How a table is printed. */
struct wk_table_look {
	enum wk_table_form form;
	unsigned columns;                                 /* of text: its width; 0: unlimited */
	bool has_colour, is_plain, has_details, is_quiet; /* of text: render/renderer.h */
};

/* `selection` is what the table counts; NULL: not samples. */
bool wk_table_print(const struct wk_table *table, const struct wk_selection *selection,
		    const struct wk_table_look *look, struct wk_out *out, struct wk_err *err);

struct wk_table_query {
	const struct wk_table_view *view; /* as typed */
	const struct wk_view_choice *choice;
	const char *function;            /* that the view is about; NULL: none */
	struct wk_table_options options; /* without grouping; limit 0: the default */
	bool has_min;                    /* options.min_percent was given */
	bool prints_all;                 /* the default limits do not apply */
	bool expects_samples;            /* it is an error if the table has none */
};

/* The table that is printed if levels are given: memory and waits then are trees of calls. */
const struct wk_table_view *wk_table_query_view(const struct wk_table_query *query);

struct wk_shown_table {
	const struct wk_table_view *view;
	struct wk_selection selection;
	struct wk_table table;
	uint8_t *functions; /* that the view is about; or NULL */
	bool needs_samples, expects_rows;
};

/* Fills the table. `fini` is needed after success only. */
bool wk_shown_table_open(struct wk_shown_table *shown, const struct wk_table_query *query,
			 const struct wk_model *model, struct wk_err *err);
void wk_shown_table_fini(struct wk_shown_table *shown);

/* Whether it has no rows although the recording has samples: for people, the error says more than
 * a heading without rows. */
bool wk_shown_table_is_filtered_out(const struct wk_shown_table *shown);

/* Once it is printed: fails if there was nothing to show. */
bool wk_shown_table_expect(const struct wk_shown_table *shown, struct wk_err *err);

/* What CSV has no place for, and that a preset's grouping is not applied. */
void wk_shown_table_report(const struct wk_shown_table *shown, const struct wk_table_query *query,
			   enum wk_table_form form, const struct wk_messages *messages);

#endif
