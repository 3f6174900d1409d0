/* Events into the ring of their thread. */
#include <errno.h>

#include "preload/internal.h"
#include "preload/ticks.h"

static inline void count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* The first call of a process or a thread. Other functions of libc are called here, which may
 * allocate, and set errno. */
static __attribute__((noinline)) struct wk_heap_thread *begin(void)
{
	struct wk_heap_thread *thread = NULL;
	int saved = errno;

	if (*wk_heap_state == WK_HEAP_ON || wk_heap_begin())
		thread = wk_heap_thread_here();
	errno = saved;
	return thread;
}

/* The thread that records, until wk_heap_busy is 0 again; NULL if nothing is to be recorded. */
inline struct wk_heap_thread *wk_heap_enter(void)
{
	struct wk_heap_thread *thread = wk_heap_self;

	if (WK_UNLIKELY(wk_heap_busy)) {
		if (wk_heap_busy == WK_HEAP_IN_LIBRARY && *wk_heap_state == WK_HEAP_ON)
			count(&wk_heap_head->counts.nested);
		return NULL;
	}
	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	if (WK_UNLIKELY(!thread || *wk_heap_state != WK_HEAP_ON || thread->epoch != wk_heap_epoch))
		thread = begin();
	if (WK_UNLIKELY(!thread))
		wk_heap_busy = 0;
	return thread;
}

static inline uint8_t *put_address(struct wk_heap_thread *thread, uint8_t *at, const void *block)
{
	int64_t change = (int64_t)((uintptr_t)block - thread->address);

	thread->address = (uintptr_t)block;
	if (WK_LIKELY((change & 15) == 0))
		return wk_heap_put(at, wk_heap_fold(change >> 4) << 1);
	return wk_heap_put(at, wk_heap_fold(change) << 1 | 1);
}

static inline uint8_t *put_time(struct wk_heap_thread *thread, uint8_t *at, uint64_t time)
{
	at = wk_heap_put(at, time - thread->time);
	thread->time = time;
	return at;
}

static inline void publish(struct wk_heap_thread *thread, const uint8_t *from, const uint8_t *to)
{
	thread->head += (uint64_t)(to - from);
	atomic_store_explicit(&thread->slot->ring.head, thread->head, memory_order_release);
}

static inline void put_block(const void *block, size_t size, unsigned kind, const void *frame)
{
	struct wk_heap_thread *thread = wk_heap_enter();
	uint8_t *from, *at;
	uint32_t stack;

	if (!thread)
		return;
	stack = wk_heap_walk(thread, frame);
	from = at = wk_heap_room(thread);
	if (WK_LIKELY(at)) {
		*at++ = (uint8_t)kind;
		at = put_time(thread, at, wk_heap_ticks());
		at = put_address(thread, at, block);
		at = wk_heap_put(at, size);
		at = wk_heap_put(at, wk_heap_fold((int32_t)(stack - thread->stack)));
		thread->stack = stack;
		publish(thread, from, at);
	}
	wk_heap_busy = 0;
}

void wk_heap_allocated(const void *block, size_t size, enum wk_heap_function function,
		       const void *frame)
{
	put_block(block, size, WK_HEAP_RECORD_ALLOCATED | (unsigned)function << WK_HEAP_RECORD_BITS,
		  frame);
}

void wk_heap_moved(const void *block, size_t size, enum wk_heap_function function,
		   const void *frame)
{
	put_block(block, size, WK_HEAP_RECORD_MOVED | (unsigned)function << WK_HEAP_RECORD_BITS,
		  frame);
}

void wk_heap_released(const void *block, enum wk_heap_record record)
{
	struct wk_heap_thread *thread = wk_heap_enter();
	uint8_t *from, *at;

	if (!thread)
		return;
	from = at = wk_heap_room(thread);
	if (WK_LIKELY(at)) {
		*at++ = (uint8_t)record;
		at = put_time(thread, at, wk_heap_ticks());
		at = put_address(thread, at, block);
		publish(thread, from, at);
	}
	wk_heap_busy = 0;
}
