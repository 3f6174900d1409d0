/* The events of a block.
 *
 *	struct wk_nettrace_events events = wk_nettrace_events_of(block, is_v6);
 *	while (wk_nettrace_events_next(&events, &event)) ...
 *	events.is_bad         the block ends inside an event, or a header makes no sense
 *
 * Most fields of a compressed header are those of the event before. */
#ifndef WK_FORMATS_NETTRACE_EVENTS_H
#define WK_FORMATS_NETTRACE_EVENTS_H

#include "base/bytes.h"

struct wk_nettrace_event {
	uint32_t metadata, sequence, cpu, stack, label;
	uint64_t thread, capturer; /* whose stack it is, and who wrote it */
	uint64_t time;             /* ticks */
	struct wk_bytes payload;
};

struct wk_nettrace_events {
	struct wk_bytes rest;
	struct wk_nettrace_event last;
	bool is_v6, is_packed, is_bad;
	uint32_t payload_bytes;
};

struct wk_nettrace_events wk_nettrace_events_of(struct wk_bytes block, bool is_v6);
bool wk_nettrace_events_next(struct wk_nettrace_events *events, struct wk_nettrace_event *event);

#endif
