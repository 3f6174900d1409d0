/* Samples that are only counted, by source and thread.
 *
 * All zero is empty. The first pass adds; times are raw ticks, and `source` is the caller's until
 * it emits. */
#ifndef WK_FORMATS_ETL_SUMS_H
#define WK_FORMATS_ETL_SUMS_H

#include "base/map.h"
#include "event/sink.h"

struct wk_etl_file;

struct wk_etl_sums {
	struct wk_event_whose *whose;
	struct wk_event_sum *rows; /* of the same number */
	size_t count, whose_cap, row_cap;
	struct wk_map row_of; /* process, thread and source, hashed: row + 1 */
};

/* `sum` has the times, the weight and the number of samples. */
void wk_etl_sums_add(struct wk_etl_sums *sums, const struct wk_event_whose *whose,
		     const struct wk_event_sum *sum);

/* As one event, with times in ns. */
bool wk_etl_sums_emit(struct wk_etl_sums *sums, const struct wk_etl_file *file,
		      const struct wk_sink *sink, struct wk_err *err);

void wk_etl_sums_fini(struct wk_etl_sums *sums);

#endif
