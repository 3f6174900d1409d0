#include "model/heap/lifetimes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/heap/internal.h"

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
	lifetimes->heaps[id].process = row->process;
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
	struct wk_heap *heap = &lifetimes->heaps[id];
	uint32_t *first;

	if (heap->is_listed)
		return;
	first = wk_map_at(&lifetimes->heap_of_process, heap->process);
	heap->next = *first;
	heap->is_listed = true;
	*first = id;
}

/* --- Blocks --- */

static struct wk_last_block *last_block_of(struct wk_heap_lifetimes *lifetimes, wk_thread_id thread)
{
	WK_RESERVE_ZEROED(lifetimes->last_of_thread, lifetimes->threads_cap, (size_t)thread + 1);
	return &lifetimes->last_of_thread[thread];
}

static wk_subject_id subject_of(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				wk_text_id part)
{
	struct wk_subject about = { .heap = heap, .what = part };
	struct wk_recent_part *recent = &lifetimes->heaps[heap].recent[part % WK_RECENT_PARTS];

	if (!recent->about || recent->name != part)
		*recent = (struct wk_recent_part){ part,
						wk_model_add_subject(lifetimes->model, &about) };
	return recent->about;
}

/* How many blocks one stands for. */
static uint64_t times(uint64_t sampled)
{
	return sampled ? sampled : 1;
}

static inline void end_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id id,
			     const struct wk_heap_block *block, uint64_t sampled,
			     const struct wk_sample *who)
{
	struct wk_heap *heap = &lifetimes->heaps[id];
	uint64_t life_ns = who->time_ns > block->time_ns ? who->time_ns - block->time_ns : 0;

	wk_heap_totals_free(lifetimes->model, id, &heap->lives, block->weight, life_ns);
	wk_heap_rows_release(lifetimes->rows, block, times(sampled), life_ns, who);
}

static wk_source_id source(struct wk_heap_lifetimes *lifetimes)
{
	if (!lifetimes->source)
		lifetimes->source = wk_model_derived_source(lifetimes->model, WK_DERIVED_HEAP);
	return lifetimes->source;
}

/* Since then its thread, which allocated it, did nothing else. */
static inline bool is_last_block(const struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				 const struct wk_heap_block *block)
{
	wk_thread_id thread = lifetimes->rows->rows[block->row].thread;
	const struct wk_last_block *last = &lifetimes->last_of_thread[thread];

	return last->heap == heap && last->address == block->address &&
	       !wk_heap_blocks_sampled(&lifetimes->heaps[heap].blocks, block);
}

/* Counts a block that was freed by who freed it, and if its thread did nothing in between. */
static void count_block(struct wk_heap_lifetimes *lifetimes, uint32_t row, uint64_t weight,
			uint64_t times, bool was_last, const struct wk_sample *who)
{
	struct wk_model *model = lifetimes->model;

	wk_heap_rows_count_free(lifetimes->rows, row, wk_model_fit_weight(model, weight), times,
				who);
	if (was_last)
		wk_heap_rows_count_temporary(lifetimes->rows, row,
					     wk_model_fit_weight(model, weight), who->time_ns);
}

/* False: it is unknown. */
static bool free_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id id, uint64_t address,
		       const struct wk_sample *who)
{
	struct wk_heap *heap = &lifetimes->heaps[id];
	const struct wk_heap_block *block = wk_heap_blocks_remove(&heap->blocks, address);
	uint64_t sampled;

	if (!block)
		return false;
	sampled = wk_heap_blocks_sampled(&heap->blocks, block);
	end_block(lifetimes, id, block, sampled, who);
	count_block(lifetimes, block->row, block->weight, times(sampled),
		    is_last_block(lifetimes, id, block), who);
	return true;
}

/* The block was ended already, when another one was allocated at its address. */
static bool free_ended(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, uint64_t address,
		       const struct wk_sample *who, bool by_others)
{
	const struct wk_heap_waiting *found =
		wk_heap_order_take(&lifetimes->order.blocks, heap, address, who, by_others);

	if (!found)
		return false;
	count_block(lifetimes, found->row, found->weight, 1, found->was_last, who);
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
				  uint64_t address, const struct wk_sample *who)
{
	bool is_known;

	wk_heap_rows_pass(lifetimes->rows, who->time_ns);
	is_known = free_ended(lifetimes, heap, address, who, true) ||
		   free_block(lifetimes, heap, address, who) ||
		   free_ended(lifetimes, heap, address, who, false);
	last_block_of(lifetimes, who->thread)->heap = 0;
	if (!is_known && address) {
		lifetimes->model->heaps[heap].unknown_frees++;
		lifetimes->model->heaps[0].unknown_frees++;
		wait_for_block(lifetimes, heap, address, who);
	}
}

static void free_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		      const struct wk_sample *who)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	uint64_t *addresses = wk_heap_blocks_addresses(blocks);

	for (size_t i = 0, all = blocks->count; i < all; i++)
		free_block(lifetimes, heap, addresses[i], who);
	wk_free(addresses);
}

static void end_known(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		      const struct wk_heap_block *block, const struct wk_sample *who)
{
	end_block(lifetimes, heap, block,
		  wk_heap_blocks_sampled(&lifetimes->heaps[heap].blocks, block), who);
}

static void end_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		     const struct wk_sample *who)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	uint64_t *addresses = wk_heap_blocks_addresses(blocks);

	for (size_t i = 0; i < blocks->count; i++)
		end_known(lifetimes, heap, wk_heap_blocks_find(blocks, addresses[i]), who);
	wk_free(addresses);
	wk_heap_blocks_fini(blocks);
}

