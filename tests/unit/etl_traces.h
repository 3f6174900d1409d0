/* Every real trace there is, and a reader of broken copies of them. */
#ifndef WK_TEST_ETL_TRACES_H
#define WK_TEST_ETL_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/reader.h"
#include "shared_path.h"

static const char *const etl_trace_names[] = {
	"SelfDescribingSingleEvent.etl", "AMSITrace.etl", "lxcore_kernel.etl", "hw3d-trace.etl",
	"krabsetw-powershell.etl", "gcevents.etl.zip", "gcrundownevents.etl.zip",
	"primitive-types.etl.zip", "msbuild-PerfViewData.etl.zip", "monogame-PerfViewData.etl.zip",
	"sawbuck/image_data_32_v0.etl", "sawbuck/image_data_32_v1.etl",
	"sawbuck/image_data_32_v2.etl", "sawbuck/image_data_64_v0.etl",
	"sawbuck/image_data_64_v1.etl", "sawbuck/image_data_64_v2.etl",
	"sawbuck/process_data_32_v1.etl", "sawbuck/process_data_32_v2.etl",
	"sawbuck/process_data_32_v3.etl", "sawbuck/process_data_64_v2.etl",
	"sawbuck/process_data_64_v3.etl",
	"net.4.5.2.x64.etl.zip", "diaghub-dotnetcore3.1-win-x64-diagsession.zip",
	"TraceLoggingTester.etl.zip", NULL };

static inline bool etl_open_trace(const char *name, struct wk_opened *opened)
{
	struct wk_err err = { 0 };

	if (wk_reader_open(shared_path("fixtures/etl/%s", name), NULL, opened, &err))
		return true;
	print_message("no traces here: %s\n", err.text);
	return false;
}

struct etl_seen {
	uint64_t events, bytes;
};

/* Looks at every byte that an event points to. */
static inline void etl_touch(struct etl_seen *seen, struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		seen->bytes += (uint8_t)text.at[i];
}

static inline bool etl_look(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct etl_seen *seen = context;

	(void)err;
	seen->events++;
	if (event->kind == WK_EVENT_PROCESS) {
		etl_touch(seen, event->process.name);
		etl_touch(seen, event->process.command_line);
	} else if (event->kind == WK_EVENT_IMAGE) {
		etl_touch(seen, event->image.path);
	} else if (event->kind == WK_EVENT_OTHER) {
		etl_touch(seen, event->other.text);
	} else if (event->kind == WK_EVENT_SAMPLE) {
		for (size_t i = 0; i < event->sample.user_count; i++)
			seen->bytes += event->sample.user_chain[i];
		for (size_t i = 0; i < event->sample.kernel_count; i++)
			seen->bytes += event->sample.kernel_chain[i];
	}
	return true;
}

/* Bytes of exactly that length, so that a tool that watches memory sees any read behind them. */
static inline uint64_t etl_read_bytes(const struct wk_opened *opened, const void *at, size_t len)
{
	struct etl_seen seen = { 0 };
	struct wk_sink sink = { .take = etl_look, .context = &seen };
	struct wk_input input = opened->input;
	struct wk_err err = { 0 };

	input.bytes = wk_bytes_of(at, len);
	input.file = NULL;
	if (!opened->reader->read(&input, &sink, &err))
		assert_true(err.text[0] != '\0');
	return seen.events;
}

static inline void etl_each_trace(void (*try)(const struct wk_opened *opened,
					      struct wk_bytes bytes))
{
	unsigned tried = 0;

	for (size_t i = 0; etl_trace_names[i]; i++) {
		struct wk_opened opened;

		if (!etl_open_trace(etl_trace_names[i], &opened))
			continue;
		try(&opened, opened.input.bytes);
		wk_reader_close(&opened);
		tried++;
	}
	if (tried == 0)
		skip();
	assert_int_equal(tried, sizeof(etl_trace_names) / sizeof(etl_trace_names[0]) - 1);
}

#endif
