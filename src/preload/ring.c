/* Space in rings, and the recorder that makes it. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/internal.h"
#include "channel/ticks.h"

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

static bool has_room(struct wk_channel_ring *ring, uint64_t head, uint64_t size)
{
	return head - atomic_load_explicit(&ring->tail, memory_order_acquire) <= size;
}

/* A recorder that died without a word leaves the program as it would be without one. The state is
 * another one when somebody else has noticed that, or in the child of a handler that forked. */
bool wk_heap_wait(struct wk_channel_ring *ring, uint64_t head, uint64_t size)
{
	uint32_t heartbeat = 0, quiet = 0;

	while (!has_room(ring, head, size)) {
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
		if (!has_room(ring, head, size))
			wait_for(&ring->drained, drained);
	}
	return true;
}

/* Ends the block, and begins the next one. */
uint8_t *wk_heap_next_block(struct wk_heap_thread *thread)
{
	uint64_t used = thread->head % WK_HEAP_BLOCK_BYTES;
	uint64_t head = thread->head + (used ? WK_HEAP_BLOCK_BYTES - used : 0);
	uint64_t most = WK_CHANNEL_RING_BYTES - WK_HEAP_BLOCK_BYTES;
	uint8_t *at = thread->ring + head % WK_CHANNEL_RING_BYTES;

	if (WK_UNLIKELY(atomic_load_explicit(&wk_heap_control->is_over, memory_order_relaxed))) {
		wk_heap_stop(WK_HEAP_OFF);
		return NULL;
	}
	if (WK_UNLIKELY(wk_heap_is_late))
		wk_heap_patch_new();
	if (head - thread->tail > most / 2) {
		thread->tail = atomic_load_explicit(&thread->slot->ring.tail, memory_order_acquire);
		if (head - thread->tail > most / 2)
			wake_recorder();
	}
	if (head - thread->tail > most && !wk_heap_wait(&thread->slot->ring, head, most)) {
		atomic_fetch_add(&wk_heap_head->counts.lost, 1);
		return NULL;
	}
	if (used)
		thread->ring[thread->head % WK_CHANNEL_RING_BYTES] = WK_HEAP_RECORD_END;
	thread->time = wk_heap_ticks();
	thread->address = 0;
	thread->stack = 0;
	memcpy(at, &thread->time, sizeof(thread->time));
	thread->head = head + sizeof(thread->time);
	return at + sizeof(thread->time);
}
