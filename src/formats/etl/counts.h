/* How many records of each kind a Windows trace contains: kernel events by their hooks, all others
 * by kind; kinds of one name are counted together.
 *
 * Order of calls: new; for each record add, which returns the row to mark as used; then emit.
 * Memory: a row for each kind. */
#ifndef WK_FORMATS_ETL_COUNTS_H
#define WK_FORMATS_ETL_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct wk_etl_counts;
struct wk_etl_trace;

struct wk_etl_tally {
	uint64_t count;
	bool is_used;
};

struct wk_etl_counts *wk_etl_counts_new(void);
void wk_etl_counts_free(struct wk_etl_counts *counts);

/* By kind or, if that is 0, by hook. Valid until the next call. */
struct wk_etl_tally *wk_etl_counts_add(struct wk_etl_counts *counts, uint32_t hook, uint32_t kind);

/* Marks a kind as used. */
void wk_etl_counts_use(struct wk_etl_counts *counts, uint32_t kind);

/* A COUNT event for each kind: the kernel's by their hooks, then the others in the order of the
 * trace. */
bool wk_etl_counts_emit(const struct wk_etl_trace *trace);

#endif
