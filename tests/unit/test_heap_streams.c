/* formats/heap: rows of the heap library's streams become events in order of time; what is damaged
 * or missing is left out and counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/out.h"
#include "event/dump.h"
#include "formats/heap/heap_stacks.h"
#include "formats/heap/heap_streams.h"

#include "heap_stream_maker.h"

#define A WK_HEAP_RECORD_ALLOCATED
#define F WK_HEAP_RECORD_FREED
#define R WK_HEAP_RECORD_RELEASED
#define M WK_HEAP_RECORD_MOVED
#define K WK_HEAP_RECORD_KEPT

/* A decoder, and what it has emitted, a line for each event: "300 +1000/50 main" for an allocation
 * of 50 bytes at 0x1000, "-1000" for a release. */
struct reading {
	struct wk_heap_streams *streams;
	struct heap_stream thread[4], definitions;
	struct wk_buf row, text;
};

static bool note_event(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_buf *text = context;

	(void)err;
	if (event->kind == WK_EVENT_NOTE) {
		wk_buf_add_fmt(text, "note:%.*s\n", (int)event->note.text.len, event->note.text.at);
		return true;
	}
	if (event->kind == WK_EVENT_SNAPSHOT_REQUEST) {
		wk_buf_add_fmt(text, "snapshots: exit %d, peak %d, over %llu\n",
			       event->snapshot_request.at_exit, event->snapshot_request.at_peak,
			       (unsigned long long)event->snapshot_request.over_bytes);
		return true;
	}
	wk_buf_add_fmt(text, "%llu %u/%u ", (unsigned long long)event->time_ns, event->pid,
		       event->tid);
	if (event->kind == WK_EVENT_SNAPSHOT)
		wk_buf_add_fmt(text, "snapshot %.*s", (int)event->snapshot.label.len,
			       event->snapshot.label.at);
	else if (event->kind == WK_EVENT_MARK)
		wk_buf_add_fmt(text, "mark %.*s", (int)event->mark.label.len, event->mark.label.at);
	else if (event->kind == WK_EVENT_MEMORY)
		wk_buf_add_fmt(text, "memory %u %llx/%llx from %zu",
			       (unsigned)event->memory.changes,
			       (unsigned long long)event->memory.start,
			       (unsigned long long)event->memory.size_bytes,
			       event->memory.sample.user_count);
	else if (event->heap.change == WK_HEAP_FREE)
		wk_buf_add_fmt(text, "-%llx", (unsigned long long)event->heap.address);
	else
		wk_buf_add_fmt(text, "+%llx/%llu %.*s", (unsigned long long)event->heap.address,
			       (unsigned long long)event->heap.size_bytes,
			       (int)event->heap.made_by.len, event->heap.made_by.at);
	for (size_t i = 0; event->kind == WK_EVENT_HEAP && i < event->heap.sample.user_count; i++)
		wk_buf_add_fmt(text, " %llx", (unsigned long long)event->heap.sample.user_chain[i]);
	wk_buf_add_char(text, '\n');
	return true;
}

static struct wk_sink sink_of(struct reading *reading)
{
	return (struct wk_sink){ .take = note_event, .context = &reading->text };
}

static bool add_row(struct reading *reading)
{
	return wk_heap_streams_add(reading->streams, wk_bytes_of(reading->row.at, reading->row.len),
				   false);
}

static void begin(struct reading *reading)
{
	*reading = (struct reading){ .streams = wk_heap_streams_new() };
	heap_process_row(&reading->row, 1, 500);
	assert_true(add_row(reading));
}

/* What thread `i` has added; its thread has the number 501 + i. */
static void add_events(struct reading *reading, uint32_t i)
{
	heap_events_row(&reading->row, 1, i, 501 + i, &reading->thread[i]);
	assert_true(add_row(reading));
}

static void add_definitions(struct reading *reading)
{
	heap_definitions_row(&reading->row, 1, &reading->definitions);
	assert_true(add_row(reading));
}

