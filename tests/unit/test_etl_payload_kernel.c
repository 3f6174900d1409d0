/* Payloads of switches, counters of processes, heaps and samples, most in both widths;
 * test_etl_kernel.c has what the reader makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etl_payloads.h"

static const struct wk_etl_form narrow = { 2, 4 }, wide = { 2, 8 };

static struct wk_etl_form form_of(size_t pointer)
{
	return pointer == 4 ? narrow : wide;
}

/* As Windows XP had it: sixteen bytes, with quantums where later ones have ranks. */
static struct wk_event_switch old_switch(uint8_t reason, uint8_t mode)
{
	struct wk_event_switch switched = { 0 };
	struct wk_buf p = { 0 };
	uint32_t new_tid;

	put(&p, 8, 4);
	put(&p, 7, 4);
	put(&p, 0x01020304, 4);
	put(&p, reason, 1);
	put(&p, mode, 1);
	put(&p, 5, 1);
	put(&p, 0, 1);
	assert_true(wk_etl_read_switch(bytes_of(&p), &new_tid, &switched));
	assert_int_equal(new_tid, 8);
	assert_int_equal(switched.old_tid, 7);
	assert_true(switched.old_waits);
	wk_buf_fini(&p);
	return switched;
}

static void an_old_switch_is_read_by_what_it_has_in_common(void **state)
{
	(void)state;
	assert_int_equal(old_switch(37, 1).wait_mode, WK_WAIT_USER);
	assert_int_equal(old_switch(37, 0).wait_mode, WK_WAIT_KERNEL);
	assert_int_equal(old_switch(37, 2).wait_mode, WK_WAIT_UNTOLD);
	assert_true(wk_str_is(old_switch(37, 1).wait_reason, "WrAlertByThreadId"));
}

static void unknown_reasons_have_no_name(void **state)
{
	(void)state;
	assert_true(wk_str_is(old_switch(0, 0).wait_reason, "Executive"));
	assert_true(wk_str_is(old_switch(4, 0).wait_reason, "DelayExecution"));
	assert_true(wk_str_is(old_switch(15, 0).wait_reason, "WrQueue"));
	assert_true(wk_str_is(old_switch(32, 0).wait_reason, "WrPreempted"));
	assert_true(wk_str_is(old_switch(255, 0).wait_reason, ""));
}

static void counters_of_a_process_are_read_with_either_pointer_size(void **state)
{
	(void)state;
	for (size_t pointer = 4; pointer <= 8; pointer += 4) {
		struct wk_buf p = { 0 };
		struct wk_process_use use;
		uint32_t pid;

		for (uint64_t i = 1; i <= 4; i++)
			put(&p, i, 4);
		for (uint64_t i = 11; i <= 18; i++)
			put(&p, i, pointer);
		assert_true(wk_etl_read_use(bytes_of(&p), form_of(pointer), &pid, &use));
		assert_int_equal(pid, 1);
		assert_int_equal(use.page_faults, 2);
		assert_int_equal(use.handles, 3);
		assert_int_equal(use.peak_virtual_bytes, 11);
		assert_int_equal(use.peak_working_set_bytes, 12);
		assert_int_equal(use.peak_commit_bytes, 13);
		assert_int_equal(use.working_set_bytes, 17);
		assert_int_equal(use.commit_bytes, 18);
		p.len--;
		assert_false(wk_etl_read_use(bytes_of(&p), form_of(pointer), &pid, &use));
		wk_buf_fini(&p);
	}
}

static void check_realloc(size_t pointer)
{
	struct wk_buf p = { 0 };
	struct wk_event_heap block = { .change = WK_HEAP_REALLOCATE };

	for (uint64_t i = 1; i <= 5; i++)
		put(&p, i * 0x1000, pointer);
	put(&p, 3, 4);
	assert_true(wk_etl_read_heap(bytes_of(&p), form_of(pointer), &block));
	assert_int_equal(block.heap, 0x1000);
	assert_int_equal(block.address, 0x2000);
	assert_int_equal(block.old_address, 0x3000);
	assert_int_equal(block.size_bytes, 0x4000);
	assert_int_equal(block.old_size_bytes, 0x5000);
	assert_true(wk_str_is(block.made_by, "main path"));
	wk_buf_fini(&p);
}

static void blocks_of_heaps_are_read_with_either_pointer_size(void **state)
{
	(void)state;
	for (size_t pointer = 4; pointer <= 8; pointer += 4) {
		struct wk_buf p = { 0 };
		struct wk_event_heap block = { .change = WK_HEAP_ALLOCATE };
		struct wk_event_heap freed = { .change = WK_HEAP_FREE };

		for (uint64_t i = 1; i <= 3; i++)
			put(&p, i * 0x1000, pointer);
		put(&p, 2, 4);
		assert_true(wk_etl_read_heap(bytes_of(&p), form_of(pointer), &block));
		assert_int_equal(block.heap, 0x1000);
		assert_int_equal(block.size_bytes, 0x2000);
		assert_int_equal(block.address, 0x3000);
		assert_true(wk_str_is(block.made_by, "low fragmentation heap"));
		assert_true(wk_etl_read_heap(bytes_of(&p), form_of(pointer), &freed));
		assert_int_equal(freed.address, 0x2000);
		assert_int_equal(freed.size_bytes, 0);
		assert_true(wk_str_is(freed.made_by, ""));
		check_realloc(pointer);
		wk_buf_fini(&p);
	}
}

static void check_gathered(size_t pointer, uint32_t claimed, size_t there, size_t expected,
			   bool is_whole)
{
	struct wk_buf p = { 0 };
	struct wk_etl_samples samples;
	struct wk_etl_sample sample;

	put(&p, claimed, pointer);
	for (size_t i = 0; i < there; i++) {
		put(&p, 0x401000 + i, pointer);
		put(&p, 101, 4);
		put(&p, 5, 4);
	}
	assert_int_equal(wk_etl_read_samples(bytes_of(&p), form_of(pointer), &samples), is_whole);
	assert_int_equal(samples.count, expected);
	for (size_t i = 0; i < samples.count; i++) {
		assert_true(wk_etl_read_sample(samples.at[i], form_of(pointer), &sample));
		assert_int_equal(sample.address, 0x401000 + i);
		assert_int_equal(sample.tid, 101);
		assert_int_equal(sample.count, 5);
	}
	wk_buf_fini(&p);
}

/* Windows writes room for twenty, however many there are. */
static void gathered_samples_are_as_many_as_are_there(void **state)
{
	(void)state;
	for (size_t pointer = 4; pointer <= 8; pointer += 4) {
		check_gathered(pointer, 3, 20, 3, true);
		check_gathered(pointer, 20, 20, 20, true);
		check_gathered(pointer, 21, 30, 20, false);
		check_gathered(pointer, 5, 2, 2, false);
		check_gathered(pointer, UINT32_MAX, 0, 0, false);
		check_gathered(pointer, 0, 0, 0, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_switch_is_read_by_what_it_has_in_common),
		cmocka_unit_test(unknown_reasons_have_no_name),
		cmocka_unit_test(counters_of_a_process_are_read_with_either_pointer_size),
		cmocka_unit_test(blocks_of_heaps_are_read_with_either_pointer_size),
		cmocka_unit_test(gathered_samples_are_as_many_as_are_there),
	};

	return cmocka_run_group_tests_name("etl_payload_kernel", tests, NULL, NULL);
}
