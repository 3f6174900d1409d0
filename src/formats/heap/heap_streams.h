/* The rows of the heap library's streams (channel/stream.h) to events, in order of time.
 *
 * Rows are added as the recording has them. Events of several threads are merged by their times,
 * as far as a PASS row says that all of them are there. What is damaged is counted and skipped up
 * to the next block.
 *
 * Order of calls: new, add and emit as often as there are rows, end, free. */
#ifndef WK_FORMATS_HEAP_HEAP_STREAMS_H
#define WK_FORMATS_HEAP_HEAP_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "event/sink.h"
#include "formats/heap/heap_thread.h"

struct wk_heap_streams;

struct wk_heap_streams *wk_heap_streams_new(void);
void wk_heap_streams_free(struct wk_heap_streams *streams);

/* One row. Its bytes are copied unless it `stays`: they are valid until the end then, with
 * WK_HEAP_BEHIND readable ones behind them. False, and it is counted, if it makes no sense. */
bool wk_heap_streams_add(struct wk_heap_streams *streams, struct wk_bytes row, bool stays);

/* Emits the events until `until_ns` that are complete. */
bool wk_heap_streams_emit(struct wk_heap_streams *streams, uint64_t until_ns,
			  const struct wk_sink *sink, struct wk_err *err);

/* Emits what is left, and notes about what is missing. */
bool wk_heap_streams_end(struct wk_heap_streams *streams, const struct wk_sink *sink,
			 struct wk_err *err);

#endif