/* A tick is 2 ns, and 1000 ns are 0 ticks. */
static void add_pass(struct reading *reading, uint64_t ticks)
{
	heap_pass_row(&reading->row, ticks, 1000 + 2 * ticks);
	assert_true(add_row(reading));
}

static void emit(struct reading *reading)
{
	struct wk_sink sink = sink_of(reading);

	assert_true(wk_heap_streams_emit(reading->streams, UINT64_MAX, &sink, NULL));
}

static void expect(struct reading *reading, const char *text)
{
	assert_string_equal(wk_buf_text(&reading->text), text);
	wk_buf_reset(&reading->text);
}

static void end(struct reading *reading, const char *text)
{
	struct wk_sink sink = sink_of(reading);

	assert_true(wk_heap_streams_end(reading->streams, &sink, NULL));
	expect(reading, text);
	wk_heap_streams_free(reading->streams);
	for (size_t i = 0; i < 4; i++)
		wk_buf_fini(&reading->thread[i].bytes);
	WK_BUF_FINI_ALL(&reading->definitions.bytes, &reading->row, &reading->text);
}

static void threads_are_merged_by_time(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 50, 0);
	heap_add(&r.thread[0], A, 40, 0x2000, 60, 0);
	heap_add(&r.thread[1], F, 20, 0x1000, 0, 0);
	heap_add(&r.thread[1], A, 30, 0x1000, 70, 0);
	heap_add(&r.thread[2], F, 5, 0x9000, 0, 0);
	add_events(&r, 0);
	add_events(&r, 1);
	add_events(&r, 2);
	add_pass(&r, 100);
	emit(&r);
	expect(&r, "1010 500/503 -9000\n"
		   "1020 500/501 +1000/50 malloc\n"
		   "1040 500/502 -1000\n"
		   "1060 500/502 +1000/70 malloc\n"
		   "1080 500/501 +2000/60 malloc\n");
	end(&r, "");
}

static void nothing_is_emitted_that_an_earlier_event_may_follow(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 50, 0);
	heap_add(&r.thread[0], A, 60, 0x2000, 50, 0);
	add_events(&r, 0);
	add_pass(&r, 50);
	emit(&r);
	expect(&r, "1020 500/501 +1000/50 malloc\n");
	heap_add(&r.thread[1], A, 55, 0x3000, 50, 0);
	add_events(&r, 1);
	add_pass(&r, 70);
	emit(&r);
	expect(&r, "1110 500/502 +3000/50 malloc\n"
		   "1120 500/501 +2000/50 malloc\n");
	end(&r, "");
}

static void events_that_come_too_late_have_the_time_of_the_last_one(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 40, 0x1000, 50, 0);
	add_events(&r, 0);
	add_pass(&r, 50);
	emit(&r);
	expect(&r, "1080 500/501 +1000/50 malloc\n");
	heap_add(&r.thread[1], A, 30, 0x3000, 50, 0);
	heap_add(&r.thread[1], F, 45, 0x3000, 0, 0);
	add_events(&r, 1);
	add_pass(&r, 70);
	emit(&r);
	expect(&r, "1080 500/502 +3000/50 malloc\n"
		   "1090 500/502 -3000\n");
	end(&r, "");
}

static void until_limits_what_is_emitted(void **state)
{
	struct reading r;
	struct wk_sink sink;

	(void)state;
	begin(&r);
	sink = sink_of(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 50, 0);
	heap_add(&r.thread[0], F, 20, 0x1000, 0, 0);
	add_events(&r, 0);
	add_pass(&r, 100);
	assert_true(wk_heap_streams_emit(r.streams, 1020, &sink, NULL));
	expect(&r, "1020 500/501 +1000/50 malloc\n");
	end(&r, "1040 500/501 -1000\n");
}

