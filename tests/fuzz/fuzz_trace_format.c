/* Any bytes as tracing data, and the last of them as samples of every event it describes. */
#include <stddef.h>
#include <stdint.h>

#include "formats/tracepoint/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libtraceevent leaks a few bytes of a description that it rejects. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static bool name(void *context, uint64_t address, struct wk_str *text, uint64_t *start)
{
	(void)context;
	*text = wk_str_c("function");
	*start = address & ~(uint64_t)0xff;
	return address & 1;
}

/* A sample of event `id`: its number, then what lies at the end of the input. */
static void print(struct wk_trace_formats *formats, uint32_t id, const uint8_t *data, size_t size)
{
	uint8_t raw[300];
	size_t count = size < sizeof(raw) ? size : sizeof(raw);
	struct wk_buf text = { 0 };

	memcpy(raw, data + size - count, count);
	for (unsigned order = 0; order < 2 && count >= 2; order++) {
		raw[order] = (uint8_t)id;
		raw[1 - order] = (uint8_t)(id >> 8);
		wk_trace_formats_print(formats, wk_bytes_of(raw, count), &text);
	}
	wk_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_trace_formats *formats = wk_trace_formats_new(wk_bytes_of(data, size), NULL);

	if (!formats)
		return 0;
	wk_trace_formats_set_namer(formats, (struct wk_trace_namer){ name, NULL });
	for (size_t i = 0; i < wk_trace_formats_count(formats) && i < 20; i++)
		print(formats, wk_trace_formats_at(formats, i)->id, data, size);
	wk_trace_formats_free(formats);
	return 0;
}
