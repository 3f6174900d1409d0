/* What is not there of a recording, said on standard error as it is met: for commands that hand
 * events on and make no model, whose views would say it (views/quality.h). */
#ifndef WK_CLI_INCOMPLETE_H
#define WK_CLI_INCOMPLETE_H

#include <stdint.h>

#include "event/sink.h"

struct wk_incomplete {
	struct wk_sink next;
	uint32_t count; /* how often something was missing; starts at 0 */
};

/* Passes all events on to `next`. */
struct wk_sink wk_incomplete_sink(struct wk_incomplete *incomplete);

#endif
