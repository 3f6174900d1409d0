/* Mutual exclusion, and waiting for a change. Code above base/ uses the locks of os/, which are
 * released when memory runs out. */
#ifndef WK_BASE_LOCK_H
#define WK_BASE_LOCK_H

struct wk_lock {
	union {
		void *align;
		unsigned char bytes[128];
	} system;
};

void wk_lock_init(struct wk_lock *lock);
void wk_lock_fini(struct wk_lock *lock);
void wk_lock_acquire(struct wk_lock *lock);
void wk_lock_release(struct wk_lock *lock);

/* Releases it until another thread wakes all waiting ones, or for a limited time. */
void wk_lock_wait(struct wk_lock *lock, unsigned milliseconds);
void wk_lock_wake(struct wk_lock *lock);

#endif