/* A machine's counter has no fixed rate: each stretch between two passes has its own. */
static void times_are_between_the_passes_around_them(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	heap_add(&r.thread[0], A, 50, 0x1000, 8, 0);
	heap_pass_row(&r.row, 100, 10000);
	assert_true(add_row(&r));
	heap_add(&r.thread[0], A, 150, 0x2000, 8, 0);
	add_events(&r, 0);
	heap_pass_row(&r.row, 200, 10200);
	assert_true(add_row(&r));
	emit(&r);
	expect(&r, "9900 500/501 +1000/8 malloc\n"
		   "10100 500/501 +2000/8 malloc\n");
	heap_add(&r.thread[0], A, 250, 0x3000, 8, 0);
	add_events(&r, 0);
	heap_pass_row(&r.row, 300, 11200);
	assert_true(add_row(&r));
	emit(&r);
	expect(&r, "10700 500/501 +3000/8 malloc\n");
	/* A clock that goes back is none. */
	heap_pass_row(&r.row, 250, 11300);
	assert_false(add_row(&r));
	end(&r, "note:1 part of the heap's events is damaged and was left out\n");
}

static void a_moved_block_is_released_and_allocated(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 50, 0);
	heap_add(&r.thread[0], R, 20, 0x1000, 0, 0);
	heap_add(&r.thread[0], (enum wk_heap_record)(M | WK_HEAP_REALLOC << WK_HEAP_RECORD_BITS),
		 30, 0x5000, 500, 0);
	/* Another thread gets the address before it is there for the first one's caller. */
	heap_add(&r.thread[1], A, 25, 0x1000, 7, 0);
	add_events(&r, 0);
	add_events(&r, 1);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/50 malloc\n"
		"1040 500/501 -1000\n"
		"1050 500/502 +1000/7 malloc\n"
		"1060 500/501 +5000/500 realloc\n");
}

static void a_block_that_realloc_keeps_is_not_released(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 50, 0);
	heap_add(&r.thread[0], R, 20, 0x1000, 0, 0);
	add_events(&r, 0);
	heap_add(&r.thread[1], A, 25, 0x2000, 7, 0);
	add_events(&r, 1);
	add_pass(&r, 100);
	emit(&r);
	/* What comes of the release is not known yet, and nothing may overtake it. */
	expect(&r, "1020 500/501 +1000/50 malloc\n");
	heap_add(&r.thread[0], K, 110, 0x1000, 0, 0);
	heap_add(&r.thread[0], F, 120, 0x1000, 0, 0);
	add_events(&r, 0);
	add_pass(&r, 200);
	emit(&r);
	expect(&r, "1050 500/502 +2000/7 malloc\n"
		   "1240 500/501 -1000\n");
	end(&r, "");
}

static void a_release_at_the_end_is_one(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], R, 20, 0x1000, 0, 0);
	add_events(&r, 0);
	add_pass(&r, 100);
	emit(&r);
	expect(&r, "");
	end(&r, "1040 500/501 -1000\n");
}

static void large_and_odd_numbers_are_wide(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x7fffffffe010, UINT64_C(5) << 30, 0);
	heap_add(&r.thread[0], A, 11, 0x10, 1, 0);
	heap_add(&r.thread[0], A, 12, 0x13, 0, 0);
	heap_add(&r.thread[0], F, 12 + (UINT64_C(1) << 33), 0x7fffffffe010, 0, 0);
	add_events(&r, 0);
	add_pass(&r, UINT64_C(1) << 34);
	end(&r, "1020 500/501 +7fffffffe010/5368709120 malloc\n"
		"1022 500/501 +10/1 malloc\n"
		"1024 500/501 +13/0 malloc\n"
		"17179870208 500/501 -7fffffffe010\n");
}

