#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/frame_pointers.h"

/* Return addresses are 100, 200 ...; in the unwound chain they are one less. */
static void the_kernels_frames_follow_the_outermost_common_one(void **state)
{
	uint64_t chain[8] = { 5, 99, 199, 777, 888 };
	const uint64_t kernel[] = { 5, 200, 300, 400 };

	(void)state;
	assert_int_equal(wk_frame_pointers_continue(chain, 5, 8, kernel, 4), 5);
	assert_int_equal(chain[1], 99);
	assert_int_equal(chain[2], 199);
	assert_int_equal(chain[3], 299);
	assert_int_equal(chain[4], 399);
}

static void chains_without_a_common_frame_stay_as_they_are(void **state)
{
	uint64_t chain[8] = { 5, 99, 199 };
	const uint64_t kernel[] = { 5, 300, 400 };

	(void)state;
	/* The current address is in both and says nothing. */
	assert_int_equal(wk_frame_pointers_continue(chain, 3, 8, kernel, 3), 0);
	assert_int_equal(wk_frame_pointers_continue(chain, 1, 8, kernel, 3), 0);
	assert_int_equal(wk_frame_pointers_continue(chain, 0, 8, kernel, 0), 0);
	assert_int_equal(chain[2], 199);
}

static void a_recursion_is_not_shortened(void **state)
{
	uint64_t chain[8] = { 5, 99, 99, 99, 777 };
	const uint64_t kernel[] = { 5, 100, 100, 100, 100, 100, 200 };

	(void)state;
	assert_int_equal(wk_frame_pointers_continue(chain, 5, 8, kernel, 7), 7);
	assert_int_equal(chain[5], 99);
	assert_int_equal(chain[6], 199);
}

static void no_more_frames_than_there_is_space_for(void **state)
{
	uint64_t chain[3] = { 5, 99, 0 };
	const uint64_t kernel[] = { 5, 100, 200, 300 };

	(void)state;
	assert_int_equal(wk_frame_pointers_continue(chain, 2, 3, kernel, 4), 3);
	assert_int_equal(chain[2], 199);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_frames_follow_the_outermost_common_one),
		cmocka_unit_test(chains_without_a_common_frame_stay_as_they_are),
		cmocka_unit_test(a_recursion_is_not_shortened),
		cmocka_unit_test(no_more_frames_than_there_is_space_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
