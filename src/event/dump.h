/* An event as one line of text: its kind, then name=value fields.
 *
 * This is what `wick dump` prints and golden tests compare. Text values are in double quotes
 * with control characters and quotes escaped; addresses are hexadecimal; fields that are
 * unknown are left out. */
#ifndef WK_EVENT_DUMP_H
#define WK_EVENT_DUMP_H

#include "base/out.h"
#include "event/sink.h"

/* "process", "sample" ... */
const char *wk_event_kind_name(enum wk_event_kind kind);

void wk_event_dump(const struct wk_event *event, struct wk_out *out);

/* A sink that dumps every event to `out`, which must outlive it. */
struct wk_sink wk_dump_sink(struct wk_out *out);

#endif
