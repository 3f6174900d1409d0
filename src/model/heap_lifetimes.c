#include "model/heap_lifetimes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

/* A heap may have many blocks when it is destroyed; the builder refuses more before that. */
#define MOST_ROWS (UINT32_MAX - 1)

/* An address in a heap at which a block was seen. It stays when the block is freed, for the next
 * block there. */
struct block {
	uint64_t address;
	wk_heap_id heap;
	uint32_t sample;         /* the block's row + 1; 0: there is none now */
	uint32_t next, previous; /* of the heap's blocks; 0: none */
};

/* In addition to the model's row of the same number. */
struct heap {
	uint32_t first;  /* of its blocks */
	wk_heap_id next; /* of its process's heaps */
	bool is_listed;  /* among those */
};

struct wk_heap_lifetimes {
	struct wk_model *model;
	struct block *blocks; /* row 0 is none */
	size_t blocks_cap;
	uint32_t block_count;
	struct wk_index block_index;
	struct heap *heaps;
	size_t heaps_cap;
	struct wk_index heap_index;
	struct wk_map heap_of_process; /* the first of those that had a block since it began */
};

struct wk_heap_lifetimes *wk_heap_lifetimes_new(struct wk_model *model)
{
	struct wk_heap_lifetimes *lifetimes = wk_alloc_zeroed(1, sizeof(*lifetimes));

	lifetimes->model = model;
	lifetimes->block_count = 1;
	return lifetimes;
}

void wk_heap_lifetimes_free(struct wk_heap_lifetimes *lifetimes)
{
	if (!lifetimes)
		return;
	WK_FREE_ALL(lifetimes->blocks, lifetimes->heaps);
	wk_index_fini(&lifetimes->block_index);
	wk_index_fini(&lifetimes->heap_index);
	wk_map_fini(&lifetimes->heap_of_process);
	wk_free(lifetimes);
}

static bool same_heap(const void *table, uint32_t id, const void *key)
{
	const struct wk_heap_row *a = &((const struct wk_model *)table)->heaps[id], *b = key;

	return a->process == b->process && a->handle == b->handle;
}

static wk_text_id name_heap(struct wk_model *model, uint64_t handle)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, handle);
	return handle ? wk_model_text(model, wk_str_c(text)) : 0;
}

static wk_heap_id heap_row(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   uint64_t handle)
{
	struct wk_heap_row key = { .process = process, .handle = handle };
	uint64_t hash = wk_hash_pair(handle, process);
	wk_heap_id id =
		wk_index_find(&lifetimes->heap_index, hash, same_heap, lifetimes->model, &key);

	if (id)
		return id;
	key.name = name_heap(lifetimes->model, handle);
	id = wk_model_add_heap(lifetimes->model, &key);
	wk_index_add(&lifetimes->heap_index, hash, id);
	WK_RESERVE(lifetimes->heaps, lifetimes->heaps_cap, (size_t)id + 1);
	lifetimes->heaps[id] = (struct heap){ 0 };
	return id;
}

wk_subject_id wk_heap_lifetimes_only_heap(struct wk_heap_lifetimes *lifetimes,
					  wk_process_id process)
{
	struct wk_subject about = { .heap = heap_row(lifetimes, process, 0) };

	return wk_model_add_subject(lifetimes->model, &about);
}

/* So that it ends with its process. */
static void list_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id id)
{
	struct heap *heap = &lifetimes->heaps[id];
	uint32_t *first;

	if (heap->is_listed)
		return;
	first = wk_map_at(&lifetimes->heap_of_process, lifetimes->model->heaps[id].process);
	heap->next = *first;
	heap->is_listed = true;
	*first = id;
}

static bool same_block(const void *table, uint32_t id, const void *key)
{
	const struct block *a = &((const struct block *)table)[id], *b = key;

	return a->heap == b->heap && a->address == b->address;
}

/* The row of the address, or 0 if no block was seen. */
static uint32_t find_block(const struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			   uint64_t address)
{
	struct block key = { .heap = heap, .address = address };

	return wk_index_find(&lifetimes->block_index, wk_hash_pair(address, heap), same_block,
			     lifetimes->blocks, &key);
}

static uint32_t block_row(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, uint64_t address)
{
	uint32_t row = find_block(lifetimes, heap, address);

	if (row)
		return row;
	WK_RESERVE(lifetimes->blocks, lifetimes->blocks_cap, (size_t)lifetimes->block_count + 1);
	row = lifetimes->block_count++;
	lifetimes->blocks[row] = (struct block){ .heap = heap, .address = address };
	wk_index_add(&lifetimes->block_index, wk_hash_pair(address, heap), row);
	return row;
}

