/* A thread that does jobs, one after the other in the order in which they were added. */
#ifndef WK_SERVE_WORKER_H
#define WK_SERVE_WORKER_H

#include <stdbool.h>

struct wk_worker;

/* NULL if the system cannot create a thread. */
struct wk_worker *wk_worker_new(void);

/* Waits until all jobs are done. NULL is allowed. */
void wk_worker_free(struct wk_worker *worker);

/* False, and nothing is done, if too many jobs wait. */
bool wk_worker_add(struct wk_worker *worker, void (*run)(void *job), void *job);

/* Whether all jobs are done, waiting for that at most this time. */
bool wk_worker_is_idle(struct wk_worker *worker, unsigned milliseconds);

#endif
