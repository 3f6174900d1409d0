/* The events that this machine has, by the names that -e takes, found out by opening each. */
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

/* Tells all that the machine has; `*absent` counts those of the known names that it has not.
 * False where tracepoints cannot be read, with a sentence why; the others have been told. */
bool wk_perf_list(void (*tell)(void *context, const struct wk_listed_event *event), void *context,
		  size_t *absent, struct wk_err *err);

#endif
