/* Any bytes as rows of the heap library's streams: events come in order of time, and their stacks
 * are what the events say they are. A byte before each row is its length; 255: a pass is emitted.
 */
#include <assert.h>
#include <stdlib.h>

#include "event/event.h"
#include "formats/heap/heap_streams.h"

struct seen {
	uint64_t digest, count;
};

static void touch(struct seen *seen, const void *at, size_t size)
{
	const uint8_t *bytes = at;

	for (size_t i = 0; i < size; i++)
		seen->digest = seen->digest * 31 + bytes[i];
}

static bool look(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct seen *seen = context;

	(void)err;
	seen->count++;
	if (event->kind == WK_EVENT_HEAP) {
		assert(event->heap.change == WK_HEAP_SEEN ||
		       event->heap.change == WK_HEAP_ALLOCATE ||
		       event->heap.change == WK_HEAP_FREE);
		touch(seen, event->heap.made_by.at, event->heap.made_by.len);
		touch(seen, event->heap.sample.user_chain, event->heap.sample.user_count * 8);
	} else if (event->kind == WK_EVENT_MEMORY) {
		assert(event->memory.changes && event->memory.size_bytes);
		touch(seen, event->memory.sample.user_chain, event->memory.sample.user_count * 8);
	} else if (event->kind == WK_EVENT_SNAPSHOT) {
		touch(seen, event->snapshot.label.at, event->snapshot.label.len);
	} else if (event->kind == WK_EVENT_MARK) {
		touch(seen, event->mark.label.at, event->mark.label.len);
	} else if (event->kind != WK_EVENT_SNAPSHOT_REQUEST) {
		assert(event->kind == WK_EVENT_NOTE);
		touch(seen, event->note.text.at, event->note.text.len);
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_heap_streams *streams = wk_heap_streams_new();
	struct wk_bytes left = wk_bytes_of(data, size);
	struct seen seen = { 0 };
	struct wk_sink sink = { .take = look, .context = &seen };

	while (wk_bytes_left(&left)) {
		uint8_t length = wk_u8(&left);

		if (length == 255) {
			assert(wk_heap_streams_emit(streams, UINT64_MAX, &sink, NULL));
			continue;
		}
		if (length > wk_bytes_left(&left))
			length = (uint8_t)wk_bytes_left(&left);
		wk_heap_streams_add(streams, wk_bytes_slice(&left, length), false);
	}
	assert(wk_heap_streams_end(streams, &sink, NULL));
	wk_heap_streams_free(streams);
	return 0;
}
