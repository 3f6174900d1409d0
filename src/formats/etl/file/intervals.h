/* How far apart the samples of one source were taken in a Windows trace, and from when on: who
 * records may change it in between. */
#ifndef WK_FORMATS_ETL_FILE_INTERVALS_H
#define WK_FORMATS_ETL_FILE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct wk_etl_since {
	uint64_t time, interval; /* ticks, and whatever the source counts */
};

/* Zeroed at first; `at` is the owner's to free. */
struct wk_etl_intervals {
	struct wk_etl_since *at;
	size_t count, cap;
	size_t now; /* the row of the last question */
};

/* In order of time. What was before the first change is what that says of it or, where `before` is
 * 0, no other. */
void wk_etl_intervals_add(struct wk_etl_intervals *all, uint64_t time, uint64_t before,
			  uint64_t interval);

/* `otherwise` where nothing is told. Questions in order of time are cheap. */
uint64_t wk_etl_intervals_at(struct wk_etl_intervals *all, uint64_t time, uint64_t otherwise);

#endif
