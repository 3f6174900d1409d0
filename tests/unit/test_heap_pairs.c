/* Calls of an allocator's functions, as blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "formats/perf/heap_pairs.h"

#define STACK UINT64_C(0x7f0000001000)

struct fixture {
	struct wk_heap_pairs *pairs;
	struct wk_heap_changes changes;
	char said[1024]; /* "+address:size" and "-address", in order */
};

static bool take(void *context, const struct wk_heap_block_change *change)
{
	struct fixture *f = context;
	size_t len = strlen(f->said);

	if (change->is_freed)
		snprintf(f->said + len, sizeof(f->said) - len, "-%llx ",
			 (unsigned long long)change->address);
	else
		snprintf(f->said + len, sizeof(f->said) - len, "+%llx:%llu ",
			 (unsigned long long)change->address,
			 (unsigned long long)change->size_bytes);
	return true;
}

static int set_up(void **state)
{
	struct fixture *f = wk_alloc_zeroed(1, sizeof(*f));

	f->pairs = wk_heap_pairs_new();
	f->changes = (struct wk_heap_changes){ take, f };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	wk_heap_pairs_free(f->pairs);
	wk_free(f);
	return 0;
}

/* Each call has a function of its own. `depth`: bytes of the stack below STACK. */
static struct wk_heap_thread_call call_of(uint32_t tid, enum wk_allocator_call call, uint64_t depth)
{
	return (struct wk_heap_thread_call){ 1, tid, (uint32_t)call, call, STACK - depth };
}

static void begin(struct fixture *f, uint32_t tid, enum wk_allocator_call call, uint64_t depth,
		  uint64_t a, uint64_t b, uint64_t c)
{
	struct wk_heap_thread_call of = call_of(tid, call, depth);
	struct wk_heap_begin how = { .arguments = { a, b, c } };

	assert_true(wk_heap_pairs_begin(f->pairs, &of, &how, &f->changes));
}

static void end(struct fixture *f, uint32_t tid, enum wk_allocator_call call, uint64_t depth,
		uint64_t result)
{
	struct wk_heap_thread_call of = call_of(tid, call, depth - 8);
	struct wk_heap_end how = { .result = result, .stack = { 0xaaa0, 0xbbb0, 0xccc0 } };

	assert_true(wk_heap_pairs_end(f->pairs, &of, &how, &f->changes));
}

#define MALLOC  WK_ALLOCATOR_MALLOC
#define CALLOC  WK_ALLOCATOR_CALLOC
#define REALLOC WK_ALLOCATOR_REALLOC
#define FREE    WK_ALLOCATOR_FREE

static void sizes_are_those_of_the_arguments(void **state)
{
	struct fixture *f = *state;
	enum wk_allocator_call calls[] = { MALLOC, CALLOC, WK_ALLOCATOR_PVALLOC,
				      WK_ALLOCATOR_MALLOC_BEHIND, WK_ALLOCATOR_CALLOC_BEHIND };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		begin(f, 1, calls[i], 64, 3, 5, 7);
		end(f, 1, calls[i], 64, 0x10 + i);
	}
	assert_string_equal(f->said, "+10:3 +11:15 +12:4096 +13:5 +14:35 ");
}

static void calls_inside_do_not_count(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, CALLOC, 64, 2, 50, 0);
	begin(f, 1, MALLOC, 128, 100, 0, 0);
	end(f, 1, MALLOC, 128, 0x10);
	end(f, 1, CALLOC, 64, 0x10);
	/* By a jump: the stack is the same. */
	begin(f, 1, CALLOC, 64, 1, 10, 0);
	begin(f, 1, MALLOC, 64, 10, 0, 0);
	end(f, 1, MALLOC, 64, 0x20);
	end(f, 1, CALLOC, 64, 0x20);
	begin(f, 1, REALLOC, 64, 0x20, 30, 0);
	begin(f, 1, MALLOC, 90, 30, 0, 0);
	end(f, 1, MALLOC, 90, 0x30);
	begin(f, 1, FREE, 90, 0x20, 0, 0);
	end(f, 1, REALLOC, 64, 0x30);
	begin(f, 1, WK_ALLOCATOR_INTERNAL, 64, 0, 0, 0);
	begin(f, 1, FREE, 90, 0x70, 0, 0);
	end(f, 1, WK_ALLOCATOR_INTERNAL, 64, 1);
	assert_string_equal(f->said, "+10:100 +20:10 -20 +30:30 ");
}

