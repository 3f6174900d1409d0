/* The rows of the heap library's streams as events: snapshots, marks and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/dump.h"
#include "formats/heap/heap_streams.h"
#include "channel/stream.h"

#define TEXT_BYTES 60

struct made {
	struct wk_heap_streams *streams;
	struct wk_buf row, text;
	struct wk_out out;
	struct wk_sink sink;
	uint64_t position; /* in the stream of thread 0 */
};

static bool add(struct made *made)
{
	/* Memory of exactly that size, which is gone afterwards. */
	uint8_t *exact = wk_alloc(made->row.len);
	bool ok;

	memcpy(exact, made->row.at, made->row.len);
	ok = wk_heap_streams_add(made->streams, wk_bytes_of(exact, made->row.len), false);
	wk_free(exact);
	return ok;
}

static void begin_row(struct made *made, enum wk_heap_stream_row kind)
{
	wk_buf_reset(&made->row);
	wk_buf_add_char(&made->row, (char)kind);
}

static void add_process(struct made *made, uint32_t number, uint32_t pid)
{
	begin_row(made, WK_HEAP_ROW_PROCESS);
	wk_buf_add_u32(&made->row, number);
	wk_buf_add_u32(&made->row, pid);
	wk_buf_add_u64(&made->row, 0);
	wk_buf_add_u64(&made->row, 0);
	assert_true(add(made));
}

static void add_pass(struct made *made, uint64_t ticks)
{
	begin_row(made, WK_HEAP_ROW_PASS);
	wk_buf_add_u64(&made->row, ticks);
	wk_buf_add_u64(&made->row, ticks);
	assert_true(add(made));
}

/* A tick is a nanosecond. */
static void begin(struct made *made)
{
	*made = (struct made){ .streams = wk_heap_streams_new() };
	made->out = wk_out_to_buf(&made->text);
	made->sink = wk_dump_sink(&made->out);
	add_pass(made, 1);
}

static bool add_snapshot(struct made *made, uint32_t process, uint64_t ticks, unsigned cause,
			 const char *label)
{
	begin_row(made, WK_HEAP_ROW_SNAPSHOT);
	wk_buf_add_u32(&made->row, process);
	wk_buf_add_u64(&made->row, ticks);
	wk_buf_add_char(&made->row, (char)cause);
	wk_buf_add_u32(&made->row, (uint32_t)strlen(label));
	wk_buf_add_text(&made->row, label);
	return add(made);
}

/* Part of the stream of thread 0, which begins at 1 tick. */
static void add_events(struct made *made, const struct wk_buf *bytes)
{
	begin_row(made, WK_HEAP_ROW_PACKED);
	wk_buf_add_u32(&made->row, 1);
	wk_buf_add_u32(&made->row, 0);
	wk_buf_add_u32(&made->row, 77);
	wk_buf_add_u64(&made->row, made->position);
	wk_buf_add_u32(&made->row, (uint32_t)bytes->len);
	wk_buf_add_str(&made->row, wk_buf_str(bytes));
	made->position += bytes->len;
	assert_true(add(made));
}

static void put_text(struct wk_buf *bytes, enum wk_heap_record kind, uint64_t change,
		     const char *text)
{
	wk_buf_add_char(bytes, WK_HEAP_RECORD_OTHER);
	wk_buf_add_char(bytes, (char)(kind | WK_HEAP_RECORD_WIDE));
	wk_buf_add_u64(bytes, change);
	wk_buf_add_char(bytes, (char)strlen(text));
	wk_buf_add_text(bytes, text);
}

static void emit(struct made *made)
{
	struct wk_err err = { 0 };

	assert_true(wk_heap_streams_emit(made->streams, UINT64_MAX, &made->sink, &err));
}

static void end_with(struct made *made, const char *expected)
{
	struct wk_err err = { 0 };

	assert_true(wk_heap_streams_end(made->streams, &made->sink, &err));
	wk_out_end(&made->out);
	assert_string_equal(wk_buf_text(&made->text), expected);
	wk_heap_streams_free(made->streams);
	WK_BUF_FINI_ALL(&made->row, &made->text);
}

