/* The events of this machine, by the names that -e accepts, found by opening each. */
#ifndef WK_RECORD_PERF_LIST_H
#define WK_RECORD_PERF_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum wk_event_right {
	WK_EVENT_FREE,      /* may be recorded */
	WK_EVENT_USER_ONLY, /* of code outside of the kernel only */
	WK_EVENT_REFUSED,   /* not by this user */
	WK_EVENT_ABSENT,    /* the machine has no such counter */
};

struct wk_listed_event {
	const char *name;
	const char *kind; /* "hardware", "software", "cache", "pmu", "tracepoint" */
	enum wk_event_right right;
};

/* Lists all events of the machine; `*absent` counts the known names that it does not have. False,
 * with a sentence, if tracepoints cannot be read; the others have been listed. */
bool wk_perf_list(void (*tell)(void *context, const struct wk_listed_event *event), void *context,
		  size_t *absent, struct wk_err *err);

#endif
