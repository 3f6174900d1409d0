/* What mem.c and heap.c share: the header of each allocation and the heap's fields. */
#ifndef WK_BASE_HEAP_INTERNAL_H
#define WK_BASE_HEAP_INTERNAL_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/lock.h"

/* In front of the bytes of each allocation; 32 bytes, so that alignment stays that of malloc. */
struct wk_block {
	struct wk_block *prev, *next; /* of the heap's list; unset outside of a heap */
	struct wk_heap *heap;
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

/* Between pages, the size of a large one; 0 if the system has none. */
size_t wk_large_page_bytes(void);
void wk_prefer_large_pages(void *at, size_t size_bytes);

#endif
