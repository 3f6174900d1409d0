/* The blocks of one heap that are allocated now, by address. The cost of each call does not depend
 * on their number, and memory on the greatest number at one time. A block moves when another one is
 * added or removed. */
#ifndef WK_MODEL_HEAP_BLOCKS_H
#define WK_MODEL_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct wk_heap_block {
	uint64_t address, weight;
	uint64_t times;   /* how many blocks it stands for: more than one if it was sampled */
	uint64_t time_ns; /* that it was allocated at */
	uint32_t row;     /* of wk_heap_rows; 0: there is no block here */
	bool is_sampled;  /* not all blocks between it and others are known */
};

/* All zero is empty. */
struct wk_heap_blocks {
	struct wk_heap_block *at; /* a hash table */
	size_t cap, count;
};

void wk_heap_blocks_fini(struct wk_heap_blocks *blocks);

/* Announces a lookup, so that its memory is fetched. */
static inline void wk_heap_blocks_prefetch(const struct wk_heap_blocks *blocks, uint64_t address)
{
	if (blocks->cap)
		__builtin_prefetch(&blocks->at[wk_hash_u64(address) & (blocks->cap - 1)]);
}

/* NULL if there is none. */
struct wk_heap_block *wk_heap_blocks_find(const struct wk_heap_blocks *blocks, uint64_t address);

/* The block at an address, or, without a row, the place for it; then the caller fills it before the
 * next call. */
struct wk_heap_block *wk_heap_blocks_at(struct wk_heap_blocks *blocks, uint64_t address);
void wk_heap_blocks_remove(struct wk_heap_blocks *blocks, struct wk_heap_block *block);

/* The addresses of all blocks, the newest first: an array of the caller's. */
uint64_t *wk_heap_blocks_addresses(const struct wk_heap_blocks *blocks);

#endif
