/* A sink that warns of missing parts of a recording as they come, for use cases that pass events on
 * and build no model, whose views would report them (views/quality.h). */
#ifndef WK_SESSION_INCOMPLETE_H
#define WK_SESSION_INCOMPLETE_H

#include <stdint.h>

#include "event/sink.h"
#include "session/messages.h"

struct wk_incomplete {
	struct wk_sink next;
	const struct wk_messages *messages;
	uint32_t count; /* how many parts are missing; starts at 0 */
};

/* Passes all events on to `next`. */
struct wk_sink wk_incomplete_sink(struct wk_incomplete *incomplete);

#endif
