/* Any bytes as a kernel's ring: what is taken out of it is whole records, and the events made
 * of them stay inside their record. The first byte chooses the layout and where the ring
 * begins. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/facts.h"
#include "base/mem.h"
#include "record/merge.h"
#include "record/parse.h"
#include "record/proc_scan.h"
#include "record/ring.h"

#define RING_BYTES 65536

static volatile uint64_t sum;

static void touch(const void *at, size_t size)
{
	const uint8_t *bytes = at;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
}

static bool take_event(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)context;
	(void)err;
	if (event->kind == WK_EVENT_IMAGE)
		touch(event->image.path.at, event->image.path.len);
	if (event->kind == WK_EVENT_THREAD)
		touch(event->thread.name.at, event->thread.name.len);
	if (event->kind == WK_EVENT_PROCESS)
		touch(event->process.name.at, event->process.name.len);
	if (event->kind != WK_EVENT_SAMPLE)
		return true;
	touch(event->sample.kernel_chain, event->sample.kernel_count * 8);
	touch(event->sample.user_chain, event->sample.user_count * 8);
	if (event->sample.details)
		touch(event->sample.details->trace_raw.at, event->sample.details->trace_raw.len);
	if (event->sample.stack)
		touch(event->sample.stack->bytes, event->sample.stack->size_bytes);
	return true;
}

static bool take_record(void *context, const uint8_t *record, size_t size, uint64_t time_ns,
			struct wk_err *err)
{
	struct wk_sink sink = { .take = take_event };

	return wk_parse_record(context, record, size, time_ns, &sink, err);
}

static void read_ring(struct wk_ring *ring, struct wk_parser *parser)
{
	struct wk_chunk *chunk = wk_alloc(sizeof(*chunk) + RING_BYTES);
	struct wk_merge merge = { 0 };
	size_t got;

	*chunk = (struct wk_chunk){ 0 };
	do {
		got = wk_ring_read(ring, wk_ring_pending(ring), chunk->bytes + chunk->len,
				   RING_BYTES - chunk->len);
		chunk->len += got;
	} while (got);
	if (wk_ring_pending(ring) && chunk->len + 65528 <= RING_BYTES)
		abort();
	wk_merge_add(&merge, chunk);
	if (!wk_merge_flush(&merge, UINT64_MAX, NULL, take_record, parser, NULL) || chunk->live)
		abort();
	wk_merge_fini(&merge, NULL);
	wk_free(chunk);
}

static void read_lines(const uint8_t *data, size_t size)
{
	struct wk_str line = wk_str_of((const char *)data, size), name;
	struct wk_event_image image;
	uint64_t start, size_bytes;

	if (wk_proc_map_line(line, &image))
		touch(image.path.at, image.path.len);
	if (wk_facts_module_line(line, &name, &start, &size_bytes))
		touch(name.at, name.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t mode = size > 0 ? data[0] : 0;
	struct perf_event_mmap_page page = { 0 };
	struct wk_layout layout = wk_layout_of(WK_MACHINE_X86_64, mode & 1, mode & 2 ? 64 : 0);
	struct wk_ring ring = { .page = &page, .size_bytes = RING_BYTES };
	struct wk_map sources = { 0 }, with_fields = { 0 };
	struct wk_parser parser;
	uint8_t *bytes = wk_alloc_zeroed(1, RING_BYTES);

	if (size == 0 || size > RING_BYTES) {
		wk_free(bytes);
		return 0;
	}
	read_lines(data + 1, size - 1);
	ring.data = bytes;
	ring.tail = (mode & 4 ? RING_BYTES - 40 : 0) + (mode & 8 ? 1u << 20 : 0);
	for (size_t i = 1; i < size; i++)
		bytes[(ring.tail + i - 1) % RING_BYTES] = data[i];
	page.data_head = ring.tail + (size - 1) / 8 * 8;
	wk_map_set(&sources, 1, 1);
	wk_map_set(&with_fields, 1, 1);
	wk_parser_init(&parser, &layout, &sources, NULL);
	if (mode & 16) {
		ring.with_fields = parser.with_fields = &with_fields;
		ring.fixed_bytes = 56;
		ring.register_bytes = 8 * 17;
		ring.has_chain = mode & 1;
	}
	read_ring(&ring, &parser);
	wk_parser_fini(&parser);
	wk_map_fini(&sources);
	wk_map_fini(&with_fields);
	wk_free(bytes);
	return 0;
}
