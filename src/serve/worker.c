#include "serve/worker.h"

#include "base/mem.h"
#include "os/os.h"

#define MOST_JOBS 64

struct job {
	void (*run)(void *job);
	void *job;
};

struct wk_worker {
	struct wk_os_lock *lock; /* of all of this */
	struct wk_os_thread *thread;
	struct job jobs[MOST_JOBS]; /* a ring: the first is done next */
	unsigned first, count;      /* with the one that is being done */
	bool is_ending;
};

static void work(void *context)
{
	struct wk_worker *worker = context;

	wk_os_lock_acquire(worker->lock);
	while (worker->count || !worker->is_ending) {
		struct job job = worker->jobs[worker->first];

		if (!worker->count) {
			wk_os_lock_wait(worker->lock, 1000);
			continue;
		}
		wk_os_lock_leave(worker->lock);
		job.run(job.job);
		wk_os_lock_acquire(worker->lock);
		worker->first = (worker->first + 1) % MOST_JOBS;
		worker->count--;
		wk_os_lock_wake(worker->lock);
	}
	wk_os_lock_leave(worker->lock);
}

struct wk_worker *wk_worker_new(void)
{
	struct wk_worker *worker = wk_alloc_zeroed(1, sizeof(*worker));

	worker->lock = wk_os_lock_new();
	worker->thread = wk_os_thread_start(work, worker);
	if (worker->thread)
		return worker;
	wk_os_lock_free(worker->lock);
	wk_free(worker);
	return NULL;
}

void wk_worker_free(struct wk_worker *worker)
{
	if (!worker)
		return;
	wk_os_lock_acquire(worker->lock);
	worker->is_ending = true;
	wk_os_lock_wake(worker->lock);
	wk_os_lock_leave(worker->lock);
	wk_os_thread_join(worker->thread);
	wk_os_lock_free(worker->lock);
	wk_free(worker);
}

bool wk_worker_add(struct wk_worker *worker, void (*run)(void *job), void *job)
{
	bool has_room;

	wk_os_lock_acquire(worker->lock);
	has_room = worker->count < MOST_JOBS;
	if (has_room)
		worker->jobs[(worker->first + worker->count++) % MOST_JOBS] =
			(struct job){ run, job };
	wk_os_lock_wake(worker->lock);
	wk_os_lock_leave(worker->lock);
	return has_room;
}

bool wk_worker_is_idle(struct wk_worker *worker, unsigned milliseconds)
{
	uint64_t until_ns = wk_os_clock_ns() + milliseconds * UINT64_C(1000000);
	bool is_idle;

	wk_os_lock_acquire(worker->lock);
	while (worker->count && wk_os_clock_ns() < until_ns)
		wk_os_lock_wait(worker->lock, 20);
	is_idle = worker->count == 0;
	wk_os_lock_leave(worker->lock);
	return is_idle;
}
