#include "formats/etl/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "formats/etl/trace.h"

struct snapshot {
	uint32_t pid, instance;
	uint32_t total_bytes;
	bool has_total;
	uint64_t bytes, cut_bytes; /* in its pieces; and missing from them */
	uint32_t pieces;
};

struct piece {
	uint32_t snapshot, sequence;
};

struct wk_etl_snapshots {
	struct snapshot *at;
	size_t count, cap;
	struct wk_map snapshot_of; /* process and instance: row + 1 */
	struct piece *pieces;
	size_t piece_count, piece_cap;
};

struct wk_etl_snapshots *wk_etl_snapshots_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_etl_snapshots));
}

void wk_etl_snapshots_free(struct wk_etl_snapshots *snapshots)
{
	if (!snapshots)
		return;
	wk_map_fini(&snapshots->snapshot_of);
	WK_FREE_ALL(snapshots->at, snapshots->pieces, snapshots);
}

/* ---- the first pass */

static uint32_t snapshot_of(struct wk_etl_snapshots *snapshots, uint32_t pid, uint32_t instance)
{
	uint32_t *row = wk_map_at(&snapshots->snapshot_of, (uint64_t)pid << 32 | instance);

	if (*row == 0) {
		*WK_APPEND(snapshots->at, snapshots->count, snapshots->cap) =
			(struct snapshot){ .pid = pid, .instance = instance };
		*row = (uint32_t)snapshots->count;
	}
	return *row - 1;
}

/* Number of the snapshot, position in it, bytes, and those. */
bool wk_etl_scan_snapshot_piece(struct wk_etl_trace *trace, const struct wk_etl_record *record,
				const struct wk_etl_hook *hook)
{
	struct wk_etl_snapshots *snapshots = trace->snapshots;
	struct wk_bytes in = record->payload;
	uint32_t instance = wk_u32le(&in), sequence = wk_u32le(&in), claimed = wk_u32le(&in);
	uint64_t bytes = wk_bytes_left(&in) < claimed ? wk_bytes_left(&in) : claimed;
	struct snapshot *snapshot;
	uint32_t row;

	(void)hook;
	if (in.bad)
		return true;
	row = snapshot_of(snapshots, record->pid, instance);
	snapshot = &snapshots->at[row];
	snapshot->pieces++;
	snapshot->bytes += bytes;
	snapshot->cut_bytes += claimed - bytes;
	*WK_APPEND(snapshots->pieces, snapshots->piece_count, snapshots->piece_cap) =
		(struct piece){ row, sequence };
	return true;
}

bool wk_etl_scan_snapshot_total(struct wk_etl_trace *trace, const struct wk_etl_record *record,
				const struct wk_etl_hook *hook)
{
	struct wk_bytes in = record->payload;
	uint32_t instance = wk_u32le(&in), total = wk_u32le(&in);
	uint32_t row;

	(void)hook;
	if (in.bad)
		return true;
	row = snapshot_of(trace->snapshots, record->pid, instance); /* which may move the table */
	trace->snapshots->at[row].total_bytes = total;
	trace->snapshots->at[row].has_total = true;
	return true;
}

/* ---- notes */

static int by_position(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	if (a->snapshot != b->snapshot)
		return a->snapshot < b->snapshot ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* How many positions between the first piece and the last have no piece, and how many more than
 * one. Whether the first is 0 or 1 is unknown. */
struct order {
	uint64_t missing, twice;
};

static struct order order_of(const struct piece *pieces, size_t count)
{
	struct order order = { 0 };

	for (size_t i = 1; i < count; i++) {
		uint32_t step = pieces[i].sequence - pieces[i - 1].sequence;

		order.twice += step == 0;
		order.missing += step > 1 ? step - 1 : 0;
	}
	return order;
}

static bool is_complete(const struct snapshot *snapshot, const struct order *order)
{
	return snapshot->has_total && snapshot->bytes == snapshot->total_bytes &&
	       snapshot->cut_bytes + order->missing + order->twice == 0;
}

static void add_faults(const struct snapshot *snapshot, const struct order *order,
		       struct wk_buf *words)
{
	if (is_complete(snapshot, order))
		wk_buf_add_text(words, ", complete");
	if (!snapshot->has_total)
		wk_buf_add_text(words, ", and their number is unknown");
	if (order->missing)
		wk_buf_add_fmt(words, ", parts missing: %" PRIu64, order->missing);
	if (order->twice)
		wk_buf_add_fmt(words, ", repeated parts: %" PRIu64, order->twice);
	if (snapshot->cut_bytes)
		wk_buf_add_fmt(words, ", %" PRIu64 " bytes of its parts are missing",
			       snapshot->cut_bytes);
}

static bool emit(const struct snapshot *snapshot, const struct order *order,
		 const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf words = { 0 };
	bool ok;

	wk_buf_add_fmt(&words, "heap snapshot %" PRIu32 " of process %" PRIu32 ": %" PRIu64,
		       snapshot->instance, snapshot->pid, snapshot->bytes);
	if (snapshot->has_total && snapshot->bytes != snapshot->total_bytes)
		wk_buf_add_fmt(&words, " of %" PRIu32, snapshot->total_bytes);
	wk_buf_add_fmt(&words, " bytes in %" PRIu32 " part%s", snapshot->pieces,
		       snapshot->pieces == 1 ? "" : "s");
	add_faults(snapshot, order, &words);
	wk_buf_add_text(&words, "; its content is not documented and not shown");
	ok = wk_sink_note(sink, WK_NOTE_FAULT, wk_buf_str(&words), err);
	wk_buf_fini(&words);
	return ok;
}

bool wk_etl_snapshots_emit(struct wk_etl_snapshots *snapshots, const struct wk_sink *sink,
			   struct wk_err *err)
{
	size_t at = 0;
	bool ok = true;

	if (snapshots->piece_count)
		qsort(snapshots->pieces, snapshots->piece_count, sizeof(*snapshots->pieces),
		      by_position);
	for (size_t i = 0; ok && i < snapshots->count; i++) {
		const struct snapshot *snapshot = &snapshots->at[i];
		struct order order = { 0 };

		if (snapshot->pieces)
			order = order_of(snapshots->pieces + at, snapshot->pieces);
		ok = emit(snapshot, &order, sink, err);
		at += snapshot->pieces;
	}
	return ok;
}