static void snapshots_are_among_the_events_of_their_time(void **state)
{
	struct made made;
	struct wk_buf bytes = { 0 };

	(void)state;
	begin(&made);
	add_process(&made, 1, 500);
	wk_buf_add_u64(&bytes, 1);
	put_text(&bytes, WK_HEAP_RECORD_MARK, 9, "at 10");
	put_text(&bytes, WK_HEAP_RECORD_SNAPSHOT, 10, "at 20");
	put_text(&bytes, WK_HEAP_RECORD_MARK, 10, "at 30");
	assert_true(add_snapshot(&made, 1, 5, WK_HEAP_SNAPSHOT_USER, "first"));
	assert_true(add_snapshot(&made, 0, 25, WK_HEAP_SNAPSHOT_INTERVAL, ""));
	assert_true(add_snapshot(&made, 1, 35, WK_HEAP_SNAPSHOT_USER, "last"));
	add_events(&made, &bytes);
	add_pass(&made, 100);
	emit(&made);
	end_with(&made, "snapshot time=5 pid=500 tid=500 cause=user label=\"first\"\n"
			"mark time=10 pid=500 tid=77 label=\"at 10\"\n"
			"snapshot time=20 pid=500 tid=77 cause=program label=\"at 20\"\n"
			"snapshot time=25 cause=interval\n"
			"mark time=30 pid=500 tid=77 label=\"at 30\"\n"
			"snapshot time=35 pid=500 tid=500 cause=user label=\"last\"\n");
	wk_buf_fini(&bytes);
}

static void a_process_that_ran_before_is_seen_first(void **state)
{
	struct made made;
	struct wk_buf bytes = { 0 };

	(void)state;
	begin(&made);
	add_process(&made, 1, 500);
	begin_row(&made, WK_HEAP_ROW_SEEN);
	wk_buf_add_u32(&made.row, 1);
	assert_true(add(&made));
	begin_row(&made, WK_HEAP_ROW_SEEN);
	wk_buf_add_u32(&made.row, 2); /* there is no such process */
	assert_false(add(&made));
	wk_buf_add_u64(&bytes, 1);
	put_text(&bytes, WK_HEAP_RECORD_MARK, 9, "at 10");
	put_text(&bytes, WK_HEAP_RECORD_MARK, 9, "at 19");
	add_events(&made, &bytes);
	add_pass(&made, 100);
	emit(&made);
	end_with(&made, "heap time=10 pid=500 tid=77 change=seen heap=0x0\n"
			"mark time=10 pid=500 tid=77 label=\"at 10\"\n"
			"mark time=19 pid=500 tid=77 label=\"at 19\"\n"
			"note time=0 text=\"1 part of the heap's events is damaged and was left "
			"out\"\n");
	wk_buf_fini(&bytes);
}

static void a_snapshot_waits_for_the_events_before_it(void **state)
{
	struct made made;
	struct wk_buf bytes = { 0 };

	(void)state;
	begin(&made);
	add_process(&made, 1, 500);
	add_pass(&made, 10);
	assert_true(add_snapshot(&made, 1, 20, WK_HEAP_SNAPSHOT_USER, "later"));
	emit(&made);
	wk_out_flush(&made.out);
	assert_string_equal(wk_buf_text(&made.text), "");
	wk_buf_add_u64(&bytes, 1);
	put_text(&bytes, WK_HEAP_RECORD_MARK, 14, "at 15");
	add_events(&made, &bytes);
	add_pass(&made, 30);
	emit(&made);
	end_with(&made, "mark time=15 pid=500 tid=77 label=\"at 15\"\n"
			"snapshot time=20 pid=500 tid=500 cause=user label=\"later\"\n");
	wk_buf_fini(&bytes);
}

