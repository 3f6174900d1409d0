/* Nested spans of time to samples: for traces of begin and end events.
 *
 * Spans may come in any order; wk_spans_emit sorts those of each thread by time, tracks the stack
 * of open ones, and emits one sample for every interval in which that stack stays the same, with
 * its length as weight. So a frame's self time is what no inner span covers, and samples come in
 * order of time across threads. Order of calls: thread and add/sample in the order of the
 * input, emit, fini.
 *
 * An end without a begin is counted and dropped, a span without an end lasts until its thread's
 * last moment, and one that ends after its parent is cut there. */
#ifndef WK_FORMATS_PROFILES_SPANS_H
#define WK_FORMATS_PROFILES_SPANS_H

#include "base/map.h"
#include "formats/stack_writer.h"

struct wk_span_event;
struct wk_span_piece;
struct wk_span_thread;
struct wk_span_open;

struct wk_spans {
	struct wk_stack_writer *writer; /* set by the caller, the rest is zero */
	struct wk_span_event *events;
	struct wk_span_piece *pieces;
	struct wk_span_thread *threads;
	struct wk_span_open *open; /* all threads' open spans; those that ended are used again */
	size_t event_count, event_cap, piece_count, piece_cap, thread_count, thread_cap;
	size_t open_count, open_cap;
	uint32_t free_open;       /* first of those that ended, + 1 */
	uint32_t sources;         /* bit n: source n was emitted */
	uint64_t stray_ends, cut; /* counts of repaired input */
};

void wk_spans_fini(struct wk_spans *spans);

/* Emits a source that is weighed, once for each number (at most 31). */
void wk_spans_source(struct wk_spans *spans, uint32_t number, const char *name, const char *unit);

/* A new thread, whose spans become samples of `source`; threads are distinguished only by the
 * returned number. */
uint32_t wk_spans_thread(struct wk_spans *spans, uint32_t pid, uint32_t tid, uint32_t source);

/* Its spans and samples are measured in another unit, such as bytes: they have an order, but no
 * time. */
void wk_spans_no_time(struct wk_spans *spans, uint32_t thread);

enum wk_span_kind {
	WK_SPAN_BEGIN,
	WK_SPAN_END, /* of the innermost open span of that frame and all in it; frame 0: of the
		      * innermost of all */
	WK_SPAN_WHOLE,
};

/* `frame` is a number of the writer; only whole spans have a duration. */
void wk_spans_add(struct wk_spans *spans, enum wk_span_kind kind, uint32_t thread, uint64_t time_ns,
		  uint64_t duration_ns, uint32_t frame);

/* A sample in the input, emitted in its turn. */
void wk_spans_sample(struct wk_spans *spans, uint32_t thread, uint32_t source, uint32_t stack,
		     uint64_t time_ns, uint64_t weight);

void wk_spans_emit(struct wk_spans *spans);

#endif
