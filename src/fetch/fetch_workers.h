/* Several files at once: jobs that fetch, done by threads with a fetcher each.
 *
 * Jobs are begun in their order, so that what matters most comes first and is there when a person
 * has seen enough. The calling thread waits, tells the progress of all together and
 * asks whether to stop; nobody else calls what the options say. Where the system gives no threads,
 * the jobs are done one after the other. Of files larger than an eighth of what one may have only
 * one comes at a time, so that all that come at once have less than two may have. */
#ifndef WK_FETCH_FETCH_WORKERS_H
#define WK_FETCH_FETCH_WORKERS_H

#include "fetch/fetch.h"
#include "fetch/fetch_quota.h"
#include "os/os.h"

/* As many as are asked at a time, if the process may open so many files. */
#define WK_MOST_FETCHERS 8

struct wk_fetch_work {
	size_t count;
	/* Called by several threads, each with a fetcher of its own. */
	void (*run)(void *context, size_t job, struct wk_fetcher *fetcher);
	void *context;
};

/* Returns when all jobs are done. False, with a sentence, where nothing can be fetched: then none
 * was begun. `lock` is held while progress is told. */
bool wk_fetch_workers_run(const struct wk_remote_options *options, struct wk_os_lock *lock,
			  const struct wk_fetch_work *work, struct wk_err *err);

/* The same with room for what the jobs keep for this run alone, whose lock it takes. Where nothing
 * can be fetched the jobs are done all the same, without a fetcher: they know whom to tell of. */
void wk_fetch_together(const struct wk_remote_options *options, struct wk_fetch_quota *room,
		       const struct wk_fetch_work *work);

/* True where this process may open no more files, which is nobody else's fault: then `err` says
 * that, whatever it said. To be asked before what was open is closed. */
bool wk_fetch_lacks_files(struct wk_err *err);

#endif
