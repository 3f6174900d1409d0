/* An allocator that fails the Nth allocation and all that follow, counts what is allocated and not
 * given back, and may be used by several threads. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <stdatomic.h>
#include <stdlib.h>

struct failing_memory {
	atomic_long left; /* allocations that succeed; negative: no limit */
	atomic_long blocks;
	atomic_long calls;
};

static inline bool failing_may(struct failing_memory *memory)
{
	atomic_fetch_add(&memory->calls, 1);
	for (long left = atomic_load(&memory->left);;) {
		if (left < 0)
			return true;
		if (left == 0)
			return false;
		if (atomic_compare_exchange_weak(&memory->left, &left, left - 1))
			return true;
	}
}

static inline void *failing_alloc(void *context, size_t size_bytes)
{
	struct failing_memory *memory = context;
	void *at = failing_may(memory) ? malloc(size_bytes) : NULL;

	if (at)
		atomic_fetch_add(&memory->blocks, 1);
	return at;
}

static inline void *failing_realloc(void *context, void *at, size_t size_bytes)
{
	return failing_may(context) ? realloc(at, size_bytes) : NULL;
}

static inline void failing_free(void *context, void *at)
{
	struct failing_memory *memory = context;

	atomic_fetch_sub(&memory->blocks, 1);
	free(at);
}

#endif