/* The largest numbers of packed records, and the smallest of others. */
static void numbers_are_packed_or_not(void **state)
{
	struct reading r;
	struct heap_stream *thread = &r.thread[0];

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	for (unsigned i = 1; i <= 40000; i++) {
		if (r.definitions.bytes.len % WK_HEAP_BLOCK_BYTES > WK_HEAP_BLOCK_BYTES - 32)
			heap_end_block(&r.definitions);
		heap_define(&r.definitions, 0, i + 1);
	}
	add_definitions(&r);
	heap_add(thread, A, 10, 0x10000000, 1, 32767);
	heap_add(thread, A, 10 + 16383, 0x10000000 + 0x3fffff8, (1 << 20) - 1, 0);
	heap_add(thread, A, 20 + 32767, 0x10000000 + 0x7fffff8, 1 << 20, 32768);
	heap_add(thread, F, 30 + 32767, 0x10000000 + 0x3fffff8, 0, 0);
	heap_add(thread, F, 40 + 65535, 0x10000000 - 0x10, 0, 0);
	heap_add(thread, R, 50 + 65535, 0x10000000, 0, 0);
	heap_add(thread, M | WK_HEAP_REALLOCARRAY << WK_HEAP_RECORD_BITS, 60 + 65535, 0x10000040, 7,
		 40000);
	heap_add(thread, A | WK_HEAP_PVALLOC << WK_HEAP_RECORD_BITS, 70 + 65535, 0x10000080, 9, 1);
	add_events(&r, 0);
	add_pass(&r, 100000);
	end(&r, "1020 500/501 +10000000/1 malloc 7fff\n"
		"33786 500/501 +13fffff8/1048575 malloc\n"
		"66574 500/501 +17fffff8/1048576 malloc 8000\n"
		"66594 500/501 -13fffff8\n"
		"132150 500/501 -ffffff0\n"
		"132170 500/501 -10000000\n"
		"132190 500/501 +10000040/7 reallocarray 9c40\n"
		"132210 500/501 +10000080/9 pvalloc 1\n");
}

static void stacks_are_those_that_were_defined(void **state)
{
	struct reading r;
	uint32_t root, one, two;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	root = heap_define(&r.definitions, 0, 0x401001);
	one = heap_define(&r.definitions, root, 0x7f0000002001);
	two = heap_define(&r.definitions, root, 0x402001);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, two);
	heap_add(&r.thread[0], A, 20, 0x2000, 2, one);
	heap_add(&r.thread[0], A, 30, 0x3000, 3, 77);
	heap_add(&r.thread[0], A, 40, 0x4000, 4, 0);
	add_definitions(&r);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc 402000 401000\n"
		"1040 500/501 +2000/2 malloc 7f0000002000 401000\n"
		"1060 500/501 +3000/3 malloc\n"
		"1080 500/501 +4000/4 malloc\n");
}

static void texts_are_snapshots_and_marks(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add_text(&r.thread[0], WK_HEAP_RECORD_SNAPSHOT, 10, "after load");
	heap_add_text(&r.thread[0], WK_HEAP_RECORD_MARK, 20, "");
	heap_add(&r.thread[0], A, 30, 0x1000, 1, 0);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 snapshot after load\n"
		"1040 500/501 mark \n"
		"1060 500/501 +1000/1 malloc\n");
}

static void a_block_ends_before_its_last_byte(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, 0);
	heap_end_block(&r.thread[0]);
	heap_add(&r.thread[0], A, 20, 0x2000, 2, 0);
	heap_define(&r.definitions, 0, 0x401001);
	heap_end_block(&r.definitions);
	heap_add(&r.thread[0], A, 30, 0x3000, 3, heap_define(&r.definitions, 1, 0x402001));
	add_definitions(&r);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc\n"
		"1040 500/501 +2000/2 malloc\n"
		"1060 500/501 +3000/3 malloc 402000 401000\n");
}

static void a_ring_goes_from_thread_to_thread(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, 0);
	add_events(&r, 0);
	heap_add(&r.thread[0], A, 20, 0x2000, 2, 0);
	heap_events_row(&r.row, 1, 0, 777, &r.thread[0]);
	assert_true(add_row(&r));
	heap_add(&r.thread[0], A, 30, 0x3000, 3, 0);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc\n"
		"1040 500/777 +2000/2 malloc\n"
		"1060 500/501 +3000/3 malloc\n");
}

static void after_missing_bytes_the_next_block_is_read(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, 0);
	heap_add(&r.thread[0], A, 15, 0x1500, 1, 0);
	add_events(&r, 0);
	heap_add(&r.thread[0], A, 20, 0x2000, 2, 0);
	r.thread[0].row_from = r.thread[0].bytes.len; /* lost */
	heap_add(&r.thread[0], A, 30, 0x3000, 3, 0);
	heap_end_block(&r.thread[0]);
	heap_add(&r.thread[0], A, 40, 0x4000, 4, 0);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc\n"
		"1030 500/501 +1500/1 malloc\n"
		"1080 500/501 +4000/4 malloc\n"
		"note:1 part of the heap's events is damaged and was left out\n");
}

