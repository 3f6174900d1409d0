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

struct crew;

/* A thread, and the file it has at hand. */
struct member {
	struct crew *crew;
	struct wk_os_thread *thread; /* or NULL */
	struct wk_fetcher *fetcher;
	struct wk_remote_progress now; /* of no meaning where `is_busy` is not set */
	size_t job;
	bool is_busy;
	bool waits;     /* for the turn */
	bool is_caller; /* it does the work of all, since there are no threads */
};

struct crew {
	const struct wk_remote_options *options;
	const struct wk_fetch_work *work;
	struct wk_os_lock *lock; /* for all below */
	struct member members[WK_MOST_FETCHERS];
	size_t member_count;
	size_t next_job, done_jobs, working;
	struct member *turn; /* whose file may be large. Or NULL */
	bool is_stopped;
};

static void tell(struct crew *crew, struct wk_remote_progress now)
{
	now.done_jobs = crew->done_jobs;
	now.job_count = crew->work->count;
	if (crew->options->progress)
		crew->options->progress(crew->options->context, &now);
}

/* Of those that come now, the one that was begun first speaks for all. */
static void look_around(struct crew *crew)
{
	const struct member *first = NULL;

	for (size_t i = 0; i < crew->member_count; i++) {
		const struct member *member = &crew->members[i];

		if (member->is_busy && (!first || member->job < first->job))
			first = member;
	}
	tell(crew, first ? first->now : (struct wk_remote_progress){ 0 });
	if (crew->options->is_stopped && crew->options->is_stopped(crew->options->context))
		crew->is_stopped = true;
}

static void on_progress(void *context, const struct wk_remote_progress *now)
{
	struct member *member = context;
	struct crew *crew = member->crew;

	wk_os_lock_take(crew->lock);
	member->now = *now;
	member->is_busy = !now->is_done;
	if (now->is_done)
		tell(crew, *now);
	if (member->is_caller)
		look_around(crew);
	wk_os_lock_leave(crew->lock);
}

static bool is_stopped(void *context)
{
	struct member *member = context;
	struct crew *crew = member->crew;
	bool stopped;

	wk_os_lock_take(crew->lock);
	stopped = crew->is_stopped;
	wk_os_lock_leave(crew->lock);
	return stopped;
}

/* Under the lock. Those that were begun first go first. */
static bool takes_turn(struct member *member)
{
	struct crew *crew = member->crew;

	for (size_t i = 0; i < crew->member_count && !crew->turn; i++)
		if (crew->members[i].waits && crew->members[i].job < member->job)
			return false;
	if (!crew->turn)
		crew->turn = member;
	return crew->turn == member;
}

static bool wait_for_turn(void *context, const struct wk_fetch *fetch)
{
	struct member *member = context;
	struct crew *crew = member->crew;
	bool is_ours = false, goes_on = true;

	while (!is_ours && goes_on) {
		goes_on = !(fetch->is_in_vain && fetch->is_in_vain(fetch->context));
		wk_os_lock_take(crew->lock);
		goes_on = goes_on && !crew->is_stopped;
		is_ours = goes_on && takes_turn(member);
		member->waits = goes_on && !is_ours;
		if (member->waits)
			wk_os_lock_wait(crew->lock, TICK_MS);
		wk_os_lock_leave(crew->lock);
	}
	return is_ours;
}

static bool take_job(struct member *member)
{
	struct crew *crew = member->crew;
	bool is_one;

	wk_os_lock_take(crew->lock);
	is_one = crew->next_job < crew->work->count;
	if (is_one)
		member->job = crew->next_job++;
	wk_os_lock_leave(crew->lock);
	return is_one;
}

static void work(void *context)
{
	struct member *member = context;
	struct crew *crew = member->crew;

	while (take_job(member)) {
		crew->work->run(crew->work->context, member->job, member->fetcher);
		wk_os_lock_take(crew->lock);
		crew->done_jobs++;
		if (crew->turn == member) { /* and who is left alone is known to all */
			crew->turn = NULL;
			wk_os_lock_wake(crew->lock);
		}
		wk_os_lock_leave(crew->lock);
	}
}

