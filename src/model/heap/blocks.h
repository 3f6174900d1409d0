/* The blocks of one heap that are allocated now, by address. The cost of each call does not depend
 * on their number, and memory on the greatest number at one time. The memory of what was freed last
 * is used next, so short-lived blocks stay in the processor's caches. */
#ifndef WK_MODEL_HEAP_BLOCKS_H
#define WK_MODEL_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct wk_heap_block {
	uint64_t address, weight;
	uint64_t time_ns; /* that it was allocated at */
	uint32_t row;     /* of wk_heap_rows; 0: there is no block here */
	uint32_t next;    /* in its slot, or of those that are unused; 0: none */
};

/* All zero is empty. */
struct wk_heap_blocks {
	struct wk_heap_block *at; /* row 0 is none */
	size_t cap;
	uint32_t row_count, unused; /* the first of those that are */
	uint32_t *slots;            /* the first block of each hash */
	size_t slot_count, count;
	size_t most;       /* blocks that the slots are for; with more, the table grows */
	uint64_t *sampled; /* by row, as far as one was; wk_heap_blocks_sampled */
	size_t sampled_cap;
};

void wk_heap_blocks_fini(struct wk_heap_blocks *blocks);

/* The first block with an address's hash. */
static inline uint32_t *wk_heap_blocks_slot(const struct wk_heap_blocks *blocks, uint64_t address)
{
	return &blocks->slots[wk_hash_u64(address) & (blocks->slot_count - 1)];
}

/* NULL if there is none. */
const struct wk_heap_block *wk_heap_blocks_find(const struct wk_heap_blocks *blocks,
						uint64_t address);

/* For the next one: more slots; a row. */
void wk_heap_blocks_add_slots(struct wk_heap_blocks *blocks);
uint32_t wk_heap_blocks_add_row(struct wk_heap_blocks *blocks);

/* The block at an address, or, without a row, a new one, which the caller fills before the next
 * call. */
static inline struct wk_heap_block *wk_heap_blocks_at(struct wk_heap_blocks *blocks,
						      uint64_t address)
{
	uint32_t *slot, id;

	if (blocks->count >= blocks->most)
		wk_heap_blocks_add_slots(blocks);
	slot = wk_heap_blocks_slot(blocks, address);
	for (id = *slot; id; id = blocks->at[id].next)
		if (blocks->at[id].address == address)
			return &blocks->at[id];
	id = blocks->unused;
	if (id)
		blocks->unused = blocks->at[id].next;
	else
		id = wk_heap_blocks_add_row(blocks);
	blocks->at[id].address = address;
	blocks->at[id].row = 0;
	blocks->at[id].next = *slot;
	*slot = id;
	blocks->count++;
	return &blocks->at[id];
}

/* Removes the block at an address, and returns what it was, valid until the next one is added; NULL
 * if there is none. */
static inline const struct wk_heap_block *wk_heap_blocks_remove(struct wk_heap_blocks *blocks,
								uint64_t address)
{
	uint32_t *link, id;

	if (!blocks->count)
		return NULL;
	link = wk_heap_blocks_slot(blocks, address);
	while ((id = *link) != 0 && blocks->at[id].address != address)
		link = &blocks->at[id].next;
	if (!id)
		return NULL;
	*link = blocks->at[id].next;
	blocks->at[id].next = blocks->unused;
	blocks->unused = id;
	blocks->count--;
	return &blocks->at[id];
}

/* How many blocks one stands for if it was sampled, otherwise 0: set for each new one. */
void wk_heap_blocks_add_sampled(struct wk_heap_blocks *blocks, const struct wk_heap_block *block,
				uint64_t of_blocks);
static inline void wk_heap_blocks_set_sampled(struct wk_heap_blocks *blocks,
					      const struct wk_heap_block *block, uint64_t of_blocks)
{
	if (of_blocks || blocks->sampled_cap)
		wk_heap_blocks_add_sampled(blocks, block, of_blocks);
}

static inline uint64_t wk_heap_blocks_sampled(const struct wk_heap_blocks *blocks,
					      const struct wk_heap_block *block)
{
	size_t id = (size_t)(block - blocks->at);

	return id < blocks->sampled_cap ? blocks->sampled[id] : 0;
}

/* All blocks, [count], in no order: an array of the caller's. */
const struct wk_heap_block **wk_heap_blocks_all(const struct wk_heap_blocks *blocks);

/* The addresses of all blocks, the newest first: an array of the caller's. */
uint64_t *wk_heap_blocks_addresses(const struct wk_heap_blocks *blocks);

#endif