static void rows_that_stay_are_read_where_they_are(void **state)
{
	struct wk_buf rows[2] = { 0 };
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	for (int i = 0; i < 2; i++) {
		heap_add(&r.thread[0], A, i ? 30 : 10, 0x1000, 1, 0);
		heap_add(&r.thread[0], F, i ? 40 : 20, 0x1000, 0, 0);
		heap_events_row(&r.row, 1, 0, 501, &r.thread[0]);
		wk_buf_add_str(&rows[i], wk_buf_str(&r.row));
		wk_buf_add(&rows[i], (const char[WK_HEAP_BEHIND]){ 0 }, WK_HEAP_BEHIND);
		assert_true(
			wk_heap_streams_add(r.streams, wk_bytes_of(rows[i].at, r.row.len), true));
	}
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc\n"
		"1040 500/501 -1000\n"
		"1060 500/501 +1000/1 malloc\n"
		"1080 500/501 -1000\n");
	WK_BUF_FINI_ALL(&rows[0], &rows[1]);
}

static void after_a_damaged_record_the_next_block_is_read(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, 0);
	/* No such function, and no such kind of a wide record. */
	if (!heap_is_old)
		wk_buf_add_char(&r.thread[0].bytes, WK_HEAP_RECORD_OTHER);
	wk_buf_add_char(&r.thread[0].bytes, (char)(A | 15 << WK_HEAP_RECORD_BITS));
	heap_end_block(&r.thread[0]);
	heap_add(&r.thread[0], A, 20, 0x2000, 2, 0);
	if (!heap_is_old)
		wk_buf_add_char(&r.thread[0].bytes, WK_HEAP_RECORD_OTHER);
	wk_buf_add_char(&r.thread[0].bytes, (char)WK_HEAP_RECORD_WIDE);
	heap_end_block(&r.thread[0]);
	heap_add(&r.thread[0], A, 30, 0x3000, 3, 0);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc\n"
		"1040 500/501 +2000/2 malloc\n"
		"1060 500/501 +3000/3 malloc\n"
		"note:2 parts of the heap's events are damaged and were left out\n");
}

/* Numbers are sparse then, and need no memory for what is missing. */
/* Of packed ones. */
static void a_function_that_is_none_damages_a_block(void **state)
{
	struct reading r;
	struct wk_buf *bytes = &r.thread[0].bytes;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, 0);
	heap_add(&r.thread[0], A, 10, 0x2000, 1, 0);
	bytes->at[bytes->len - 3] |= 0xf;
	heap_end_block(&r.thread[0]);
	heap_add(&r.thread[0], F, 20, 0x1000, 0, 0);
	add_events(&r, 0);
	/* No packed record, and none of the others. */
	wk_buf_add_char(bytes, 8);
	heap_end_block(&r.thread[0]);
	heap_add(&r.thread[0], A, 30, 0x3000, 1, 0);
	heap_add(&r.thread[0], A, 40, 0x4000, 1, 0);
	/* Cut off in its last byte. */
	bytes->len--;
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc\n"
		"1040 500/501 -1000\n"
		"1060 500/501 +3000/1 malloc\n"
		"note:3 parts of the heap's events are damaged and were left out\n");
}

