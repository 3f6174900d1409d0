/* A thread's ring and what it remembers: taken at its first call, given back when it ends. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/internal.h"

__thread struct wk_heap_thread *wk_heap_self WK_INITIAL_EXEC;
__thread uint32_t wk_heap_busy WK_INITIAL_EXEC;

static pthread_key_t key;
static bool has_key;

/* Blocks that are allocated after this, by other destructors, take a slot anew. */
static void end_thread(void *context)
{
	struct wk_heap_thread *thread = context;

	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	wk_heap_self = NULL;
	if (thread->epoch == wk_heap_epoch) {
		munmap(thread->slot, WK_CHANNEL_SLOT_BYTES);
		atomic_store(&wk_heap_head->state[thread->number], WK_CHANNEL_ENDED);
	}
	munmap(thread, sizeof(*thread));
	wk_heap_busy = 0;
}

bool wk_heap_threads_begin(void)
{
	if (!has_key)
		has_key = pthread_key_create(&key, end_thread) == 0;
	wk_heap_self = NULL;
	return has_key;
}

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

static struct wk_heap_thread *take_slot(struct wk_heap_thread *thread)
{
	uint8_t *slot;

	if (!find_slot(&thread->number))
		return NULL;
	slot = wk_heap_map_slot(thread->number);
	if (!slot) {
		atomic_store(&wk_heap_head->state[thread->number], WK_CHANNEL_FREE);
		return NULL;
	}
	thread->slot = (struct wk_channel_slot *)slot;
	thread->ring = slot + WK_CHANNEL_PAGE;
	thread->head = thread->tail = atomic_load(&thread->slot->ring.tail);
	thread->depth = 0;
	thread->distance = wk_heap_sample_bytes ? wk_heap_sample_distance() : 0;
	thread->epoch = wk_heap_epoch;
	atomic_store(&thread->slot->tid, (uint32_t)syscall(SYS_gettid));
	atomic_fetch_add(&thread->slot->use, 1);
	return thread;
}

struct wk_heap_thread *wk_heap_thread_here(void)
{
	struct wk_heap_thread *thread = wk_heap_self;

	if (thread && thread->epoch == wk_heap_epoch)
		return thread;
	if (!thread) {
		thread = wk_heap_pages(sizeof(*thread));
		if (!thread)
			return NULL;
	}
	if (!take_slot(thread)) {
		munmap(thread, sizeof(*thread));
		wk_heap_self = NULL;
		return NULL;
	}
	wk_heap_self = thread;
	pthread_setspecific(key, thread);
	return thread;
}

/* ---- stacks
 *
 * pthread_getattr_np would know a thread's own, but holds a lock of the thread's while it
 * allocates: called from inside that, it would wait for itself. */

#define MOST_STACK_BYTES (UINT64_C(1) << 30) /* that the main thread's is expected to grow to */

/* A line of maps: "FROM-TO rw-p ... [stack]". */
static const char *read_hex(const char *at, uintptr_t *number)
{
	for (*number = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*number = *number << 4 | (uintptr_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*number = *number << 4 | (uintptr_t)(*at - 'a' + 10);
		else
			return at;
	}
}

static bool take_line(const char *line, uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	const char *rights = read_hex(line, low);

	rights = read_hex(rights + 1, high);
	if (address < *low || address >= *high || rights[1] != 'r')
		return false;
	if (strstr(rights, "[stack]"))
		*low = *high > MOST_STACK_BYTES ? *high - MOST_STACK_BYTES : 0;
	return true;
}

bool wk_heap_find_stack(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	char text[1024], line[128];
	size_t used = 0;
	int saved = errno;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool is_found = false;
	ssize_t got;

	while (fd >= 0 && !is_found && (got = syscall(SYS_read, fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got && !is_found; i++) {
			if (text[i] != '\n' && used < sizeof(line) - 1) {
				line[used++] = text[i];
			} else if (text[i] == '\n') {
				line[used] = '\0';
				is_found = take_line(line, address, low, high);
				used = 0;
			}
		}
	if (fd >= 0)
		syscall(SYS_close, fd);
	errno = saved;
	return is_found;
}
