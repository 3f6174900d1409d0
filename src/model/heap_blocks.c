#include "model/heap_blocks.h"

#include <stdlib.h>

#include "base/mem.h"

/* Open addressing with linear steps, at most half full; what is removed leaves no mark. */
#define FEWEST_SLOTS 16

void wk_heap_blocks_fini(struct wk_heap_blocks *blocks)
{
	wk_free(blocks->at);
	*blocks = (struct wk_heap_blocks){ 0 };
}

static size_t first_slot(const struct wk_heap_blocks *blocks, uint64_t address)
{
	return wk_hash_u64(address) & (blocks->cap - 1);
}

/* That of the address, or the free one where it belongs. */
static struct wk_heap_block *slot_of(const struct wk_heap_blocks *blocks, uint64_t address)
{
	size_t at = first_slot(blocks, address);

	while (blocks->at[at].row && blocks->at[at].address != address)
		at = (at + 1) & (blocks->cap - 1);
	return &blocks->at[at];
}

struct wk_heap_block *wk_heap_blocks_find(const struct wk_heap_blocks *blocks, uint64_t address)
{
	struct wk_heap_block *block = blocks->cap ? slot_of(blocks, address) : NULL;

	return block && block->row ? block : NULL;
}

static void grow(struct wk_heap_blocks *blocks)
{
	struct wk_heap_blocks old = *blocks;

	blocks->cap = old.cap ? old.cap * 2 : FEWEST_SLOTS;
	blocks->at = wk_alloc_table_zeroed(blocks->cap, sizeof(*blocks->at));
	for (size_t i = 0; i < old.cap; i++)
		if (old.at[i].row)
			*slot_of(blocks, old.at[i].address) = old.at[i];
	wk_free(old.at);
}

struct wk_heap_block *wk_heap_blocks_at(struct wk_heap_blocks *blocks, uint64_t address)
{
	struct wk_heap_block *block;

	if (blocks->count * 2 >= blocks->cap)
		grow(blocks);
	block = slot_of(blocks, address);
	blocks->count += !block->row;
	block->address = address;
	return block;
}

static size_t step(const struct wk_heap_blocks *blocks, size_t from, size_t to)
{
	return (to - from) & (blocks->cap - 1);
}

void wk_heap_blocks_remove(struct wk_heap_blocks *blocks, struct wk_heap_block *block)
{
	size_t mask = blocks->cap - 1, free = (size_t)(block - blocks->at), next;

	/* What follows moves up, unless it would come before the slot where it is looked for. */
	for (next = (free + 1) & mask; blocks->at[next].row; next = (next + 1) & mask) {
		size_t first = first_slot(blocks, blocks->at[next].address);

		if (step(blocks, first, next) < step(blocks, free, next))
			continue;
		blocks->at[free] = blocks->at[next];
		free = next;
	}
	blocks->at[free].row = 0;
	blocks->count--;
}

static int newest_first(const void *left, const void *right)
{
	const struct wk_heap_block *a = *(const struct wk_heap_block *const *)left;
	const struct wk_heap_block *b = *(const struct wk_heap_block *const *)right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? 1 : -1;
	return (a->address < b->address) - (a->address > b->address);
}

uint64_t *wk_heap_blocks_addresses(const struct wk_heap_blocks *blocks)
{
	const struct wk_heap_block **order = wk_alloc_zeroed(blocks->count + 1, sizeof(*order));
	uint64_t *addresses = wk_alloc((blocks->count + 1) * sizeof(*addresses));
	size_t count = 0;

	for (size_t i = 0; i < blocks->cap; i++)
		if (blocks->at[i].row)
			order[count++] = &blocks->at[i];
	qsort(order, count, sizeof(*order), newest_first);
	for (size_t i = 0; i < count; i++)
		addresses[i] = order[i]->address;
	wk_free(order);
	return addresses;
}
