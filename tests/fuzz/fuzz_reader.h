/* What the targets of text formats share: any bytes, read as wick does and as each of the older
 * tools, into a sink that holds the reader to the promises of event/event.h. */
#ifndef WK_TESTS_FUZZ_READER_H
#define WK_TESTS_FUZZ_READER_H

#include <assert.h>

#include "base/hash.h"
#include "formats/collapse.h"
#include "formats/reader.h"

struct fuzz_seen {
	uint32_t frames, stacks;
	bool has_source;
	uint64_t digest;
};

/* So that a sanitizer sees each byte that an event points at. */
static void fuzz_touch(struct fuzz_seen *seen, struct wk_str text)
{
	if (text.len)
		seen->digest ^= wk_hash_bytes(text.at, text.len);
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
			assert(event->stacks.parents[i] < event->stacks.first + i);
			assert(event->stacks.frames[i] > 0);
			assert(event->stacks.frames[i] <= seen->frames);
		}
		seen->stacks += event->stacks.count;
	} else if (event->kind == WK_EVENT_SAMPLE) {
		assert(seen->has_source && event->sample.named_stack <= seen->stacks);
	} else if (event->kind == WK_EVENT_SOURCE) {
		seen->has_source = true;
	} else if (event->kind == WK_EVENT_PROCESS) {
		fuzz_touch(seen, event->process.name);
	} else if (event->kind == WK_EVENT_THREAD) {
		fuzz_touch(seen, event->thread.name);
	} else if (event->kind == WK_EVENT_NOTE) {
		fuzz_touch(seen, event->note.text);
	}
	return true;
}

static void fuzz_read_once(const struct wk_reader *reader, struct wk_bytes bytes,
			   const struct wk_collapse *collapse)
{
	struct fuzz_seen seen = { 0 };
	struct wk_sink sink = { .take = fuzz_look, .context = &seen };
	struct wk_input input = { .bytes = bytes, .name = "fuzz", .options.collapse = collapse };
	struct wk_err err = { 0 };

	if (!reader->read(&input, &sink, &err))
		assert(err.code != WK_OK && err.text[0] != '\0');
}

static int fuzz_reader(const struct wk_reader *reader, const uint8_t *data, size_t size)
{
	struct wk_bytes bytes = wk_bytes_of(data, size), first = bytes;
	struct wk_collapse collapse = { .dialect = WK_COLLAPSE_PERL };
	int sure;

	if (size > WK_PROBE_BYTES)
		first.end = first.at + WK_PROBE_BYTES;
	sure = reader->probe(first);
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
