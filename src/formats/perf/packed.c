#include "formats/perf/internal.h"

#include "base/mem.h"

/* The packed records of a file are one zstd stream in pieces, whose ends are unrelated to those of
 * records. The unpacked bytes of a piece are a separate block of memory, which contains its records
 * until they are emitted. */

static struct wk_bytes payload(const struct wk_perf_record *record)
{
	struct wk_bytes body = record->body;

	if (record->type == WK_PERF_COMPRESSED2)
		return wk_bytes_slice(&body, wk_u64(&body));
	return body;
}

static void add_block(struct wk_perf_packed *packed, uint8_t *at)
{
	*WK_APPEND(packed->blocks, packed->block_count, packed->block_cap) = at;
}

static bool fail_piece(struct wk_perf *perf, const uint8_t *at, const struct wk_err *why)
{
	return wk_fail(&perf->broken, why->code, (uint64_t)(at - perf->input.start),
		       "perf.data: packed records: %s", why->text);
}

/* The length of the whole records at the start of `bytes`; false if one is invalid. */
static bool whole_records(const struct wk_bytes *bytes, size_t *len)
{
	struct wk_bytes head = *bytes;

	*len = 0;
	while (wk_bytes_left(bytes) - *len >= 8) {
		uint16_t size;

		head.at = bytes->at + *len + 6;
		size = wk_u16(&head);
		if (size < 8)
			return false;
		if (size > wk_bytes_left(bytes) - *len)
			break;
		*len += size;
	}
	return true;
}

bool wk_perf_unpack(struct wk_perf *perf, const struct wk_perf_record *record,
		    struct wk_bytes *plain)
{
	struct wk_perf_packed *packed = &perf->packed;
	struct wk_bytes piece = payload(record);
	struct wk_buf block = { 0 };
	struct wk_err err = { 0 };
	bool is_sound;
	size_t len;

	if (piece.bad) {
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
		*plain = piece;
		return true;
	}
	if (!packed->stream)
		packed->stream = wk_unzstd_new(&err);
	wk_buf_add_str(&block, wk_buf_str(&packed->pending));
	if (!packed->stream || !wk_unzstd_add(packed->stream, piece, &block, &err)) {
		wk_buf_fini(&block);
		return fail_piece(perf, record->at, &err);
	}
	*plain = perf->input;
	plain->start = plain->at = (const uint8_t *)wk_buf_text(&block);
	plain->end = plain->at + block.len;
	is_sound = whole_records(plain, &len);
	plain->end = plain->at + len;
	wk_buf_reset(&packed->pending);
	if (is_sound)
		wk_buf_add(&packed->pending, wk_buf_text(&block) + len, block.len - len);
	if (len)
		add_block(packed, (uint8_t *)block.at);
	else
		wk_buf_fini(&block);
	if (!is_sound)
		wk_fail(&perf->broken, WK_ECORRUPT, (uint64_t)(record->at - perf->input.start),
			"perf.data: in the packed records: a record's size is below the 8-byte "
			"header");
	return true;
}

static bool is_packed(const struct wk_perf *perf, const uint8_t *at)
{
	return at < perf->input.start || at >= perf->input.end;
}

static size_t record_size(const struct wk_perf *perf, const uint8_t *at)
{
	struct wk_perf_record record = wk_perf_record_at(perf, at);

	return (size_t)(record.body.end - at);
}

/* Copies what still waits into a block of its own. A record waits through one round's end at
 * most, so none is copied twice. */
void wk_perf_forget_packed(struct wk_perf *perf)
{
	struct wk_perf_packed *packed = &perf->packed;
	struct wk_perf_waiting *rows = perf->order.rows;
	size_t bytes = 0;
	uint8_t *unpacked, *to;

	if (packed->block_count == 0)
		return;
	for (size_t i = 0; i < perf->order.count; i++)
		if (is_packed(perf, rows[i].at))
			bytes += record_size(perf, rows[i].at);
	to = unpacked = bytes ? wk_alloc(bytes) : NULL;
	for (size_t i = 0; i < perf->order.count; i++) {
		size_t size;

		if (!is_packed(perf, rows[i].at))
			continue;
		size = record_size(perf, rows[i].at);
		memcpy(to, rows[i].at, size);
		rows[i].at = to;
		to += size;
	}
	for (size_t i = 0; i < packed->block_count; i++)
		wk_free(packed->blocks[i]);
	packed->block_count = 0;
	if (unpacked)
		add_block(packed, unpacked);
}

void wk_perf_end_packed(struct wk_perf *perf)
{
	if (perf->packed.pending.len)
		wk_perf_odd(perf, WK_PERF_ODD_END, NULL);
	wk_unzstd_free(perf->packed.stream);
	perf->packed.stream = NULL;
	wk_buf_reset(&perf->packed.pending);
}

void wk_perf_packed_fini(struct wk_perf_packed *packed)
{
	for (size_t i = 0; i < packed->block_count; i++)
		wk_free(packed->blocks[i]);
	wk_free(packed->blocks);
	wk_unzstd_free(packed->stream);
	wk_buf_fini(&packed->pending);
}
