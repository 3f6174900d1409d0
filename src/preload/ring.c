/* Space for events: blocks of the thread's own, those of the pool, and the recorder that empties
 * them. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/internal.h"
#include "channel/ticks.h"

/* If more than this is not read yet, the recorder is woken, unless it comes by itself before: it is
 * cheaper for both if it finds much. */
#define WAKE_BYTES (32 * WK_HEAP_BLOCK_BYTES)

#define NAP_NS       5000000L
#define PATIENT_NAPS 600 /* without a sign of life: three seconds */
#define CHECK_NAPS   10  /* after so many it may be gone */

/* Through syscall: the functions of libc that wait are points at which a thread can be
 * cancelled. */
static void wait_for(_Atomic uint32_t *word, uint32_t value)
{
	struct timespec nap = { .tv_nsec = NAP_NS };
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAIT, value, &nap, NULL, 0);
	errno = saved;
}

static void wake_recorder(void)
{
	int saved = errno;

	if (atomic_load_explicit(&wk_heap_control->is_asleep, memory_order_relaxed) == 0)
		return;
	atomic_fetch_add(&wk_heap_control->wake, 1);
	syscall(SYS_futex, &wk_heap_control->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

static bool is_recorder_gone(void)
{
	int saved = errno;
	bool is_gone = wk_heap_recorder > 0 && syscall(SYS_kill, wk_heap_recorder, 0) != 0 &&
		       errno == ESRCH;

	errno = saved;
	return is_gone;
}

static bool is_read(struct wk_channel_ring *ring, uint64_t tail)
{
	return atomic_load_explicit(&ring->tail, memory_order_acquire) >= tail;
}

/* A recorder that died without a word leaves the program as it would be without one. The state is
 * another one when somebody else has noticed that, or in the child of a handler that forked. */
bool wk_heap_wait(struct wk_channel_ring *ring, uint64_t tail)
{
	uint32_t heartbeat = 0, quiet = 0;

	while (!is_read(ring, tail)) {
		uint32_t drained = atomic_load(&ring->drained);
		uint32_t now = atomic_load(&wk_heap_control->heartbeat);

		if (*wk_heap_state != WK_HEAP_ON)
			return false;
		quiet = now == heartbeat ? quiet + 1 : 0;
		heartbeat = now;
		if (atomic_load(&wk_heap_control->is_over) ||
		    (quiet > CHECK_NAPS && is_recorder_gone())) {
			wk_heap_stop(WK_HEAP_OFF);
			return false;
		}
		if (quiet > PATIENT_NAPS) {
			wk_heap_stop(WK_HEAP_LOSING);
			return false;
		}
		if (wk_heap_when_full == WK_CHANNEL_DROP)
			return false;
		atomic_store(&ring->is_waiting, 1);
		wake_recorder();
		if (!is_read(ring, tail))
			wait_for(&ring->drained, drained);
	}
	return true;
}

/* ---- blocks */

static uint8_t *block_at(const struct wk_heap_thread *thread, uint32_t place)
{
	if (place < WK_CHANNEL_OWN_BLOCKS)
		return (uint8_t *)thread->slot + WK_CHANNEL_PAGE + place * WK_HEAP_BLOCK_BYTES;
	return (uint8_t *)wk_heap_head + WK_CHANNEL_POOL_AT +
	       (place - WK_CHANNEL_OWN_BLOCKS) * WK_HEAP_BLOCK_BYTES;
}

static _Atomic uint16_t *place_of(const struct wk_heap_thread *thread, uint64_t position)
{
	return &thread->slot->places[position / WK_HEAP_BLOCK_BYTES % WK_CHANNEL_PLACES];
}

static bool is_own_free(struct wk_heap_thread *thread)
{
	if (thread->own_end[thread->own_next] <= thread->tail)
		return true;
	thread->tail = atomic_load_explicit(&thread->slot->ring.tail, memory_order_acquire);
	return thread->own_end[thread->own_next] <= thread->tail;
}

/* The first ones, so that others are never touched if they are not needed. */
static bool take_of_pool(uint32_t *place)
{
	for (uint32_t i = 0; i < WK_CHANNEL_POOL_BLOCKS / 64; i++) {
		_Atomic uint64_t *word = &wk_heap_head->pool_used[i];
		uint64_t used = atomic_load_explicit(word, memory_order_relaxed);

		while (~used) {
			uint64_t bit = ~used & (used + 1);

			if (!atomic_compare_exchange_weak_explicit(word, &used, used | bit,
								   memory_order_acquire,
								   memory_order_relaxed))
				continue;
			*place = WK_CHANNEL_OWN_BLOCKS + 64 * i + (uint32_t)__builtin_ctzll(bit);
			return true;
		}
	}
	return false;
}

/* A block for what follows `head`. False: there will be none. */
static bool take_block(struct wk_heap_thread *thread, uint64_t head)
{
	uint32_t place = thread->own_next;

	while (!is_own_free(thread)) {
		if (take_of_pool(&place))
			break;
		if (!wk_heap_wait(&thread->slot->ring, thread->own_end[place]))
			return false;
	}
	if (place < WK_CHANNEL_OWN_BLOCKS) {
		thread->own_end[place] = head + WK_HEAP_BLOCK_BYTES;
		thread->own_next = (place + 1) % WK_CHANNEL_OWN_BLOCKS;
	}
	atomic_store_explicit(place_of(thread, head), (uint16_t)place, memory_order_relaxed);
	thread->block = block_at(thread, place);
	return true;
}

/* The last thread's, if that did not fill it, is one of the slot's own. */
void wk_heap_stream_begin(struct wk_heap_thread *thread)
{
	uint64_t head = atomic_load(&thread->slot->ring.tail);
	uint64_t used = head % WK_HEAP_BLOCK_BYTES;
	uint32_t place = used ? atomic_load(place_of(thread, head)) % WK_CHANNEL_OWN_BLOCKS : 0;

	thread->head = thread->tail = head;
	thread->block = block_at(thread, place);
	thread->own_next = place;
	memset(thread->own_end, 0, sizeof(thread->own_end));
	if (!used)
		return;
	thread->own_end[place] = head - used + WK_HEAP_BLOCK_BYTES;
	thread->own_next = (place + 1) % WK_CHANNEL_OWN_BLOCKS;
}

/* The pool gets its block back. */
void wk_heap_stream_end(struct wk_heap_thread *thread)
{
	uint64_t used = thread->head % WK_HEAP_BLOCK_BYTES;

	if (!used || atomic_load(place_of(thread, thread->head)) < WK_CHANNEL_OWN_BLOCKS)
		return;
	thread->block[used] = WK_HEAP_RECORD_END;
	thread->head += WK_HEAP_BLOCK_BYTES - used;
	atomic_store(&thread->slot->ring.head, thread->head);
}

static void wake_if_late(struct wk_heap_thread *thread, uint64_t head)
{
	if (head - thread->tail <= WAKE_BYTES)
		return;
	thread->tail = atomic_load_explicit(&thread->slot->ring.tail, memory_order_acquire);
	if (head - thread->tail > WAKE_BYTES)
		wake_recorder();
}

/* Ends the block, and begins the next one. */
uint8_t *wk_heap_next_block(struct wk_heap_thread *thread)
{
	uint64_t used = thread->head % WK_HEAP_BLOCK_BYTES;
	uint64_t head = thread->head + (used ? WK_HEAP_BLOCK_BYTES - used : 0);
	uint8_t *last = thread->block;

	if (WK_UNLIKELY(atomic_load_explicit(&wk_heap_control->is_over, memory_order_relaxed))) {
		wk_heap_stop(WK_HEAP_OFF);
		return NULL;
	}
	if (WK_UNLIKELY(wk_heap_is_late))
		wk_heap_patch_new();
	wk_patched_look_again();
	wake_if_late(thread, head);
	if (!take_block(thread, head)) {
		atomic_fetch_add(&wk_heap_head->counts.lost, 1);
		return NULL;
	}
	if (used)
		last[used] = WK_HEAP_RECORD_END;
	thread->time = wk_heap_ticks();
	thread->address = 0;
	thread->stack = 0;
	memcpy(thread->block, &thread->time, sizeof(thread->time));
	thread->head = head + sizeof(thread->time);
	return thread->block + sizeof(thread->time);
}
