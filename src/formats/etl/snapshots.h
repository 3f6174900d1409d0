/* Snapshots of heaps that Windows writes into a trace, in pieces: whose there are, and whether they
 * are whole. What is in them is not documented, so nothing is made of it.
 *
 * Each piece names its process's snapshot and its own place in it; another event tells how many
 * bytes there are in all. Memory: some bytes a piece. */
#ifndef WK_FORMATS_ETL_SNAPSHOTS_H
#define WK_FORMATS_ETL_SNAPSHOTS_H

#include "event/sink.h"
#include "formats/etl/file/file.h"

struct wk_etl_snapshots;

struct wk_etl_snapshots *wk_etl_snapshots_new(void);
void wk_etl_snapshots_free(struct wk_etl_snapshots *snapshots);

/* True if the record is of a snapshot. */
bool wk_etl_snapshots_scan(struct wk_etl_snapshots *snapshots, const struct wk_etl_record *record);

/* A note for each, in the order in which they came. */
bool wk_etl_snapshots_emit(struct wk_etl_snapshots *snapshots, const struct wk_sink *sink,
			   struct wk_err *err);

#endif
