/* The sampling intervals of the sources of a Windows trace, which records may change over time. */
#ifndef WK_FORMATS_ETL_FILE_INTERVALS_H
#define WK_FORMATS_ETL_FILE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct wk_etl_since {
	uint64_t time, interval; /* ticks, and the units of the source */
};

/* Zeroed at first; `at` is freed by the owner. */
struct wk_etl_intervals {
	struct wk_etl_since *at;
	size_t count, cap;
	size_t now; /* the row of the last lookup */
};

/* In order of time. Before the first change, the interval is the one that this change replaces or,
 * if `before` is 0, its new one. */
void wk_etl_intervals_add(struct wk_etl_intervals *all, uint64_t time, uint64_t before,
			  uint64_t interval);

/* `otherwise` if unknown. Lookups in order of time are fast. */
uint64_t wk_etl_intervals_at(struct wk_etl_intervals *all, uint64_t time, uint64_t otherwise);

#endif
