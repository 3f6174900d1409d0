/* What the targets of text formats share: any bytes, read as wick does and as each of the older
 * tools, into a sink that holds the reader to the promises of event/event.h. */
#ifndef WK_TESTS_FUZZ_READER_H
#define WK_TESTS_FUZZ_READER_H

#include <assert.h>

#include "base/hash.h"
#include "base/map.h"
#include "formats/collapse.h"
#include "formats/reader.h"

struct fuzz_seen {
	uint32_t frames, stacks;
	struct wk_map sources; /* told, by number + 1 */
	uint64_t digest;
};

/* So that a sanitizer sees each byte that an event points at. */
static void fuzz_touch(struct fuzz_seen *seen, struct wk_str text)
{
	if (text.len)
		seen->digest ^= wk_hash_bytes(text.at, text.len);
}

static void fuzz_touch_chains(struct fuzz_seen *seen, const struct wk_event_sample *sample)
{
	for (size_t i = 0; i < sample->kernel_count; i++)
		seen->digest ^= sample->kernel_chain[i];
	for (size_t i = 0; i < sample->user_count; i++)
		seen->digest ^= sample->user_chain[i];
	assert(sample->named_stack <= seen->stacks);
	if (sample->details)
		seen->digest ^= sample->details->data_address;
}

static void fuzz_look_at_trace(struct fuzz_seen *seen, const struct wk_event *event)
{
	switch (event->kind) {
	case WK_EVENT_MEMORY:
		assert(event->memory.changes);
		fuzz_touch_chains(seen, &event->memory.sample);
		break;
	case WK_EVENT_HEAP:
		fuzz_touch(seen, event->heap.made_by);
		fuzz_touch_chains(seen, &event->heap.sample);
		break;
	case WK_EVENT_HEAP_SUM:
		fuzz_touch_chains(seen, &event->heap_sum.sample);
		break;
	case WK_EVENT_SNAPSHOT:
		assert(event->snapshot.cause <= WK_SNAPSHOT_EXIT);
		fuzz_touch(seen, event->snapshot.label);
		break;
	case WK_EVENT_SWITCH:
		fuzz_touch(seen, event->switched.wait_reason);
		fuzz_touch_chains(seen, &event->switched.sample);
		break;
	case WK_EVENT_READY:
		fuzz_touch_chains(seen, &event->ready.sample);
		break;
	case WK_EVENT_MARK:
		fuzz_touch(seen, event->mark.label);
		break;
	case WK_EVENT_COUNT:
		assert(event->count.count && event->count.name.len);
		fuzz_touch(seen, event->count.provider);
		fuzz_touch(seen, event->count.name);
		break;
	case WK_EVENT_OTHER:
		fuzz_touch(seen, event->other.text);
		break;
	default:
		break;
	}
}

static void fuzz_look_at_sums(struct fuzz_seen *seen, const struct wk_event_sums *sums)
{
	for (size_t i = 0; i < sums->count; i++) {
		assert(sums->at[i].whose < sums->whose_count);
		assert(sums->at[i].times && sums->at[i].time_ns <= sums->at[i].until_ns);
		assert(wk_map_find(&seen->sources,
				   (uint64_t)sums->whose[sums->at[i].whose].source + 1));
	}
}

static bool fuzz_look(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct fuzz_seen *seen = context;

	(void)err;
	if (event->kind == WK_EVENT_FRAME) {
		assert(event->frame.number == ++seen->frames);
		fuzz_touch(seen, event->frame.name);
		fuzz_touch(seen, event->frame.image);
		fuzz_touch(seen, event->frame.file);
	} else if (event->kind == WK_EVENT_STACKS) {
		assert(event->stacks.first == seen->stacks + 1);
		for (uint32_t i = 0; i < event->stacks.count; i++) {
			assert(event->stacks.entries[i].parent < event->stacks.first + i);
			assert(event->stacks.entries[i].label > 0);
			assert(event->stacks.entries[i].label <= seen->frames);
		}
		seen->stacks += event->stacks.count;
	} else if (event->kind == WK_EVENT_SAMPLE) {
		assert(wk_map_find(&seen->sources, (uint64_t)event->sample.source + 1));
		fuzz_touch_chains(seen, &event->sample);
	} else if (event->kind == WK_EVENT_SUMS) {
		fuzz_look_at_sums(seen, &event->sums);
	} else if (event->kind == WK_EVENT_SOURCE) {
		wk_map_set(&seen->sources, (uint64_t)event->source.source + 1, 1);
		fuzz_touch(seen, event->source.name);
	} else if (event->kind == WK_EVENT_PROCESS) {
		fuzz_touch(seen, event->process.name);
	} else if (event->kind == WK_EVENT_THREAD) {
		fuzz_touch(seen, event->thread.name);
	} else if (event->kind == WK_EVENT_NOTE) {
		fuzz_touch(seen, event->note.text);
	} else {
		fuzz_look_at_trace(seen, event);
	}
	return true;
}

static void fuzz_read_as(const struct wk_reader *reader, struct wk_bytes bytes,
			 struct wk_read_options options)
{
	struct fuzz_seen seen = { 0 };
	struct wk_sink sink = { .take = fuzz_look, .context = &seen };
	struct wk_input input = { .bytes = bytes, .name = "fuzz", .options = options };
	struct wk_err err = { 0 };

	if (!reader->read(&input, &sink, &err))
		assert(err.code != WK_OK && err.text[0] != '\0');
	wk_map_fini(&seen.sources);
}

static void fuzz_read_once(const struct wk_reader *reader, struct wk_bytes bytes,
			   const struct wk_collapse *collapse)
{
	fuzz_read_as(reader, bytes, (struct wk_read_options){ .collapse = collapse });
}

static inline int fuzz_reader(const struct wk_reader *reader, const uint8_t *data, size_t size)
{
	struct wk_bytes bytes = wk_bytes_of(data, size), first = bytes;
	struct wk_collapse collapse = { .dialect = WK_COLLAPSE_PERL };
	int sure;

	if (size > WK_PROBE_BYTES)
		first.end = first.at + WK_PROBE_BYTES;
	sure = wk_reader_probe(reader, first);
	assert(sure >= 0 && sure <= 100);
	fuzz_read_once(reader, bytes, NULL);
	fuzz_read_once(reader, bytes, &collapse);
	collapse.dialect = WK_COLLAPSE_INFERNO;
	collapse.with_pid = collapse.with_tid = collapse.with_source_line = true;
	collapse.with_thread_name = collapse.short_packages = collapse.keeps_idle = true;
	collapse.measure = WK_COLLAPSE_TICKS;
	fuzz_read_once(reader, bytes, &collapse);
	collapse.with_offsets = collapse.no_modules = true;
	collapse.measure = WK_COLLAPSE_BYTES;
	fuzz_read_once(reader, bytes, &collapse);
	return 0;
}

#endif