/* A text is read when its record is the next one, and emitted after more has come. */
static void a_text_stays_while_more_of_its_stream_comes(void **state)
{
	char text[TEXT_BYTES + 1], expected[40 * (TEXT_BYTES + 60)];
	struct made made;
	size_t len = 0;

	(void)state;
	begin(&made);
	add_process(&made, 1, 500);
	for (int i = 0; i < 40; i++) {
		struct wk_buf bytes = { 0 };

		snprintf(text, sizeof(text), "%0*d", TEXT_BYTES, i);
		if (i == 0)
			wk_buf_add_u64(&bytes, 1);
		put_text(&bytes, WK_HEAP_RECORD_MARK, 1, text);
		add_events(&made, &bytes);
		wk_buf_fini(&bytes);
		len += (size_t)snprintf(expected + len, sizeof(expected) - len,
					"mark time=%d pid=500 tid=77 label=\"%s\"\n", i + 2, text);
		if (i % 7 == 6)
			add_pass(&made, (uint64_t)i);
		emit(&made);
	}
	add_pass(&made, 100);
	end_with(&made, expected);
}

static void a_text_stays_when_a_part_of_its_stream_is_missing(void **state)
{
	struct made made;
	struct wk_buf bytes = { 0 };

	(void)state;
	begin(&made);
	add_process(&made, 1, 500);
	wk_buf_add_u64(&bytes, 1);
	put_text(&bytes, WK_HEAP_RECORD_MARK, 1, "before");
	add_events(&made, &bytes);
	made.position += 4000;
	add_events(&made, &bytes);
	add_pass(&made, 100);
	end_with(&made, "mark time=2 pid=500 tid=77 label=\"before\"\n"
			"note time=0 text=\"1 part of the heap's events is damaged and was "
			"left out\"\n");
	wk_buf_fini(&bytes);
}

static void a_process_may_be_announced_after_its_snapshot(void **state)
{
	struct made made;

	(void)state;
	begin(&made);
	assert_true(add_snapshot(&made, 2, 20, WK_HEAP_SNAPSHOT_USER, ""));
	emit(&made);
	add_process(&made, 2, 600);
	add_pass(&made, 30);
	end_with(&made, "snapshot time=20 pid=600 tid=600 cause=user\n");
}

static void damaged_snapshots_are_counted(void **state)
{
	struct made made;

	(void)state;
	begin(&made);
	add_process(&made, 1, 500);
	assert_true(add_snapshot(&made, 1, 20, WK_HEAP_SNAPSHOT_USER, "good"));
	assert_false(add_snapshot(&made, 1, 19, WK_HEAP_SNAPSHOT_USER, "out of order"));
	assert_false(add_snapshot(&made, 1, 21, 0, "no cause"));
	assert_false(add_snapshot(&made, 1, 21, 3, "no such cause"));
	begin_row(&made, WK_HEAP_ROW_SNAPSHOT);
	wk_buf_add_u32(&made.row, 1);
	wk_buf_add_u64(&made.row, 22);
	wk_buf_add_char(&made.row, WK_HEAP_SNAPSHOT_USER);
	wk_buf_add_u32(&made.row, UINT32_MAX);
	wk_buf_add_text(&made.row, "cut off");
	assert_false(add(&made));
	assert_true(add_snapshot(&made, 9, 23, WK_HEAP_SNAPSHOT_USER, "of nothing"));
	add_pass(&made, 30);
	end_with(&made, "snapshot time=20 pid=500 tid=500 cause=user label=\"good\"\n"
			"note time=0 text=\"5 parts of the heap's events are damaged and "
			"were left out\"\n");
}

static void snapshots_that_are_never_complete_are_freed(void **state)
{
	struct made made;

	(void)state;
	begin(&made);
	assert_true(add_snapshot(&made, 0, 20, WK_HEAP_SNAPSHOT_USER, "never"));
	emit(&made);
	wk_out_end(&made.out);
	assert_string_equal(wk_buf_text(&made.text), "");
	wk_heap_streams_free(made.streams);
	WK_BUF_FINI_ALL(&made.row, &made.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshots_are_among_the_events_of_their_time),
		cmocka_unit_test(a_process_that_ran_before_is_seen_first),
		cmocka_unit_test(a_snapshot_waits_for_the_events_before_it),
		cmocka_unit_test(a_text_stays_while_more_of_its_stream_comes),
		cmocka_unit_test(a_text_stays_when_a_part_of_its_stream_is_missing),
		cmocka_unit_test(a_process_may_be_announced_after_its_snapshot),
		cmocka_unit_test(damaged_snapshots_are_counted),
		cmocka_unit_test(snapshots_that_are_never_complete_are_freed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
