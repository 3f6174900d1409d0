/* Streams of the heap library (channel/stream.h) as bytes, and the recorder's rows of them. */
#ifndef WK_TESTS_HEAP_STREAM_MAKER_H
#define WK_TESTS_HEAP_STREAM_MAKER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "channel/stream.h"

/* A thread's events, or a process's definitions. */
struct heap_stream {
	struct wk_buf bytes;
	uint64_t row_from; /* what the rows before do not have */
	uint64_t time, address, pc;
	uint32_t stack, next;
};

/* Rows WK_HEAP_ROW_EVENTS, without packed records. */
static bool heap_is_old;

static inline uint64_t heap_fold(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline void heap_begin_block(struct heap_stream *stream, uint64_t time)
{
	stream->time = time;
	stream->address = 0;
	stream->stack = 0;
	wk_buf_add_u64(&stream->bytes, time);
}

static inline void heap_add_number(struct wk_buf *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		wk_buf_add_char(bytes, (char)(number >> 8 * i));
}

static inline void heap_add_numbers(struct wk_buf *bytes, uint8_t head, const uint64_t *numbers,
				    unsigned count, bool is_wide)
{
	uint8_t lengths = 0;
	size_t size[8];

	for (unsigned i = 0; i < count && !is_wide; i++) {
		for (size[i] = 1; size[i] < 4 && numbers[i] >> 8 * size[i]; size[i]++)
			continue;
		lengths |= (uint8_t)((size[i] - 1) << 2 * i);
	}
	if (!heap_is_old)
		wk_buf_add_char(bytes, WK_HEAP_RECORD_OTHER);
	wk_buf_add_char(bytes, (char)(head | (is_wide ? WK_HEAP_RECORD_WIDE : 0)));
	if (!is_wide)
		wk_buf_add_char(bytes, (char)lengths);
	for (unsigned i = 0; i < count; i++)
		heap_add_number(bytes, numbers[i], is_wide ? 8 : size[i]);
}

/* What a packed record has besides time and address; NONE: there is no such record. */
static inline enum wk_heap_packed heap_packed_kind(enum wk_heap_record kind, unsigned *function)
{
	*function = (unsigned)kind >> WK_HEAP_RECORD_BITS;
	switch ((unsigned)kind & ((1 << WK_HEAP_RECORD_BITS) - 1)) {
	case WK_HEAP_RECORD_FREED:
		return WK_HEAP_PACKED_FREED;
	case WK_HEAP_RECORD_RELEASED:
		return WK_HEAP_PACKED_RELEASED;
	case WK_HEAP_RECORD_MOVED:
		if (*function != WK_HEAP_REALLOC && *function != WK_HEAP_REALLOCARRAY)
			return WK_HEAP_PACKED_NONE;
		*function += WK_HEAP_FUNCTIONS - WK_HEAP_REALLOC;
		return WK_HEAP_PACKED_ALLOCATED;
	case WK_HEAP_RECORD_ALLOCATED:
		return WK_HEAP_PACKED_ALLOCATED;
	default:
		return WK_HEAP_PACKED_NONE;
	}
}

/* Bit by bit. False if the numbers are too large. */
static inline bool heap_pack(struct wk_buf *bytes, enum wk_heap_record kind,
			     const uint64_t numbers[4])
{
	unsigned function, at = 0;
	enum wk_heap_packed packed = heap_packed_kind(kind, &function);
	bool has_block = packed == WK_HEAP_PACKED_ALLOCATED;
	const struct {
		uint64_t number;
		unsigned bits;
	} parts[] = { { packed, 2 },      { numbers[0], 14 }, { numbers[1], 24 },
		      { numbers[3], 16 }, { function, 4 },    { numbers[2], 20 } };
	uint8_t made[10] = { 0 };

	if (heap_is_old || packed == WK_HEAP_PACKED_NONE)
		return false;
	for (size_t i = 0; i < (has_block ? 6u : 3u); i++) {
		if (parts[i].number >> parts[i].bits)
			return false;
		for (unsigned bit = 0; bit < parts[i].bits; bit++, at++)
			made[at / 8] |= (uint8_t)((parts[i].number >> bit & 1) << at % 8);
	}
	wk_buf_add(bytes, made, at / 8);
	return true;
}

/* The first record begins a block. */
static inline void heap_add(struct heap_stream *stream, enum wk_heap_record kind, uint64_t time,
			    uint64_t address, uint64_t size_bytes, uint32_t stack)
{
	unsigned which = kind & ((1 << WK_HEAP_RECORD_BITS) - 1);
	bool has_block = which == WK_HEAP_RECORD_ALLOCATED || which == WK_HEAP_RECORD_MOVED;
	int64_t change;
	uint64_t numbers[4];
	bool is_wide;

	if (stream->bytes.len % WK_HEAP_BLOCK_BYTES == 0)
		heap_begin_block(stream, time);
	change = (int64_t)(address - stream->address);
	is_wide = (change & 7) || size_bytes >> 32 || heap_fold(change >> 3) >> 32 ||
		  (time - stream->time) >> 32;
	numbers[0] = time - stream->time;
	numbers[1] = heap_fold(is_wide ? change : change >> 3);
	numbers[2] = size_bytes;
	numbers[3] = heap_fold((int32_t)(stack - stream->stack));
	stream->time = time;
	stream->address = address;
	if (has_block)
		stream->stack = stack;
	if (is_wide || !heap_pack(&stream->bytes, kind, numbers))
		heap_add_numbers(&stream->bytes, (uint8_t)kind, numbers, has_block ? 4 : 2,
				 is_wide);
}

static inline void heap_add_text(struct heap_stream *stream, enum wk_heap_record kind,
				 uint64_t time, const char *text)
{
	uint64_t since;

	if (stream->bytes.len % WK_HEAP_BLOCK_BYTES == 0)
		heap_begin_block(stream, time);
	since = time - stream->time;
	stream->time = time;
	heap_add_numbers(&stream->bytes, (uint8_t)kind, &since, 1, false);
	wk_buf_add_char(&stream->bytes, (char)strlen(text));
	wk_buf_add_text(&stream->bytes, text);
}

/* A call of enum wk_heap_call, with WK_HEAP_CALL_ENDED or without. */
static inline void heap_add_call(struct heap_stream *stream, unsigned call, uint64_t time,
				 uint64_t result, const uint64_t arguments[WK_HEAP_CALL_ARGUMENTS],
				 uint32_t stack)
{
	uint64_t numbers[3 + WK_HEAP_CALL_ARGUMENTS];

	if (stream->bytes.len % WK_HEAP_BLOCK_BYTES == 0)
		heap_begin_block(stream, time);
	numbers[0] = time - stream->time;
	numbers[1] = result;
	memcpy(numbers + 2, arguments, WK_HEAP_CALL_ARGUMENTS * sizeof(*arguments));
	numbers[2 + WK_HEAP_CALL_ARGUMENTS] = heap_fold((int32_t)(stack - stream->stack));
	stream->time = time;
	stream->stack = stack;
	heap_add_numbers(&stream->bytes, (uint8_t)(call << WK_HEAP_RECORD_BITS), numbers,
			 3 + WK_HEAP_CALL_ARGUMENTS, true);
}

/* The rest of the block is empty; garbage is in it. */
static inline void heap_end_block(struct heap_stream *stream)
{
	if (stream->bytes.len % WK_HEAP_BLOCK_BYTES)
		wk_buf_add_char(&stream->bytes, WK_HEAP_RECORD_END);
	while (stream->bytes.len % WK_HEAP_BLOCK_BYTES)
		wk_buf_add_char(&stream->bytes, (char)0xa5);
}

static inline void heap_add_leb(struct wk_buf *bytes, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		wk_buf_add_char(bytes, (char)(number | 0x80));
	wk_buf_add_char(bytes, (char)number);
}

/* The next stack; returns its number. */
static inline uint32_t heap_define(struct heap_stream *definitions, uint32_t parent, uint64_t pc)
{
	if (!definitions->next)
		definitions->next = 1;
	if (definitions->bytes.len % WK_HEAP_BLOCK_BYTES == 0) {
		wk_buf_add_u32(&definitions->bytes, definitions->next);
		wk_buf_add_u64(&definitions->bytes, pc);
		definitions->pc = pc;
	}
	wk_buf_add_char(&definitions->bytes, WK_HEAP_DEFINED_STACK);
	heap_add_leb(&definitions->bytes, definitions->next - parent);
	heap_add_leb(&definitions->bytes, heap_fold((int64_t)(pc - definitions->pc)));
	definitions->pc = pc;
	return definitions->next++;
}

/* ---- rows */

static inline void heap_begin_row(struct wk_buf *row, enum wk_heap_stream_row kind,
				  uint32_t process)
{
	wk_buf_reset(row);
	wk_buf_add_char(row, (char)kind);
	wk_buf_add_u32(row, process);
}

static inline void heap_add_new_bytes(struct wk_buf *row, struct heap_stream *stream)
{
	uint32_t count = (uint32_t)(stream->bytes.len - stream->row_from);

	wk_buf_add_u64(row, stream->row_from);
	wk_buf_add_u32(row, count);
	wk_buf_add(row, (const uint8_t *)stream->bytes.at + stream->row_from, count);
	stream->row_from = stream->bytes.len;
}

static inline void heap_process_row(struct wk_buf *row, uint32_t process, uint32_t pid)
{
	heap_begin_row(row, WK_HEAP_ROW_PROCESS, process);
	wk_buf_add_u32(row, pid);
	wk_buf_add_u64(row, 1);
	wk_buf_add_u64(row, 0);
}

/* The parts of its ranges follow. */
static inline void heap_space_row(struct wk_buf *row, uint64_t ticks, unsigned flags, uint32_t pid,
				  uint64_t from, uint64_t to)
{
	heap_begin_row(row, WK_HEAP_ROW_SPACE, 1);
	wk_buf_add_u64(row, ticks);
	wk_buf_add_char(row, (char)flags);
	wk_buf_add_u32(row, pid);
	wk_buf_add_u64(row, from);
	wk_buf_add_u64(row, to);
}

static inline void heap_add_range(struct wk_buf *row, uint64_t from, uint64_t to,
				  enum wk_heap_space_use use)
{
	wk_buf_add_u64(row, from);
	wk_buf_add_u64(row, to);
	wk_buf_add_char(row, (char)use);
}

/* What was added to the stream since its last row. */
static inline void heap_events_row(struct wk_buf *row, uint32_t process, uint32_t ring,
				   uint32_t tid, struct heap_stream *stream)
{
	heap_begin_row(row, heap_is_old ? WK_HEAP_ROW_EVENTS : WK_HEAP_ROW_PACKED, process);
	wk_buf_add_u32(row, ring);
	wk_buf_add_u32(row, tid);
	heap_add_new_bytes(row, stream);
}

static inline void heap_definitions_row(struct wk_buf *row, uint32_t process,
					struct heap_stream *stream)
{
	heap_begin_row(row, WK_HEAP_ROW_DEFINITIONS, process);
	heap_add_new_bytes(row, stream);
}

static inline void heap_pass_row(struct wk_buf *row, uint64_t ticks, uint64_t ns)
{
	wk_buf_reset(row);
	wk_buf_add_char(row, WK_HEAP_ROW_PASS);
	wk_buf_add_u64(row, ticks);
	wk_buf_add_u64(row, ns);
}

#endif
