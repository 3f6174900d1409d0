/* Where events go: one function and a context.
 *
 * A sink returns false when it can take no more (disk full, limit reached) and says why in
 * its own error; the giver then stops and passes the failure up. Sinks are chained by
 * wrapping: an unwinding sink, for one, hands each event on to the next.
 *
 * Where one sink takes several inputs in turn, `stacks` may hold what those before have named
 * (formats/stack_writer.h): numbers of frames and stacks then go on from input to input. A sink
 * that wraps another has the other's. */
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
};

static inline bool wk_sink_emit(const struct wk_sink *sink, const struct wk_event *event,
				struct wk_err *err)
{
	return sink->take(sink->context, event, err);
}

/* What is noted of an input as a whole: at no time, and at no place in it. */
bool wk_sink_note(const struct wk_sink *sink, enum wk_note_severity severity, struct wk_str text,
		  struct wk_err *err);

/* The same of how many there were of something, where there were any: "1,200" and then one of the
 * texts. */
bool wk_sink_note_count(const struct wk_sink *sink, enum wk_note_severity severity, uint64_t count,
			const char *one, const char *several, struct wk_err *err);

#endif
