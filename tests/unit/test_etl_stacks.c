#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/etl/stacks.h"

#define KERNEL 0xfffff80000000000u

static struct wk_bytes chain_of(const uint64_t *addresses, size_t count)
{
	return wk_bytes_of(addresses, count * sizeof(*addresses));
}

static bool find(struct wk_etl_stacks *stacks, uint64_t time, uint32_t tid,
		 struct wk_etl_chain *chain)
{
	return wk_etl_stacks_find(stacks, (struct wk_etl_stack_owner){ time, tid, 0 }, chain);
}

static void check(struct wk_etl_stacks *stacks, uint64_t time, uint32_t tid, const uint64_t *kernel,
		  size_t kernel_count, const uint64_t *user, size_t user_count)
{
	struct wk_etl_chain chain;

	assert_true(find(stacks, time, tid, &chain));
	assert_int_equal(chain.kernel_count, kernel_count);
	assert_int_equal(chain.user_count, user_count);
	if (kernel_count)
		assert_memory_equal(chain.kernel, kernel, kernel_count * sizeof(*kernel));
	if (user_count)
		assert_memory_equal(chain.user, user, user_count * sizeof(*user));
}

static void two_halves_of_an_event_are_one_stack_in_whatever_order(void **state)
{
	static const uint64_t kernel[] = { KERNEL + 2, KERNEL + 1 }, user[] = { 30, 20, 10 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_stack_owner first = { 100, 7, 0 }, second = { 200, 7, 0 };

	(void)state;
	wk_etl_stacks_add(stacks, first, chain_of(user, 3), 8);
	wk_etl_stacks_add(stacks, first, chain_of(kernel, 2), 8);
	wk_etl_stacks_add(stacks, second, chain_of(kernel, 2), 8);
	wk_etl_stacks_add(stacks, second, chain_of(user, 3), 8);
	assert_int_equal(wk_etl_stacks_settle(stacks), 0);
	check(stacks, 100, 7, kernel, 2, user, 3);
	check(stacks, 200, 7, kernel, 2, user, 3);
	wk_etl_stacks_free(stacks);
}

static void frames_are_the_kernels_by_their_addresses(void **state)
{
	static const uint64_t mixed[] = { KERNEL + 2, KERNEL + 1, 0, 20, 10 };
	static const uint64_t kernel[] = { KERNEL + 2, KERNEL + 1 }, user[] = { 20, 10 };
	static const uint32_t narrow[] = { 0x80000001, 0x7fffffff };
	static const uint64_t narrow_kernel[] = { 0x80000001 }, narrow_user[] = { 0x7fffffff };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();

	(void)state;
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 1, 1, 0 }, chain_of(mixed, 5), 8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 2, 1, 0 },
			  wk_bytes_of(narrow, sizeof(narrow)), 4);
	wk_etl_stacks_settle(stacks);
	check(stacks, 1, 1, kernel, 2, user, 2);
	check(stacks, 2, 1, narrow_kernel, 1, narrow_user, 1);
	wk_etl_stacks_free(stacks);
}

/* A key is the place of a cache entry, which has another stack later. */
static void a_key_means_the_first_definition_that_is_not_older(void **state)
{
	static const uint64_t a[] = { 1, 2 }, b[] = { 3, 4, 5 }, c[] = { 6 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;

	(void)state;
	wk_etl_stacks_define(stacks, false, 77, 300, chain_of(c, 1), 8);
	wk_etl_stacks_define(stacks, false, 77, 100, chain_of(a, 2), 8);
	wk_etl_stacks_define(stacks, false, 77, 200, chain_of(b, 3), 8);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 50, 1, 0 }, 77, 60);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 90, 1, 0 }, 77, 100);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 95, 1, 0 }, 77, 101);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 250, 1, 0 }, 77, 299);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 300, 1, 0 }, 77, 301);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 301, 1, 0 }, 78, 301);
	assert_int_equal(wk_etl_stacks_settle(stacks), 2);
	check(stacks, 50, 1, NULL, 0, a, 2);
	check(stacks, 90, 1, NULL, 0, a, 2);
	check(stacks, 95, 1, NULL, 0, b, 3);
	check(stacks, 250, 1, NULL, 0, c, 1);
	assert_false(find(stacks, 300, 1, &chain));
	assert_false(find(stacks, 301, 1, &chain));
	wk_etl_stacks_free(stacks);
}

