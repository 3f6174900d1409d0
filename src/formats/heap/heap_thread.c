#include "formats/heap/heap_thread.h"

#include <string.h>

#include "base/mem.h"
#include "formats/heap/heap_number.h"

static uint64_t position_of(const struct wk_heap_thread_stream *stream, size_t at)
{
	return stream->position + at;
}

static void free_part(const struct wk_heap_part *part)
{
	if (part->is_copy)
		wk_free((void *)(uintptr_t)part->at);
}

/* Those before the one that is being read. */
static void drop_parts(struct wk_heap_thread_stream *stream)
{
	size_t done = stream->part ? stream->part - 1 : 0;

	if (!done || done < stream->part_count - done)
		return;
	for (size_t i = 0; i < done; i++)
		free_part(&stream->parts[i]);
	stream->part_count -= done;
	stream->part -= done;
	memmove(stream->parts, stream->parts + done, stream->part_count * sizeof(*stream->parts));
}

void wk_heap_thread_stream_add(struct wk_heap_thread_stream *stream,
			       const struct wk_heap_part *part)
{
	struct wk_heap_part added = *part;
	uint8_t *copy;

	if (!part->bytes)
		return;
	if (part->is_copy) {
		copy = wk_alloc((size_t)part->bytes + WK_HEAP_BEHIND);
		memcpy(copy, part->at, part->bytes);
		memset(copy + part->bytes, 0, WK_HEAP_BEHIND);
		added.at = copy;
	}
	drop_parts(stream);
	*WK_APPEND(stream->parts, stream->part_count, stream->part_cap) = added;
}

/* False if there is none. */
static bool begin_part(struct wk_heap_thread_stream *stream)
{
	const struct wk_heap_part *part;
	bool is_next;

	if (stream->part == stream->part_count)
		return false;
	part = &stream->parts[stream->part++];
	is_next = part->position == position_of(stream, stream->to);
	stream->is_lost |= !is_next;
	stream->damaged += !is_next;
	stream->bytes = part->at;
	stream->from = stream->quick = 0;
	stream->to = part->bytes;
	stream->position = part->position;
	stream->tid = part->tid;
	stream->is_packed = part->is_packed;
	return true;
}

/* How much of its block is there behind a place. */
static size_t left_of_block(const struct wk_heap_thread_stream *stream)
{
	size_t left = WK_HEAP_BLOCK_BYTES - position_of(stream, stream->from) % WK_HEAP_BLOCK_BYTES;

	return left < stream->to - stream->from ? left : stream->to - stream->from;
}

/* The next `count` numbers of a record; false if it ends before. */
static bool read_wide(struct wk_bytes *in, unsigned count, uint64_t *numbers)
{
	for (unsigned i = 0; i < count; i++)
		numbers[i] = wk_u64le(in);
	return !in->bad;
}

static inline uint64_t read_number(const uint8_t **at, unsigned length)
{
	static const uint32_t masks[] = { 0xff, 0xffff, 0xffffff, 0xffffffff };
	uint32_t number;

	memcpy(&number, *at, sizeof(number));
	*at += length + 1;
	return WK_FROM_LE(32, number) & masks[length];
}

static bool read_narrow(struct wk_bytes *in, unsigned count, uint64_t *numbers)
{
	uint8_t lengths = wk_u8(in);

	for (unsigned i = 0; i < count && in->at <= in->end; i++, lengths >>= 2)
		numbers[i] = read_number(&in->at, lengths & 3);
	in->bad |= in->at > in->end;
	return !in->bad;
}

static const uint8_t count_numbers[1 << WK_HEAP_RECORD_BITS] = {
	[WK_HEAP_RECORD_ALLOCATED] = 4, [WK_HEAP_RECORD_MOVED] = 4, [WK_HEAP_RECORD_FREED] = 2,
	[WK_HEAP_RECORD_RELEASED] = 2,  [WK_HEAP_RECORD_KEPT] = 2,  [WK_HEAP_RECORD_SNAPSHOT] = 1,
	[WK_HEAP_RECORD_MARK] = 1,
};

