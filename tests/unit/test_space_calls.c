#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/event.h"
#include "formats/perf/space_calls.h"

#define PAGE    UINT64_C(4096)
#define PRIVATE 0x22 /* and anonymous */

/* Pages that were newly committed and given back, and how many changes there were. */
struct sums {
	uint64_t committed, released, decommitted, discarded, changes;
};

static bool add(void *context, uint32_t changes, uint64_t start, uint64_t size_bytes)
{
	struct sums *sums = context;

	(void)start;
	sums->changes++;
	sums->committed += changes & WK_MEMORY_COMMIT ? size_bytes / PAGE : 0;
	sums->released += changes & WK_MEMORY_RELEASE ? size_bytes / PAGE : 0;
	sums->decommitted += changes & WK_MEMORY_DECOMMIT ? size_bytes / PAGE : 0;
	sums->discarded += changes & WK_MEMORY_DISCARD ? size_bytes / PAGE : 0;
	return true;
}

struct fixture {
	struct wk_space_calls *calls;
	struct sums sums;
	struct wk_space_changes changes;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .calls = wk_space_calls_new() };
	fixture.changes = (struct wk_space_changes){ add, &fixture.sums };
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	wk_space_calls_free(fixture->calls);
	return 0;
}

static void begin(struct fixture *f, uint32_t tid, enum wk_space_call call, uint64_t a, uint64_t b,
		  uint64_t c, uint64_t d)
{
	wk_space_calls_begin(f->calls, 1, tid, call, (uint64_t[WK_SPACE_ARGUMENTS]){ a, b, c, d },
			     &f->changes);
}

static void end(struct fixture *f, uint32_t tid, enum wk_space_call call, int64_t result)
{
	wk_space_calls_end(f->calls, 1, tid, call, result, &f->changes);
}

static void whole(struct fixture *f, enum wk_space_call call, uint64_t a, uint64_t b, uint64_t c,
		  uint64_t d, int64_t result)
{
	begin(f, 1, call, a, b, c, d);
	end(f, 1, call, result);
}

static void what_fails_changes_nothing(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, -12);
	whole(f, WK_SPACE_MPROTECT, PAGE, 10 * PAGE, 3, 0, -12);
	whole(f, WK_SPACE_MUNMAP, 1, PAGE, 0, 0, -22);
	whole(f, WK_SPACE_MUNMAP, PAGE, 0, 0, 0, -22);
	assert_int_equal(f->sums.changes, 0);
}

static void an_end_without_a_beginning_is_left_out(void **state)
{
	struct fixture *f = *state;

	end(f, 1, WK_SPACE_MMAP, PAGE);
	begin(f, 1, WK_SPACE_MPROTECT, PAGE, PAGE, 3, 0);
	end(f, 1, WK_SPACE_MMAP, PAGE);
	end(f, 2, WK_SPACE_MPROTECT, 0);
	assert_int_equal(f->sums.changes, 0);
}

/* Thread 2 has the addresses before the call of thread 1 has ended. */
static void addresses_change_hands_in_the_middle_of_a_call(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, 100 * PAGE);
	begin(f, 1, WK_SPACE_MUNMAP, 100 * PAGE, 10 * PAGE, 0, 0);
	begin(f, 2, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE);
	end(f, 2, WK_SPACE_MMAP, 100 * PAGE);
	end(f, 1, WK_SPACE_MUNMAP, 0);
	assert_int_equal(f->sums.committed, 20);
	assert_int_equal(f->sums.released, 10);
}

/* Also if it could not be known when it began. */
static void a_call_that_fails_unmaps_nothing(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, 100 * PAGE);
	whole(f, WK_SPACE_MUNMAP, 102 * PAGE, PAGE, 0, 0, -12);
	assert_int_equal(f->sums.released, 0);
	begin(f, 1, WK_SPACE_MUNMAP, 102 * PAGE, PAGE, 0, 0);
	begin(f, 1, WK_SPACE_MMAP, 0, PAGE, 3, PRIVATE); /* the end of the other is missing */
	assert_int_equal(f->sums.released, 1);
}

static void a_move_leaves_what_another_thread_got_meanwhile(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, 100 * PAGE);
	begin(f, 1, WK_SPACE_MREMAP, 100 * PAGE, 10 * PAGE, 20 * PAGE, 1);
	begin(f, 2, WK_SPACE_MMAP, 0, 5 * PAGE, 3, PRIVATE);
	end(f, 2, WK_SPACE_MMAP, 100 * PAGE);
	assert_int_equal(f->sums.released, 10);
	end(f, 1, WK_SPACE_MREMAP, 200 * PAGE);
	assert_int_equal(f->sums.released, 10);
	assert_int_equal(f->sums.committed, 35);
}