static void missing_definitions_are_missing_frames(void **state)
{
	struct reading r;
	uint32_t first, far, farther;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	first = heap_define(&r.definitions, 0, 0x401001);
	add_definitions(&r);
	heap_end_block(&r.definitions);
	r.definitions.row_from = r.definitions.bytes.len;
	r.definitions.next = UINT32_MAX - 10;
	far = heap_define(&r.definitions, first, 0x402001);
	farther = heap_define(&r.definitions, UINT32_MAX - 20, 0x403001);
	add_definitions(&r);
	heap_add(&r.thread[0], A, 10, 0x1000, 1, far);
	heap_add(&r.thread[0], A, 20, 0x2000, 2, farther);
	heap_add(&r.thread[0], A, 30, 0x3000, 3, UINT32_MAX - 20);
	heap_add(&r.thread[0], A, 40, 0x4000, 4, first);
	add_events(&r, 0);
	add_pass(&r, 100);
	end(&r, "1020 500/501 +1000/1 malloc 402000 401000\n"
		"1040 500/501 +2000/2 malloc 403000\n"
		"1060 500/501 +3000/3 malloc\n"
		"1080 500/501 +4000/4 malloc 401000\n"
		"note:1 part of the heap's events is damaged and was left out\n");
}

static void damaged_definitions_end_their_block(void **state)
{
	struct wk_heap_stacks stacks = { 0 };
	struct heap_stream made = { 0 };
	uint64_t chain[4];

	(void)state;
	heap_define(&made, 0, 0x401001);
	wk_buf_add_text(&made.bytes, "\x02\x01\x01"); /* no such kind */
	heap_end_block(&made);
	heap_define(&made, 1, 0x402001);
	wk_heap_stacks_add(&stacks, 0, wk_bytes_of(made.bytes.at, made.bytes.len));
	assert_int_equal(stacks.damaged, 1);
	assert_int_equal(wk_heap_stacks_get(&stacks, 2, chain, 4), 2);
	assert_int_equal(chain[0], 0x402000);
	assert_int_equal(chain[1], 0x401000);
	assert_int_equal(wk_heap_stacks_get(&stacks, 2, chain, 1), 1);
	assert_int_equal(wk_heap_stacks_get(&stacks, 3, chain, 4), 0);
	wk_heap_stacks_fini(&stacks);
	/* A caller that is not there, and numbers that go back. */
	wk_buf_reset(&made.bytes);
	made.next = 1;
	heap_define(&made, 0, 0x401001);
	wk_buf_add_text(&made.bytes, "\x01\x05\x01");
	heap_end_block(&made);
	made.next = 1;
	heap_define(&made, 0, 0x403001);
	stacks = (struct wk_heap_stacks){ 0 };
	wk_heap_stacks_add(&stacks, 0, wk_bytes_of(made.bytes.at, made.bytes.len));
	assert_int_equal(stacks.damaged, 2);
	assert_int_equal(wk_heap_stacks_get(&stacks, 1, chain, 4), 1);
	assert_int_equal(chain[0], 0x401000);
	wk_heap_stacks_fini(&stacks);
	wk_buf_fini(&made.bytes);
}

static void rows_that_make_no_sense_are_counted(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	heap_process_row(&r.row, 1, 600); /* that number is another process's */
	assert_false(add_row(&r));
	heap_add(&r.thread[0], A, 10, 0x1000, 1, 0);
	heap_events_row(&r.row, 2, 0, 501, &r.thread[0]); /* no such process */
	assert_false(add_row(&r));
	r.thread[0].row_from = 0;
	heap_events_row(&r.row, 1, 4096, 501, &r.thread[0]); /* no such ring */
	assert_false(add_row(&r));
	r.thread[0].row_from = 0;
	heap_events_row(&r.row, 1, 0, 501, &r.thread[0]);
	r.row.len--; /* shorter than it says */
	assert_false(add_row(&r));
	heap_begin_row(&r.row, (enum wk_heap_stream_row)99, 1);
	assert_false(add_row(&r));
	wk_buf_reset(&r.row);
	assert_false(wk_heap_streams_add(r.streams, wk_bytes_of(NULL, 0), false));
	end(&r, "note:6 parts of the heap's events are damaged and were left out\n");
}

static void moments_that_are_requested_come_first(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	heap_begin_row(&r.row, WK_HEAP_ROW_MOMENTS, 0);
	wk_buf_add_char(&r.row, WK_HEAP_MOMENT_PEAK | WK_HEAP_MOMENT_OVER);
	assert_false(add_row(&r));
	wk_buf_add_u64(&r.row, 5000);
	assert_true(add_row(&r));
	end(&r, "snapshots: exit 0, peak 1, over 5000\n"
		"note:1 part of the heap's events is damaged and was left out\n");
}

