#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/os.h"
#include "serve/worker.h"

#define JOBS 50

struct shared {
	struct wk_os_lock *lock;
	bool is_open; /* jobs wait for that */
	unsigned done[JOBS], count;
};

struct job {
	struct shared *shared;
	unsigned number;
};

static void run(void *context)
{
	const struct job *job = context;
	struct shared *shared = job->shared;

	wk_os_lock_acquire(shared->lock);
	while (!shared->is_open)
		wk_os_lock_wait(shared->lock, 1000);
	shared->done[shared->count++] = job->number;
	wk_os_lock_leave(shared->lock);
}

static void open_gate(struct shared *shared)
{
	wk_os_lock_acquire(shared->lock);
	shared->is_open = true;
	wk_os_lock_wake(shared->lock);
	wk_os_lock_leave(shared->lock);
}

static void jobs_are_done_in_their_order(void **state)
{
	struct shared shared = { .lock = wk_os_lock_new() };
	struct wk_worker *worker = wk_worker_new();
	struct job jobs[JOBS];

	(void)state;
	for (unsigned i = 0; i < JOBS; i++) {
		jobs[i] = (struct job){ &shared, i };
		assert_true(wk_worker_add(worker, run, &jobs[i]));
	}
	assert_false(wk_worker_is_idle(worker, 0));
	open_gate(&shared);
	wk_worker_free(worker); /* waits for all */
	assert_int_equal(shared.count, JOBS);
	for (unsigned i = 0; i < JOBS; i++)
		assert_int_equal(shared.done[i], i);
	wk_os_lock_free(shared.lock);
}

static void wait_for_gate(void *context)
{
	struct shared *shared = context;

	wk_os_lock_acquire(shared->lock);
	while (!shared->is_open)
		wk_os_lock_wait(shared->lock, 1000);
	wk_os_lock_leave(shared->lock);
}

static void too_many_jobs_are_refused(void **state)
{
	struct shared shared = { .lock = wk_os_lock_new() };
	struct wk_worker *worker = wk_worker_new();
	unsigned added = 0;

	(void)state;
	while (added < 1000 && wk_worker_add(worker, wait_for_gate, &shared))
		added++;
	assert_in_range(added, JOBS, 999);
	open_gate(&shared);
	assert_true(wk_worker_is_idle(worker, 60000));
	assert_true(wk_worker_add(worker, wait_for_gate, &shared));
	wk_worker_free(worker);
	wk_os_lock_free(shared.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_done_in_their_order),
		cmocka_unit_test(too_many_jobs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
