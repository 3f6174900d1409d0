/* Any bytes as calls that reserve, commit, allocate, free and switch threads, as sums of blocks and
 * as snapshots. What is left in the end must agree with itself, and with the same blocks added up;
 * and, where the first byte is even and all happens to a few pages of
 * one process, with an array of these pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "model/builder.h"
#include "../model_check.h"
#include "views/intervals.h"
#include "views/lifetimes.h"
#include "views/tables/tables.h"

#define PAGES 200
#define PAGE  4096u

struct feed {
	struct wk_bytes in;
	struct wk_sink sink;
	bool is_plain;
	uint64_t time_ns;
	uint8_t committed[PAGES];
};

static void demand(bool promise, const char *words)
{
	if (!promise) {
		fprintf(stderr, "broken promise: %s\n", words);
		abort();
	}
}

static void give(struct feed *feed, struct wk_event *event)
{
	struct wk_err err = { 0 };

	feed->time_ns += wk_u8(&feed->in);
	event->time_ns = feed->time_ns;
	event->pid = feed->is_plain ? 1 : wk_u8(&feed->in) % 3;
	event->tid = event->pid * 10 + wk_u8(&feed->in) % 3;
	demand(wk_sink_emit(&feed->sink, event, &err), err.text);
}

static uint32_t changes_of(uint8_t byte, bool is_plain)
{
	return is_plain ? byte % 2 ? WK_MEMORY_COMMIT : WK_MEMORY_DECOMMIT : byte;
}

static void note_pages(struct feed *feed, const struct wk_event_memory *memory)
{
	for (uint64_t i = memory->start / PAGE; i * PAGE < memory->start + memory->size_bytes; i++)
		feed->committed[i] = memory->changes == WK_MEMORY_COMMIT;
}

static void give_memory(struct feed *feed)
{
	uint8_t byte = wk_u8(&feed->in);
	uint64_t chain[] = { byte };
	struct wk_event event = { .kind = WK_EVENT_MEMORY };

	event.memory.changes = changes_of(byte, feed->is_plain);
	if (feed->is_plain) {
		event.memory.start = wk_u8(&feed->in) % PAGES * PAGE + 5;
		event.memory.size_bytes = 1 + wk_u16le(&feed->in);
		if (event.memory.start + event.memory.size_bytes > PAGES * PAGE)
			event.memory.size_bytes = PAGES * PAGE - event.memory.start;
		event.memory.owner_pid = 1;
		note_pages(feed, &event.memory);
	} else {
		event.memory.start = (uint64_t)(int64_t)(int16_t)wk_u16le(&feed->in) * PAGE;
		event.memory.size_bytes =
			byte & 64 ? wk_u64le(&feed->in) : (uint64_t)wk_u8(&feed->in) * PAGE;
		event.memory.owner_pid = wk_u8(&feed->in) % 3;
	}
	event.memory.sample.user_chain = chain;
	event.memory.sample.user_count = 1;
	give(feed, &event);
}

static void give_heap(struct feed *feed)
{
	uint8_t byte = wk_u8(&feed->in);
	struct wk_event event = {
		.kind = WK_EVENT_HEAP,
		.heap = { .change = byte % (WK_HEAP_FREE + 1), .heap = byte >> 6,
			  .address = wk_u8(&feed->in), .old_address = wk_u8(&feed->in) },
	};

	event.heap.made_by = wk_str_c(byte & 16 ? "segment heap" : "");
	event.heap.size_bytes = byte & 32 ? wk_u64le(&feed->in) : wk_u8(&feed->in);
	give(feed, &event);
}

static void give_switch(struct feed *feed)
{
	uint8_t byte = wk_u8(&feed->in);
	struct wk_event event = { .kind = byte & 1 ? WK_EVENT_SWITCH : WK_EVENT_READY };

	if (event.kind == WK_EVENT_SWITCH) {
		event.switched.old_pid = byte >> 1 & 3;
		event.switched.old_tid = event.switched.old_pid * 10 + (byte >> 3 & 1);
		event.switched.old_waits = byte >> 4 & 1;
		event.switched.wait_mode = byte >> 5 & 1 ? WK_WAIT_USER : WK_WAIT_KERNEL;
		event.switched.wait_reason = wk_str_c(byte >> 6 & 1 ? "WrQueue" : "");
	} else {
		event.ready.ready_pid = byte >> 1 & 3;
		event.ready.ready_tid = event.ready.ready_pid * 10 + (byte >> 3 & 1);
		event.ready.is_interrupt = byte >> 4 & 1;
	}
	give(feed, &event);
}

static void give_heap_sum(struct feed *feed)
{
	struct wk_event event = { .kind = WK_EVENT_HEAP_SUM };
	uint64_t chain[] = { 1 + wk_u8(&feed->in) % 4 };
	struct wk_event_heap_sum *sum = &event.heap_sum;

	sum->allocated_bytes = wk_u16le(&feed->in);
	sum->allocated_blocks = wk_u8(&feed->in);
	sum->freed_bytes = wk_u16le(&feed->in);
	sum->freed_blocks = wk_u8(&feed->in);
	sum->temporary_bytes = sum->peak_bytes = sum->temporary_blocks = wk_u8(&feed->in);
	sum->sample.user_chain = chain;
	sum->sample.user_count = 1;
	give(feed, &event);
}

static void give_snapshot(struct feed *feed)
{
	struct wk_event event = { .kind = WK_EVENT_SNAPSHOT };
	uint8_t byte = wk_u8(&feed->in);

	event.snapshot.cause = byte % (WK_SNAPSHOT_EXIT + 1);
	event.snapshot.label = wk_str_c(byte & 16 ? "loaded" : "");
	event.time_ns = feed->time_ns;
	event.pid = byte & 32 ? WK_NO_PID : byte >> 6;
	event.tid = event.pid;
	demand(wk_sink_emit(&feed->sink, &event, NULL), "a snapshot is accepted");
}

static void give_life(struct feed *feed)
{
	static const uint8_t changes[] = { WK_PROCESS_START, WK_PROCESS_EXIT, WK_PROCESS_EXEC,
					   WK_PROCESS_FORK };
	struct wk_event event = { .kind = WK_EVENT_PROCESS };

	event.process.change = changes[wk_u8(&feed->in) % sizeof(changes)];
	event.process.threads_apart = true;
	give(feed, &event);
}

static void give_thread(struct feed *feed)
{
	struct wk_event event = { .kind = WK_EVENT_THREAD };

	event.thread.change = wk_u8(&feed->in) & 1 ? WK_THREAD_START : WK_THREAD_EXIT;
	give(feed, &event);
}

static void give_all(struct feed *feed)
{
	while (feed->in.at < feed->in.end && !feed->in.bad) {
		uint8_t what = feed->is_plain ? 0 : wk_u8(&feed->in) % 11;

		if (what < 4)
			give_memory(feed);
		else if (what < 6)
			give_heap(feed);
		else if (what < 7)
			give_switch(feed);
		else if (what < 8)
			give_life(feed);
		else if (what < 9)
			give_thread(feed);
		else if (what < 10)
			give_heap_sum(feed);
		else
			give_snapshot(feed);
	}
}

/* Two ways to find out what is left of a source. */
static uint64_t left_of(const struct wk_model *model, const char *name)
{
	wk_source_id source = wk_lifetimes_source(model, name);
	struct wk_lifetimes *rows = wk_alloc_zeroed(model->process_count, sizeof(*rows)),
			    whole = { 0 };
	struct wk_filter filter = { .to_ns = UINT64_MAX };
	struct wk_left left = wk_lifetimes_left(model, UINT64_MAX, UINT64_MAX);
	uint64_t sum = 0;

	wk_lifetimes_add_up(model, &filter, source, WK_LIFETIMES_PROCESSES, NULL, rows, &whole);
	for (uint32_t i = 0; i < model->samples.count && source; i++)
		sum += wk_sample_source(&model->samples, i) == source ? left.bytes[i] : 0;
	demand(sum == whole.left_bytes, "what is left is left either way");
	demand(whole.left_bytes <= whole.peak_bytes && whole.peak_bytes <= whole.bytes,
	       "the peak lies between what is left and what was allocated");
	wk_left_fini(&left);
	wk_free(rows);
	return sum;
}

