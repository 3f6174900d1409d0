/* The events of one thread's stream, one after the other. */
#ifndef WK_FORMATS_HEAP_HEAP_THREAD_H
#define WK_FORMATS_HEAP_HEAP_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "channel/stream.h"
#include "event/event.h"
#include "formats/heap/heap_stacks.h"

struct wk_heap_record_read {
	enum wk_heap_record kind;
	enum wk_heap_function function;
	uint64_t ticks, address, size_bytes;
	uint32_t stack;
	size_t text_bytes; /* wk_heap_thread_stream_text */
	/* Of kind WK_HEAP_RECORD_END: enum wk_heap_call; wk_heap_thread_stream has the rest. */
	uint8_t call;
	uint32_t tid;
};

/* A part of a stream, which ends with a record. */
struct wk_heap_part {
	const uint8_t *at;
	uint64_t position; /* in the stream */
	uint32_t bytes, tid;
	bool is_packed; /* of a row WK_HEAP_ROW_PACKED; or else ..._EVENTS */
	bool is_copy;
};

/* Zero-initialised is ready. */
struct wk_heap_thread_stream {
	struct wk_heap_part *parts;
	size_t part_count, part_cap;
	size_t part; /* the next one; the one before it is being read: */
	const uint8_t *bytes;
	size_t from, to;   /* not yet read */
	size_t quick;      /* records before it are whole and in one block */
	uint64_t position; /* in the stream, of `bytes` */
	uint32_t tid;
	bool is_packed;
	bool is_lost;      /* until the next block */
	size_t text_bytes; /* before `from`: the last record's text */
	uint64_t ticks, address;
	uint32_t stack;
	/* Of the last record, if it is a call. */
	uint64_t call_result, call_arguments[WK_HEAP_CALL_ARGUMENTS];
	uint64_t damaged;
};

/* Its bytes are copied, unless they stay where they are until the stream is not read any further,
 * with WK_HEAP_BEHIND readable bytes behind them. */
#define WK_HEAP_BEHIND 8
void wk_heap_thread_stream_add(struct wk_heap_thread_stream *stream,
			       const struct wk_heap_part *part);

/* The next record; false if there is none yet. */
bool wk_heap_thread_stream_next(struct wk_heap_thread_stream *stream,
				struct wk_heap_record_read *record);

/* Which blocks may be read at once, and what they become. */
struct wk_heap_run {
	uint64_t from_ticks, most_ticks; /* from then on, and at most so much later */
	uint64_t from_ns;                /* that time */
	double ns_per_tick;
	const struct wk_heap_stacks *stacks;
};

/* Reads what follows as blocks, as far as it is that and needs nothing else. Returns how many.
 * Their times are not yet in order with those of other threads, and `thread` is 0. */
size_t wk_heap_thread_stream_blocks(struct wk_heap_thread_stream *stream,
				    const struct wk_heap_run *run, struct wk_event_block *blocks,
				    uint64_t *ticks, size_t most);

/* The text of the last record, valid until the next one is read. */
struct wk_str wk_heap_thread_stream_text(const struct wk_heap_thread_stream *stream);
void wk_heap_thread_stream_fini(struct wk_heap_thread_stream *stream);

#endif
