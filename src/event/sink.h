/* Where events go: one function and a context.
 *
 * A sink returns false when it can take no more (disk full, limit reached) and says why in
 * its own error; the giver then stops and passes the failure up. Sinks are chained by
 * wrapping: an unwinding sink, for one, hands each event on to the next. */
#ifndef WK_EVENT_SINK_H
#define WK_EVENT_SINK_H

#include <stdbool.h>

#include "base/err.h"
#include "event/event.h"

struct wk_sink {
	bool (*take)(void *context, const struct wk_event *event, struct wk_err *err);
	void *context;
};

static inline bool wk_sink_take(const struct wk_sink *sink, const struct wk_event *event,
				struct wk_err *err)
{
	return sink->take(sink->context, event, err);
}

#endif
