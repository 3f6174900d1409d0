#include "model/heap_lifetimes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/heap_blocks.h"
#include "model/heap_order.h"
#include "model/heap_rows.h"
#include "model/heap_totals.h"

/* Parts of an allocator by the low bits of their name's number. */
#define RECENT_PARTS 8

/* In addition to the model's row of the same number. */
struct heap {
	struct wk_heap_blocks blocks;
	wk_heap_id next; /* of its process's heaps */
	bool is_listed;  /* among those */
	bool is_loose;   /* times of its threads may be in the wrong order: heap_order.h */
	struct wk_heap_lives lives;
	struct recent_part {
		wk_text_id name;
		wk_subject_id about; /* 0: none yet */
	} recent[RECENT_PARTS];
};

/* The block that a thread allocated, if it did nothing since. */
struct last_block {
	wk_heap_id heap; /* 0: none */
	uint64_t address;
};

struct wk_heap_lifetimes {
	struct wk_model *model;
	struct wk_heap_rows *rows;
	struct heap *heaps;
	size_t heaps_cap;
	uint32_t heap_count; /* the largest number of one in `heaps`, plus 1 */
	struct wk_index heap_index;
	wk_heap_id recent_heap;
	wk_source_id sources[WK_DERIVED_COUNT]; /* 0: not used yet */
	struct wk_map heap_of_process; /* the first of those that had a block since it began */
	struct last_block *last_of_thread;
	size_t threads_cap;
	struct wk_heap_order order;
};

struct wk_heap_lifetimes *wk_heap_lifetimes_new(struct wk_model *model)
{
	struct wk_heap_lifetimes *lifetimes = wk_alloc_zeroed(1, sizeof(*lifetimes));

	lifetimes->model = model;
	lifetimes->rows = wk_heap_rows_new(model);
	return lifetimes;
}

void wk_heap_lifetimes_free(struct wk_heap_lifetimes *lifetimes)
{
	if (!lifetimes)
		return;
	for (uint32_t i = 0; i < lifetimes->heap_count; i++) {
		wk_heap_lives_fini(&lifetimes->heaps[i].lives);
		wk_heap_blocks_fini(&lifetimes->heaps[i].blocks);
	}
	WK_FREE_ALL(lifetimes->heaps, lifetimes->last_of_thread);
	wk_index_fini(&lifetimes->heap_index);
	wk_map_fini(&lifetimes->heap_of_process);
	wk_heap_rows_free(lifetimes->rows);
	wk_free(lifetimes);
}

/* --- Heaps --- */

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

static wk_heap_id add_heap(struct wk_heap_lifetimes *lifetimes, struct wk_heap_row *row)
{
	wk_heap_id id;

	row->name = name_heap(lifetimes->model, row->handle);
	id = wk_model_add_heap(lifetimes->model, row);
	WK_RESERVE_ZEROED(lifetimes->heaps, lifetimes->heaps_cap, (size_t)id + 1);
	lifetimes->heap_count = id + 1;
	wk_heap_rows_expect(lifetimes->rows, row->process);
	return id;
}

wk_heap_id wk_heap_lifetimes_heap(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
				  uint64_t handle)
{
	struct wk_heap_row key = { .process = process, .handle = handle };
	uint64_t hash;
	wk_heap_id id = lifetimes->recent_heap;

	if (id && same_heap(lifetimes->model, id, &key))
		return id;
	hash = wk_hash_pair(handle, process);
	id = wk_index_find(&lifetimes->heap_index, hash, same_heap, lifetimes->model, &key);
	if (!id) {
		id = add_heap(lifetimes, &key);
		wk_index_add(&lifetimes->heap_index, hash, id);
	}
	lifetimes->recent_heap = id;
	return id;
}

