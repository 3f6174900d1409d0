/* A thread's ring and what it remembers: taken at its first call, given back when it ends. */
#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/internal.h"

__thread struct wk_heap_thread *wk_heap_self WK_INITIAL_EXEC;
__thread uint32_t wk_heap_busy WK_INITIAL_EXEC;

_Atomic bool wk_heap_orders_times;

static pthread_key_t key;
static bool has_key;

/* Threads that used the allocator after their last destructor, as libc itself does then, are late:
 * nothing says when they end. */
static _Atomic uint32_t lock;
static struct wk_heap_thread *threads; /* under the lock */
static uint32_t late_count;            /* of them */
static __thread bool is_late WK_INITIAL_EXEC;

static void add_thread(struct wk_heap_thread *thread)
{
	thread->is_late = is_late;
	late_count += is_late;
	thread->next = threads;
	thread->link = &threads;
	if (threads)
		threads->link = &thread->next;
	threads = thread;
}

/* With the lock. Its memory is still there. */
static void give_back(struct wk_heap_thread *thread)
{
	struct wk_channel_slot *slot = thread->slot;

	*thread->link = thread->next;
	if (thread->next)
		thread->next->link = thread->link;
	late_count -= thread->is_late;
	if (thread->epoch == wk_heap_epoch) {
		wk_heap_stream_end(thread);
		slot->time = thread->time;
		slot->address = thread->address;
		slot->stack = thread->stack;
		atomic_store(&wk_heap_head->state[thread->number], WK_CHANNEL_ENDED);
	}
}

/* The last of all destructors, as far as libc lets it: others may use the allocator. */
static void end_thread(void *context)
{
	struct wk_heap_thread *thread = context;

	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	if (++thread->endings >= PTHREAD_DESTRUCTOR_ITERATIONS ||
	    pthread_setspecific(key, thread) != 0) {
		is_late = true;
		wk_heap_self = NULL;
		wk_heap_lock(&lock);
		give_back(thread);
		wk_heap_unlock(&lock);
		munmap(thread, sizeof(*thread));
	}
	wk_heap_busy = 0;
}

/* A new thread may have the number of one that is gone. */
static bool is_gone(const struct wk_heap_thread *thread, uint32_t self)
{
	return thread->tid == self ||
	       (syscall(SYS_tgkill, getpid(), thread->tid, 0) != 0 && errno == ESRCH);
}

static void give_back_late(uint32_t self)
{
	struct wk_heap_thread *next;

	for (struct wk_heap_thread *thread = threads; thread && late_count; thread = next) {
		next = thread->next;
		if (!thread->is_late || thread == wk_heap_self || !is_gone(thread, self))
			continue;
		give_back(thread);
		munmap(thread, sizeof(*thread));
	}
}

static bool make_key(void)
{
	if (!has_key)
		has_key = pthread_key_create(&key, end_thread) == 0;
	return has_key;
}

bool wk_heap_threads_begin(void)
{
	wk_heap_self = NULL;
	wk_heap_orders_times = false;
	threads = NULL;
	late_count = 0;
	atomic_store(&lock, 0);
	return make_key();
}

/* ---- another recording */

#define HOLD_NAPS 50

/* A thread says that it is inside before it reads the state, but only the compiler keeps that
 * order: this one makes all processors do so, which costs them nothing otherwise. */
static void order_all_threads(void)
{
	int saved = errno;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0 &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	wk_heap_nap();
	errno = saved;
}

static bool is_other_inside(void)
{
	for (const struct wk_heap_thread *thread = threads; thread; thread = thread->next)
		if (thread != wk_heap_self && atomic_load(&thread->is_inside))
			return true;
	return false;
}

/* With a state that is not ON: who is inside leaves soon. */
bool wk_heap_threads_hold(void)
{
	wk_heap_lock(&lock);
	order_all_threads();
	for (unsigned naps = 0; is_other_inside(); naps++) {
		if (naps == HOLD_NAPS) {
			wk_heap_unlock(&lock);
			return false;
		}
		wk_heap_nap();
	}
	if (make_key())
		return true;
	wk_heap_unlock(&lock);
	return false;
}

