/* Files of a trace opened together, and their records merged: a stream for each processor of
 * each file, a heap of streams by the time of what each has next. */
#include "formats/etl_file.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/sort.h"
#include "formats/etl_ahead.h"

#define SAME_BOOT_100NS (60ull * 10000000)
#define FIRST_BYTES     40 /* of a buffer, for the time of its first record */

/* What one processor wrote in one file. */
struct stream {
	struct wk_bytes records; /* of the buffer that is being read, from the next record */
	uint64_t buffer_offset, time;
	uint32_t record_bytes; /* of the next record */
	uint32_t cpu;
};

struct place {
	uint64_t key, order, offset;
};

struct wk_etl_file {
	struct wk_etl_input *inputs;
	size_t input_count;
	struct wk_etl_header header;
	uint64_t *offsets;
	size_t buffer_count;
	struct stream *streams;	   /* in the order of files, sessions and processors */
	struct wk_etl_feed *feeds; /* of the streams: their buffers */
	size_t stream_count;
	struct wk_etl_ahead *ahead;
	uint32_t *heap; /* streams that have a record, the earliest first */
	size_t heap_count;
	bool was_told; /* the first of the heap is what the last call gave */
	struct wk_etl_damage damage, damage_at_open;
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

/* Raw times of one start of the machine can be compared. The time of the start is adjusted when the
 * clock is, so counters that were zero at about the same time are as good. */
static bool is_same_boot(const struct wk_etl_header *a, const struct wk_etl_header *b)
{
	if (a->clock != b->clock || a->ticks_per_second != b->ticks_per_second)
		return false;
	return a->boot_time == b->boot_time ||
	       (a->clock != WK_ETL_SYSTEM_TIME && away(origin(a), origin(b)) < SAME_BOOT_100NS);
}

static bool open_inputs(struct wk_etl_file *etl, const struct wk_bytes *files, size_t count,
			struct wk_err *err)
{
	char name[32];

