/* Mutual exclusion for base/ itself. Other code uses the locks of os/, which are released when
 * memory runs out. */
#ifndef WK_BASE_LOCK_H
#define WK_BASE_LOCK_H

struct wk_lock {
	union {
		void *align;
		unsigned char bytes[64];
	} system;
};

void wk_lock_init(struct wk_lock *lock);
void wk_lock_fini(struct wk_lock *lock);
void wk_lock_acquire(struct wk_lock *lock);
void wk_lock_release(struct wk_lock *lock);

#endif
