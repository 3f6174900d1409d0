#include "base/lock.h"

#include <windows.h>

_Static_assert(sizeof(SRWLOCK) <= sizeof(struct wk_lock), "a lock fits");

static SRWLOCK *lock_of(struct wk_lock *lock)
{
	return (SRWLOCK *)(void *)lock->system.bytes;
}

void wk_lock_init(struct wk_lock *lock)
{
	InitializeSRWLock(lock_of(lock));
}

void wk_lock_fini(struct wk_lock *lock)
{
	(void)lock;
}

void wk_lock_acquire(struct wk_lock *lock)
{
	AcquireSRWLockExclusive(lock_of(lock));
}

void wk_lock_release(struct wk_lock *lock)
{
	ReleaseSRWLockExclusive(lock_of(lock));
}