/* The column of a table of waits added up. */
static uint64_t waits_in(const struct wk_model *model, const struct wk_filter *filter,
			 const char *column)
{
	struct wk_table_options options = { 0 };
	struct wk_table table;
	uint64_t sum = 0;

	wk_table_init(&table, "waits");
	wk_table_view_find("waits")->fill(&table, model, filter, &options);
	for (uint32_t i = 0; i < table.column_count; i++)
		for (size_t row = 0; row < table.row_count; row++)
			sum += wk_str_is(table.columns[i].key, column)
				       ? wk_table_cell(&table, row, i)->number
				       : 0;
	wk_table_fini(&table);
	return sum;
}

/* What all threads did in some time. */
static uint64_t spells_in(const struct wk_model *model, uint64_t from_ns, uint64_t to_ns)
{
	struct wk_filter filter = { .from_ns = from_ns, .to_ns = to_ns };
	struct wk_interval_sums *sums = wk_intervals_of_threads(model, &filter);
	uint64_t waiting_ns = 0, ready_ns = 0, running_ns = 0;

	for (uint32_t i = 0; sums && i < model->thread_count; i++) {
		running_ns += sums[i].running_ns;
		waiting_ns += sums[i].waiting_ns;
		ready_ns += sums[i].ready_ns;
	}
	wk_free(sums);
	demand(waits_in(model, &filter, "waiting_ns") == waiting_ns &&
		       waits_in(model, &filter, "ready_ns") == ready_ns,
	       "waits by reason are the waits of threads");
	return running_ns + waiting_ns + ready_ns;
}

