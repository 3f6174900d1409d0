/* Opens the files of a trace together and merges their records: a stream for each feed, and a heap
 * of streams by the time of their next record. */
#include "formats/etl/file/file.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "formats/etl/file/prefetch.h"

#define SAME_BOOT_100NS (60ull * 10000000)

/* The records of one processor in one file. */
struct stream {
	struct wk_bytes records; /* of the current buffer, from the next record on */
	uint64_t buffer_offset, time;
	uint32_t record_bytes; /* of the next record */
	uint32_t cpu, file;
	struct wk_etl_feed *feed;
};

/* An entry of the heap: a stream and the time of its next record. */
struct next {
	uint64_t time;
	uint32_t stream;
};

struct wk_etl_file {
	struct wk_etl_input *inputs;
	size_t input_count;
	struct wk_etl_header header;
	struct wk_etl_feeds feeds;
	struct stream *streams; /* one for each feed */
	struct wk_etl_prefetch *prefetch;
	struct next *heap; /* streams with a next record, the earliest first */
	size_t heap_count;
	bool has_returned;   /* the last call returned a record of the first stream of the heap */
	bool has_timeless;   /* records at the same place as the previous one */
	bool *is_marked;     /* by place, or NULL */
	bool has_dropped;    /* buffers; the damage of all is then known */
	uint64_t read_bytes; /* of mapped files, since their pages were released */
	struct wk_etl_damage damage, damage_at_open, damage_of_all;
};

