#include "formats/nettrace/events.h"

enum {
	HAS_METADATA = 1,
	HAS_CAPTURER = 2,
	HAS_THREAD = 4,
	HAS_STACK = 8,
	HAS_ACTIVITY = 16, /* a label in version 6 */
	HAS_RELATED_ACTIVITY = 32,
	HAS_SIZE = 128,
};

#define BLOCK_IS_PACKED 1
#define LEAST_HEADER    20
#define ACTIVITY_BYTES  16

struct wk_nettrace_events wk_nettrace_events_of(struct wk_bytes block, bool is_v6)
{
	struct wk_nettrace_events events = { .rest = block, .is_v6 = is_v6 };
	uint16_t header_bytes = wk_u16le(&events.rest), flags = wk_u16le(&events.rest);

	events.is_packed = flags & BLOCK_IS_PACKED;
	events.is_bad = header_bytes < LEAST_HEADER;
	wk_bytes_skip(&events.rest, events.is_bad ? UINT64_MAX : header_bytes - 4u);
	return events;
}

/* Numbers of more than 32 bits are damage; they do not occur. */
static uint32_t var32(struct wk_bytes *rest)
{
	return (uint32_t)wk_uleb(rest);
}

/* The number of an event counts those of its writer; metadata is not counted before version 6. */
static void read_packed(struct wk_nettrace_events *events)
{
	struct wk_nettrace_event *event = &events->last;
	struct wk_bytes *rest = &events->rest;
	uint8_t flags = wk_u8(rest);

	if (flags & HAS_METADATA)
		event->metadata = var32(rest);
	if (flags & HAS_CAPTURER) {
		event->sequence += var32(rest);
		event->capturer = wk_uleb(rest);
		event->cpu = var32(rest);
	}
	if (events->is_v6 || event->metadata)
		event->sequence++;
	if (flags & HAS_THREAD)
		event->thread = wk_uleb(rest);
	if (flags & HAS_STACK)
		event->stack = var32(rest);
	event->time += wk_uleb(rest);
	if (events->is_v6 && flags & HAS_ACTIVITY)
		event->label = var32(rest);
	if (!events->is_v6 && flags & HAS_ACTIVITY)
		wk_bytes_skip(rest, ACTIVITY_BYTES);
	if (!events->is_v6 && flags & HAS_RELATED_ACTIVITY)
		wk_bytes_skip(rest, ACTIVITY_BYTES);
	if (flags & HAS_SIZE)
		events->payload_bytes = var32(rest);
}

static void read_plain(struct wk_nettrace_events *events)
{
	struct wk_nettrace_event *event = &events->last;
	struct wk_bytes *rest = &events->rest;

	wk_u32le(rest); /* the size of all of it */
	event->metadata = wk_u32le(rest) & INT32_MAX;
	event->sequence = wk_u32le(rest);
	event->thread = wk_u64le(rest);
	event->capturer = wk_u64le(rest);
	event->cpu = wk_u32le(rest);
	event->stack = wk_u32le(rest);
	event->time = wk_u64le(rest);
	if (events->is_v6)
		event->label = wk_u32le(rest);
	else
		wk_bytes_skip(rest, 2 * (uint64_t)ACTIVITY_BYTES);
	events->payload_bytes = wk_u32le(rest);
}

bool wk_nettrace_events_next(struct wk_nettrace_events *events, struct wk_nettrace_event *event)
{
	if (wk_bytes_left(&events->rest) == 0 || events->is_bad)
		return false;
	if (events->is_packed)
		read_packed(events);
	else
		read_plain(events);
	events->last.payload = wk_bytes_slice(&events->rest, events->payload_bytes);
	events->is_bad = events->rest.bad;
	if (events->is_bad)
		return false;
	if (!events->is_packed && !events->is_v6) {
		uint64_t padding = -wk_bytes_offset(&events->rest) & 3;

		wk_bytes_skip(&events->rest, padding);
	}
	*event = events->last;
	return true;
}