	for (size_t i = 0; i < count; i++) {
		struct wk_etl_input *input = &etl->inputs[i];

		input->number = (uint32_t)i;
		snprintf(name, sizeof(name), "file %zu", i + 1);
		if (!wk_etl_input_open(input, files[i], err))
			return i > 0 ? wk_err_in(err, name) : false;
		if (!is_same_boot(&etl->inputs[0].header, &input->header))
			return wk_fail(
				err, WK_EUNSUPPORTED, WK_NOWHERE,
				"file %zu was recorded after another start of the machine, or "
				"by another clock, than the first; open them one by one",
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

/* Where all buffers are; the caller frees. */
static struct place *find_places(struct wk_etl_file *etl, size_t *count)
{
	struct place *places = NULL;
	struct wk_etl_buffer buffer;
	size_t cap = 0;

	for (size_t i = 0; i < etl->input_count; i++) {
		struct wk_etl_walk walk = { .input = &etl->inputs[i], .damage = &etl->damage };

		while (*count < UINT32_MAX && wk_etl_walk_next(&walk, &buffer)) {
			places = wk_grow(places, &cap, *count + 1, sizeof(*places));
			places[(*count)++] = (struct place){
				.key = (uint64_t)i << 32 | (uint32_t)buffer.logger << 16 |
				       buffer.cpu,
				.order = buffer.sequence,
				.offset = buffer.offset,
			};
		}
	}
	return places;
}

/* Sorted by stream and, in a stream, by the number Windows gave; equal ones stay as they were. */
static void sort_places(struct place *places, size_t count)
{
	struct wk_sort_key *keys = wk_alloc_zeroed(count + 1, sizeof(*keys));
	struct place *sorted = wk_alloc_zeroed(count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct wk_sort_key){ places[i].order, (uint32_t)i };
	wk_sort_keys(keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i].key = places[keys[i].row].key;
	wk_sort_keys(keys, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = places[keys[i].row];
	memcpy(places, sorted, count * sizeof(*places));
	free(sorted);
	free(keys);
}

static uint64_t first_time(const struct wk_etl_input *input, uint64_t offset,
			   struct wk_etl_room *room)
{
	struct wk_etl_buffer buffer;
	struct wk_bytes records;

	wk_etl_buffer_at(input, offset, &buffer);
	wk_etl_buffer_records(input, &buffer, FIRST_BYTES, room, &records);
	return wk_etl_record_time(&records);
}

/* Numbers that repeat say no order: the time of the first record does. */
static void order_by_time(const struct wk_etl_file *etl, struct place *places, size_t count)
{
	struct wk_etl_room room = { 0 };
	bool is_changed = false;
	size_t end;

	for (size_t first = 0; first < count; first = end) {
		bool repeats = false;

		for (end = first + 1; end < count && places[end].key == places[first].key; end++)
			repeats = repeats || places[end].order == places[end - 1].order;
		for (size_t i = first; repeats && i < end; i++)
			places[i].order = first_time(&etl->inputs[places[i].key >> 32],
						     places[i].offset, &room);
		is_changed = is_changed || repeats;
	}
	free(room.at);
	if (is_changed)
		sort_places(places, count);
}

static size_t count_streams(const struct place *places, size_t count)
{
	size_t streams = 0;

	for (size_t i = 0; i < count; i++)
		streams += i == 0 || places[i].key != places[i - 1].key;
	return streams;
}

static void make_streams(struct wk_etl_file *etl, const struct place *places, size_t count)
{
	size_t streams = count_streams(places, count), at = 0;

	etl->buffer_count = count;
	etl->offsets = wk_alloc_zeroed(count, sizeof(*etl->offsets));
	etl->streams = wk_alloc_zeroed(streams, sizeof(*etl->streams));
	etl->feeds = wk_alloc_zeroed(streams, sizeof(*etl->feeds));
	etl->heap = wk_alloc_zeroed(streams, sizeof(*etl->heap));
	etl->stream_count = streams;
	for (size_t i = 0; i < count; i++) {
		struct wk_etl_feed *feed;

		at += i > 0 && places[i].key != places[i - 1].key;
		feed = &etl->feeds[at];
		if (feed->count++ == 0) {
			etl->streams[at].cpu = places[i].key & 0xffff;
			feed->input = &etl->inputs[places[i].key >> 32];
			feed->offsets = etl->offsets + i;
		}
		etl->offsets[i] = places[i].offset;
	}
}

static void find_streams(struct wk_etl_file *etl)
{
	size_t count = 0;
	struct place *places = find_places(etl, &count);

	sort_places(places, count);
	order_by_time(etl, places, count);
	make_streams(etl, places, count);
	free(places);
}

struct wk_etl_file *wk_etl_open(const struct wk_bytes *files, size_t count, unsigned threads,
				struct wk_err *err)
{
	struct wk_etl_file *etl = wk_alloc_zeroed(1, sizeof(*etl));

	etl->inputs = wk_alloc_zeroed(count, sizeof(*etl->inputs));
	etl->input_count = count;
	etl->damage.first_offset = WK_NOWHERE;
	if (!open_inputs(etl, files, count, err)) {
		wk_etl_close(etl);
		return NULL;
	}
	sum_headers(etl);
	find_streams(etl);
	etl->ahead = wk_etl_ahead_new(etl->feeds, etl->stream_count, threads);
	etl->damage_at_open = etl->damage;
	wk_etl_rewind(etl);
	return etl;
}

void wk_etl_close(struct wk_etl_file *etl)
{
	if (!etl)
		return;
	wk_etl_ahead_free(etl->ahead);
	free(etl->feeds);
	free(etl->streams);
	free(etl->offsets);
	free(etl->heap);
	free(etl->inputs);
	free(etl);
}

static uint32_t file_of(const struct wk_etl_file *etl, const struct stream *stream)
{
	return etl->feeds[stream - etl->streams].input->number;
}

/* False at the stream's end. */
static bool next_buffer(struct wk_etl_file *etl, struct stream *stream)
{
	const struct wk_etl_plain *plain =
		wk_etl_ahead_take(etl->ahead, &etl->feeds[stream - etl->streams]);

	if (!plain)
		return false;
	stream->records = plain->records;
	stream->buffer_offset = plain->buffer.offset;
	if (!plain->is_whole && !plain->buffer.is_cut)
		wk_etl_damaged(&etl->damage, file_of(etl, stream), stream->buffer_offset,
			       &etl->damage.broken_buffers,
			       "a buffer that should hold %u bytes gives %zu",
			       plain->buffer.filled_bytes,
			       WK_ETL_BUFFER_HEAD + wk_bytes_left(&plain->records));
	return true;
}

static void note_broken_record(struct wk_etl_file *etl, const struct stream *stream)
{
	wk_etl_damaged(&etl->damage, file_of(etl, stream), stream->buffer_offset,
		       &etl->damage.broken_records,
		       "a record %zu bytes into its buffer has no size it can have",
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
		wk_etl_damaged(&etl->damage, file_of(etl, stream), stream->buffer_offset,
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

/* Streams stand in the order of files and processors, which decides between equal times. */
static bool is_before(const struct wk_etl_file *etl, uint32_t a, uint32_t b)
{
	uint64_t time_a = etl->streams[a].time, time_b = etl->streams[b].time;

	return time_a != time_b ? time_a < time_b : a < b;
}

static void sink_down(struct wk_etl_file *etl, size_t at)
{
	uint32_t moved = etl->heap[at];
	size_t child;

	while ((child = 2 * at + 1) < etl->heap_count) {
		if (child + 1 < etl->heap_count &&
		    is_before(etl, etl->heap[child + 1], etl->heap[child]))
			child++;
		if (!is_before(etl, etl->heap[child], moved))
			break;
		etl->heap[at] = etl->heap[child];
		at = child;
	}
	etl->heap[at] = moved;
}

void wk_etl_rewind(struct wk_etl_file *etl)
{
	etl->damage = etl->damage_at_open;
	etl->heap_count = 0;
	etl->was_told = false;
	wk_etl_ahead_rewind(etl->ahead);
	for (size_t i = 0; i < etl->stream_count; i++) {
		struct stream *stream = &etl->streams[i];

		stream->time = 0;
		stream->records = (struct wk_bytes){ 0 };
		if (find_record(etl, stream))
			etl->heap[etl->heap_count++] = (uint32_t)i;
	}
	for (size_t i = etl->heap_count / 2; i-- > 0;)
		sink_down(etl, i);
}

/* Away from what the last call gave, which stayed in its buffer until now. */
static void pass_first(struct wk_etl_file *etl)
{
	struct stream *stream = &etl->streams[etl->heap[0]];

	pass_record(stream);
	if (!find_record(etl, stream))
		etl->heap[0] = etl->heap[--etl->heap_count];
	if (etl->heap_count)
		sink_down(etl, 0);
}

static bool read_first(struct wk_etl_file *etl, struct wk_etl_record *record)
{
	const struct stream *stream = &etl->streams[etl->heap[0]];
	const uint8_t *at = stream->records.at;

	record->time = stream->time;
	record->cpu = stream->cpu;
	record->file = file_of(etl, stream);
	record->offset = stream->buffer_offset;
	if (wk_etl_record_read(wk_bytes_of(at, stream->record_bytes), record))
		return true;
	wk_etl_damaged(&etl->damage, file_of(etl, stream), stream->buffer_offset,
		       &etl->damage.broken_records,
		       "what a record has beside its payload is larger than the record");
	return false;
}

bool wk_etl_next(struct wk_etl_file *etl, struct wk_etl_record *record)
{
	for (;;) {
		if (etl->was_told)
			pass_first(etl);
		etl->was_told = etl->heap_count > 0;
		if (!etl->was_told)
			return false;
		if (read_first(etl, record))
			return true;
	}
}

const struct wk_etl_header *wk_etl_header(const struct wk_etl_file *etl)
{
	return &etl->header;
}

const struct wk_etl_header *wk_etl_header_of(const struct wk_etl_file *etl, size_t file)
{
	return &etl->inputs[file].header;
}

uint64_t wk_etl_buffer_count(const struct wk_etl_file *etl)
{
	return etl->buffer_count;
}

const struct wk_etl_damage *wk_etl_damage(const struct wk_etl_file *etl)
{
	return &etl->damage;
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