/* Two processors tick alike: the time alone tells nothing. */
static void a_key_whose_end_is_not_told_means_what_it_began_as(void **state)
{
	static const uint64_t a[] = { 1, 2 }, b[] = { 3, 4, 5 }, c[] = { 6 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();

	(void)state;
	wk_etl_stacks_define(stacks, true, 77, 10, chain_of(a, 2), 8);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 11, 1, 0 }, 77, 11);
	wk_etl_stacks_define(stacks, true, 77, 20, chain_of(b, 3), 8);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 20, 1, 0 }, 77, 20);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 5, 1, 0 }, 77, 5);
	wk_etl_stacks_define(stacks, true, 78, 10, chain_of(a, 2), 8);
	wk_etl_stacks_add_key(stacks, (struct wk_etl_stack_owner){ 30, 1, 0 }, 78, 30);
	wk_etl_stacks_define(stacks, false, 78, 40, chain_of(c, 1), 8);
	assert_int_equal(wk_etl_stacks_settle(stacks), 1);
	check(stacks, 11, 1, NULL, 0, a, 2);
	check(stacks, 20, 1, NULL, 0, b, 3);
	check(stacks, 30, 1, NULL, 0, c, 1);
	wk_etl_stacks_free(stacks);
}

static void a_stack_is_of_the_thread_that_it_names(void **state)
{
	static const uint64_t a[] = { 1 }, b[] = { 2 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;

	(void)state;
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 10, 0 }, chain_of(a, 1), 8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 11, 0 }, chain_of(b, 1), 8);
	wk_etl_stacks_settle(stacks);
	check(stacks, 5, 10, NULL, 0, a, 1);
	check(stacks, 5, 11, NULL, 0, b, 1);
	assert_false(find(stacks, 5, 12, &chain));
	assert_false(find(stacks, 6, 10, &chain));
	wk_etl_stacks_free(stacks);
}

static void a_half_that_is_told_twice_counts_once(void **state)
{
	static const uint64_t short_one[] = { 3, 2 }, long_one[] = { 3, 2, 1 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();

	(void)state;
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 1, 0 }, chain_of(short_one, 2),
			  8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 1, 0 }, chain_of(long_one, 3), 8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 1, 0 }, chain_of(short_one, 2),
			  8);
	wk_etl_stacks_settle(stacks);
	check(stacks, 5, 1, NULL, 0, long_one, 3);
	wk_etl_stacks_free(stacks);
}

static void what_is_deeper_than_any_stack_is_cut_at_its_root(void **state)
{
	uint64_t addresses[5000];
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		addresses[i] = i + 1;
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 1, 0 }, chain_of(addresses, 5000),
			  8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 6, 1, 0 },
			  wk_bytes_of(addresses, 13), 8);
	wk_etl_stacks_settle(stacks);
	assert_true(find(stacks, 5, 1, &chain));
	assert_int_equal(chain.user_count, 1024);
	assert_int_equal(chain.user[0], 1);
	check(stacks, 6, 1, NULL, 0, addresses, 1);
	wk_etl_stacks_free(stacks);
}

static void without_any_stack_there_is_none(void **state)
{
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;

	(void)state;
	assert_int_equal(wk_etl_stacks_settle(stacks), 0);
	assert_false(find(stacks, 0, 0, &chain));
	wk_etl_stacks_free(stacks);
}

/* The kernel's half is made at once, on the processor of the event; the user's may be made
 * elsewhere. */
static void an_event_without_a_thread_has_the_stack_of_its_processor(void **state)
{
	static const uint64_t a[] = { KERNEL + 1 }, b[] = { 20 }, c[] = { KERNEL + 3 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;
	uint32_t tid = 0;

	(void)state;
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 10, 2 }, chain_of(b, 1), 8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 10, 3 }, chain_of(a, 1), 8);
	wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, 9, 1 }, chain_of(c, 1), 8);
	wk_etl_stacks_settle(stacks);
	assert_true(wk_etl_stacks_find_on(stacks, 5, 3, &tid, &chain));
	assert_int_equal(tid, 10);
	assert_int_equal(chain.kernel_count + chain.user_count, 2);
	assert_true(wk_etl_stacks_find_on(stacks, 5, 1, &tid, &chain));
	assert_int_equal(tid, 9);
	assert_false(wk_etl_stacks_find_on(stacks, 5, 2, &tid, &chain));
	assert_false(wk_etl_stacks_find_on(stacks, 6, 3, &tid, &chain));
	assert_int_equal(tid, 9);
	wk_etl_stacks_free(stacks);
}