/* What all views of snapshots weigh, in bytes. */
static uint64_t left_at_snapshots(const struct wk_model *model)
{
	struct wk_filter filter;
	uint64_t sum = 0;

	for (uint32_t i = 1; i <= model->snapshot_count && i < 20; i++) {
		struct wk_filter_spec spec = { .source = "heap" };
		char number[16];

		snprintf(number, sizeof(number), "#%u", i);
		spec.span.snapshot = number;
		if (!wk_lifetimes_source(model, "heap"))
			break;
		demand(wk_filter_init(&filter, model, &spec, NULL), "a snapshot is found");
		for (uint32_t row = 0; row < model->samples.count; row++)
			sum += wk_filter_has(&filter, row) ? wk_filter_weight(&filter, model, row)
							   : 0;
		wk_filter_fini(&filter);
	}
	return sum;
}

/* The same with blocks that are added up, or not. */
static struct wk_model *build(const uint8_t *data, size_t size, bool sums_blocks, struct feed *feed)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_err err = { 0 };

	model->sums_blocks = sums_blocks;
	*feed = (struct feed){ .in = wk_bytes_of(data, size), .sink = wk_builder_sink(builder) };
	feed->is_plain = wk_u8(&feed->in) % 2 == 0;
	give_all(feed);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	demand(model_check(model, &err), err.text);
	return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed feed, summed_feed;
	struct wk_model *model = build(data, size, false, &feed);
	struct wk_model *summed = build(data, size, true, &summed_feed);
	uint64_t pages = 0;

	demand(left_of(model, "heap") == left_of(summed, "heap"), "sums leave the same");
	demand(left_at_snapshots(model) == left_at_snapshots(summed),
	       "sums leave the same at snapshots");
	demand(model->heaps[0].peak_bytes == summed->heaps[0].peak_bytes, "and have one peak");
	for (size_t i = 0; i < PAGES; i++)
		pages += feed.committed[i];
	left_of(model, "reserve");
	demand(spells_in(model, 0, feed.time_ns / 2) +
			       spells_in(model, feed.time_ns / 2, UINT64_MAX) ==
		       spells_in(model, 0, UINT64_MAX),
	       "two halves of a time are the whole");
	demand(left_of(model, "commit") == pages * PAGE || !feed.is_plain,
	       "the pages that are left are those that the array has");
	wk_model_free(summed);
	wk_model_free(model);
	return 0;
}
