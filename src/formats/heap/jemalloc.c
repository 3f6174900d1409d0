/* Heap profiles of jemalloc. docs/formats/jemalloc.md */
#include "base/mem.h"
#include "formats/heap/counts.h"
#include "formats/stack_text.h"

#define PROCESS 1 /* the profiles do not contain its number */

struct reading {
	struct wk_stack_text text;
	struct wk_heap_chain chain; /* of the last line of addresses */
	uint64_t period_bytes;
};

static const char head[] = "heap_v2/";

static bool read_head(struct wk_str line, uint64_t *period_bytes)
{
	return wk_str_accept(&line, head) && wk_scan_number(&line, period_bytes) &&
	       wk_trim(line).len == 0;
}

/* "t*: 339: 37977 [0: 0]": of all threads. Those of each follow it, as "t3:". */
static bool read_counts(struct reading *reading, struct wk_str line)
{
	struct wk_heap_counts counts;
	struct wk_event_sample sample = {
		.address = reading->chain.count ? reading->chain.at[0] : 0,
		.user_chain = reading->chain.at,
		.user_count = reading->chain.count,
		.user_is_exact = true,
	};

	if (!wk_str_accept(&line, "t*:"))
		return wk_str_starts(line, "t") && wk_str_has(line, ": ");
	if (!wk_heap_counts_read(&line, &counts) || wk_trim(line).len)
		return false;
	wk_heap_counts_scale(&counts, reading->period_bytes);
	/* Before the first stack it is the sum of all. */
	if (reading->chain.count)
		wk_heap_counts_emit(reading->text.writer, PROCESS, PROCESS, &sample, &counts);
	return true;
}

static bool read_line(struct reading *reading, struct wk_str line)
{
	if (!wk_str_accept(&line, "@"))
		return read_counts(reading, line);
	return wk_heap_chain_read(&reading->chain, line);
}

static void read_lines(struct reading *reading)
{
	struct wk_str line;

	while (wk_stack_text_next(&reading->text, &line)) {
		if (wk_str_starts(line, WK_MAPS_HEAD))
			return;
		line = wk_trim(line);
		if (line.len && !read_line(reading, line))
			wk_stack_text_bad(&reading->text,
					  "\"@ 0x... 0x...\" or \"t*: 1: 16 [0: 0]\"");
	}
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = { 0 };
	struct wk_str all = wk_bytes_str(input->bytes), line;
	size_t maps = wk_str_find(all, WK_MAPS_HEAD);

	wk_stack_text_begin(&reading.text, input, sink, NULL);
	if (wk_stack_text_next(&reading.text, &line) && read_head(line, &reading.period_bytes)) {
		if (maps != SIZE_MAX)
			wk_maps_emit(&reading.text, PROCESS, wk_str_skip(all, maps));
		wk_heap_counts_note(reading.text.writer, reading.period_bytes);
		read_lines(&reading);
	}
	wk_free(reading.chain.at);
	return wk_stack_text_end(&reading.text, "a heap profile of jemalloc: heap_v2/524288", err);
}

static int probe(struct wk_bytes first)
{
	struct wk_str text = wk_bytes_str(first);
	uint64_t period_bytes;

	return read_head(wk_scan_line(&text), &period_bytes) ? 95 : 0;
}

const struct wk_reader wk_reader_jemalloc = {
	.name = "jemalloc",
	.summary = "heap profiles of jemalloc",
	.suffixes = (const char *const[]){ ".heap", NULL },
	.probe = probe,
	.read = read_file,
};