static uint64_t away(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The time of day at which raw times are zero. */
static uint64_t origin(const struct wk_etl_header *h)
{
	uint64_t per_second = h->ticks_per_second, tick = h->first_tick;

	return h->start_time - tick / per_second * 10000000 -
	       (uint64_t)((double)(tick % per_second) * 1e7 / (double)per_second);
}

static void identify(const struct wk_etl_header *header, struct wk_etl_identity *identity)
{
	identity->boot_time = header->boot_time;
	identity->origin = origin(header);
	identity->ticks_per_second = header->ticks_per_second;
	identity->clock = header->clock;
}

/* Raw times of one boot can be compared. The boot time is adjusted with the clock, so counters that
 * were zero at about the same time count as one boot. */
static bool is_same_boot(const struct wk_etl_identity *a, const struct wk_etl_identity *b)
{
	if (a->clock != b->clock || a->ticks_per_second != b->ticks_per_second)
		return false;
	return a->boot_time == b->boot_time ||
	       (a->clock != WK_ETL_SYSTEM_TIME && away(a->origin, b->origin) < SAME_BOOT_100NS);
}

/* Enough to tell the files of one session apart: they begin with different headers. */
#define HASHED_BYTES 65536

bool wk_etl_identify(struct wk_bytes file, struct wk_etl_identity *identity)
{
	struct wk_etl_input input = { 0 };

	if (!wk_etl_input_open(&input, file, NULL))
		return false;
	identify(&input.header, identity);
	identity->size_bytes = wk_bytes_left(&input.bytes);
	identity->first_hash = wk_hash_bytes(input.bytes.at, identity->size_bytes < HASHED_BYTES
								     ? (size_t)identity->size_bytes
								     : HASHED_BYTES);
	return true;
}

bool wk_etl_is_one_session(const struct wk_etl_identity *a, const struct wk_etl_identity *b)
{
	return is_same_boot(a, b) &&
	       (a->size_bytes != b->size_bytes || a->first_hash != b->first_hash);
}

static bool open_inputs(struct wk_etl_file *etl, const struct wk_bytes *files,
			const struct wk_os_file *const *mapped, size_t count, struct wk_err *err)
{
	struct wk_etl_identity first, other;
	char name[32];

	for (size_t i = 0; i < count; i++) {
		struct wk_etl_input *input = &etl->inputs[i];

		input->number = (uint32_t)i;
		input->mapped = mapped ? mapped[i] : NULL;
		snprintf(name, sizeof(name), "file %zu", i + 1);
		if (!wk_etl_input_open(input, files[i], err))
			return i > 0 ? wk_err_in(err, name) : false;
		identify(&input->header, i > 0 ? &other : &first);
		if (i > 0 && !is_same_boot(&first, &other))
			return wk_fail(
				err, WK_EUNSUPPORTED, WK_NOWHERE,
				"file %zu was recorded after another boot or with another clock "
				"than the first; open the files separately",
				i + 1);
	}
	return true;
}

static void sum_headers(struct wk_etl_file *etl)
{
	const struct wk_etl_header *first = &etl->inputs[0].header;
	uint64_t end_time = 0;
	uint32_t events_lost = 0, buffers_lost = 0;

	for (size_t i = 0; i < etl->input_count; i++) {
		const struct wk_etl_header *h = &etl->inputs[i].header;

		if (h->first_tick < first->first_tick)
			first = h;
		if (h->end_time > end_time)
			end_time = h->end_time;
		events_lost += h->events_lost;
		buffers_lost += h->buffers_lost;
	}
	etl->header = *first;
	etl->header.end_time = end_time;
	etl->header.events_lost = events_lost;
	etl->header.buffers_lost = buffers_lost;
}

/* A circular file has as many buffers as fit, however many were written. */
static void count_missing(struct wk_etl_file *etl)
{
	for (size_t i = 0; i < etl->input_count; i++) {
		const struct wk_etl_input *input = &etl->inputs[i];
		uint64_t there = 0;

		for (size_t k = 0; k < etl->feeds.count; k++)
			there += etl->feeds.feeds[k].input == input ? etl->feeds.feeds[k].count : 0;
		if (!input->header.is_circular && there < input->header.buffers_written)
			etl->damage.missing_buffers += input->header.buffers_written - there;
	}
}

static void make_streams(struct wk_etl_file *etl)
{
	size_t count = etl->feeds.count;

	etl->streams = wk_alloc_zeroed(count, sizeof(*etl->streams));
	etl->heap = wk_alloc_zeroed(count, sizeof(*etl->heap));
	for (size_t i = 0; i < count; i++) {
		struct wk_etl_feed *feed = &etl->feeds.feeds[i];

		etl->streams[i].feed = feed;
		etl->streams[i].cpu = feed->cpu;
		etl->streams[i].file = feed->input->number;
	}
}

struct wk_etl_file *wk_etl_open(const struct wk_bytes *files,
				const struct wk_os_file *const *mapped, size_t count,
				unsigned threads, struct wk_err *err)
{
	struct wk_etl_file *etl = wk_alloc_zeroed(1, sizeof(*etl));

	etl->inputs = wk_alloc_zeroed(count, sizeof(*etl->inputs));
	etl->input_count = count;
	etl->damage.first_offset = WK_NOWHERE;
	if (!open_inputs(etl, files, mapped, count, err)) {
		wk_etl_close(etl);
		return NULL;
	}
	sum_headers(etl);
	wk_etl_feeds_find(etl->inputs, count, &etl->damage, &etl->feeds);
	count_missing(etl);
	make_streams(etl);
	etl->prefetch = wk_etl_prefetch_new(etl->feeds.feeds, etl->feeds.count, threads);
	etl->damage_at_open = etl->damage;
	wk_etl_rewind(etl);
	return etl;
}

void wk_etl_close(struct wk_etl_file *etl)
{
	if (!etl)
		return;
	wk_etl_prefetch_free(etl->prefetch);
	wk_etl_feeds_fini(&etl->feeds);
	WK_FREE_ALL(etl->streams, etl->heap, etl->is_marked, etl->inputs, etl);
}

/* Releases all pages at intervals; those in use are loaded again when they are touched. */
static void release_read(struct wk_etl_file *etl, uint32_t size_bytes)
{
	etl->read_bytes += size_bytes;
	if (etl->read_bytes < WK_ETL_RELEASED_BYTES)
		return;
	etl->read_bytes = 0;
	for (size_t i = 0; i < etl->input_count; i++)
		if (etl->inputs[i].mapped)
			wk_os_release(etl->inputs[i].mapped);
}

/* False at the end of the stream. */
static bool next_buffer(struct wk_etl_file *etl, struct stream *stream)
{
	const struct wk_etl_plain *plain = wk_etl_prefetch_next(etl->prefetch, stream->feed);

	if (!plain)
		return false;
	release_read(etl, plain->buffer.size_bytes);
	stream->records = plain->records;
	stream->buffer_offset = plain->buffer.offset;
	if (!plain->is_whole && !plain->buffer.is_cut)
		wk_etl_damaged(&etl->damage, stream->file, stream->buffer_offset,
			       &etl->damage.broken_buffers,
			       "a buffer that should hold %u bytes gives %zu",
			       plain->buffer.filled_bytes,
			       WK_ETL_BUFFER_HEAD + wk_bytes_left(&plain->records));
	return true;
}

static void note_broken_record(struct wk_etl_file *etl, const struct stream *stream)
{
	wk_etl_damaged(&etl->damage, stream->file, stream->buffer_offset,
		       &etl->damage.broken_records,
		       "the record %zu bytes into a buffer has an impossible size",
		       WK_ETL_BUFFER_HEAD + (size_t)wk_bytes_offset(&stream->records));
}

/* Finds the next record of a stream, in this buffer or a later one. */
static bool find_record(struct wk_etl_file *etl, struct stream *stream)
{
	uint64_t before = stream->time;
	bool is_broken = false;

	for (;;) {
		stream->record_bytes =
			wk_etl_record_peek(&stream->records, &stream->time, &is_broken);
		if (stream->record_bytes)
			break;
		if (is_broken)
			note_broken_record(etl, stream);
		is_broken = false;
		if (!next_buffer(etl, stream))
			return false;
	}
	if (stream->time < before)
		wk_etl_damaged(&etl->damage, stream->file, stream->buffer_offset,
			       &etl->damage.backward_records,
			       "a record is older than the one before it");
	return true;
}

static void pass_record(struct stream *stream)
{
	size_t size = ((size_t)stream->record_bytes + 7) & ~(size_t)7;
	size_t left = wk_bytes_left(&stream->records);

	wk_bytes_skip(&stream->records, size < left ? size : left);
}

/* Streams are in the order of files and processors, which decides between equal times. */
static bool is_before(const struct next *a, const struct next *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

static void sink_down(struct wk_etl_file *etl, size_t at)
{
	struct next *heap = etl->heap, moved = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < etl->heap_count) {
		if (child + 1 < etl->heap_count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

void wk_etl_rewind(struct wk_etl_file *etl)
{
	etl->damage = etl->damage_at_open;
	etl->heap_count = 0;
	etl->has_returned = false;
	wk_etl_prefetch_rewind(etl->prefetch);
	for (size_t i = 0; i < etl->feeds.count; i++) {
		struct stream *stream = &etl->streams[i];

		stream->time = 0;
		stream->records = (struct wk_bytes){ 0 };
		if (find_record(etl, stream))
			etl->heap[etl->heap_count++] = (struct next){ stream->time, (uint32_t)i };
	}
	for (size_t i = etl->heap_count / 2; i-- > 0;)
		sink_down(etl, i);
}

/* Advances past the record of the last call, which was valid until now. */
static void pass_first(struct wk_etl_file *etl)
{
	struct stream *stream = &etl->streams[etl->heap[0].stream];

	pass_record(stream);
	if (find_record(etl, stream))
		etl->heap[0].time = stream->time;
	else
		etl->heap[0] = etl->heap[--etl->heap_count];
	if (etl->heap_count)
		sink_down(etl, 0);
}

static bool read_first(struct wk_etl_file *etl, struct wk_etl_record *record)
{
	const struct stream *stream = &etl->streams[etl->heap[0].stream];

	record->time = stream->time;
	record->cpu = stream->cpu;
	record->file = stream->file;
	record->offset = stream->buffer_offset;
	if (wk_etl_record_read(stream->records.at, stream->record_bytes, record)) {
		etl->has_timeless |= record->kind == WK_ETL_MESSAGE || record->kind == WK_ETL_OTHER;
		return true;
	}
	wk_etl_damaged(&etl->damage, stream->file, stream->buffer_offset,
		       &etl->damage.broken_records,
		       "the extended items of a record are larger than the record");
	return false;
}

bool wk_etl_next(struct wk_etl_file *etl, struct wk_etl_record *record)
{
	for (;;) {
		if (etl->has_returned)
			pass_first(etl);
		etl->has_returned = etl->heap_count > 0;
		if (!etl->has_returned)
			return false;
		if (read_first(etl, record))
			return true;
	}
}

/* ---- for the second pass */

uint32_t wk_etl_buffer_index(const struct wk_etl_file *etl)
{
	const struct wk_etl_feed *feed = etl->streams[etl->heap[0].stream].feed;

	return (uint32_t)(feed->offsets - etl->feeds.offsets + feed->taken - 1);
}

void wk_etl_mark_buffer(struct wk_etl_file *etl, uint32_t place)
{
	if (!etl->is_marked)
		etl->is_marked = wk_alloc_zeroed(etl->feeds.buffer_count, sizeof(*etl->is_marked));
	etl->is_marked[place] = true;
}

/* The order of the others does not depend on a buffer if its times only grow and its records have
 * times of their own. */
static bool may_drop(const struct wk_etl_file *etl)
{
	return etl->damage.backward_records == 0 && !etl->has_timeless;
}

static void drop_others(struct wk_etl_file *etl)
{
	uint64_t *offsets = etl->feeds.offsets;

	for (size_t i = 0; i < etl->feeds.count; i++) {
		struct wk_etl_feed *feed = &etl->feeds.feeds[i];
		size_t first = (size_t)(feed->offsets - offsets), marked = 0;

		for (size_t k = 0; k < feed->count; k++)
			if (etl->is_marked && etl->is_marked[first + k])
				offsets[first + marked++] = offsets[first + k];
		feed->count = marked;
	}
	wk_free(etl->is_marked);
	etl->is_marked = NULL;
}

void wk_etl_rewind_to_saved(struct wk_etl_file *etl)
{
	if (may_drop(etl)) {
		etl->damage_of_all = etl->damage;
		etl->has_dropped = true;
		wk_etl_prefetch_rewind(etl->prefetch); /* offsets are not needed any more */
		drop_others(etl);
	}
	wk_etl_rewind(etl);
}

const struct wk_etl_header *wk_etl_header(const struct wk_etl_file *etl)
{
	return &etl->header;
}

uint64_t wk_etl_buffer_count(const struct wk_etl_file *etl)
{
	return etl->feeds.buffer_count;
}

const struct wk_etl_damage *wk_etl_damage(const struct wk_etl_file *etl)
{
	return etl->has_dropped ? &etl->damage_of_all : &etl->damage;
}

uint64_t wk_etl_ns(const struct wk_etl_file *etl, uint64_t time)
{
	uint64_t per_second = etl->header.ticks_per_second, ticks, seconds, rest;

	if (time <= etl->header.first_tick)
		return 0;
	ticks = time - etl->header.first_tick;
	seconds = ticks / per_second;
	rest = ticks % per_second;
	if (seconds >= UINT64_MAX / 1000000000 - 1)
		return UINT64_MAX;
	if (per_second > 10000000000)
		rest = (uint64_t)((double)rest / (double)per_second * 1e9);
	else
		rest = rest * 1000000000 / per_second;
	return seconds * 1000000000 + rest;
}