/* Always wide. */
static bool read_call(struct wk_heap_thread_stream *stream, struct wk_bytes *in, uint8_t head,
		      struct wk_heap_record_read *record)
{
	uint8_t call = (head & ~WK_HEAP_RECORD_WIDE) >> WK_HEAP_RECORD_BITS;
	uint64_t time = wk_u64le(in);

	stream->call_result = wk_u64le(in);
	for (size_t i = 0; i < WK_HEAP_CALL_ARGUMENTS; i++)
		stream->call_arguments[i] = wk_u64le(in);
	stream->stack += (uint32_t)wk_heap_unfold(wk_u64le(in));
	stream->ticks += time;
	*record = (struct wk_heap_record_read){ .kind = WK_HEAP_RECORD_END,
						.ticks = stream->ticks,
						.stack = stream->stack,
						.call = call };
	call &= (uint8_t)~WK_HEAP_CALL_ENDED;
	return !in->bad && head & WK_HEAP_RECORD_WIDE && call && call < WK_HEAP_CALLS;
}

static bool read_other(struct wk_heap_thread_stream *stream, struct wk_bytes *in,
		       struct wk_heap_record_read *record)
{
	uint8_t head = wk_u8(in);
	bool is_wide = head & WK_HEAP_RECORD_WIDE;
	uint64_t numbers[4] = { 0 };
	unsigned count;
	int64_t change;

	record->kind = head & ((1 << WK_HEAP_RECORD_BITS) - 1);
	if (record->kind == WK_HEAP_RECORD_END)
		return read_call(stream, in, head, record);
	record->function = (head & ~WK_HEAP_RECORD_WIDE) >> WK_HEAP_RECORD_BITS;
	count = count_numbers[record->kind];
	if (!count || record->function >= WK_HEAP_FUNCTIONS ||
	    !(is_wide ? read_wide(in, count, numbers) : read_narrow(in, count, numbers)))
		return false;
	change = wk_heap_unfold(numbers[1]);
	stream->ticks += numbers[0];
	stream->address += is_wide ? (uint64_t)change : (uint64_t)change << 3;
	stream->stack += (uint32_t)wk_heap_unfold(numbers[3]);
	record->ticks = stream->ticks;
	record->text_bytes = 0;
	record->address = stream->address;
	record->size_bytes = numbers[2];
	record->stack = stream->stack;
	if (count == 1) {
		record->text_bytes = wk_u8(in);
		wk_bytes_skip(in, record->text_bytes);
	}
	return !in->bad;
}

static inline uint64_t bits_of(uint64_t word, unsigned from, unsigned count)
{
	return word >> from & ((UINT64_C(1) << count) - 1);
}

/* A packed record, relative to the one before it. */
struct packed {
	enum wk_heap_packed kind;
	unsigned bytes, function;
	uint64_t time, change, size;
	uint32_t stack;
};

/* Reads WK_HEAP_PACKED_LONG_BYTES, whatever it is. */
static inline struct packed unpack(const uint8_t *at)
{
	uint64_t word, address;
	uint16_t end;
	bool has_block;

	memcpy(&word, at, sizeof(word));
	memcpy(&end, at + sizeof(word), sizeof(end));
	word = WK_FROM_LE(64, word);
	end = WK_FROM_LE(16, end);
	has_block = bits_of(word, 0, WK_HEAP_PACKED_BITS) == WK_HEAP_PACKED_ALLOCATED;
	address = bits_of(word, WK_HEAP_PACKED_ADDRESS, WK_HEAP_PACKED_ADDRESS_BITS);
	return (struct packed){
		.kind = (enum wk_heap_packed)bits_of(word, 0, WK_HEAP_PACKED_BITS),
		.bytes = has_block ? WK_HEAP_PACKED_LONG_BYTES : WK_HEAP_PACKED_SHORT_BYTES,
		.time = bits_of(word, WK_HEAP_PACKED_TIME, WK_HEAP_PACKED_TIME_BITS),
		.change = (uint64_t)wk_heap_unfold(address) << 3,
		.function = has_block ? (unsigned)bits_of(word, WK_HEAP_PACKED_FUNCTION,
							  WK_HEAP_PACKED_FUNCTION_BITS)
				      : 0,
		.size = has_block ? word >> WK_HEAP_PACKED_SIZE |
					    (uint64_t)end << (64 - WK_HEAP_PACKED_SIZE)
				  : 0,
		.stack = has_block ? (uint32_t)wk_heap_unfold(bits_of(word, WK_HEAP_PACKED_STACK,
								      WK_HEAP_PACKED_STACK_BITS))
				   : 0,
	};
}

