#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "fetch/fetch_workers.h"
#include "base/mem.h"

#define JOBS 100

struct tally {
	struct wk_os_lock *lock;
	unsigned done[JOBS], together, most_together, waits_ms;
	size_t ends, most_done;
};

static void count(void *context, size_t job, struct wk_fetcher *fetcher)
{
	struct tally *tally = context;

	wk_os_lock_acquire(tally->lock);
	tally->done[job] += fetcher != NULL;
	tally->together++;
	if (tally->together > tally->most_together)
		tally->most_together = tally->together;
	wk_os_lock_wait(tally->lock, tally->waits_ms); /* others may go on meanwhile */
	tally->together--;
	wk_os_lock_leave(tally->lock);
}

static void tell(void *context, const struct wk_remote_progress *progress)
{
	struct tally *tally = context;

	tally->ends += progress->is_end;
	assert_int_equal(progress->job_count, JOBS);
	assert_true(progress->done_jobs >= tally->most_done);
	tally->most_done = progress->done_jobs;
}

static void every_job_is_done_once_and_some_at_the_same_time(void **state)
{
	struct tally tally = { .lock = wk_os_lock_new(), .waits_ms = 3 };
	struct wk_remote_options options = { .progress = tell, .context = &tally };
	struct wk_fetch_work work = { .count = JOBS, .run = count, .context = &tally };
	struct wk_err err = { 0 };

	(void)state;
	if (!wk_fetch_workers_run(&options, tally.lock, &work, &err)) {
		assert_int_equal(err.code, WK_EUNSUPPORTED); /* built without what it takes */
		wk_os_lock_free(tally.lock);
		skip();
	}
	for (size_t i = 0; i < JOBS; i++)
		assert_int_equal(tally.done[i], 1);
	assert_in_range(tally.most_together, 2, WK_MOST_FETCHERS);
	assert_int_equal(tally.most_done, JOBS);
	assert_int_equal(tally.ends, 1);
	wk_os_lock_free(tally.lock);
}

static void who_may_open_few_files_fetches_fewer_at_a_time(void **state)
{
	struct tally tally = { .lock = wk_os_lock_new(), .waits_ms = 1 };
	unsigned at_once = 0;
	struct wk_remote_options options = { .progress = tell, .context = &tally,
					     .few_at_once = &at_once };
	struct wk_fetch_work work = { .count = JOBS, .run = count, .context = &tally };
	struct rlimit usual, few;
	struct wk_err err = { 0 };
	bool ok;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	few = usual;
	few.rlim_cur = 40;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	ok = wk_fetch_workers_run(&options, tally.lock, &work, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	wk_os_lock_free(tally.lock);
	if (!ok)
		skip(); /* built without what it takes */
	assert_in_range(at_once, 1, 5);
	assert_in_range(tally.most_together, 1, at_once);
	for (size_t i = 0; i < JOBS; i++)
		assert_int_equal(tally.done[i], 1);
}

static void those_that_come_first_in_their_order_have_the_room(void **state)
{
	uint64_t came[4] = { 0 };
	struct wk_fetch_quota room = { .came_bytes = came, .lock = wk_os_lock_new() };

	(void)state;
	assert_int_equal(setenv("WICK_CACHE_SIZE", "100", 1), 0);
	assert_true(wk_fetch_quota_is_left(&room, 0));
	wk_fetch_quota_add(&room, 2, 90);
	wk_fetch_quota_add(&room, 1, 60);
	assert_true(wk_fetch_quota_is_left(&room, 2));
	assert_false(wk_fetch_quota_is_left(&room, 3));
	wk_fetch_quota_add(&room, 0, 50);
	assert_true(wk_fetch_quota_is_left(&room, 1));
	assert_false(wk_fetch_quota_is_left(&room, 2));

	assert_true(wk_fetch_quota_merge(&room, came[0]));
	assert_true(wk_fetch_quota_merge(&room, came[1])); /* the last that has any */
	assert_false(wk_fetch_quota_merge(&room, came[2]));
	assert_true(wk_fetch_quota_merge(&room, 0));
	assert_int_equal(room.used_bytes, 110);
	assert_int_equal(unsetenv("WICK_CACHE_SIZE"), 0);
	wk_os_lock_free(room.lock);
}

static void what_went_wrong_is_worth_more_than_a_remark(void **state)
{
	struct wk_err why = { .code = WK_EPERM, .text = "no right" };
	struct wk_buf remark = { 0 };
	char *complaint = NULL, *first, *fault = wk_strdup("HTTP status 500");

	(void)state;
	wk_fetch_quota_add_remark(&remark, &why);
	first = wk_strdup(wk_buf_text(&remark));
	wk_fetch_quota_warn(&complaint, &first);
	assert_null(first);
	assert_non_null(strstr(complaint, "(no right)"));
	first = wk_strdup("another");
	wk_fetch_quota_warn(&complaint, &fault);
	assert_null(fault);
	wk_fetch_quota_warn(&complaint, &first);
	assert_string_equal(complaint, "HTTP status 500");
	assert_string_equal(first, "another");
	wk_free(first);
	wk_free(complaint);
	wk_buf_fini(&remark);
}

static void what_is_for_one_run_has_no_name(void **state)
{
	struct wk_os_keep keep;
	struct wk_err err = { 0 };

	(void)state;
	assert_true(wk_fetch_quota_open(&keep, &err));
	assert_true(wk_os_write(keep.fd, "x", 1));
	assert_true(wk_os_keep_end(&keep, false));
	assert_int_equal(setenv("TMPDIR", "/nonexistent/folder", 1), 0);
	assert_false(wk_fetch_quota_open(&keep, &err));
	assert_non_null(strstr(err.text, "neither a cache nor TMPDIR"));
	assert_int_equal(unsetenv("TMPDIR"), 0);
}

struct handing {
	struct wk_os_lock *lock;
	bool is_there;
};

static void hand_over(void *context)
{
	struct handing *handing = context;

	wk_os_lock_acquire(handing->lock);
	handing->is_there = true;
	wk_os_lock_wake(handing->lock);
	wk_os_lock_leave(handing->lock);
}

static void who_waits_leaves_the_lock_to_others_and_is_woken(void **state)
{
	struct handing handing = { .lock = wk_os_lock_new() };
	struct wk_os_thread *thread;

	(void)state;
	wk_os_lock_acquire(handing.lock);
	thread = wk_os_thread_start(hand_over, &handing);
	assert_non_null(thread);
	while (!handing.is_there)
		wk_os_lock_wait(handing.lock, 60000);
	wk_os_lock_leave(handing.lock);
	wk_os_thread_join(thread);
	wk_os_lock_free(handing.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_is_done_once_and_some_at_the_same_time),
		cmocka_unit_test(who_may_open_few_files_fetches_fewer_at_a_time),
		cmocka_unit_test(those_that_come_first_in_their_order_have_the_room),
		cmocka_unit_test(what_went_wrong_is_worth_more_than_a_remark),
		cmocka_unit_test(what_is_for_one_run_has_no_name),
		cmocka_unit_test(who_waits_leaves_the_lock_to_others_and_is_woken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