static void unlink_block(struct wk_heap_lifetimes *lifetimes, struct block *block)
{
	if (block->next)
		lifetimes->blocks[block->next].previous = block->previous;
	if (block->previous)
		lifetimes->blocks[block->previous].next = block->next;
	else
		lifetimes->heaps[block->heap].first = block->next;
	block->next = block->previous = 0;
}

static void end_block(struct wk_heap_lifetimes *lifetimes, uint32_t row,
		      const struct wk_sample *who)
{
	struct block *block = &lifetimes->blocks[row];
	struct wk_end end = { .time_ns = who->time_ns, .thread = who->thread,
			      .stack = who->stack };

	if (!block->sample)
		return;
	end.sample = block->sample - 1;
	end.weight = lifetimes->model->samples.weight[end.sample];
	end.times = 1;
	wk_model_add_end(lifetimes->model, &end);
	block->sample = 0;
	unlink_block(lifetimes, block);
}

/* Ends a block, if there is one, and records who freed it. Row 0 is an address without a known
 * block. */
static void free_block(struct wk_heap_lifetimes *lifetimes, uint32_t row,
		       const struct wk_sample *who)
{
	struct wk_sample freed = *who;
	uint32_t sample = row ? lifetimes->blocks[row].sample : 0;

	if (!sample)
		return;
	end_block(lifetimes, row, who);
	if (lifetimes->model->samples.count >= MOST_ROWS)
		return;
	freed.source = wk_model_derived_source(lifetimes->model, WK_DERIVED_FREE);
	freed.weight =
		wk_model_fit_weight(lifetimes->model, lifetimes->model->samples.weight[sample - 1]);
	freed.about = lifetimes->model->samples.about[sample - 1];
	wk_model_put_sample(lifetimes->model, &freed);
}

static void free_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		      const struct wk_sample *who)
{
	while (lifetimes->heaps[heap].first)
		free_block(lifetimes, lifetimes->heaps[heap].first, who);
}

static void end_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		     const struct wk_sample *who)
{
	while (lifetimes->heaps[heap].first)
		end_block(lifetimes, lifetimes->heaps[heap].first, who);
}

static void begin_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			const struct wk_event_heap *event, const struct wk_sample *who)
{
	struct wk_subject about = { .heap = heap,
				  .what = wk_model_text(lifetimes->model, event->made_by) };
	uint32_t row = block_row(lifetimes, heap, event->address);
	struct block *block = &lifetimes->blocks[row];
	struct wk_sample sample = *who;

	end_block(lifetimes, row, who);
	sample.source = wk_model_derived_source(lifetimes->model, WK_DERIVED_HEAP);
	sample.weight = wk_model_fit_weight(lifetimes->model, event->size_bytes);
	sample.about = wk_model_add_subject(lifetimes->model, &about);
	wk_model_add_sample(lifetimes->model, &sample);
	block->sample = lifetimes->model->samples.count;
	block->next = lifetimes->heaps[heap].first;
	if (block->next)
		lifetimes->blocks[block->next].previous = row;
	lifetimes->heaps[heap].first = row;
	list_heap(lifetimes, heap);
}

void wk_heap_lifetimes_add(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   const struct wk_event_heap *heap, const struct wk_sample *who)
{
	wk_heap_id id = heap_row(lifetimes, process, heap->heap);

	switch (heap->change) {
	case WK_HEAP_CREATE: /* of the earlier process with its number, whose end was not
			      * recorded */
		end_heap(lifetimes, id, who);
		break;
	case WK_HEAP_DESTROY:
		free_heap(lifetimes, id, who);
		break;
	case WK_HEAP_FREE:
		free_block(lifetimes, find_block(lifetimes, id, heap->address), who);
		break;
	case WK_HEAP_REALLOCATE:
		free_block(lifetimes, find_block(lifetimes, id, heap->old_address), who);
		begin_block(lifetimes, id, heap, who);
		break;
	case WK_HEAP_ALLOCATE:
		begin_block(lifetimes, id, heap, who);
		break;
	}
}

void wk_heap_lifetimes_end(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   uint64_t time_ns)
{
	struct wk_sample ended = { .time_ns = time_ns };
	wk_heap_id heap = wk_map_find(&lifetimes->heap_of_process, process), next;

	if (heap)
		wk_map_set(&lifetimes->heap_of_process, process, 0);
	for (; heap; heap = next) {
		next = lifetimes->heaps[heap].next;
		end_heap(lifetimes, heap, &ended);
		lifetimes->heaps[heap] = (struct heap){ 0 };
	}
}
