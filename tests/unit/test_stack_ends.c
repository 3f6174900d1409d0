/* Where the stacks of threads end, as walks show it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/stack_ends.h"

#define HIGHEST UINT64_C(0x7fff12345678)
#define END     UINT64_C(0x7fff12346000)

#define VALUE UINT64_C(0x401234)

static void learn(struct wk_stack_ends *ends, uint32_t tid, uint64_t highest, int times)
{
	while (times-- > 0)
		wk_stack_ends_learn(ends, tid, highest, VALUE);
}

/* 0: none is known. */
static uint64_t find(const struct wk_stack_ends *ends, uint32_t tid)
{
	struct wk_stack_end end;

	if (!wk_stack_ends_find(ends, tid, &end))
		return 0;
	assert_true(end.address < end.end && end.end - end.address <= 4096);
	assert_true(end.value == VALUE);
	return end.end;
}

static void walks_that_agree_are_believed(void **state)
{
	struct wk_stack_ends *ends = wk_stack_ends_new();

	(void)state;
	assert_true(find(ends, 7) == 0);
	learn(ends, 7, HIGHEST, 2);
	assert_true(find(ends, 7) == 0);
	learn(ends, 7, HIGHEST, 1);
	assert_true(find(ends, 7) == END);
	learn(ends, 7, HIGHEST, 1000);
	assert_true(find(ends, 7) == END);
	wk_stack_ends_free(ends);
}

/* As those of a program and of its loader do. */
static void other_frames_of_the_same_page_are_learned_anew(void **state)
{
	struct wk_stack_ends *ends = wk_stack_ends_new();
	struct wk_stack_end end;

	(void)state;
	learn(ends, 7, HIGHEST, 3);
	learn(ends, 7, HIGHEST + 8, 2);
	assert_true(find(ends, 7) == 0);
	learn(ends, 7, HIGHEST + 8, 1);
	assert_true(find(ends, 7) == END);
	wk_stack_ends_learn(ends, 7, HIGHEST + 8, VALUE + 1);
	assert_true(find(ends, 7) == 0);
	wk_stack_ends_learn(ends, 7, HIGHEST + 8, VALUE + 1);
	wk_stack_ends_learn(ends, 7, HIGHEST + 8, VALUE + 1);
	assert_true(wk_stack_ends_find(ends, 7, &end));
	assert_true(end.address == HIGHEST + 8 && end.value == VALUE + 1);
	wk_stack_ends_free(ends);
}

/* Until the thread is another one. */
static void a_thread_with_several_stacks_has_no_end(void **state)
{
	struct wk_stack_ends *ends = wk_stack_ends_new();

	(void)state;
	learn(ends, 7, HIGHEST, 3);
	learn(ends, 7, HIGHEST + 0x10000, 1);
	assert_true(find(ends, 7) == 0);
	learn(ends, 7, HIGHEST, 10);
	assert_true(find(ends, 7) == 0);
	wk_stack_ends_forget(ends, 7);
	learn(ends, 7, HIGHEST, 2);
	assert_true(find(ends, 7) == 0);
	learn(ends, 7, HIGHEST, 1);
	assert_true(find(ends, 7) == END);
	wk_stack_ends_doubt(ends, 7 + 256);
	assert_true(find(ends, 7) == END);
	wk_stack_ends_doubt(ends, 7);
	assert_true(find(ends, 7) == 0);
	learn(ends, 7, HIGHEST, 10);
	assert_true(find(ends, 7) == 0);
	wk_stack_ends_free(ends);
}

/* There is a place for so many threads; a later one takes that of another. */
static void threads_have_ends_of_their_own(void **state)
{
	struct wk_stack_ends *ends = wk_stack_ends_new();

	(void)state;
	learn(ends, 7, HIGHEST, 3);
	learn(ends, 8, HIGHEST + 0x1000, 3);
	assert_true(find(ends, 7) == END);
	assert_true(find(ends, 8) == END + 0x1000);
	wk_stack_ends_forget(ends, 7 + 256);
	assert_true(find(ends, 7) == END);
	learn(ends, 7 + 256, HIGHEST + 0x2000, 3);
	assert_true(find(ends, 7) == 0);
	assert_true(find(ends, 7 + 256) == END + 0x2000);
	wk_stack_ends_free(ends);
}

static void what_does_not_fit_is_not_known(void **state)
{
	struct wk_stack_ends *ends = wk_stack_ends_new();

	(void)state;
	learn(ends, 7, UINT64_C(1) << 48, 5);
	assert_true(find(ends, 7) == 0);
	learn(ends, UINT32_C(1) << 28, HIGHEST, 5);
	assert_true(find(ends, UINT32_C(1) << 28) == 0);
	wk_stack_ends_free(ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_that_agree_are_believed),
		cmocka_unit_test(other_frames_of_the_same_page_are_learned_anew),
		cmocka_unit_test(a_thread_with_several_stacks_has_no_end),
		cmocka_unit_test(threads_have_ends_of_their_own),
		cmocka_unit_test(what_does_not_fit_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