#define CALL(...) ((const uint64_t[WK_HEAP_CALL_ARGUMENTS]){ __VA_ARGS__ })
#define ENDED(call) ((call) | WK_HEAP_CALL_ENDED)

/* Another thread has the addresses before munmap has ended. */
static void calls_change_the_address_space(void **state)
{
	struct reading r;
	uint32_t stack;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	stack = heap_define(&r.definitions, heap_define(&r.definitions, 0, 0x401000), 0x402000);
	heap_add_call(&r.thread[0], ENDED(WK_HEAP_CALL_MMAP), 10, 0x10000, CALL(0, 0x4000, 3, 0x22),
		      stack);
	heap_add_call(&r.thread[0], WK_HEAP_CALL_MUNMAP, 20, 0, CALL(0x10000, 0x4000), stack);
	heap_add_call(&r.thread[0], ENDED(WK_HEAP_CALL_MUNMAP), 40, 0, CALL(0x10000, 0x4000),
		      stack);
	heap_add_call(&r.thread[0], ENDED(WK_HEAP_CALL_MPROTECT), 50, 0, CALL(0x11000, 0x1000, 0),
		      stack);
	heap_add_call(&r.thread[1], ENDED(WK_HEAP_CALL_MMAP), 30, 0x10000, CALL(0, 0x2000, 3, 0x22),
		      0);
	add_definitions(&r);
	add_events(&r, 0);
	add_events(&r, 1);
	add_pass(&r, 100);
	emit(&r);
	expect(&r, "1020 500/501 memory 3 10000/4000 from 2\n"
		   "1060 500/502 memory 8 10000/4000 from 0\n"
		   "1060 500/502 memory 3 10000/2000 from 0\n"
		   "1100 500/501 memory 4 11000/1000 from 2\n");
	end(&r, "");
}

/* The second look finds one mapping more, and one less. */
static void what_the_system_says_of_address_spaces_is_added(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	add_pass(&r, 0);
	heap_space_row(&r.row, 5, WK_HEAP_SPACE_BEGINS | WK_HEAP_SPACE_FROM_BEFORE, 500, 0,
		       UINT64_MAX);
	heap_add_range(&r.row, 0x1000, 0x2000, WK_HEAP_SPACE_WRITABLE);
	assert_true(add_row(&r));
	heap_space_row(&r.row, 30, 0, 500, 0, UINT64_MAX);
	heap_add_range(&r.row, 0x1000, 0x3000, WK_HEAP_SPACE_WRITABLE);
	assert_true(add_row(&r));
	heap_add_call(&r.thread[0], ENDED(WK_HEAP_CALL_MMAP), 10, 0x10000, CALL(0, 0x4000, 3, 0x22),
		      0);
	add_events(&r, 0);
	/* It is of an earlier time than a row before it. */
	heap_space_row(&r.row, 20, 0, 500, 0x10000, 0x20000);
	heap_add_range(&r.row, 0x10000, 0x12000, WK_HEAP_SPACE_NO_RIGHTS);
	assert_true(add_row(&r));
	heap_space_row(&r.row, 21, 0, 500, 0x10000, 0x20000);
	heap_add_range(&r.row, 0x10000, 0x12000, WK_HEAP_SPACE_OF_FILE);
	r.row.len--;
	assert_true(add_row(&r)); /* which is seen when it is its turn */
	add_pass(&r, 100);
	emit(&r);
	expect(&r, "1020 500/501 memory 3 10000/4000 from 0\n"
		   "1040 500/500 memory 4 10000/2000 from 0\n"
		   "1040 500/500 memory 8 12000/2000 from 0\n"
		   "1060 500/500 memory 3 2000/1000 from 0\n"
		   "1060 500/500 memory 8 10000/2000 from 0\n");
	end(&r, "note:1 part of the heap's events is damaged and was left out\n");
}