static void what_is_seen_corrects_what_calls_did(void **state)
{
	struct fixture *f = *state;
	const struct wk_space_seen all = { 0, 1000 * PAGE, 0 };
	const struct wk_space_seen seen[] = {
		{ 50 * PAGE, 60 * PAGE, WK_SPACE_WRITABLE },
		{ 100 * PAGE, 104 * PAGE, WK_SPACE_WRITABLE },
		{ 104 * PAGE, 106 * PAGE, WK_SPACE_NO_RIGHTS },
	};

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, 100 * PAGE);
	wk_space_calls_seen(f->calls, 1, &all, seen, 3, false, &f->changes);
	assert_int_equal(f->sums.committed, 10 + 10);
	assert_int_equal(f->sums.decommitted, 2);
	assert_int_equal(f->sums.released, 4);
	f->sums = (struct sums){ 0 };
	wk_space_calls_seen(f->calls, 1, &all, seen, 3, false, &f->changes);
	assert_int_equal(f->sums.changes, 0);
	wk_space_calls_seen(f->calls, 2, &all, seen, 3, true, &f->changes);
	assert_int_equal(f->sums.changes, 0);
	wk_space_calls_seen(f->calls, 2, &all, seen, 1, false, &f->changes);
	assert_int_equal(f->sums.released, 6);
}

static void rights_commit_once_and_only_none_decommits(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 0, PRIVATE, 100 * PAGE);
	assert_int_equal(f->sums.committed, 0);
	whole(f, WK_SPACE_MPROTECT, 102 * PAGE, 4 * PAGE, 3, 0, 0);
	whole(f, WK_SPACE_MPROTECT, 100 * PAGE, 8 * PAGE, 3, 0, 0);
	assert_int_equal(f->sums.committed, 8);
	whole(f, WK_SPACE_MPROTECT, 100 * PAGE, 8 * PAGE, 1, 0, 0);
	assert_int_equal(f->sums.decommitted, 0);
	whole(f, WK_SPACE_MPROTECT, 100 * PAGE, 10 * PAGE, 0, 0, 0);
	assert_int_equal(f->sums.decommitted, 8);
	whole(f, WK_SPACE_MADVISE, 100 * PAGE, 3 * PAGE, 4, 0, 0);
	assert_int_equal(f->sums.discarded, 3);
}

static void a_move_releases_and_commits(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, 100 * PAGE);
	whole(f, WK_SPACE_MREMAP, 100 * PAGE, 10 * PAGE, 12 * PAGE, 1, 100 * PAGE);
	assert_int_equal(f->sums.committed, 12);
	whole(f, WK_SPACE_MREMAP, 100 * PAGE, 12 * PAGE, 5 * PAGE, 0, 100 * PAGE);
	assert_int_equal(f->sums.released, 7);
	whole(f, WK_SPACE_MREMAP, 100 * PAGE, 5 * PAGE, 20 * PAGE, 1, 500 * PAGE);
	assert_int_equal(f->sums.released, 12);
	assert_int_equal(f->sums.committed, 32);
}

static void the_break_is_known_from_its_first_call_on(void **state)
{
	struct fixture *f = *state;

	end(f, 1, WK_SPACE_BRK, 100 * PAGE + 100);
	assert_int_equal(f->sums.changes, 0);
	end(f, 1, WK_SPACE_BRK, 103 * PAGE);
	assert_int_equal(f->sums.committed, 2);
	end(f, 1, WK_SPACE_BRK, 102 * PAGE);
	assert_int_equal(f->sums.released, 1);
}

static void a_child_has_what_its_parent_had(void **state)
{
	struct fixture *f = *state;

	whole(f, WK_SPACE_MMAP, 0, 10 * PAGE, 3, PRIVATE, 100 * PAGE);
	wk_space_calls_fork(f->calls, 1, 2);
	f->sums = (struct sums){ 0 };
	wk_space_calls_begin(f->calls, 2, 2, WK_SPACE_MPROTECT,
			     (uint64_t[WK_SPACE_ARGUMENTS]){ 100 * PAGE, 12 * PAGE, 3 },
			     &f->changes);
	wk_space_calls_end(f->calls, 2, 2, WK_SPACE_MPROTECT, 0, &f->changes);
	assert_int_equal(f->sums.committed, 2);
}

/* A file that forks a process with many mappings again and again is read in proportional time. */
static void forks_do_not_multiply_the_work(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 20000; i++)
		whole(f, WK_SPACE_MMAP, 0, PAGE, 3, PRIVATE, (int64_t)(2 * i * PAGE));
	for (uint32_t i = 0; i < 20000; i++) {
		wk_space_calls_fork(f->calls, 1, 100 + i);
		wk_space_calls_forget(f->calls, 100 + i);
	}
	assert_int_equal(f->sums.committed, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(what_fails_changes_nothing),
		TEST(an_end_without_a_beginning_is_left_out),
		TEST(addresses_change_hands_in_the_middle_of_a_call),
		TEST(a_call_that_fails_unmaps_nothing),
		TEST(a_move_leaves_what_another_thread_got_meanwhile),
		TEST(what_is_seen_corrects_what_calls_did),
		TEST(rights_commit_once_and_only_none_decommits),
		TEST(a_move_releases_and_commits),
		TEST(the_break_is_known_from_its_first_call_on),
		TEST(a_child_has_what_its_parent_had),
		TEST(forks_do_not_multiply_the_work),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