wk_subject_id wk_heap_lifetimes_only_heap(struct wk_heap_lifetimes *lifetimes,
					  wk_process_id process)
{
	struct wk_subject about = { .heap = wk_heap_lifetimes_heap(lifetimes, process, 0) };

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

/* --- Blocks --- */

static struct last_block *last_block_of(struct wk_heap_lifetimes *lifetimes, wk_thread_id thread)
{
	WK_RESERVE_ZEROED(lifetimes->last_of_thread, lifetimes->threads_cap, (size_t)thread + 1);
	return &lifetimes->last_of_thread[thread];
}

static wk_subject_id subject_of(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				wk_text_id part)
{
	struct wk_subject about = { .heap = heap, .what = part };
	struct recent_part *recent = &lifetimes->heaps[heap].recent[part % RECENT_PARTS];

	if (!recent->about || recent->name != part)
		*recent = (struct recent_part){ part,
						wk_model_add_subject(lifetimes->model, &about) };
	return recent->about;
}

/* How many blocks one stands for. */
static uint64_t times(uint64_t sampled)
{
	return sampled ? sampled : 1;
}

static inline struct wk_heap_origin end_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
					      const struct wk_heap_block *block,
					      const struct wk_sample *who)
{
	struct heap *of = &lifetimes->heaps[heap];
	uint64_t life_ns = who->time_ns > block->time_ns ? who->time_ns - block->time_ns : 0;

	wk_heap_totals_free(lifetimes->model, heap, &of->lives, block->weight, life_ns);
	return wk_heap_rows_release(lifetimes->rows, block,
				    times(wk_heap_blocks_sampled(&of->blocks, block)), life_ns,
				    who);
}

static wk_source_id source(struct wk_heap_lifetimes *lifetimes, enum wk_derived derived)
{
	wk_source_id *known = &lifetimes->sources[derived];

	if (!*known)
		*known = wk_model_derived_source(lifetimes->model, derived);
	return *known;
}

static inline void count_blocks(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				enum wk_derived derived, uint64_t weight, uint64_t blocks,
				struct wk_sample *sample)
{
	if (lifetimes->model->samples.count >= WK_MODEL_MOST_SAMPLES)
		return;
	sample->source = source(lifetimes, derived);
	sample->weight = wk_model_fit_weight(lifetimes->model, weight);
	sample->times = blocks;
	wk_heap_rows_count(lifetimes->rows, lifetimes->model->heaps[heap].process, sample);
}

static inline void count(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			 enum wk_derived derived, const struct wk_heap_block *block,
			 struct wk_sample *sample)
{
	count_blocks(lifetimes, heap, derived, block->weight,
		     times(wk_heap_blocks_sampled(&lifetimes->heaps[heap].blocks, block)), sample);
}

/* Since then its thread, which allocated it, did nothing else. */
static inline bool is_last_block(const struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				 const struct wk_heap_block *block, wk_thread_id thread)
{
	const struct last_block *last = &lifetimes->last_of_thread[thread];

	return last->heap == heap && last->address == block->address &&
	       !wk_heap_blocks_sampled(&lifetimes->heaps[heap].blocks, block);
}

static void count_temporary(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			    const struct wk_heap_block *block, uint64_t time_ns)
{
	struct wk_sample allocated = wk_heap_rows_sample(lifetimes->rows, block->row);

	allocated.time_ns = time_ns;
	count(lifetimes, heap, WK_DERIVED_HEAP_TEMPORARY, block, &allocated);
}

/* Ends a block and records who freed it, and whether its thread did nothing in between. False: it
 * is unknown. */
static inline bool free_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			      uint64_t address, struct wk_sample *who)
{
	const struct wk_heap_block *block =
		wk_heap_blocks_remove(&lifetimes->heaps[heap].blocks, address);
	struct wk_heap_origin origin;

	if (!block)
		return false;
	origin = end_block(lifetimes, heap, block, who);
	who->about = origin.about;
	count(lifetimes, heap, WK_DERIVED_FREE, block, who);
	if (is_last_block(lifetimes, heap, block, origin.thread))
		count_temporary(lifetimes, heap, block, who->time_ns);
	return true;
}

/* The block was ended already, when another one was allocated at its address. */
static bool free_ended(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, uint64_t address,
		       struct wk_sample *who, bool by_others)
{
	const struct wk_heap_waiting *found =
		wk_heap_order_take(&lifetimes->order.blocks, heap, address, who, by_others);
	struct wk_sample allocated;

	if (!found)
		return false;
	allocated = found->allocated;
	allocated.time_ns = who->time_ns;
	who->about = found->about;
	count_blocks(lifetimes, heap, WK_DERIVED_FREE, found->weight, 1, who);
	if (found->was_last)
		count_blocks(lifetimes, heap, WK_DERIVED_HEAP_TEMPORARY, found->weight, 1,
			     &allocated);
	lifetimes->model->heaps[heap].missed_frees--;
	lifetimes->model->heaps[0].missed_frees--;
	return true;
}

