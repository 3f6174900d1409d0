/* Which columns `perf script` prints: its defaults for each type of event, and -F's grammar.
 *
 * -F takes "comm,tid,ip" for all types of events, "sw:comm,tid" for one, "+srcline" and "-cpu" for
 * changes to what is printed anyway; it may be given several times. wk_perf_fields_init sets the
 * defaults, _add takes one -F, and _check fits them to the events that a recording has: a default
 * column that samples do not carry is left out, one that was asked for by name is an error. */
#ifndef WK_RENDER_PERF_SCRIPT_PERF_FIELDS_H
#define WK_RENDER_PERF_SCRIPT_PERF_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"

enum wk_perf_field {
	WK_FIELD_COMM = 1 << 0,
	WK_FIELD_TID = 1 << 1,
	WK_FIELD_PID = 1 << 2,
	WK_FIELD_TIME = 1 << 3,
	WK_FIELD_CPU = 1 << 4,
	WK_FIELD_EVENT = 1 << 5,
	WK_FIELD_TRACE = 1 << 6,
	WK_FIELD_IP = 1 << 7,
	WK_FIELD_SYM = 1 << 8,
	WK_FIELD_DSO = 1 << 9,
	WK_FIELD_ADDR = 1 << 10,
	WK_FIELD_SYMOFF = 1 << 11,
	WK_FIELD_SRCLINE = 1 << 12,
	WK_FIELD_PERIOD = 1 << 13,
	WK_FIELD_BRSTACK = 1 << 14,
	WK_FIELD_BRSTACKSYM = 1 << 15,
	WK_FIELD_BRSTACKOFF = 1 << 16,
	WK_FIELD_DATA_SRC = 1 << 17,
	WK_FIELD_WEIGHT = 1 << 18,
	WK_FIELD_BPF_OUTPUT = 1 << 19,
	WK_FIELD_PHYS_ADDR = 1 << 20,
	WK_FIELD_MISC = 1 << 21,
	WK_FIELD_FLAGS = 1 << 22,
	WK_FIELD_DATA_PAGE_SIZE = 1 << 23,
	WK_FIELD_CODE_PAGE_SIZE = 1 << 24,
	WK_FIELD_CGROUP = 1 << 25,
	WK_FIELD_IREGS = 1 << 26,
	WK_FIELD_UREGS = 1 << 27,
	WK_FIELD_INS_LAT = 1 << 28,
	WK_FIELD_TOD = 1 << 29,
	WK_FIELD_EMPTY = 1 << 30, /* what perf prints of hardware traces and virtual machines */
};

/* perf's numbers of types, and one for all others. */
enum wk_perf_event_type {
	WK_PERF_EVENTS_HARDWARE,
	WK_PERF_EVENTS_SOFTWARE,
	WK_PERF_EVENTS_TRACEPOINT,
	WK_PERF_EVENTS_CACHE,
	WK_PERF_EVENTS_RAW,
	WK_PERF_EVENTS_BREAKPOINT,
	WK_PERF_EVENTS_OTHER,
	WK_PERF_EVENTS
};

struct wk_perf_fields {
	uint32_t shown[WK_PERF_EVENTS], asked[WK_PERF_EVENTS];
	bool is_set[WK_PERF_EVENTS]; /* by a list, not by + and - */
};

void wk_perf_fields_init(struct wk_perf_fields *fields);
bool wk_perf_fields_add(struct wk_perf_fields *fields, const char *text, struct wk_err *err);

enum wk_perf_event_type wk_perf_event_type_of(const struct wk_event_source *source);

/* `source` is the first of its type. */
bool wk_perf_fields_check(struct wk_perf_fields *fields, const struct wk_event_source *source,
			  struct wk_err *err);

/* The names, separated by blanks, for help. */
void wk_perf_fields_names(struct wk_buf *out);

#endif