static void idle_threads_of_two_processors_are_two(void **state)
{
	static const uint64_t a[] = { KERNEL + 1 }, b[] = { KERNEL + 2 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_stack_owner first = { 5, 0, 2 }, second = { 5, 0, 3 }, third = { 5, 0, 4 };
	struct wk_etl_chain chain;

	(void)state;
	wk_etl_stacks_add(stacks, second, chain_of(b, 1), 8);
	wk_etl_stacks_add(stacks, first, chain_of(a, 1), 8);
	wk_etl_stacks_settle(stacks);
	assert_true(wk_etl_stacks_find(stacks, first, &chain));
	assert_int_equal(chain.kernel[0], KERNEL + 1);
	assert_true(wk_etl_stacks_find(stacks, second, &chain));
	assert_int_equal(chain.kernel[0], KERNEL + 2);
	assert_false(wk_etl_stacks_find(stacks, third, &chain));
	wk_etl_stacks_free(stacks);
}

/* Questions mostly come in order; those that do not are answered all the same. */
static void stacks_are_found_in_whatever_order_they_are_asked_for(void **state)
{
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++) {
		uint64_t address = KERNEL + i;

		wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 2 * i, 1, 0 },
				  chain_of(&address, 1), 8);
	}
	wk_etl_stacks_settle(stacks);
	for (uint64_t i = 0, at = 0; i < 4000; i++, at = (at + 617 * i) % 2002) {
		bool is_there = at && at % 2 == 0 && at <= 2000;

		assert_int_equal(find(stacks, at, 1, &chain), is_there);
		if (is_there)
			assert_int_equal(chain.kernel[0], KERNEL + at / 2);
	}
	wk_etl_stacks_free(stacks);
}

/* A file may have any number of stacks at one time and of events that ask for them. */
static void only_so_many_stacks_of_one_time_are_looked_through(void **state)
{
	static const uint64_t a[] = { KERNEL + 1 };
	struct wk_etl_stacks *stacks = wk_etl_stacks_new();
	struct wk_etl_chain chain;
	uint32_t tid = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		wk_etl_stacks_add(stacks, (struct wk_etl_stack_owner){ 5, i, 1 }, chain_of(a, 1),
				  8);
	wk_etl_stacks_settle(stacks);
	for (uint32_t i = 0; i < 100000; i++)
		assert_false(wk_etl_stacks_find_on(stacks, 5, 2, &tid, &chain));
	assert_true(wk_etl_stacks_find_on(stacks, 5, 1, &tid, &chain));
	wk_etl_stacks_free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_halves_of_an_event_are_one_stack_in_whatever_order),
		cmocka_unit_test(frames_are_the_kernels_by_their_addresses),
		cmocka_unit_test(a_key_means_the_first_definition_that_is_not_older),
		cmocka_unit_test(a_key_whose_end_is_not_told_means_what_it_began_as),
		cmocka_unit_test(a_stack_is_of_the_thread_that_it_names),
		cmocka_unit_test(a_half_that_is_told_twice_counts_once),
		cmocka_unit_test(what_is_deeper_than_any_stack_is_cut_at_its_root),
		cmocka_unit_test(without_any_stack_there_is_none),
		cmocka_unit_test(an_event_without_a_thread_has_the_stack_of_its_processor),
		cmocka_unit_test(idle_threads_of_two_processors_are_two),
		cmocka_unit_test(stacks_are_found_in_whatever_order_they_are_asked_for),
		cmocka_unit_test(only_so_many_stacks_of_one_time_are_looked_through),
	};

	return cmocka_run_group_tests_name("etl_stacks", tests, NULL, NULL);
}
