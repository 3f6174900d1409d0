#include "model/heap_blocks.h"

#include "base/hash.h"
#include "base/mem.h"

void wk_heap_blocks_fini(struct wk_heap_blocks *blocks)
{
	wk_free(blocks->at);
	wk_index_fini(&blocks->index);
}

static uint64_t hash_of(const struct wk_heap_block *block)
{
	return wk_hash_pair(block->address, block->heap);
}

static bool same_block(const void *table, uint32_t id, const void *key)
{
	const struct wk_heap_block *a = &((const struct wk_heap_block *)table)[id], *b = key;

	return a->heap == b->heap && a->address == b->address;
}

uint32_t wk_heap_blocks_find(const struct wk_heap_blocks *blocks, wk_heap_id heap, uint64_t address)
{
	struct wk_heap_block key = { .heap = heap, .address = address };

	return wk_index_find(&blocks->index, hash_of(&key), same_block, blocks->at, &key);
}

static uint32_t unused_row(struct wk_heap_blocks *blocks)
{
	uint32_t id = blocks->free;

	if (id) {
		blocks->free = blocks->at[id].next;
		return id;
	}
	if (!blocks->count)
		blocks->count = 1;
	WK_RESERVE(blocks->at, blocks->cap, (size_t)blocks->count + 1);
	return blocks->count++;
}

uint32_t wk_heap_blocks_add(struct wk_heap_blocks *blocks, const struct wk_heap_block *block,
			    uint32_t *first)
{
	uint32_t id = unused_row(blocks);

	blocks->at[id] = *block;
	blocks->at[id].next = *first;
	blocks->at[id].previous = 0;
	if (*first)
		blocks->at[*first].previous = id;
	*first = id;
	wk_index_add(&blocks->index, hash_of(block), id);
	return id;
}

void wk_heap_blocks_remove(struct wk_heap_blocks *blocks, uint32_t id, uint32_t *first)
{
	struct wk_heap_block *block = &blocks->at[id];

	wk_index_remove(&blocks->index, hash_of(block), id);
	if (block->next)
		blocks->at[block->next].previous = block->previous;
	if (block->previous)
		blocks->at[block->previous].next = block->next;
	else
		*first = block->next;
	*block = (struct wk_heap_block){ .next = blocks->free };
	blocks->free = id;
}
