#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "record/merge.h"
#include "base/mem.h"
#include "record/queue.h"

/* A side-band record: header, one word that names it, and the trailer with the time. */
struct record {
	struct perf_event_header header;
	uint64_t name;
	uint64_t ids, time_ns, cpu, event;
};

struct seen {
	uint64_t names[64], times[64];
	size_t count, stop_at;
};

static struct wk_chunk *new_chunk(struct wk_queue *queue)
{
	return queue ? wk_queue_chunk(queue) : wk_alloc_zeroed(1, sizeof(struct wk_chunk) + 4096);
}

static void put(struct wk_chunk *chunk, uint64_t time_ns, uint64_t name)
{
	struct record record = {
		.header = { .type = PERF_RECORD_EXIT, .size = sizeof(record) },
		.name = name,
		.time_ns = time_ns,
	};

	memcpy(chunk->bytes + chunk->len, &record, sizeof(record));
	chunk->len += sizeof(record);
}

static bool take(void *context, const uint8_t *bytes, size_t size, uint64_t time_ns,
		 struct wk_err *err)
{
	struct seen *seen = context;
	struct record record;

	assert_int_equal(size, sizeof(record));
	memcpy(&record, bytes, sizeof(record));
	seen->names[seen->count] = record.name;
	seen->times[seen->count++] = time_ns;
	return seen->count != seen->stop_at || wk_fail(err, WK_EIO, WK_NOWHERE, "full");
}

static void assert_names(const struct seen *seen, const char *expected)
{
	char names[65] = "";

	for (size_t i = 0; i < seen->count; i++)
		names[i] = (char)seen->names[i];
	assert_string_equal(names, expected);
}

static void records_of_several_rings_come_in_order_of_time(void **state)
{
	struct wk_merge merge = { 0 };
	struct wk_chunk *one = new_chunk(NULL), *two = new_chunk(NULL);
	struct seen seen = { 0 };

	(void)state;
	put(one, 10, 'a');
	put(one, 30, 'c');
	put(one, 50, 'e');
	put(two, 20, 'b');
	put(two, 40, 'd');
	wk_merge_add(&merge, one);
	wk_merge_add(&merge, two);
	assert_true(wk_merge_flush(&merge, UINT64_MAX, NULL, take, &seen, NULL));
	assert_names(&seen, "abcde");
	assert_int_equal(one->live, 0);
	wk_merge_fini(&merge, NULL);
	wk_free(one);
	wk_free(two);
}

static void a_ring_that_is_out_of_order_is_sorted_as_well(void **state)
{
	static const uint64_t times[] = { 7, 3, 9, 1, 8, 2, 6, 4, 5 };
	struct wk_merge merge = { 0 };
	struct wk_chunk *chunk = new_chunk(NULL);
	struct seen seen = { 0 };

	(void)state;
	for (size_t i = 0; i < 9; i++)
		put(chunk, times[i], 'a' + times[i]);
	wk_merge_add(&merge, chunk);
	assert_true(wk_merge_flush(&merge, UINT64_MAX, NULL, take, &seen, NULL));
	assert_names(&seen, "bcdefghij");
	assert_int_equal(merge.late, 0);
	wk_merge_fini(&merge, NULL);
	wk_free(chunk);
}

static void records_of_the_same_time_stay_in_their_order(void **state)
{
	struct wk_merge merge = { 0 };
	struct wk_chunk *one = new_chunk(NULL), *two = new_chunk(NULL);
	struct seen seen = { 0 };

	(void)state;
	put(one, 5, 'a');
	put(one, 5, 'b');
	put(two, 4, 'x');
	put(two, 5, 'c');
	wk_merge_add(&merge, one);
	wk_merge_add(&merge, two);
	assert_true(wk_merge_flush(&merge, UINT64_MAX, NULL, take, &seen, NULL));
	assert_names(&seen, "xabc");
	wk_merge_fini(&merge, NULL);
	wk_free(one);
	wk_free(two);
}

static void what_is_not_final_waits(void **state)
{
	struct wk_merge merge = { 0 };
	struct wk_chunk *one = new_chunk(NULL), *two = new_chunk(NULL);
	struct seen seen = { 0 };

	(void)state;
	put(one, 10, 'a');
	put(one, 30, 'c');
	wk_merge_add(&merge, one);
	assert_true(wk_merge_flush(&merge, 20, NULL, take, &seen, NULL));
	assert_names(&seen, "a");
	assert_int_equal(one->live, 1);
	put(two, 25, 'b');
	wk_merge_add(&merge, two);
	assert_true(wk_merge_flush(&merge, 30, NULL, take, &seen, NULL));
	assert_names(&seen, "abc");
	wk_merge_fini(&merge, NULL);
	wk_free(one);
	wk_free(two);
}