/* Of a recording with --memory alone. */
static void lost_memory_calls_are_called_so(void **state)
{
	static const uint64_t counts[] = { 3, 1, 0, 1, 2 }; /* lost, nested, early, cut, no ring */
	struct reading r;

	(void)state;
	begin(&r);
	heap_space_row(&r.row, 21, 0, 500, 0x10000, 0x20000);
	assert_true(add_row(&r));
	heap_begin_row(&r.row, WK_HEAP_ROW_COUNTS, 1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		wk_buf_add_u64(&r.row, counts[i]);
	assert_true(add_row(&r));
	add_pass(&r, 100);
	emit(&r);
	wk_buf_reset(&r.text);
	end(&r, "note:3 memory calls were lost: the recorder did not keep up\n"
		"note:2 memory calls were lost: their threads could not be recorded (more than "
		"4,096 at one time, or no memory)\n"
		"note:1 memory call was not recorded: a signal handler made it while another one "
		"was being recorded\n"
		"note:1 memory call has a stack of which the outermost frames are missing: it is "
		"deeper than 384\n");
}

static void losses_are_reported(void **state)
{
	static const uint64_t counts[] = { 3, 4, 1, 1, 2 }; /* lost, nested, early, cut, no ring */
	struct reading r;

	(void)state;
	begin(&r);
	heap_begin_row(&r.row, WK_HEAP_ROW_COUNTS, 1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		wk_buf_add_u64(&r.row, counts[i]);
	assert_true(add_row(&r));
	assert_true(add_row(&r)); /* the same until now: not added up */
	heap_begin_row(&r.row, WK_HEAP_ROW_GONE, 1);
	assert_true(add_row(&r));
	end(&r, "note:3 allocations or releases were lost: the recorder did not keep up\n"
		"note:2 allocations or releases were lost: their threads could not be recorded "
		"(more than 4,096 at one time, or no memory)\n"
		"note:4 allocations or releases were not recorded: signal handlers made them while "
		"others were being recorded\n"
		"note:1 allocation or release was not recorded: it came before the heap library "
		"could begin\n"
		"note:1 allocation has a stack of which the outermost frames are missing: it is "
		"deeper than 384\n");
}

static int make_packed(void **state)
{
	(void)state;
	heap_is_old = false;
	return 0;
}

static int make_old(void **state)
{
	(void)state;
	heap_is_old = true;
	return 0;
}

/* As recorders write rows now, and as they did. */
#define BOTH(test)                                                                                 \
	{ #test, test, make_packed, NULL, NULL },                                                  \
	{                                                                                          \
		#test "_of_old", test, make_old, NULL, NULL                                        \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(threads_are_merged_by_time),
		BOTH(nothing_is_emitted_that_an_earlier_event_may_follow),
		BOTH(events_that_come_too_late_have_the_time_of_the_last_one),
		BOTH(until_limits_what_is_emitted),
		BOTH(times_are_between_the_passes_around_them),
		BOTH(a_moved_block_is_released_and_allocated),
		BOTH(a_block_that_realloc_keeps_is_not_released),
		BOTH(a_release_at_the_end_is_one),
		BOTH(large_and_odd_numbers_are_wide),
		BOTH(numbers_are_packed_or_not),
		BOTH(stacks_are_those_that_were_defined),
		BOTH(texts_are_snapshots_and_marks),
		BOTH(a_block_ends_before_its_last_byte),
		BOTH(a_ring_goes_from_thread_to_thread),
		BOTH(after_missing_bytes_the_next_block_is_read),
		BOTH(rows_that_stay_are_read_where_they_are),
		BOTH(after_a_damaged_record_the_next_block_is_read),
		BOTH(missing_definitions_are_missing_frames),
		BOTH(damaged_definitions_end_their_block),
		BOTH(rows_that_make_no_sense_are_counted),
		BOTH(moments_that_are_requested_come_first),
		BOTH(calls_change_the_address_space),
		BOTH(what_the_system_says_of_address_spaces_is_added),
		BOTH(lost_memory_calls_are_called_so),
		BOTH(losses_are_reported),
		cmocka_unit_test_setup(a_function_that_is_none_damages_a_block, make_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
