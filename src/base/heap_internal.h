/* What mem.c and heap.c share: the header of each allocation and the heap's fields. */
#ifndef WK_BASE_HEAP_INTERNAL_H
#define WK_BASE_HEAP_INTERNAL_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/lock.h"

/* In front of the bytes of each allocation; 32 bytes, so that alignment stays that of malloc. */
struct wk_block {
	struct wk_block *prev, *next; /* of the owner's list */
	struct wk_heap *owner;        /* NULL: the process, by malloc */
	size_t size_bytes; /* WK_BLOCK_ALIGNED set: a pointer to the whole lies in front of this */
};

#define WK_BLOCK_ALIGNED (SIZE_MAX / 2 + 1)

struct wk_heap {
	struct wk_allocator allocator;
	struct wk_lock lock; /* of the lists */
	struct wk_block blocks;
	struct wk_undo undos, threads;
	atomic_bool has_failed;
	bool is_of_process;
};

/* The calling thread's while it is inside wk_heap_run, and empty outside. */
struct wk_running {
	struct wk_heap *heap;
	struct wk_heap *owner; /* of new blocks: the heap, but NULL for that of the process */
	struct wk_guard *guard;
	struct wk_held *held;
};

/* No look-up by a call: that would cost as much as the rest of an allocation. */
extern _Thread_local struct wk_running wk_running
#ifdef __ELF__
	__attribute__((tls_model("initial-exec"), visibility("hidden")))
#endif
	;

static inline bool wk_heap_is_failed(const struct wk_heap *heap)
{
	return heap && atomic_load_explicit(&heap->has_failed, memory_order_relaxed);
}

/* Between pages, the size of a large one; 0 if the system has none. */
size_t wk_large_page_bytes(void);
void wk_prefer_large_pages(void *at, size_t size_bytes);

/* May an allocation come from the heap of wk_heap_use_large_pages, and does this one? Then nothing
 * has to be aligned for it. */
bool wk_fits_large_heap(size_t size_bytes);
bool wk_is_in_large_heap(const void *at, size_t size_bytes);

/* Gives back memory that nothing is to be read from again; it stays reserved. */
void wk_discard_pages(void *at, size_t size_bytes);

#endif