void wk_heap_threads_let_go(void)
{
	order_all_threads();
	wk_heap_unlock(&lock);
}

/* ---- a thread's beginning */

static bool find_slot(uint32_t *number)
{
	for (uint32_t i = 0; i < WK_CHANNEL_THREADS; i++) {
		uint32_t is_free = WK_CHANNEL_FREE, most = atomic_load(&wk_heap_head->threads);

		if (!atomic_compare_exchange_strong(&wk_heap_head->state[i], &is_free,
						    WK_CHANNEL_USED))
			continue;
		while (most <= i &&
		       !atomic_compare_exchange_weak(&wk_heap_head->threads, &most, i + 1))
			continue;
		*number = i;
		return true;
	}
	atomic_fetch_add(&wk_heap_head->counts.threadless, 1);
	return false;
}

/* Goes on where the last thread of the slot has ended. */
static void begin_stream(struct wk_heap_thread *thread)
{
	const struct wk_channel_slot *slot = thread->slot;

	wk_heap_stream_begin(thread);
	thread->time = slot->time;
	thread->address = slot->address;
	thread->stack = slot->stack;
}

static bool take_slot(struct wk_heap_thread *thread, uint32_t tid)
{
	uint8_t *slot;

	if (!find_slot(&thread->number))
		return false;
	/* The first slot has one thread at a time, each after the events of the last one. */
	if (thread->number > 0 && !(wk_heap_records & WK_CHANNEL_LOOSE))
		wk_heap_orders_times = true;
	slot = wk_heap_open_slot(thread->number);
	if (!slot) {
		atomic_store(&wk_heap_head->state[thread->number], WK_CHANNEL_FREE);
		atomic_fetch_add(&wk_heap_head->counts.threadless, 1);
		return false;
	}
	thread->slot = (struct wk_channel_slot *)slot;
	thread->tid = tid;
	wk_heap_walk_begin(thread);
	wk_heap_next = (struct wk_heap_next){
		.passing = wk_heap_passing,
		.epoch = wk_heap_epoch,
		.distance = wk_heap_sample_bytes ? wk_heap_sample_distance() : 0,
	};
	thread->epoch = wk_heap_epoch;
	thread->quick =
		wk_heap_sample_bytes || (wk_heap_records & ~WK_CHANNEL_LOOSE) != WK_CHANNEL_HEAP
			? WK_HEAP_NEVER_BEGUN
			: WK_HEAP_BEGUN(wk_heap_epoch, WK_HEAP_ON);
	begin_stream(thread);
	atomic_store(&thread->slot->tid, tid);
	atomic_fetch_add(&thread->slot->use, 1);
	return true;
}

/* With the lock. Of a thread that was in an earlier recording, what it had there is used again. */
static bool take_part(uint32_t tid)
{
	struct wk_heap_thread *thread = wk_heap_self;

	if (*wk_heap_state != WK_HEAP_ON)
		return false;
	give_back_late(tid);
	if (!thread)
		thread = wk_heap_pages(sizeof(*thread));
	if (!thread)
		atomic_fetch_add(&wk_heap_head->counts.threadless, 1);
	if (!thread || (thread->epoch != wk_heap_epoch && !take_slot(thread, tid))) {
		if (thread && !wk_heap_self)
			munmap(thread, sizeof(*thread));
		return false;
	}
	atomic_store(&thread->is_inside, 1);
	if (!wk_heap_self)
		add_thread(thread);
	wk_heap_self = thread;
	return true;
}

struct wk_heap_thread *wk_heap_thread_here(void)
{
	bool is_new = !wk_heap_self, takes_part;

	wk_heap_lock(&lock);
	takes_part = take_part((uint32_t)syscall(SYS_gettid));
	wk_heap_unlock(&lock);
	if (!takes_part)
		return NULL;
	if (is_new && !is_late)
		pthread_setspecific(key, wk_heap_self);
	return wk_heap_self;
}