static void leave_heap(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, uint64_t time_ns)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	const struct wk_heap_block **all = wk_heap_blocks_all(blocks);

	for (size_t i = 0; i < blocks->count; i++)
		wk_heap_rows_leave(lifetimes->rows, all[i],
				   times(wk_heap_blocks_sampled(blocks, all[i])), time_ns);
	wk_free(all);
	wk_heap_totals_leave(lifetimes->model, heap);
	wk_heap_blocks_fini(blocks);
}

static void miss_free(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		      const struct wk_heap_block *block, const struct wk_sample *who)
{
	end_known(lifetimes, heap, block, who);
	lifetimes->model->heaps[heap].missed_frees++;
	lifetimes->model->heaps[0].missed_frees++;
	if (lifetimes->heaps[heap].is_loose)
		wk_heap_order_add(&lifetimes->order.blocks, &(struct wk_heap_waiting){
			.heap = heap, .address = block->address, .who = *who,
			.weight = block->weight, .row = block->row,
			.was_last = is_last_block(lifetimes, heap, block) });
}

void wk_heap_lifetimes_loosen(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, bool is_loose)
{
	lifetimes->heaps[heap].is_loose = is_loose;
}

/* A new block in the place of `block`, of which nothing is known any more. Returns its row. */
static uint32_t fill_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id id,
			   const struct wk_heap_allocated *allocated, struct wk_heap_block *block,
			   const struct wk_sample *who)
{
	struct wk_model *model = lifetimes->model;
	struct wk_heap *heap = &lifetimes->heaps[id];
	struct wk_sample sample = *who;

	model->samples_blocks |= allocated->of_blocks != 0;
	sample.source = source(lifetimes);
	sample.weight = wk_model_fit_weight(model, allocated->bytes);
	sample.times = times(allocated->of_blocks);
	sample.about = subject_of(lifetimes, id, allocated->part);
	block->weight = sample.weight;
	block->time_ns = who->time_ns;
	block->row = wk_heap_rows_find(lifetimes->rows, heap->process, &sample);
	wk_heap_rows_allocate(lifetimes->rows, block, sample.times, who->is_before);
	wk_heap_blocks_set_sampled(&heap->blocks, block, allocated->of_blocks);
	wk_heap_totals_allocate(model, id, block->weight, who->time_ns);
	model->heaps[id].counts_blocks = true;
	*last_block_of(lifetimes, who->thread) = (struct wk_last_block){ id, allocated->address };
	list_heap(lifetimes, id);
	return block->row;
}

/* The release of the new block came already: there is none at its address. */
static uint32_t allocate_released(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				  const struct wk_heap_allocated *allocated,
				  const struct wk_sample *released, const struct wk_sample *who)
{
	struct wk_heap_blocks *blocks = &lifetimes->heaps[heap].blocks;
	struct wk_heap_block *block = wk_heap_blocks_at(blocks, allocated->address);
	struct wk_sample by = *released;
	uint32_t row = fill_block(lifetimes, heap, allocated, block, who);

	by.time_ns = who->time_ns;
	free_block(lifetimes, heap, allocated->address, &by);
	lifetimes->model->heaps[heap].unknown_frees--;
	lifetimes->model->heaps[0].unknown_frees--;
	return row;
}

static uint32_t allocate_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
			       const struct wk_heap_allocated *allocated,
			       const struct wk_sample *who)
{
	const struct wk_heap_waiting *released = wk_heap_order_take(
		&lifetimes->order.releases, heap, allocated->address, who, false);
	struct wk_heap_block *block;

	if (released)
		return allocate_released(lifetimes, heap, allocated, &released->who, who);
	block = wk_heap_blocks_at(&lifetimes->heaps[heap].blocks, allocated->address);
	if (block->row)
		miss_free(lifetimes, heap, block, who);
	return fill_block(lifetimes, heap, allocated, block, who);
}

uint32_t wk_heap_lifetimes_allocate(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				    const struct wk_heap_allocated *allocated,
				    const struct wk_sample *who)
{
	uint32_t row;

	wk_heap_rows_pass(lifetimes->rows, who->time_ns);
	row = allocate_block(lifetimes, heap, allocated, who);
	return wk_heap_rows_sums(lifetimes->rows, row) ? row : 0;
}

static void allocate(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
		     const struct wk_event_heap *event, const struct wk_sample *who)
{
	wk_heap_lifetimes_allocate(lifetimes, heap, &(struct wk_heap_allocated){
		.address = event->address,
		.bytes = event->of_blocks ? event->of_bytes : event->size_bytes,
		.of_blocks = event->of_blocks,
		.part = wk_model_text(lifetimes->model, event->made_by),
	}, who);
}

void wk_heap_lifetimes_add(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   const struct wk_event_heap *heap, const struct wk_sample *who)
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
		allocate(lifetimes, id, heap, who);
		break;
	case WK_HEAP_ALLOCATE:
		allocate(lifetimes, id, heap, who);
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
			leave_heap(lifetimes, heap, time_ns);
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
	/* So that it can be asked for even if there are none. */
	if (lifetimes->heap_count && !lifetimes->model->sample_bytes)
		wk_model_derived_source(lifetimes->model, WK_DERIVED_HEAP_TEMPORARY);
	for (wk_heap_id i = 1; i < lifetimes->heap_count; i++)
		wk_heap_totals_finish(lifetimes->model, i, &lifetimes->heaps[i].lives);
}
