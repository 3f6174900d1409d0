/* The rows of one event, in order of time: made once, for aggregations of any selection of them.
 *
 *	wk_event_rows_new         once for an event
 *	wk_tree_shape_new         once for a grouping of it           (views/aggregate/tree_shape.h)
 *	wk_tree_weights_set       for each selection (views/aggregate/tree_weights.h)
 *	wk_tree_cut_init          what is shown of that               (views/aggregate/tree_cut.h)
 *	wk_histogram_...          the same over time                  (views/aggregate/histogram.h)
 *
 * Columns are as narrow as their numbers permit, because a selection is one pass over them. All
 * rows are in order of time, even those of an input whose times go back. The model must outlive
 * them and not change; several threads may read them. */
#ifndef WK_VIEWS_AGGREGATE_EVENT_ROWS_H
#define WK_VIEWS_AGGREGATE_EVENT_ROWS_H

#include "views/filter/filter.h"

/* A column: numbers of 64 or 32 bits, or the same one in every row. */
struct wk_number_column {
	const uint64_t *wide;
	const uint32_t *narrow;
	uint64_t same; /* without the others */
	void *own;     /* memory of the column, if it is not the model's */
};

static inline uint64_t wk_number_at(const struct wk_number_column *column, uint32_t row)
{
	return column->wide     ? column->wide[row]
	       : column->narrow ? column->narrow[row]
				: column->same;
}

/* What was freed of the rows. A row never loses more than it has: the weights of one row's ends add
 * up to at most its own. With its last byte it loses all that is left of its blocks. */
struct wk_event_ends {
	uint32_t count;
	uint32_t *row;     /* of the event's rows */
	uint64_t *time_ns; /* of the recording's clock; those that go back are the one before */
	uint32_t *number;  /* of the model's ends */
	struct wk_number_column weight, times;
};

struct wk_event_rows {
	const struct wk_model *model;
	wk_source_id source, before_source; /* see struct wk_filter */
	uint32_t count;
	const uint64_t *time_ns; /* of the recording's clock; NULL: all are 0 */
	uint32_t *sample;        /* the model's row; NULL: the same number */
	bool keeps_order;        /* rows are in the model's order */
	struct wk_number_column weight, times;
	uint64_t *own_time_ns;

	bool has_lifetimes;
	struct wk_event_ends by_time;   /* without what processes left when they ended */
	struct wk_event_ends by_number; /* with that, as snapshots count them */
};

/* The rows in view of a filter, usually all of one event: it must not weigh by what is outstanding.
 * The filter may be freed afterwards. */
struct wk_event_rows *wk_event_rows_new(const struct wk_model *model,
					const struct wk_filter *filter);
void wk_event_rows_free(struct wk_event_rows *rows);

/* By row: is it in view of another filter, and on that side of a comparison? The caller frees the
 * bits. The filter's time counts as well: without one, a selection can be of any time. */
uint64_t *wk_event_rows_in_view(const struct wk_event_rows *rows, const struct wk_filter *filter,
				enum wk_span_side side);

static inline uint32_t wk_event_row_sample(const struct wk_event_rows *rows, uint32_t row)
{
	return rows->sample ? rows->sample[row] : row;
}

static inline uint64_t wk_event_row_time(const struct wk_event_rows *rows, uint32_t row)
{
	return rows->time_ns ? rows->time_ns[row] : 0;
}

#endif
