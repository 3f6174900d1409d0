#include "base/lock.h"
#include "base/mem.h"
#include "os/input.h"

struct wk_os_thread {
	uintptr_t system; /* as wk_os_thread_begin sets it */
	void (*run)(void *context);
	void *context;
	struct wk_heap *heap;
	struct wk_undo *undo;
};

/* If it runs out of memory, the heap has failed, which the joining thread notices. */
void wk_os_thread_main(void *context)
{
	struct wk_os_thread *thread = context;

	wk_heap_run(thread->heap, thread->run, thread->context);
}

static void join_undone(struct wk_undo *undo)
{
	struct wk_os_thread *thread = undo->at;

	wk_os_thread_end(thread->system);
}

struct wk_os_thread *wk_os_thread_start(void (*run)(void *context), void *context)
{
	struct wk_os_thread *thread = wk_alloc(sizeof(*thread));

	*thread = (struct wk_os_thread){ .run = run, .context = context };
	thread->heap = wk_heap_current();
	thread->undo = wk_undo_new_thread();
	if (wk_os_thread_begin(thread, &thread->system)) {
		wk_undo_arm(thread->undo, join_undone, thread, 0);
		return thread;
	}
	wk_undo_free(thread->undo);
	wk_free(thread);
	return NULL;
}

void wk_os_thread_join(struct wk_os_thread *thread)
{
	wk_os_thread_end(thread->system);
	wk_undo_free(thread->undo);
	wk_free(thread);
	wk_heap_check();
}

struct wk_os_lock {
	struct wk_held held; /* by the thread that has it */
	struct wk_lock lock;
};

static void release_undone(struct wk_held *held)
{
	struct wk_os_lock *lock = (struct wk_os_lock *)held; /* its first member */

	wk_lock_wake(&lock->lock);
	wk_lock_release(&lock->lock);
}

struct wk_os_lock *wk_os_lock_new(void)
{
	struct wk_os_lock *lock = wk_alloc(sizeof(*lock));

	lock->held = (struct wk_held){ .release = release_undone };
	wk_lock_init(&lock->lock);
	return lock;
}

void wk_os_lock_free(struct wk_os_lock *lock)
{
	if (lock)
		wk_lock_fini(&lock->lock);
	wk_free(lock);
}

void wk_os_lock_acquire(struct wk_os_lock *lock)
{
	wk_lock_acquire(&lock->lock);
	wk_held_push(&lock->held);
}

void wk_os_lock_leave(struct wk_os_lock *lock)
{
	wk_held_pop(&lock->held);
	wk_lock_release(&lock->lock);
}

void wk_os_lock_wait(struct wk_os_lock *lock, unsigned milliseconds)
{
	wk_heap_check();
	wk_held_pop(&lock->held); /* another thread may hold it meanwhile */
	wk_lock_wait(&lock->lock, milliseconds);
	wk_held_push(&lock->held);
	wk_heap_check();
}

void wk_os_lock_wake(struct wk_os_lock *lock)
{
	wk_lock_wake(&lock->lock);
}