/* False if it is of another kind, or wrong. */
static inline bool is_packed(const struct packed *packed)
{
	return packed->kind != WK_HEAP_PACKED_NONE && packed->function < WK_HEAP_PACKED_FUNCTIONS;
}

static inline bool is_moved(const struct packed *packed)
{
	return packed->function >= WK_HEAP_PACKED_MOVED;
}

static inline enum wk_heap_function function_of(const struct packed *packed)
{
	return (enum wk_heap_function)(is_moved(packed) ? packed->function - WK_HEAP_PACKED_MOVED +
								  WK_HEAP_REALLOC
							: packed->function);
}

static inline void use_packed(struct wk_heap_thread_stream *stream, const struct packed *packed,
			      struct wk_heap_record_read *record)
{
	static const enum wk_heap_record kinds[] = {
		[WK_HEAP_PACKED_FREED] = WK_HEAP_RECORD_FREED,
		[WK_HEAP_PACKED_ALLOCATED] = WK_HEAP_RECORD_ALLOCATED,
		[WK_HEAP_PACKED_RELEASED] = WK_HEAP_RECORD_RELEASED,
	};

	record->kind = is_moved(packed) ? WK_HEAP_RECORD_MOVED : kinds[packed->kind];
	record->function = function_of(packed);
	record->text_bytes = 0;
	record->ticks = stream->ticks += packed->time;
	record->address = stream->address += packed->change;
	record->size_bytes = packed->size;
	record->stack = stream->stack += packed->stack;
}

static bool read_record(struct wk_heap_thread_stream *stream, struct wk_bytes *in,
			struct wk_heap_record_read *record)
{
	uint8_t start[WK_HEAP_PACKED_LONG_BYTES] = { 0 };
	size_t left = wk_bytes_left(in);
	struct packed packed;

	if (!stream->is_packed || *in->at == WK_HEAP_RECORD_OTHER) {
		wk_bytes_skip(in, stream->is_packed);
		return read_other(stream, in, record);
	}
	memcpy(start, in->at, left < sizeof(start) ? left : sizeof(start));
	packed = unpack(start);
	if (!is_packed(&packed) || left < packed.bytes)
		return false;
	wk_bytes_skip(in, packed.bytes);
	use_packed(stream, &packed, record);
	return true;
}

static void begin_block(struct wk_heap_thread_stream *stream)
{
	struct wk_bytes in = wk_bytes_of(stream->bytes + stream->from, 8);

	stream->ticks = wk_u64le(&in);
	stream->address = 0;
	stream->stack = 0;
	stream->is_lost = false;
	stream->from += 8;
}

static void find_quick(struct wk_heap_thread_stream *stream)
{
	size_t left = left_of_block(stream);

	stream->quick = stream->is_packed && left > WK_HEAP_PACKED_LONG_BYTES
				? stream->from + left - WK_HEAP_PACKED_LONG_BYTES
				: 0;
}

/* False if it is not packed. */
static inline bool read_quickly(struct wk_heap_thread_stream *stream,
				struct wk_heap_record_read *record)
{
	struct packed packed = unpack(stream->bytes + stream->from);

	if (!is_packed(&packed))
		return false;
	use_packed(stream, &packed, record);
	stream->from += packed.bytes;
	return true;
}

static void lose_block(struct wk_heap_thread_stream *stream)
{
	stream->is_lost = true;
	stream->damaged++;
}

