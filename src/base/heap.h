/* Out of memory as an error.
 *
 * A heap owns everything that one public object needs: its memory and, as undos, its files,
 * descriptors and threads. wk_heap_run makes it the current heap of the calling thread and runs a
 * function; what wk_alloc and its kin hand out meanwhile belongs to it. When the allocator has no
 * memory left, the function is left by a jump to wk_heap_run, which returns false. So none of the
 * code between checks an allocation, and none cleans up after one that failed: from then on the
 * heap is failed, every further use of it is refused, and wk_heap_free releases all that it owns,
 * the newest first. This is how databases treat a query that runs out of memory.
 *
 *	struct wk_heap *heap = wk_heap_new(&allocator);
 *	ok = wk_heap_run(heap, open_recording, &call);
 *	wk_heap_free(heap);
 *
 * Threads: a thread that os/ starts runs in the heap of its creator, with a jump target of its own.
 * When any of them runs out of memory the heap has failed; the others notice at their next
 * allocation, wait or join. Locks of os/ are released by the jump.
 *
 * Without a heap (unit tests, fuzzers) memory comes from malloc and running out aborts. */
#ifndef WK_BASE_HEAP_H
#define WK_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct wk_heap;

/* As malloc, realloc and free, with a context. `alloc_zeroed` may be NULL. Several threads may
 * call them at once. */
struct wk_allocator {
	void *(*alloc)(void *context, size_t size_bytes);
	void *(*alloc_zeroed)(void *context, size_t size_bytes);
	void *(*realloc)(void *context, void *at, size_t size_bytes);
	void (*free)(void *context, void *at);
	void *context;
};

/* `allocator` NULL: the C library's. NULL if there is no memory for it. */
struct wk_heap *wk_heap_new(const struct wk_allocator *allocator);

/* For a program's main: owns descriptors and threads, but leaves memory to the end of the process,
 * so that a leak is seen by tools that search for leaks. */
struct wk_heap *wk_heap_new_for_process(void);

/* For a program's main, before it has threads: what malloc hands out from now on lies in large
 * pages if the system has them, so that each first use of a page does not cost a page fault. */
void wk_heap_use_large_pages(void);

/* Runs the undos, newest first, and frees the memory. The heap may not be in use. NULL is
 * allowed. */
void wk_heap_free(struct wk_heap *heap);

/* False if memory ran out, now or earlier. Calls may be nested, also with several heaps. */
bool wk_heap_run(struct wk_heap *heap, void (*run)(void *context), void *context);

/* The calling thread's; NULL outside of wk_heap_run. */
struct wk_heap *wk_heap_current(void);

bool wk_heap_has_failed(const struct wk_heap *heap); /* NULL has not */

/* Whether it ends with the process only (wk_heap_new_for_process). NULL does. */
bool wk_heap_is_of_process(const struct wk_heap *heap);

/* For libraries that reported that they could not allocate: jumps as a failed wk_alloc does. */
__attribute__((noreturn)) void wk_heap_raise(void);

/* Jumps if the current heap has failed: for loops that wait for other threads of it. */
void wk_heap_check(void);

/* Something to release should memory run out. It is created before the resource, because creating
 * it may raise, and armed by setting `run`, which must not allocate:
 *
 *	file->undo = wk_undo_new();
 *	file->at = mmap(...);
 *	wk_undo_arm(file->undo, unmap, file->at, file->size_bytes);
 *
 * Code that releases the resource itself calls wk_undo_free as well. Outside of a heap it is NULL,
 * which all of these allow. */
struct wk_undo {
	struct wk_undo *prev, *next;
	struct wk_heap *heap;
	void (*run)(struct wk_undo *undo);
	void *at;
	size_t number;
};

struct wk_undo *wk_undo_new(void);

/* The same for a thread, which is joined by it. These run before all others: what the thread
 * opened is released once it is unused. */
struct wk_undo *wk_undo_new_thread(void);

void wk_undo_arm(struct wk_undo *undo, void (*run)(struct wk_undo *undo), void *at, size_t number);
void wk_undo_free(struct wk_undo *undo);

/* A lock that the thread holds, released if the thread is left by a jump. Locks nest. */
struct wk_held {
	struct wk_held *outer;
	void (*release)(struct wk_held *held);
};

void wk_held_push(struct wk_held *held);
void wk_held_pop(struct wk_held *held);

#endif