static void wait_for_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, uint64_t address,
			   const struct wk_sample *who)
{
	if (lifetimes->heaps[heap].is_loose)
		wk_heap_order_add(
			&lifetimes->order.releases,
			&(struct wk_heap_waiting){ .heap = heap, .address = address, .who = *who });
}

/* What a program frees that is not known was allocated before the recording, or that was lost. */
void wk_heap_lifetimes_free_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				  uint64_t address, struct wk_sample *who)
{
	bool is_known = free_ended(lifetimes, heap, address, who, true) ||
			free_block(lifetimes, heap, address, who) ||
			free_ended(lifetimes, heap, address, who, false);

	last_block_of(lifetimes, who->thread)->heap = 0;
	if (!is_known && address) {
		lifetimes->model->heaps[heap].unknown_frees++;
		lifetimes->model->heaps[0].unknown_frees++;
		wait_for_block(lifetimes, heap, address, who);
	}
}

static void free_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, struct wk_sample *who)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	uint64_t *addresses = wk_heap_blocks_addresses(blocks);

	for (size_t i = 0, all = blocks->count; i < all; i++)
		free_block(lifetimes, heap, addresses[i], who);
	wk_free(addresses);
}

static void end_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		     const struct wk_sample *who)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	uint64_t *addresses = wk_heap_blocks_addresses(blocks);

	for (size_t i = 0; i < blocks->count; i++)
		end_block(lifetimes, heap, wk_heap_blocks_find(blocks, addresses[i]), who);
	wk_free(addresses);
	wk_heap_blocks_fini(blocks);
}

static void miss_free(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		      const struct wk_heap_block *block, const struct wk_sample *who)
{
	struct wk_heap_waiting ended = { .heap = heap,
					 .address = block->address,
					 .who = *who,
					 .weight = block->weight };
	struct wk_heap_origin origin;

	wk_heap_rows_pass(lifetimes->rows, who->time_ns);
	origin = end_block(lifetimes, heap, block, who);
	lifetimes->model->heaps[heap].missed_frees++;
	lifetimes->model->heaps[0].missed_frees++;
	if (!lifetimes->heaps[heap].is_loose)
		return;
	ended.about = origin.about;
	ended.was_last = is_last_block(lifetimes, heap, block, origin.thread);
	ended.allocated = wk_heap_rows_sample(lifetimes->rows, block->row);
	wk_heap_order_add(&lifetimes->order.blocks, &ended);
}

void wk_heap_lifetimes_loosen(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, bool is_loose)
{
	lifetimes->heaps[heap].is_loose = is_loose;
}

void wk_heap_lifetimes_prefetch(const struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				uint64_t address)
{
	wk_heap_blocks_prefetch(&lifetimes->heaps[heap].blocks, address);
}

/* A new block in the place of `block`, of which nothing is known any more. */
static inline void fill_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			      const struct wk_heap_allocated *allocated,
			      struct wk_heap_block *block, struct wk_sample *who)
{
	struct wk_model *model = lifetimes->model;
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;

	model->samples_blocks |= allocated->of_blocks != 0;
	who->source = source(lifetimes, WK_DERIVED_HEAP);
	who->weight = wk_model_fit_weight(model, allocated->bytes);
	who->times = times(allocated->of_blocks);
	who->about = subject_of(lifetimes, heap, allocated->part);
	block->weight = who->weight;
	block->time_ns = who->time_ns;
	block->row = wk_heap_rows_allocate(lifetimes->rows, model->heaps[heap].process, who);
	wk_heap_blocks_set_sampled(blocks, block, allocated->of_blocks);
	wk_heap_totals_allocate(model, heap, who->weight, who->time_ns);
	model->heaps[heap].counts_blocks = true;
	*last_block_of(lifetimes, who->thread) = (struct last_block){ heap, allocated->address };
	list_heap(lifetimes, heap);
}

/* The release of the new block came already: there is none at its address. */
static void allocate_released(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			      const struct wk_heap_allocated *allocated,
			      const struct wk_sample *released, struct wk_sample *who)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	struct wk_heap_block *block = wk_heap_blocks_at(blocks, allocated->address);
	struct wk_sample by = *released;

	by.time_ns = who->time_ns;
	fill_block(lifetimes, heap, allocated, block, who);
	free_block(lifetimes, heap, allocated->address, &by);
	lifetimes->model->heaps[heap].unknown_frees--;
	lifetimes->model->heaps[0].unknown_frees--;
}

