/* How many records of each kind a Windows trace has: kernel events by their hooks, all others by
 * the kinds of etl_schema.h, of which those with one name are one.
 *
 * Usual order of calls: new, add for each record, and where something is made of its kind,
 * `is_used` of what add gave; then tell. Memory: a row for each kind. */
#ifndef WK_FORMATS_ETL_COUNTS_H
#define WK_FORMATS_ETL_COUNTS_H

#include "event/sink.h"
#include "formats/etl/schema/schema.h"

struct wk_buf;
struct wk_etl_counts;

struct wk_etl_tally {
	uint64_t count;
	bool is_used;
};

struct wk_etl_counts *wk_etl_counts_new(void);
void wk_etl_counts_free(struct wk_etl_counts *counts);

/* Of wk_etl_schemas_kind, or of wk_etl_hook_of where that is 0. Valid until the next call. */
struct wk_etl_tally *wk_etl_counts_add(struct wk_etl_counts *counts, uint32_t hook, uint32_t kind);

/* Something is made of events of this kind. */
void wk_etl_counts_use(struct wk_etl_counts *counts, uint32_t kind);

/* A COUNT event for each kind, those of the kernel first, by their hooks; others as they came. */
bool wk_etl_counts_emit(const struct wk_etl_counts *counts, struct wk_etl_schemas *schemas,
			const struct wk_sink *sink, struct wk_err *err);

/* What kernel events are called, as "PerfInfo/Sample": into `to`, with its hook where it has
 * no name. */
void wk_etl_kernel_name(uint16_t hook, struct wk_buf *to);

#endif
