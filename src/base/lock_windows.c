#include "base/lock.h"

#include <windows.h>

struct system_lock {
	SRWLOCK taken;
	CONDITION_VARIABLE changed;
};

_Static_assert(sizeof(struct system_lock) <= sizeof(struct wk_lock), "it fits");

static struct system_lock *system_of(struct wk_lock *lock)
{
	return (struct system_lock *)(void *)lock->system.bytes;
}

void wk_lock_init(struct wk_lock *lock)
{
	InitializeSRWLock(&system_of(lock)->taken);
	InitializeConditionVariable(&system_of(lock)->changed);
}

void wk_lock_fini(struct wk_lock *lock)
{
	(void)lock;
}

void wk_lock_acquire(struct wk_lock *lock)
{
	AcquireSRWLockExclusive(&system_of(lock)->taken);
}

void wk_lock_release(struct wk_lock *lock)
{
	ReleaseSRWLockExclusive(&system_of(lock)->taken);
}

void wk_lock_wait(struct wk_lock *lock, unsigned milliseconds)
{
	SleepConditionVariableSRW(&system_of(lock)->changed, &system_of(lock)->taken, milliseconds,
				  0);
}

void wk_lock_wake(struct wk_lock *lock)
{
	WakeAllConditionVariable(&system_of(lock)->changed);
}
