#include "base/lock.h"

#include <pthread.h>

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct wk_lock), "a mutex fits");

static pthread_mutex_t *mutex_of(struct wk_lock *lock)
{
	return (pthread_mutex_t *)(void *)lock->system.bytes;
}

void wk_lock_init(struct wk_lock *lock)
{
	pthread_mutex_init(mutex_of(lock), NULL);
}

void wk_lock_fini(struct wk_lock *lock)
{
	pthread_mutex_destroy(mutex_of(lock));
}

void wk_lock_acquire(struct wk_lock *lock)
{
	pthread_mutex_lock(mutex_of(lock));
}

void wk_lock_release(struct wk_lock *lock)
{
	pthread_mutex_unlock(mutex_of(lock));
}
