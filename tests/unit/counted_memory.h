/* Counts the bytes that a function has allocated at once, for tests of what memory is in proportion
 * to. Sizes are stored in front of each block. */
#ifndef WK_TESTS_COUNTED_MEMORY_H
#define WK_TESTS_COUNTED_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

#include "base/heap.h"

struct counted_memory {
	size_t now_bytes, most_bytes;
};

static inline void *counted_realloc(void *context, void *at, size_t size_bytes)
{
	struct counted_memory *memory = context;
	max_align_t *head = at ? (max_align_t *)at - 1 : NULL;
	size_t old_bytes = head ? *(size_t *)head : 0;

	head = realloc(head, sizeof(*head) + size_bytes);
	if (!head)
		return NULL;
	*(size_t *)head = size_bytes;
	memory->now_bytes += size_bytes - old_bytes;
	if (memory->most_bytes < memory->now_bytes)
		memory->most_bytes = memory->now_bytes;
	return head + 1;
}

static inline void *counted_alloc(void *context, size_t size_bytes)
{
	return counted_realloc(context, NULL, size_bytes);
}

static inline void counted_free(void *context, void *at)
{
	struct counted_memory *memory = context;

	memory->now_bytes -= *(size_t *)((max_align_t *)at - 1);
	free((max_align_t *)at - 1);
}

/* The most bytes that `run` has allocated at any time. */
static inline size_t most_bytes_of(void (*run)(void *context), void *context)
{
	struct counted_memory memory = { 0 };
	struct wk_allocator allocator = { .alloc = counted_alloc,
					  .realloc = counted_realloc,
					  .free = counted_free,
					  .context = &memory };
	struct wk_heap *heap = wk_heap_new(&allocator);

	assert_true(wk_heap_run(heap, run, context));
	wk_heap_free(heap);
	return memory.most_bytes;
}

#endif