static bool read_next(struct wk_heap_thread_stream *stream, struct wk_heap_record_read *record)
{
	while (stream->from < stream->to || begin_part(stream)) {
		size_t there = stream->to - stream->from;
		bool is_start = position_of(stream, stream->from) % WK_HEAP_BLOCK_BYTES == 0;
		struct wk_bytes in = wk_bytes_of(stream->bytes + stream->from, there);

		if (is_start && there >= 8) {
			begin_block(stream);
			continue;
		}
		if (is_start) {
			lose_block(stream);
			stream->from = stream->to;
			continue;
		}
		if (stream->is_lost || *in.at == WK_HEAP_RECORD_END) {
			stream->from += left_of_block(stream);
			continue;
		}
		if (!read_record(stream, &in, record)) {
			lose_block(stream);
			continue;
		}
		record->tid = stream->tid;
		stream->from += (size_t)wk_bytes_offset(&in);
		stream->text_bytes = record->text_bytes;
		find_quick(stream);
		return true;
	}
	return false;
}

bool wk_heap_thread_stream_next(struct wk_heap_thread_stream *stream,
				struct wk_heap_record_read *record)
{
	stream->text_bytes = 0;
	return (stream->from < stream->quick && read_quickly(stream, record)) ||
	       read_next(stream, record);
}

/* What is freed in realloc may have been kept: only what follows shows that. */
static inline bool is_settled(const uint8_t *next, const uint8_t *end)
{
	struct packed packed;

	if (next >= end)
		return false;
	packed = unpack(next);
	return packed.kind == WK_HEAP_PACKED_ALLOCATED && is_moved(&packed);
}

/* What records are relative to. */
struct last {
	uint64_t ticks, address;
	uint32_t stack;
};

/* Reads one record. NULL: it is none of those that are read at once. */
static inline const uint8_t *read_block(const uint8_t *at, const uint8_t *end,
					const struct wk_heap_run *run, struct last *last,
					struct wk_event_block *block)
{
	struct packed packed = unpack(at);
	uint64_t ticks = last->ticks + packed.time;

	if (!is_packed(&packed) || ticks - run->from_ticks > run->most_ticks ||
	    (packed.kind == WK_HEAP_PACKED_RELEASED && !is_settled(at + packed.bytes, end)))
		return NULL;
	last->ticks = ticks;
	last->address += packed.change;
	last->stack += packed.stack;
	*block = (struct wk_event_block){
		.time_ns = run->from_ns +
			   (uint64_t)(int64_t)((double)(int64_t)(ticks - run->from_ticks) *
					       run->ns_per_tick),
		.address = last->address,
		.size_bytes = packed.size,
		.part = (uint8_t)function_of(&packed),
		.is_freed = packed.kind != WK_HEAP_PACKED_ALLOCATED,
	};
	if (packed.kind == WK_HEAP_PACKED_ALLOCATED)
		block->stack = (uint32_t)wk_heap_stacks_row(run->stacks, last->stack);
	return at + packed.bytes;
}

size_t wk_heap_thread_stream_blocks(struct wk_heap_thread_stream *stream,
				    const struct wk_heap_run *run, struct wk_event_block *blocks,
				    uint64_t *ticks, size_t most)
{
	const uint8_t *at = stream->bytes + stream->from, *end = stream->bytes + stream->quick;
	const uint8_t *next;
	struct last last = { stream->ticks, stream->address, stream->stack };
	size_t count = 0;

	while (count < most && at < end &&
	       (next = read_block(at, end, run, &last, &blocks[count])) != NULL) {
		at = next;
		ticks[count++] = last.ticks;
	}
	stream->ticks = last.ticks;
	stream->address = last.address;
	stream->stack = last.stack;
	stream->from = (size_t)(at - stream->bytes);
	return count;
}

struct wk_str wk_heap_thread_stream_text(const struct wk_heap_thread_stream *stream)
{
	const uint8_t *end = stream->bytes + stream->from;

	return wk_str_of((const char *)(end - stream->text_bytes), stream->text_bytes);
}

void wk_heap_thread_stream_fini(struct wk_heap_thread_stream *stream)
{
	for (size_t i = 0; i < stream->part_count; i++)
		free_part(&stream->parts[i]);
	wk_free(stream->parts);
}
