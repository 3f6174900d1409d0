/* Which columns `perf script` prints: its defaults and -F's grammar.
 *
 * -F accepts a list ("comm,tid,ip") or changes to the columns so far ("+srcline,-cpu"); it may be
 * given several times. Start with zeros, call _add for each -F, then _of for each source. */
#ifndef WK_RENDER_PERF_SCRIPT_PERF_FIELDS_H
#define WK_RENDER_PERF_SCRIPT_PERF_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"

enum wk_perf_field {
	WK_COLUMN_COMM = 1 << 0,
	WK_COLUMN_TID = 1 << 1,
	WK_COLUMN_PID = 1 << 2,
	WK_COLUMN_TIME = 1 << 3,
	WK_COLUMN_CPU = 1 << 4,
	WK_COLUMN_EVENT = 1 << 5,
	WK_COLUMN_TRACE = 1 << 6,
	WK_COLUMN_IP = 1 << 7,
	WK_COLUMN_SYM = 1 << 8,
	WK_COLUMN_DSO = 1 << 9,
	WK_COLUMN_ADDR = 1 << 10,
	WK_COLUMN_SYMOFF = 1 << 11,
	WK_COLUMN_SRCLINE = 1 << 12,
	WK_COLUMN_PERIOD = 1 << 13,
	WK_COLUMN_BRSTACK = 1 << 14,
};

/* Sets of enum wk_perf_field. */
struct wk_perf_fields {
	uint32_t list; /* 0: the default columns */
	uint32_t added, removed;
};

bool wk_perf_fields_add(struct wk_perf_fields *fields, const char *text, struct wk_err *err);

/* The columns of a source's samples. A default column that they do not have is left out; one that
 * was requested by name is an error. */
bool wk_perf_fields_of(const struct wk_perf_fields *fields, const struct wk_event_source *source,
		       uint32_t *columns, struct wk_err *err);

/* The names, separated by blanks, for help. */
void wk_perf_fields_names(struct wk_buf *out);

#endif
