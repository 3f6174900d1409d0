#include "model/heap/blocks.h"

#include <stdlib.h>

#include "base/heap.h"
#include "base/mem.h"

/* Chains by hash. What takes time in a table that fits into the processor's caches are its wrong
 * guesses of where a chain ends, so it has more slots for a block. */
#define FEWEST_SLOTS 16
#define TINY_TABLE   128
#define SMALL_TABLE  32768

static size_t most_blocks(size_t slot_count)
{
	bool is_small = slot_count > TINY_TABLE && slot_count <= SMALL_TABLE;

	return slot_count / (is_small ? 8 : 2);
}

void wk_heap_blocks_fini(struct wk_heap_blocks *blocks)
{
	WK_FREE_ALL(blocks->at, blocks->slots, blocks->sampled);
	*blocks = (struct wk_heap_blocks){ 0 };
}

const struct wk_heap_block *wk_heap_blocks_find(const struct wk_heap_blocks *blocks,
						uint64_t address)
{
	uint32_t id = blocks->count ? *wk_heap_blocks_slot(blocks, address) : 0;

	while (id && blocks->at[id].address != address)
		id = blocks->at[id].next;
	return id ? &blocks->at[id] : NULL;
}

void wk_heap_blocks_add_slots(struct wk_heap_blocks *blocks)
{
	struct wk_heap_blocks old = *blocks;

	blocks->slot_count = old.slot_count ? old.slot_count : FEWEST_SLOTS / 2;
	do {
		blocks->slot_count *= 2;
		blocks->most = most_blocks(blocks->slot_count);
	} while (blocks->most <= blocks->count);
	blocks->slots = wk_alloc_table_zeroed(blocks->slot_count, sizeof(*blocks->slots));
	for (size_t i = 0; i < old.slot_count; i++)
		for (uint32_t id = old.slots[i], next; id; id = next) {
			uint32_t *slot = wk_heap_blocks_slot(blocks, blocks->at[id].address);

			next = blocks->at[id].next;
			blocks->at[id].next = *slot;
			*slot = id;
		}
	wk_free(old.slots);
}

uint32_t wk_heap_blocks_add_row(struct wk_heap_blocks *blocks)
{
	if (blocks->row_count == UINT32_MAX)
		wk_heap_raise();
	WK_RESERVE(blocks->at, blocks->cap, (size_t)blocks->row_count + 2);
	return ++blocks->row_count;
}

void wk_heap_blocks_add_sampled(struct wk_heap_blocks *blocks, const struct wk_heap_block *block,
				uint64_t of_blocks)
{
	size_t id = (size_t)(block - blocks->at);

	WK_RESERVE_ZEROED(blocks->sampled, blocks->sampled_cap, id + 1);
	blocks->sampled[id] = of_blocks;
}

static int newest_first(const void *left, const void *right)
{
	const struct wk_heap_block *a = *(const struct wk_heap_block *const *)left;
	const struct wk_heap_block *b = *(const struct wk_heap_block *const *)right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? 1 : -1;
	return (a->address < b->address) - (a->address > b->address);
}

const struct wk_heap_block **wk_heap_blocks_all(const struct wk_heap_blocks *blocks)
{
	const struct wk_heap_block **all = wk_alloc_zeroed(blocks->count + 1, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < blocks->slot_count; i++)
		for (uint32_t id = blocks->slots[i]; id; id = blocks->at[id].next)
			all[count++] = &blocks->at[id];
	return all;
}

uint64_t *wk_heap_blocks_addresses(const struct wk_heap_blocks *blocks)
{
	const struct wk_heap_block **order = wk_heap_blocks_all(blocks);
	uint64_t *addresses = wk_alloc((blocks->count + 1) * sizeof(*addresses));

	qsort(order, blocks->count, sizeof(*order), newest_first);
	for (size_t i = 0; i < blocks->count; i++)
		addresses[i] = order[i]->address;
	wk_free(order);
	return addresses;
}
