/* Any bytes as a perf.data file or pipe: read, every event looked at byte by byte, and all of
 * them written again. */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "formats/perf/write.h"
#include "formats/reader.h"

struct seen {
	struct wk_map sources; /* number + 1 */
	struct wk_sink writer;
	bool writer_failed;
	uint64_t digest;
};

/* So that a sanitizer sees each byte that an event points at. */
static void touch(struct seen *seen, const void *at, size_t len)
{
	if (len)
		seen->digest ^= wk_hash_bytes(at, len);
}

static void touch_text(struct seen *seen, struct wk_str text)
{
	touch(seen, text.at, text.len);
}

static void look_at_chains(struct seen *seen, const struct wk_event_sample *sample)
{
	touch(seen, sample->kernel_chain, sample->kernel_count * sizeof(uint64_t));
	touch(seen, sample->user_chain, sample->user_count * sizeof(uint64_t));
}

static void look_at_sample(struct seen *seen, const struct wk_event_sample *sample)
{
	assert(wk_map_find(&seen->sources, (uint64_t)sample->source + 1));
	look_at_chains(seen, sample);
	if (sample->stack) {
		assert(sample->stack->valid >> WK_REGISTERS == 0);
		touch(seen, sample->stack->bytes, sample->stack->size_bytes);
	}
	if (sample->details) {
		touch(seen, sample->details->branches,
		      sample->details->branch_count * sizeof(struct wk_event_branch));
		touch_text(seen, sample->details->trace);
	}
}

static void look_at_image(struct seen *seen, const struct wk_event *event)
{
	assert(event->image.build_id.size <= sizeof(event->image.build_id.bytes));
	assert(event->image.is_kernel == (event->pid == WK_KERNEL_PID));
	touch_text(seen, event->image.path);
}

static bool look(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct seen *seen = context;

	(void)err;
	switch (event->kind) {
	case WK_EVENT_SYSTEM:
		touch_text(seen, event->system.key);
		touch_text(seen, event->system.value);
		break;
	case WK_EVENT_SOURCE:
		wk_map_set(&seen->sources, (uint64_t)event->source.source + 1, 1);
		touch_text(seen, event->source.name);
		break;
	case WK_EVENT_PROCESS:
		touch_text(seen, event->process.name);
		touch_text(seen, event->process.command_line);
		break;
	case WK_EVENT_THREAD:
		touch_text(seen, event->thread.name);
		break;
	case WK_EVENT_IMAGE:
		look_at_image(seen, event);
		break;
	case WK_EVENT_CALLS:
		touch_text(seen, event->calls.image_path);
		for (size_t k = 0; k < event->calls.count; k++) {
			touch_text(seen, event->calls.calls[k].function);
			touch_text(seen, event->calls.calls[k].file);
		}
		break;
	case WK_EVENT_BOUNDS:
		assert(event->bounds.build_id.size <= sizeof(event->bounds.build_id.bytes));
		touch_text(seen, event->bounds.image_path);
		break;
	case WK_EVENT_SYMBOL:
		assert(event->symbol.build_id.size <= sizeof(event->symbol.build_id.bytes));
		touch_text(seen, event->symbol.image_path);
		touch_text(seen, event->symbol.name);
		break;
	case WK_EVENT_SAMPLE:
		look_at_sample(seen, &event->sample);
		break;
	case WK_EVENT_HEAP:
		touch_text(seen, event->heap.made_by);
		look_at_chains(seen, &event->heap.sample);
		break;
	case WK_EVENT_MEMORY:
		look_at_chains(seen, &event->memory.sample);
		break;
	case WK_EVENT_LOST:
		assert(event->lost.count > 0);
		break;
	case WK_EVENT_NOTE:
		touch_text(seen, event->note.text);
		break;
	case WK_EVENT_OTHER:
		touch_text(seen, event->other.what);
		touch_text(seen, event->other.text);
		break;
	case WK_EVENT_FRAME:
	case WK_EVENT_STACKS:
	case WK_EVENT_SUMS:
	case WK_EVENT_LISTS:
	case WK_EVENT_HEAP_SUM:
	case WK_EVENT_BLOCKS:
	case WK_EVENT_HEAP_STREAM:
	case WK_EVENT_SNAPSHOT:
	case WK_EVENT_SNAPSHOT_REQUEST:
	case WK_EVENT_SWITCH:
	case WK_EVENT_READY:
	case WK_EVENT_MARK:
	case WK_EVENT_COUNT:
	case WK_EVENT_NONE:
	case WK_EVENT_KINDS:
		abort();
	}
	if (!seen->writer_failed)
		seen->writer_failed = !wk_sink_emit(&seen->writer, event, NULL);
	return true;
}

static uint32_t load(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* No fuzzer guesses a checksum: makes those of wick's chunks right, so that what they hold
 * is tried as well. See docs/formats/wick-sections.md. */
static void mend_chunks(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 24 <= size; i++) {
		uint32_t rows;

		if (memcmp(bytes + i, "wkck", 4) != 0)
			continue;
		rows = load(bytes + i + 8);
		if (rows > size - i - 24)
			continue;
		store(bytes + i + 16, wk_crc32(0, bytes + i + 24, rows));
		store(bytes + i + 20, wk_crc32(0, bytes + i, 20));
		i += 24 + rows - 1;
	}
}

/* Its header alone, as `wick dump --header` reads it. */
static void read_header(struct wk_input input)
{
	struct seen seen = { .writer_failed = true };
	struct wk_sink sink = { .take = look, .context = &seen };

	input.options.is_header_only = true;
	wk_reader_perf_data.read(&input, &sink, NULL);
	wk_map_fini(&seen.sources);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct seen seen = { .writer = wk_perf_data_writer_sink(writer) };
	struct wk_sink sink = { .take = look, .context = &seen };
	struct wk_input input = { .name = "fuzz" };
	struct wk_err err = { 0 };
	uint8_t *bytes = wk_alloc(size ? size : 1);

	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	mend_chunks(bytes, size);
	input.bytes = wk_bytes_of(bytes, size);
	if (!wk_reader_perf_data.read(&input, &sink, &err))
		assert(err.code != WK_OK && err.text[0] != '\0');
	read_header(input);
	wk_perf_data_writer_finish(writer, NULL);
	wk_perf_data_writer_free(writer);
	wk_map_fini(&seen.sources);
	close(fd);
	wk_free(bytes);
	return 0;
}
