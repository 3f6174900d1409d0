#include "base/lock.h"

#include <pthread.h>
#include <time.h>

struct system_lock {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
};

_Static_assert(sizeof(struct system_lock) <= sizeof(struct wk_lock), "it fits");

static struct system_lock *system_of(struct wk_lock *lock)
{
	return (struct system_lock *)(void *)lock->system.bytes;
}

void wk_lock_init(struct wk_lock *lock)
{
	pthread_mutex_init(&system_of(lock)->mutex, NULL);
	pthread_cond_init(&system_of(lock)->changed, NULL);
}

void wk_lock_fini(struct wk_lock *lock)
{
	pthread_cond_destroy(&system_of(lock)->changed);
	pthread_mutex_destroy(&system_of(lock)->mutex);
}

void wk_lock_acquire(struct wk_lock *lock)
{
	pthread_mutex_lock(&system_of(lock)->mutex);
}

void wk_lock_release(struct wk_lock *lock)
{
	pthread_mutex_unlock(&system_of(lock)->mutex);
}

void wk_lock_wait(struct wk_lock *lock, unsigned milliseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&system_of(lock)->changed, &system_of(lock)->mutex, &until);
}

void wk_lock_wake(struct wk_lock *lock)
{
	pthread_cond_broadcast(&system_of(lock)->changed);
}
