/* What a fuzz target of a reader of named stacks is made of: it reads the bytes and checks
 * that each event keeps the promises of event/event.h. */
#ifndef WK_TESTS_NAMED_EVENTS_H
#define WK_TESTS_NAMED_EVENTS_H

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "formats/reader.h"

struct named_events {
	struct wk_map sources; /* number + 1 */
	uint32_t frames, stacks;
	uint64_t last_ns;
	uint64_t digest;
};

/* So that a sanitizer sees each byte that an event points at. */
static void named_events_touch(struct named_events *seen, struct wk_str text)
{
	if (text.len)
		seen->digest ^= wk_hash_bytes(text.at, text.len);
}

static void named_events_sample(struct named_events *seen, const struct wk_event *event)
{
	assert(wk_map_find(&seen->sources, (uint64_t)event->sample.source + 1));
	assert(event->sample.named_stack <= seen->stacks);
	assert(event->time_ns == 0 || event->time_ns >= seen->last_ns);
	if (event->time_ns)
		seen->last_ns = event->time_ns;
}

static bool named_events_take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct named_events *seen = context;

	(void)err;
	switch (event->kind) {
	case WK_EVENT_SOURCE:
		wk_map_set(&seen->sources, (uint64_t)event->source.source + 1, 1);
		named_events_touch(seen, event->source.name);
		named_events_touch(seen, event->source.unit);
		break;
	case WK_EVENT_FRAME:
		assert(event->frame.number == ++seen->frames);
		named_events_touch(seen, event->frame.name);
		named_events_touch(seen, event->frame.image);
		named_events_touch(seen, event->frame.file);
		break;
	case WK_EVENT_STACKS:
		assert(event->stacks.first == seen->stacks + 1);
		for (uint32_t i = 0; i < event->stacks.count; i++) {
			assert(event->stacks.parents[i] < event->stacks.first + i);
			assert(event->stacks.frames[i] > 0);
			assert(event->stacks.frames[i] <= seen->frames);
		}
		seen->stacks += event->stacks.count;
		break;
	case WK_EVENT_SAMPLE:
		named_events_sample(seen, event);
		break;
	case WK_EVENT_PROCESS:
		named_events_touch(seen, event->process.name);
		break;
	case WK_EVENT_THREAD:
		named_events_touch(seen, event->thread.name);
		break;
	case WK_EVENT_NOTE:
		named_events_touch(seen, event->note.text);
		break;
	case WK_EVENT_SYSTEM:
		named_events_touch(seen, event->system.key);
		named_events_touch(seen, event->system.value);
		break;
	default:
		break;
	}
	return true;
}

static int named_events_read(const struct wk_reader *reader, const uint8_t *data, size_t size)
{
	struct named_events seen = { 0 };
	struct wk_sink sink = { named_events_take, &seen };
	struct wk_input input = { .name = "fuzz", .bytes = wk_bytes_of(data, size) };
	struct wk_bytes first = wk_bytes_of(data, size < WK_PROBE_BYTES ? size : WK_PROBE_BYTES);
	struct wk_err err = { 0 };
	int sure = reader->probe(first);

	assert(sure >= 0 && sure <= 100);
	if (!reader->read(&input, &sink, &err))
		assert(err.code != WK_OK && err.text[0] != '\0');
	wk_map_fini(&seen.sources);
	return 0;
}

#endif
