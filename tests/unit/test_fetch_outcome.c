#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fetch/outcome.h"
#include "os/os.h"

static void says(const struct wk_outcome *outcome, const char *expected)
{
	struct wk_buf text = { 0 };

	wk_outcome_add_text(outcome, &text);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void an_outcome_becomes_a_sentence(void **state)
{
	(void)state;
	says(&(struct wk_outcome){ .kind = WK_OUTCOME_REFUSED, .number = 503 },
	     "it answered with HTTP status 503");
	says(&(struct wk_outcome){ .kind = WK_OUTCOME_TOO_LARGE, .number = 1 << 20 },
	     "it is larger than 1.0 MiB");
	says(&(struct wk_outcome){ .kind = WK_OUTCOME_UNREACHABLE, .text = "100 % @ lost" },
	     "100 % @ lost");
	says(&(struct wk_outcome){ .kind = WK_OUTCOME_NOT_WRITTEN, .number = ENOSPC },
	     "its file cannot be written: No space left on device");
	says(&(struct wk_outcome){ .kind = WK_OUTCOME_KNOWN_FAILED, .number = 61, .left_s = 1 },
	     "it failed 1 minute ago, and is asked again in 1 second");
}

/* Of each outcome: is it remembered, is the source left alone, does the user hear of it. */
static void what_follows_depends_on_the_kind_alone(void **state)
{
	static const struct {
		enum wk_outcome_kind kind;
		enum wk_outcome_memory memory;
		bool ends_source, is_complaint;
	} rows[] = {
		{ WK_OUTCOME_MISSING, WK_REMEMBER_MISSING, false, false },
		{ WK_OUTCOME_FORBIDDEN, WK_REMEMBER_FAILED, false, true },
		{ WK_OUTCOME_REFUSED, WK_REMEMBER_FAILED, false, true },
		{ WK_OUTCOME_DRIPPING_PAGE, WK_REMEMBER_FAILED, true, true },
		{ WK_OUTCOME_TOO_LARGE, WK_REMEMBER_FAILED, false, true },
		{ WK_OUTCOME_ENDLESS, WK_REMEMBER_FAILED, true, true },
		{ WK_OUTCOME_UNREACHABLE, WK_REMEMBER_FAILED, true, true },
		{ WK_OUTCOME_UNFIT, WK_REMEMBER_FAILED, false, true },
		{ WK_OUTCOME_NO_DESCRIPTORS, WK_REMEMBER_NOTHING, true, true },
		{ WK_OUTCOME_STOPPED, WK_REMEMBER_NOTHING, true, true },
		{ WK_OUTCOME_KNOWN_MISSING, WK_REMEMBER_NOTHING, false, false },
		{ WK_OUTCOME_KNOWN_FAILED, WK_REMEMBER_NOTHING, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_outcome outcome = { .kind = rows[i].kind };

		assert_int_equal(wk_outcome_memory(&outcome), rows[i].memory);
		assert_int_equal(wk_outcome_ends_source(&outcome), rows[i].ends_source);
		assert_int_equal(wk_outcome_is_complaint(&outcome), rows[i].is_complaint);
	}
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
		cmocka_unit_test(an_outcome_becomes_a_sentence),
		cmocka_unit_test(what_follows_depends_on_the_kind_alone),
		cmocka_unit_test(who_waits_leaves_the_lock_to_others_and_is_woken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