static void a_late_record_is_counted_and_time_does_not_fall(void **state)
{
	struct wk_merge merge = { 0 };
	struct wk_chunk *one = new_chunk(NULL), *two = new_chunk(NULL);
	struct seen seen = { 0 };

	(void)state;
	put(one, 10, 'a');
	wk_merge_add(&merge, one);
	assert_true(wk_merge_flush(&merge, 20, NULL, take, &seen, NULL));
	put(two, 5, 'b');
	wk_merge_add(&merge, two);
	assert_true(wk_merge_flush(&merge, 20, NULL, take, &seen, NULL));
	assert_names(&seen, "ab");
	assert_int_equal(seen.times[1], 10);
	assert_int_equal(merge.late, 1);
	wk_merge_fini(&merge, NULL);
	wk_free(one);
	wk_free(two);
}

static void a_damaged_chunk_is_read_as_far_as_it_is_good(void **state)
{
	struct wk_merge merge = { 0 };
	struct wk_chunk *chunk = new_chunk(NULL);
	struct seen seen = { 0 };
	struct perf_event_header header = { .size = 3 };

	(void)state;
	put(chunk, 10, 'a');
	put(chunk, 20, 'b');
	memcpy(chunk->bytes + sizeof(struct record), &header, sizeof(header));
	wk_merge_add(&merge, chunk);
	assert_true(wk_merge_flush(&merge, UINT64_MAX, NULL, take, &seen, NULL));
	assert_names(&seen, "a");
	wk_merge_fini(&merge, NULL);
	wk_free(chunk);
}

static void chunks_go_back_to_the_queue_when_nothing_in_them_is_needed(void **state)
{
	struct wk_queue queue;
	struct wk_merge merge = { 0 };
	struct wk_chunk *chunk;
	struct seen seen = { .stop_at = 2 };
	struct wk_err err = { 0 };

	(void)state;
	wk_queue_init(&queue, WK_CHUNK_BYTES);
	chunk = wk_queue_chunk(&queue);
	put(chunk, 1, 'a');
	put(chunk, 2, 'b');
	put(chunk, 3, 'c');
	wk_merge_add(&merge, chunk);
	assert_false(wk_merge_flush(&merge, UINT64_MAX, &queue, take, &seen, &err));
	assert_int_equal(queue.used_bytes, WK_CHUNK_BYTES);
	wk_merge_fini(&merge, &queue);
	assert_int_equal(queue.used_bytes, 0);
	assert_ptr_equal(wk_queue_chunk(&queue), chunk);
	wk_queue_release(&queue, chunk);
	wk_queue_fini(&queue);
}

static void a_full_queue_has_room_again_once_its_rounds_are_done(void **state)
{
	struct wk_queue queue;
	struct wk_round round = { .final_ns = 5 }, *got;
	struct wk_chunk *chunk;

	(void)state;
	wk_queue_init(&queue, WK_CHUNK_BYTES);
	assert_true(wk_queue_has_space(&queue, 100 * WK_CHUNK_BYTES, true));
	chunk = wk_queue_chunk(&queue);
	round.first = round.last = chunk;
	wk_queue_put(&queue, &round, true);
	assert_false(wk_queue_has_space(&queue, 1, true));
	got = wk_queue_pop(&queue, 0);
	assert_non_null(got);
	assert_int_equal(got->final_ns, 5);
	assert_ptr_equal(got->first, chunk);
	wk_queue_release(&queue, chunk);
	wk_queue_done(&queue, got);
	assert_true(wk_queue_has_space(&queue, 1, true));
	assert_null(wk_queue_pop(&queue, 1000));
	wk_queue_fini(&queue);
}

static void what_can_stay_in_the_rings_uses_less(void **state)
{
	struct wk_queue queue;
	struct wk_round round = { 0 };

	(void)state;
	wk_queue_init(&queue, 4 * (size_t)WK_QUEUE_USUAL_BYTES);
	wk_queue_put(&queue, &round, true);
	assert_true(wk_queue_has_space(&queue, WK_QUEUE_USUAL_BYTES, false));
	assert_false(wk_queue_has_space(&queue, WK_QUEUE_USUAL_BYTES + 1, false));
	assert_true(wk_queue_has_space(&queue, WK_QUEUE_USUAL_BYTES + 1, true));
	assert_false(wk_queue_has_space(&queue, 5 * (size_t)WK_QUEUE_USUAL_BYTES, true));
	wk_queue_fini(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_several_rings_come_in_order_of_time),
		cmocka_unit_test(a_ring_that_is_out_of_order_is_sorted_as_well),
		cmocka_unit_test(records_of_the_same_time_stay_in_their_order),
		cmocka_unit_test(what_is_not_final_waits),
		cmocka_unit_test(a_late_record_is_counted_and_time_does_not_fall),
		cmocka_unit_test(a_damaged_chunk_is_read_as_far_as_it_is_good),
		cmocka_unit_test(chunks_go_back_to_the_queue_when_nothing_in_them_is_needed),
		cmocka_unit_test(a_full_queue_has_room_again_once_its_rounds_are_done),
		cmocka_unit_test(what_can_stay_in_the_rings_uses_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
