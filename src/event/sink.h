/* The destination of events: one function and a context.
 *
 * A sink returns false when it can accept no more (disk full, limit reached) and stores the reason
 * in its own error; the emitter then stops and returns the failure. Sinks are chained by wrapping:
 * an unwinding sink, for example, emits each event to the next.
 *
 * If one sink reads several inputs in turn, `stacks` may hold the names of earlier ones
 * (formats/stack_writer.h): numbers of frames and stacks then continue from input to input. A sink
 * that wraps another uses that one's; the same is true of what it accepts. */
#ifndef WK_EVENT_SINK_H
#define WK_EVENT_SINK_H

#include <stdbool.h>

#include "base/err.h"
#include "event/event.h"

struct wk_stack_store;

struct wk_sink {
	bool (*take)(void *context, const struct wk_event *event, struct wk_err *err);
	void *context;
	struct wk_stack_store *stacks; /* NULL: each input counts from 1 */
	bool accepts_blocks;           /* BLOCKS events; they become HEAP events for others */
	bool accepts_lists;            /* LISTS events; readers emit STACKS and SUMS for others */
};

static inline bool wk_sink_emit(const struct wk_sink *sink, const struct wk_event *event,
				struct wk_err *err)
{
	return sink->take(sink->context, event, err);
}

/* A note about an input as a whole: without time and offset. */
bool wk_sink_note(const struct wk_sink *sink, enum wk_note_severity severity, struct wk_str text,
		  struct wk_err *err);

/* The same with a count, if it is not zero: "1,200" and then one of the texts. */
bool wk_sink_note_count(const struct wk_sink *sink, enum wk_note_severity severity, uint64_t count,
			const char *one, const char *several, struct wk_err *err);

#endif
