/* Any bytes as `perf script` text: read as it is, in sums and as the older tools do, in one part
 * and in several. The events must keep the promises of event/event.h; frames, stacks and the weight
 * of each must not depend on how many parts there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "formats/perf_script/internal.h"

struct sums {
	uint32_t frames, stacks;
	uint64_t weights, digest;
};

static void demand(bool promise)
{
	if (!promise)
		abort();
}

static uint64_t text(struct wk_str text)
{
	return text.len ? wk_hash_bytes(text.at, text.len) : 1;
}

/* A part's weights stay at the most that fits, so that only how many there were adds up. */
static void take_sums(struct sums *sums, const struct wk_event_sums *told)
{
	for (size_t i = 0; i < told->count; i++) {
		const struct wk_event_sum *sum = &told->at[i];
		const struct wk_event_whose *whose = &told->whose[sum->whose];

		demand(sum->whose < told->whose_count && sum->stack <= sums->stacks);
		demand(sum->times > 0 && sum->until_ns >= sum->time_ns);
		sums->weights +=
			sum->times * wk_hash_pair((uint64_t)whose->pid << 32 | sum->stack,
						  (uint64_t)whose->tid << 32 | whose->source);
	}
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct sums *sums = context;

	(void)err;
	if (event->kind == WK_EVENT_FRAME) {
		demand(event->frame.number == ++sums->frames);
		sums->digest += text(event->frame.name) ^ text(event->frame.image) ^
				text(event->frame.file);
	} else if (event->kind == WK_EVENT_STACKS) {
		demand(event->stacks.first == sums->stacks + 1);
		for (uint32_t i = 0; i < event->stacks.count; i++) {
			demand(event->stacks.entries[i].parent <= sums->stacks);
			demand(event->stacks.entries[i].label > 0 &&
			       event->stacks.entries[i].label <= sums->frames);
			sums->stacks++;
		}
	} else if (event->kind == WK_EVENT_SAMPLE) {
		demand(event->sample.named_stack <= sums->stacks);
		sums->weights += event->sample.weight *
				 wk_hash_pair(event->sample.named_stack, event->time_ns);
	} else if (event->kind == WK_EVENT_SUMS) {
		take_sums(sums, &event->sums);
	} else if (event->kind == WK_EVENT_NOTE) {
		sums->digest += text(event->note.text);
	}
	return true;
}

static struct sums read_with(const uint8_t *data, size_t size, size_t parts,
			     const struct wk_read_options *options)
{
	struct wk_input input = { .bytes = wk_bytes_of(data, size), .name = "fuzz",
				  .options = *options };
	struct sums sums = { 0 };
	struct wk_sink sink = { .take = take, .context = &sums };
	struct wk_err err = { 0 };

	if (!wk_script_read(&input, parts, &sink, &err))
		demand(err.code != WK_OK && err.text[0] != '\0');
	return sums;
}

static void read_both_ways(const uint8_t *data, size_t size, const struct wk_read_options *options)
{
	struct sums whole = read_with(data, size, 1, options);
	struct sums parts = read_with(data, size, 3, options);

	demand(memcmp(&whole, &parts, sizeof(whole)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const cut[] = { "main", NULL };
	const struct wk_collapse perl = { .dialect = WK_COLLAPSE_PERL, .with_pid = true,
					  .marks_kernel = true, .with_addresses = true,
					  .with_source_line = true };
	const struct wk_collapse inferno = { .dialect = WK_COLLAPSE_INFERNO, .with_tid = true,
					     .marks_jit = true, .skip_after = cut };
	uint8_t *bytes = wk_alloc(size ? size : 1);

	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	wk_reader_perf_script.probe(
		wk_bytes_of(bytes, size < WK_PROBE_BYTES ? size : WK_PROBE_BYTES));
	read_both_ways(bytes, size, &(struct wk_read_options){ 0 });
	read_both_ways(bytes, size, &(struct wk_read_options){ .sums_samples = true });
	read_both_ways(bytes, size, &(struct wk_read_options){ .collapse = &perl });
	read_both_ways(bytes, size, &(struct wk_read_options){ .collapse = &inferno });
	wk_free(bytes);
	return 0;
}
