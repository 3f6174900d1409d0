/* formats/heap: however many threads there are and however their events alternate, events are
 * emitted in order of time, each once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/out.h"
#include "formats/heap/heap_streams.h"
#include "formats/heap/heap_turns.h"

#include "heap_stream_maker.h"

#define MOST_THREADS 300 /* of more than 256 not all are read ahead */

/* Event n is at tick 10 n, at the address 16 n, of a thread that was drawn. */
struct merging {
	struct wk_heap_streams *streams;
	struct heap_stream thread[MOST_THREADS];
	uint32_t threads, *thread_of, random;
	uint64_t count, seen, snapshots;
	struct wk_buf row;
};

static uint32_t draw(struct merging *merging, uint32_t below)
{
	merging->random = merging->random * 1664525u + 1013904223u;
	return (merging->random >> 8) % below;
}

static bool see(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct merging *merging = context;

	(void)err;
	if (event->kind == WK_EVENT_SNAPSHOT) {
		/* Taken between two events. */
		assert_int_equal(event->time_ns, 1000 + 2 * (10 * merging->seen + 5));
		merging->snapshots++;
		return true;
	}
	assert_int_equal(event->kind, WK_EVENT_HEAP);
	merging->seen++;
	assert_int_equal(event->heap.address, 16 * merging->seen);
	assert_int_equal(event->time_ns, 1000 + 20 * merging->seen);
	assert_int_equal(event->tid, 1000 + merging->thread_of[merging->seen]);
	return true;
}

static void add_row(struct merging *merging)
{
	assert_true(wk_heap_streams_add(merging->streams,
					wk_bytes_of(merging->row.at, merging->row.len), false));
}

static void add_snapshot(struct merging *merging, uint64_t ticks)
{
	heap_begin_row(&merging->row, WK_HEAP_ROW_SNAPSHOT, 1);
	wk_buf_add_u64(&merging->row, ticks);
	wk_buf_add_char(&merging->row, WK_HEAP_SNAPSHOT_USER);
	wk_buf_add_u32(&merging->row, 0);
	add_row(merging);
}

static void emit(struct merging *merging)
{
	struct wk_sink sink = { .take = see, .context = merging };

	assert_true(wk_heap_streams_emit(merging->streams, UINT64_MAX, &sink, NULL));
}

/* All that the threads have had since the last pass, in one row each, and a pass. */
static void add_pass(struct merging *merging, uint64_t ticks)
{
	for (uint32_t i = 0; i < merging->threads; i++) {
		if (merging->thread[i].bytes.len == merging->thread[i].row_from)
			continue;
		heap_events_row(&merging->row, 1, i, 1000 + i, &merging->thread[i]);
		add_row(merging);
	}
	heap_pass_row(&merging->row, ticks, 1000 + 2 * ticks);
	add_row(merging);
	emit(merging);
}

/* Does the block still have room for a record? */
static void make_room(struct heap_stream *stream)
{
	if (stream->bytes.len % WK_HEAP_BLOCK_BYTES > WK_HEAP_BLOCK_BYTES - 64)
		heap_end_block(stream);
}

/* Bursts of up to `burst` events of a thread. */
static void merge(uint32_t threads, uint32_t burst, uint64_t count)
{
	struct merging m = { .streams = wk_heap_streams_new(), .threads = threads };
	struct wk_sink sink = { .take = see, .context = &m };
	uint64_t snapshots = 0;

	m.thread_of = wk_alloc_zeroed(count + burst + 1, sizeof(*m.thread_of));
	heap_process_row(&m.row, 1, 500);
	add_row(&m);
	add_pass(&m, 0);
	while (m.count < count) {
		uint32_t thread = draw(&m, threads);

		for (uint32_t left = 1 + draw(&m, burst); left; left--) {
			bool is_freed = draw(&m, 2);

			m.thread_of[++m.count] = thread;
			make_room(&m.thread[thread]);
			heap_add(&m.thread[thread],
				 is_freed ? WK_HEAP_RECORD_FREED : WK_HEAP_RECORD_ALLOCATED,
				 10 * m.count, 16 * m.count, is_freed ? 0 : draw(&m, 70000), 0);
		}
		if (draw(&m, 500) == 0) {
			add_snapshot(&m, 10 * m.count + 5);
			snapshots++;
		}
		if (draw(&m, 900) == 0)
			add_pass(&m, 10 * m.count + draw(&m, 5));
	}
	add_pass(&m, 10 * m.count + 9);
	assert_true(wk_heap_streams_end(m.streams, &sink, NULL));
	assert_int_equal(m.seen, m.count);
	assert_int_equal(m.snapshots, snapshots);
	wk_heap_streams_free(m.streams);
	for (uint32_t i = 0; i < threads; i++)
		wk_buf_fini(&m.thread[i].bytes);
	WK_BUF_FINI_ALL(&m.row);
	wk_free(m.thread_of);
}

static void one_thread(void **state)
{
	(void)state;
	merge(1, 1, 5000);
}

static void two_threads_by_turns(void **state)
{
	(void)state;
	merge(2, 1, 20000);
	merge(2, 300, 20000);
}

static void a_few_threads(void **state)
{
	(void)state;
	for (uint32_t threads = 3; threads < 8; threads++) {
		merge(threads, 1, 5000);
		merge(threads, 40, 5000);
	}
}

static void more_threads_than_are_read_ahead(void **state)
{
	(void)state;
	merge(MOST_THREADS, 3, 60000);
}

/* Against a search for the least. */
static void turns_are_in_order(void **state)
{
	struct merging m = { 0 };
	struct wk_heap_turns turns = { 0 };
	uint64_t ticks[64];
	uint32_t left = 64;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		wk_heap_turns_add(&turns, (struct wk_heap_turn){ ticks[i] = draw(&m, 100), i });
	while (left) {
		size_t second = wk_heap_turns_second(&turns), place;
		uint64_t least = UINT64_MAX, next = UINT64_MAX;
		struct wk_heap_turn turn = turns.at[0];

		for (uint32_t i = 0; i < 64; i++)
			least = ticks[i] < least ? ticks[i] : least;
		assert_int_equal(turn.ticks, least);
		assert_int_equal(turn.ticks, ticks[turn.thread]);
		for (uint32_t i = 0; i < 64; i++)
			if (i != turn.thread && ticks[i] < next)
				next = ticks[i];
		assert_int_equal(wk_heap_turns_next(&turns, 0), next);
		assert_int_equal(second != 0, left > 1);
		if (second)
			assert_int_equal(turns.at[second].ticks, next);
		place = draw(&m, 2) ? second : 0;
		turn = turns.at[place];
		if (draw(&m, 4) == 0) {
			wk_heap_turns_remove(&turns, place);
			ticks[turn.thread] = UINT64_MAX;
			left--;
		} else {
			ticks[turn.thread] += draw(&m, 30);
			wk_heap_turns_delay(&turns, place, ticks[turn.thread]);
		}
	}
	assert_int_equal(turns.count, 0);
	wk_heap_turns_fini(&turns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread),
		cmocka_unit_test(two_threads_by_turns),
		cmocka_unit_test(a_few_threads),
		cmocka_unit_test(more_threads_than_are_read_ahead),
		cmocka_unit_test(turns_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
