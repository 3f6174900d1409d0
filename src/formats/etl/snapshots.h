/* Heap snapshots that Windows writes into a trace in pieces: which there are, and whether they are
 * complete. Their content is not documented and not read.
 *
 * Each piece names the snapshot of its process and its position in it; another event has the total
 * size. Memory: some bytes a piece. */
#ifndef WK_FORMATS_ETL_SNAPSHOTS_H
#define WK_FORMATS_ETL_SNAPSHOTS_H

#include "event/sink.h"

struct wk_etl_snapshots;

struct wk_etl_snapshots *wk_etl_snapshots_new(void);
void wk_etl_snapshots_free(struct wk_etl_snapshots *snapshots);

/* A note for each, in the order of the trace. */
bool wk_etl_snapshots_emit(struct wk_etl_snapshots *snapshots, const struct wk_sink *sink,
			   struct wk_err *err);

#endif
