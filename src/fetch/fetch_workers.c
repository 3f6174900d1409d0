#include "fetch/fetch_workers.h"

#include <stdlib.h>

#include "base/mem.h"

/* Files that a fetcher has open at most: what comes, what it came from, what wakes it, and what
 * finding an address and checking a certificate takes; and those of all others. */
#define FILES_EACH  8
#define FILES_SPARE 4

/* Fewer than that are left: it was the lack of them that something failed of. */
#define FEW_FILES 3

/* Small files of which others wait to know the answer need no turn. */
#define LEAST_SHARE ((uint64_t)64 << 10)

#define TICK_MS 50 /* until progress is told again, and it is asked whether to stop */

struct workers;

/* A thread, and the file it has at hand. */
struct member {
	struct workers *workers;
	struct wk_os_thread *thread; /* or NULL */
	struct wk_fetcher *fetcher;
	struct wk_remote_progress now; /* of no meaning where `is_busy` is not set */
	size_t job;
	bool is_busy;
	bool waits;     /* for the turn */
	bool is_caller; /* it does the work of all, since there are no threads */
};

struct workers {
	const struct wk_remote_options *options;
	const struct wk_fetch_work *work;
	struct wk_os_lock *lock; /* for all below */
	struct member members[WK_MOST_FETCHERS];
	size_t member_count;
	size_t next_job, done_jobs, working;
	struct member *turn; /* whose file may be large. Or NULL */
	bool is_stopped;
};

static void report(struct workers *workers, struct wk_remote_progress now)
{
	now.done_jobs = workers->done_jobs;
	now.job_count = workers->work->count;
	if (workers->options->progress)
		workers->options->progress(workers->options->context, &now);
}

/* Of those that come now, the one that was begun first speaks for all. */
static void look_around(struct workers *workers)
{
	const struct member *first = NULL;

	for (size_t i = 0; i < workers->member_count; i++) {
		const struct member *member = &workers->members[i];

		if (member->is_busy && (!first || member->job < first->job))
			first = member;
	}
	report(workers, first ? first->now : (struct wk_remote_progress){ 0 });
	if (workers->options->is_stopped && workers->options->is_stopped(workers->options->context))
		workers->is_stopped = true;
}

static void on_progress(void *context, const struct wk_remote_progress *now)
{
	struct member *member = context;
	struct workers *workers = member->workers;

	wk_os_lock_acquire(workers->lock);
	member->now = *now;
	member->is_busy = !now->is_done;
	if (now->is_done)
		report(workers, *now);
	if (member->is_caller)
		look_around(workers);
	wk_os_lock_leave(workers->lock);
}

static bool is_stopped(void *context)
{
	struct member *member = context;
	struct workers *workers = member->workers;
	bool stopped;

	wk_os_lock_acquire(workers->lock);
	stopped = workers->is_stopped;
	wk_os_lock_leave(workers->lock);
	return stopped;
}

/* Under the lock. Those that were begun first go first. */
static bool takes_turn(struct member *member)
{
	struct workers *workers = member->workers;

	for (size_t i = 0; i < workers->member_count && !workers->turn; i++)
		if (workers->members[i].waits && workers->members[i].job < member->job)
			return false;
	if (!workers->turn)
		workers->turn = member;
	return workers->turn == member;
}

static bool wait_for_turn(void *context, const struct wk_fetch *fetch)
{
	struct member *member = context;
	struct workers *workers = member->workers;
	bool is_ours = false, goes_on = true;

	while (!is_ours && goes_on) {
		goes_on = !(fetch->is_in_vain && fetch->is_in_vain(fetch->context));
		wk_os_lock_acquire(workers->lock);
		goes_on = goes_on && !workers->is_stopped;
		is_ours = goes_on && takes_turn(member);
		member->waits = goes_on && !is_ours;
		if (member->waits)
			wk_os_lock_wait(workers->lock, TICK_MS);
		wk_os_lock_leave(workers->lock);
	}
	return is_ours;
}

static bool read_job(struct member *member)
{
	struct workers *workers = member->workers;
	bool is_one;

	wk_os_lock_acquire(workers->lock);
	is_one = workers->next_job < workers->work->count;
	if (is_one)
		member->job = workers->next_job++;
	wk_os_lock_leave(workers->lock);
	return is_one;
}

static void work(void *context)
{
	struct member *member = context;
	struct workers *workers = member->workers;

	while (read_job(member)) {
		workers->work->run(workers->work->context, member->job, member->fetcher);
		wk_os_lock_acquire(workers->lock);
		workers->done_jobs++;
		if (workers->turn == member) { /* and who is left alone is known to all */
			workers->turn = NULL;
			wk_os_lock_wake(workers->lock);
		}
		wk_os_lock_leave(workers->lock);
	}
}