static void a_release_that_calls_another_is_one(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, FREE, 64, 0x10, 0, 0);
	begin(f, 1, FREE, 128, 0x10, 0, 0);
	begin(f, 2, MALLOC, 64, 5, 0, 0);
	end(f, 2, MALLOC, 64, 0x10);
	/* It is another block now. */
	begin(f, 1, FREE, 64, 0x10, 0, 0);
	begin(f, 1, FREE, 64, 0x20, 0, 0);
	begin(f, 1, FREE, 64, 0, 0, 0);
	assert_string_equal(f->said, "-10 +10:5 -10 -20 ");
}

static void what_fails_changes_nothing(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, MALLOC, 64, 100, 0, 0);
	end(f, 1, MALLOC, 64, 0);
	begin(f, 1, REALLOC, 64, 0x10, 100, 0);
	end(f, 1, REALLOC, 64, 0);
	assert_string_equal(f->said, "");
	/* To no bytes, that is a release. */
	begin(f, 1, REALLOC, 64, 0x10, 0, 0);
	end(f, 1, REALLOC, 64, 0);
	assert_string_equal(f->said, "-10 ");
}

static void a_block_that_moves_makes_room_for_another_thread(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, REALLOC, 64, 0x10, 100, 0);
	begin(f, 2, MALLOC, 64, 7, 0, 0);
	end(f, 2, MALLOC, 64, 0x10);
	end(f, 1, REALLOC, 64, 0x20);
	assert_string_equal(f->said, "-10 +10:7 +20:100 ");
}

static void a_pointer_is_read_from_the_stack(void **state)
{
	struct fixture *f = *state;
	enum wk_allocator_call call = WK_ALLOCATOR_POSIX_MEMALIGN;

	begin(f, 1, call, 64, STACK - 56 + 8, 64, 100);
	end(f, 1, call, 64, 0);
	begin(f, 1, call, 64, STACK - 56 + 8, 64, 100);
	end(f, 1, call, 64, 22); /* EINVAL */
	assert_int_equal(wk_heap_pairs_unknown(f->pairs), 0);
	begin(f, 1, call, 64, STACK + 100000, 64, 100);
	end(f, 1, call, 64, 0);
	begin(f, 1, call, 64, 0x1000, 64, 100);
	end(f, 1, call, 64, 0);
	assert_string_equal(f->said, "+bbb0:100 ");
	assert_int_equal(wk_heap_pairs_unknown(f->pairs), 2);
}

static void a_call_that_was_left_is_dropped(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, MALLOC, 200, 1, 0, 0); /* an exception */
	begin(f, 1, MALLOC, 100, 2, 0, 0);
	end(f, 1, MALLOC, 100, 0x10);
	begin(f, 1, MALLOC, 100, 3, 0, 0); /* its end was lost */
	begin(f, 1, MALLOC, 100, 4, 0, 0);
	end(f, 1, MALLOC, 100, 0x20);
	end(f, 1, MALLOC, 100, 0x30); /* its beginning was */
	assert_string_equal(f->said, "+10:2 +20:4 ");
}

static void losses_end_what_has_begun(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, REALLOC, 64, 0x10, 5, 0);
	wk_heap_pairs_forget(f->pairs);
	begin(f, 1, MALLOC, 128, 6, 0, 0);
	end(f, 1, MALLOC, 128, 0x10);
	end(f, 1, REALLOC, 64, 0x20);
	assert_string_equal(f->said, "+10:6 ");
}

static void names_of_tracepoints_say_what_they_are_on(void **state)
{
	struct wk_str function;
	bool is_exit;

	(void)state;
	assert_int_equal(
		wk_allocator_call_of_point(wk_str_c("enter_posixmemalign_mi_posix_memalign"),
					   &is_exit, &function),
		WK_ALLOCATOR_POSIX_MEMALIGN);
	assert_false(is_exit);
	assert_true(wk_str_is(function, "mi_posix_memalign"));
	assert_int_equal(wk_allocator_call_of_point(wk_str_c("exit_malloc_x"), &is_exit, &function),
			 MALLOC);
	assert_true(is_exit);
	assert_int_equal(wk_allocator_call_of_point(wk_str_c("exit__x"), &is_exit, &function),
			 WK_ALLOCATOR_NONE);
	assert_int_equal(
		wk_allocator_call_of_point(wk_str_c("sys_enter_mmap"), &is_exit, &function),
		WK_ALLOCATOR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(sizes_are_those_of_the_arguments),
		TEST(calls_inside_do_not_count),
		TEST(a_release_that_calls_another_is_one),
		TEST(what_fails_changes_nothing),
		TEST(a_block_that_moves_makes_room_for_another_thread),
		TEST(a_pointer_is_read_from_the_stack),
		TEST(a_call_that_was_left_is_dropped),
		TEST(losses_end_what_has_begun),
		TEST(names_of_tracepoints_say_what_they_are_on),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