void wk_heap_lifetimes_allocate(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				const struct wk_heap_allocated *allocated, struct wk_sample *who)
{
	const struct wk_heap_waiting *released = wk_heap_order_take(
		&lifetimes->order.releases, heap, allocated->address, who, false);
	struct wk_heap_block *block;

	if (released) {
		allocate_released(lifetimes, heap, allocated, &released->who, who);
		return;
	}
	block = wk_heap_blocks_at(&lifetimes->heaps[heap].blocks, allocated->address);
	if (block->row)
		miss_free(lifetimes, heap, block, who);
	fill_block(lifetimes, heap, allocated, block, who);
}

static void begin_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			const struct wk_event_heap *event, struct wk_sample *who)
{
	wk_heap_lifetimes_allocate(lifetimes, heap, &(struct wk_heap_allocated){
		.address = event->address,
		.bytes = event->of_blocks ? event->of_bytes : event->size_bytes,
		.of_blocks = event->of_blocks,
		.part = wk_model_text(lifetimes->model, event->made_by),
	}, who);
}

void wk_heap_lifetimes_add(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   const struct wk_event_heap *heap, struct wk_sample *who)
{
	wk_heap_id id = wk_heap_lifetimes_heap(lifetimes, process, heap->heap);

	wk_heap_rows_pass(lifetimes->rows, who->time_ns);
	lifetimes->heaps[id].is_loose = heap->has_loose_time;
	switch (heap->change) {
	case WK_HEAP_CREATE: /* of the earlier process with its number, whose end was not
			      * recorded */
		end_heap(lifetimes, id, who);
		break;
	case WK_HEAP_DESTROY:
		free_heap(lifetimes, id, who);
		break;
	case WK_HEAP_FREE:
		wk_heap_lifetimes_free_block(lifetimes, id, heap->address, who);
		break;
	case WK_HEAP_REALLOCATE:
		wk_heap_lifetimes_free_block(lifetimes, id, heap->old_address, who);
		begin_block(lifetimes, id, heap, who);
		break;
	case WK_HEAP_ALLOCATE:
		begin_block(lifetimes, id, heap, who);
		break;
	case WK_HEAP_SEEN:
		lifetimes->model->heaps[id].was_there = true;
		lifetimes->model->heaps[0].was_there = true;
		break;
	}
}

void wk_heap_lifetimes_end(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   uint64_t time_ns, bool leaves_blocks)
{
	struct wk_sample ended = { .time_ns = time_ns };
	wk_heap_id heap = wk_map_find(&lifetimes->heap_of_process, process), next;

	if (heap)
		wk_map_set(&lifetimes->heap_of_process, process, 0);
	wk_heap_rows_pass(lifetimes->rows, time_ns);
	for (; heap; heap = next) {
		next = lifetimes->heaps[heap].next;
		if (leaves_blocks)
			wk_heap_blocks_fini(&lifetimes->heaps[heap].blocks);
		else
			end_heap(lifetimes, heap, &ended);
		lifetimes->heaps[heap].is_listed = false;
	}
}

bool wk_heap_lifetimes_has(const struct wk_heap_lifetimes *lifetimes, wk_process_id process)
{
	return wk_map_find(&lifetimes->heap_of_process, process) != 0;
}

uint64_t wk_heap_lifetimes_left(const struct wk_heap_lifetimes *lifetimes, wk_process_id process)
{
	return wk_heap_rows_left(lifetimes->rows, process);
}

void wk_heap_lifetimes_snapshot(struct wk_heap_lifetimes *lifetimes, wk_process_id process)
{
	if (process)
		wk_heap_rows_close(lifetimes->rows, process);
	else
		wk_heap_rows_close_all(lifetimes->rows);
}

void wk_heap_lifetimes_finish(struct wk_heap_lifetimes *lifetimes)
{
	wk_heap_rows_finish(lifetimes->rows);
	if (lifetimes->heap_count) /* so that it can be asked for even if there are none */
		wk_model_derived_source(lifetimes->model, WK_DERIVED_HEAP_TEMPORARY);
	for (wk_heap_id i = 1; i < lifetimes->heap_count; i++)
		wk_heap_totals_finish(lifetimes->model, i, &lifetimes->heaps[i].lives);
}
