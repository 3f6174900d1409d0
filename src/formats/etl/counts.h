/* How many records of each kind a Windows trace contains: kernel events by their hooks, all others
 * by kind (kinds.h); kinds of one name are counted together.
 *
 * All zero is empty. */
#ifndef WK_FORMATS_ETL_COUNTS_H
#define WK_FORMATS_ETL_COUNTS_H

#include "formats/etl/kinds.h"

struct wk_etl_trace;

struct wk_etl_counts {
	struct wk_etl_tally *groups[256]; /* by opcode; NULL: no such group of kernel events */
};

struct wk_etl_tally *wk_etl_counts_of_hook(struct wk_etl_counts *counts, uint16_t hook);
void wk_etl_counts_fini(struct wk_etl_counts *counts);

/* A COUNT event for each kind, once: the kernel's by their hooks, then the others in the order of
 * the trace. */
bool wk_etl_counts_emit(struct wk_etl_trace *trace);

#endif
