#include "model/stack_lists.h"

#include "base/mem.h"

#define BLOCK_NUMBERS ((size_t)1 << 17) /* of 16 bits: small enough for a cache */
#define LARGE_HEAD    ((size_t)7)

void wk_stack_lists_fini(struct wk_stack_lists *lists)
{
	struct wk_list_block *block = lists->first, *next;

	for (; block; block = next) {
		next = block->next;
		wk_free(block);
	}
	*lists = (struct wk_stack_lists){ 0 };
}

static struct wk_list_block *new_block(struct wk_stack_lists *lists, uint32_t row, bool is_wide,
				       size_t need)
{
	size_t cap = need > BLOCK_NUMBERS ? need : BLOCK_NUMBERS;
	struct wk_list_block *block = wk_alloc(sizeof(*block) + cap * sizeof(block->at[0]));

	*block = (struct wk_list_block){ .row = row, .is_wide = is_wide, .cap = cap };
	*(lists->last ? &lists->last->next : &lists->first) = block;
	lists->last = block;
	return block;
}

/* Enough for all of them. Frames are narrow as long as the model has few. */
static struct wk_list_block *block_for(struct wk_model *model, uint32_t row, size_t list_count,
				       size_t frame_count)
{
	struct wk_list_block *block = model->lists.last;
	bool is_wide = model->frames.count > UINT16_MAX;
	size_t size = is_wide ? 2 : 1, need = size * frame_count + LARGE_HEAD * list_count;

	if (block && block->row == row && block->is_wide == is_wide &&
	    block->cap - block->heads - size * block->frames >= need)
		return block;
	return new_block(&model->lists, row, is_wide, need);
}

static void add_frames(struct wk_list_block *block, const uint32_t *numbers, size_t count,
		       const wk_frame_id *frame_of)
{
	uint16_t *narrow = block->at + block->frames;
	wk_frame_id *wide = (wk_frame_id *)block->at + block->frames;

	for (size_t i = 0; i < count && !block->is_wide; i++)
		narrow[i] = (uint16_t)frame_of[numbers[i]];
	for (size_t i = 0; i < count && block->is_wide; i++)
		wide[i] = frame_of[numbers[i]];
	block->frames += count;
}

static void add_head(struct wk_list_block *block, uint32_t frame_count, uint64_t weight)
{
	uint16_t *head = block->at + block->cap - block->heads;

	if (frame_count < WK_LIST_IS_LARGE && weight <= UINT16_MAX) {
		head[-1] = (uint16_t)frame_count;
		head[-2] = (uint16_t)weight;
		block->heads += 2;
		return;
	}
	head[-1] = WK_LIST_IS_LARGE;
	head[-2] = (uint16_t)frame_count;
	head[-3] = (uint16_t)(frame_count >> 16);
	for (int i = 0; i < 4; i++)
		head[-4 - i] = (uint16_t)(weight >> 16 * i);
	block->heads += LARGE_HEAD;
}

void wk_model_add_lists(struct wk_model *model, uint32_t row, const struct wk_event_lists *lists,
			const wk_frame_id *frame_of)
{
	bool counts = model->sources[wk_sample_source(&model->samples, row)].counts_samples;
	size_t frame_count = wk_event_lists_frames(lists);
	struct wk_list_block *block = block_for(model, row, lists->count, frame_count);

	add_frames(block, lists->frames, frame_count, frame_of);
	for (size_t i = 0; i < lists->count; i++) {
		uint64_t weight = wk_model_fit_weight(model, lists->at[i].weight);

		wk_model_add_to_sum(model, row, weight, counts ? weight : 1);
		if (lists->at[i].frame_count)
			add_head(block, lists->at[i].frame_count, weight);
	}
	model->lists.frame_count += frame_count;
}

static wk_frame_id *widen(const struct wk_list_block *block, wk_frame_id *wide)
{
	size_t i = 0;

	for (; i + 16 <= block->frames; i += 16)
		for (size_t k = 0; k < 16; k++)
			wide[i + k] = block->at[i + k];
	for (; i < block->frames; i++)
		wide[i] = block->at[i];
	return wide;
}

bool wk_list_walk_next_block(struct wk_list_walk *walk)
{
	const struct wk_list_block *block = walk->next;

	walk->block = block;
	if (!block) {
		wk_free(walk->wide);
		walk->wide = NULL;
		return false;
	}
	walk->next = block->next;
	walk->frames = (const wk_frame_id *)block->at;
	walk->head = block->at + block->cap;
	if (!block->is_wide) {
		WK_RESERVE(walk->wide, walk->wide_cap, block->frames);
		walk->frames = widen(block, walk->wide);
	}
	return true;
}

/* A sample of its own for a list, whose weight its row loses. A row that has nothing left becomes
 * that sample. */
static void stack_list(struct wk_model *model, const struct wk_stack_list *list)
{
	struct wk_sample sample = { .source = wk_sample_source(&model->samples, list->row),
				    .cpu = WK_NO_CPU, .weight = list->weight, .times = 1,
				    .is_before = model->samples.is_before &&
						 model->samples.is_before[list->row] };
	uint64_t weight = model->samples.weight[list->row] - list->weight;
	uint64_t times = model->samples.times[list->row] - wk_list_times(model, list);

	for (uint32_t i = 0; i < list->frame_count; i++)
		sample.stack = wk_model_add_stack(model, sample.stack, list->frames[i]);
	if (weight || times) {
		wk_model_set_sum(model, list->row, weight, times);
		wk_model_add_sample(model, &sample);
	} else {
		model->samples.stack[list->row] = sample.stack;
	}
}

void wk_model_stack_lists(struct wk_model *model)
{
	struct wk_list_walk walk = wk_list_walk(model);
	struct wk_stack_list list;

	while (wk_list_walk_next(&walk, &list))
		stack_list(model, &list);
	wk_stack_lists_fini(&model->lists);
}

void wk_model_settle_lists(struct wk_model *model)
{
	if (model->lists.first && (model->stacks.count > 1 || model->thread_count > 1))
		wk_model_stack_lists(model);
}