static void work_beside(void *context)
{
	struct member *member = context;
	struct crew *crew = member->crew;

	work(member);
	wk_os_lock_take(crew->lock);
	crew->working--;
	wk_os_lock_wake(crew->lock);
	wk_os_lock_leave(crew->lock);
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
static size_t members_for(const struct crew *crew)
{
	size_t most = crew->work->count < WK_MOST_FETCHERS ? crew->work->count : WK_MOST_FETCHERS;
	unsigned wanted = FILES_SPARE + FILES_EACH * (unsigned)most;
	unsigned left = wk_os_files_left(wanted, NULL);
	size_t fed = left < FILES_SPARE ? 0 : (left - FILES_SPARE) / FILES_EACH;

	if (fed && fed < most && crew->options->few_at_once)
		*crew->options->few_at_once = (unsigned)fed;
	return fed > most ? most : fed ? fed : 1;
}

/* What a file may have without waiting for its turn. */
static uint64_t free_bytes(const struct crew *crew)
{
	uint64_t share = crew->options->most_bytes / WK_MOST_FETCHERS;

	return share > LEAST_SHARE ? share : LEAST_SHARE;
}

/* Fetchers are made by one thread, since the library is loaded with the first. */
static bool hire(struct crew *crew, struct wk_err *err)
{
	size_t count = members_for(crew);
	struct wk_remote_options options = *crew->options;
	bool ok = true;

	options.progress = on_progress;
	options.is_stopped = is_stopped;
	for (; crew->member_count < count && ok; crew->member_count++) {
		struct member *member = &crew->members[crew->member_count];

		options.context = member;
		member->crew = crew;
		member->fetcher = wk_fetcher_new(&options);
		wk_fetcher_take_turns(member->fetcher, free_bytes(crew), wait_for_turn, member);
		ok = wk_fetcher_make_ready(member->fetcher, err);
	}
	return ok;
}

/* Members without a thread leave their work to the others; where nobody has one, it is done
 * here. */
static void start(struct crew *crew)
{
	size_t count = crew->member_count;

	crew->working = count;
	for (size_t i = 0; i < count; i++) {
		crew->members[i].thread = wk_os_thread_start(work_beside, &crew->members[i]);
		if (crew->members[i].thread)
			continue;
		wk_os_lock_take(crew->lock);
		crew->working--;
		wk_os_lock_leave(crew->lock);
	}
}

static void wait(struct crew *crew)
{
	wk_os_lock_take(crew->lock);
	while (crew->working) {
		look_around(crew);
		wk_os_lock_wait(crew->lock, TICK_MS);
	}
	wk_os_lock_leave(crew->lock);
	for (size_t i = 0; i < crew->member_count; i++)
		if (crew->members[i].thread)
			wk_os_thread_join(crew->members[i].thread);
}

bool wk_fetch_crew_run(const struct wk_remote_options *options, struct wk_os_lock *lock,
		       const struct wk_fetch_work *jobs, struct wk_err *err)
{
	struct crew crew = { .options = options, .work = jobs, .lock = lock };
	bool ok = hire(&crew, err);

	if (ok) {
		start(&crew);
		wait(&crew);
		crew.members[0].is_caller = true; /* of what is left: all, or nothing */
		work(&crew.members[0]);
		wk_os_lock_take(lock);
		tell(&crew, (struct wk_remote_progress){ .is_done = true, .is_end = true });
		wk_os_lock_leave(lock);
	}
	for (size_t i = 0; i < crew.member_count; i++)
		wk_fetcher_free(crew.members[i].fetcher);
	return ok;
}

void wk_fetch_together(const struct wk_remote_options *options, struct wk_fetch_room *room,
		       const struct wk_fetch_work *jobs)
{
	room->came_bytes = wk_alloc_zeroed(jobs->count, sizeof(*room->came_bytes));
	if (!wk_fetch_crew_run(options, room->lock, jobs, NULL))
		for (size_t i = 0; i < jobs->count; i++)
			jobs->run(jobs->context, i, NULL);
	free(room->came_bytes);
	room->came_bytes = NULL;
}
