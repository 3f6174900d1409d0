/* Which rows of an event an aggregation is about, and what they weigh. */
#ifndef WK_VIEWS_AGGREGATE_SELECTION_H
#define WK_VIEWS_AGGREGATE_SELECTION_H

#include "views/aggregate/event_rows.h"

/* The last two are for events with lifetimes. Others have nothing that is gone, and all is
 * outstanding. */
enum wk_row_measure {
	WK_MEASURE_ALL,         /* what rows weigh */
	WK_MEASURE_OUTSTANDING, /* what is left of that at the end of the time in view; of
				 * snapshots, at the second */
	WK_MEASURE_GONE,        /* what was freed in the time in view, whenever it began; of
				 * snapshots, what was there at the first and not at the second */
};

/* All that is set must be true of a row. */
struct wk_row_selection {
	uint64_t from_ns, to_ns;    /* of the recording's clock, both included */
	const uint64_t *bits;       /* by row: wk_event_rows_in_view(); NULL: all */
	const struct wk_span *span; /* between two snapshots: wk_span_find(); NULL: no snapshots.
				     * Growing stacks are for a filter to choose */
	bool ends_have_time; /* of snapshots, only what was freed by the end of the time is freed;
			      * else that time is of allocations alone */
	enum wk_row_measure measure;
};

#endif