static void work_beside(void *context)
{
	struct member *member = context;
	struct workers *workers = member->workers;

	work(member);
	wk_os_lock_acquire(workers->lock);
	workers->working--;
	wk_os_lock_wake(workers->lock);
	wk_os_lock_leave(workers->lock);
}

bool wk_fetch_lacks_files(struct wk_err *err)
{
	unsigned limit;

	if (wk_os_files_left(FEW_FILES, &limit) >= FEW_FILES)
		return false;
	if (err)
		*err = (struct wk_err){ 0 };
	wk_fail(err, WK_EIO, WK_NOWHERE,
		"not asked, since this process may have only %u files open at once (`ulimit -n` "
		"raises that)",
		limit);
	return true;
}

/* As many as there is work for, and files. One tries in any case. */
static size_t members_for(const struct workers *workers)
{
	size_t most =
		workers->work->count < WK_MOST_FETCHERS ? workers->work->count : WK_MOST_FETCHERS;
	unsigned wanted = FILES_SPARE + FILES_EACH * (unsigned)most;
	unsigned left = wk_os_files_left(wanted, NULL);
	size_t fed = left < FILES_SPARE ? 0 : (left - FILES_SPARE) / FILES_EACH;

	if (fed && fed < most && workers->options->few_at_once)
		*workers->options->few_at_once = (unsigned)fed;
	return fed > most ? most : fed ? fed : 1;
}

/* What a file may have without waiting for its turn. */
static uint64_t free_bytes(const struct workers *workers)
{
	uint64_t share = workers->options->most_bytes / WK_MOST_FETCHERS;

	return share > LEAST_SHARE ? share : LEAST_SHARE;
}

/* Fetchers are made by one thread, since the library is loaded with the first. */
static bool hire(struct workers *workers, struct wk_err *err)
{
	size_t count = members_for(workers);
	struct wk_remote_options options = *workers->options;
	bool ok = true;

	options.progress = on_progress;
	options.is_stopped = is_stopped;
	for (; workers->member_count < count && ok; workers->member_count++) {
		struct member *member = &workers->members[workers->member_count];

		options.context = member;
		member->workers = workers;
		member->fetcher = wk_fetcher_new(&options);
		wk_fetcher_share(member->fetcher, free_bytes(workers), wait_for_turn, member);
		ok = wk_fetcher_make_ready(member->fetcher, err);
	}
	return ok;
}

/* Members without a thread leave their work to the others; where nobody has one, it is done
 * here. */
static void start(struct workers *workers)
{
	size_t count = workers->member_count;

	workers->working = count;
	for (size_t i = 0; i < count; i++) {
		workers->members[i].thread = wk_os_thread_start(work_beside, &workers->members[i]);
		if (workers->members[i].thread)
			continue;
		wk_os_lock_acquire(workers->lock);
		workers->working--;
		wk_os_lock_leave(workers->lock);
	}
}

static void wait(struct workers *workers)
{
	wk_os_lock_acquire(workers->lock);
	while (workers->working) {
		look_around(workers);
		wk_os_lock_wait(workers->lock, TICK_MS);
	}
	wk_os_lock_leave(workers->lock);
	for (size_t i = 0; i < workers->member_count; i++)
		if (workers->members[i].thread)
			wk_os_thread_join(workers->members[i].thread);
}

bool wk_fetch_workers_run(const struct wk_remote_options *options, struct wk_os_lock *lock,
			  const struct wk_fetch_work *jobs, struct wk_err *err)
{
	struct workers workers = { .options = options, .work = jobs, .lock = lock };
	bool ok = hire(&workers, err);

	if (ok) {
		start(&workers);
		wait(&workers);
		workers.members[0].is_caller = true; /* of what is left: all, or nothing */
		work(&workers.members[0]);
		wk_os_lock_acquire(lock);
		report(&workers, (struct wk_remote_progress){ .is_done = true, .is_end = true });
		wk_os_lock_leave(lock);
	}
	for (size_t i = 0; i < workers.member_count; i++)
		wk_fetcher_free(workers.members[i].fetcher);
	return ok;
}

void wk_fetch_together(const struct wk_remote_options *options, struct wk_fetch_quota *room,
		       const struct wk_fetch_work *jobs)
{
	room->came_bytes = wk_alloc_zeroed(jobs->count, sizeof(*room->came_bytes));
	if (!wk_fetch_workers_run(options, room->lock, jobs, NULL))
		for (size_t i = 0; i < jobs->count; i++)
			jobs->run(jobs->context, i, NULL);
	wk_free(room->came_bytes);
	room->came_bytes = NULL;
}
