#include "model/stack_lists.h"

#include "base/mem.h"

#define BLOCK_NUMBERS ((size_t)1 << 18)

void wk_stack_lists_fini(struct wk_stack_lists *lists)
{
	struct wk_list_block *block = lists->first, *next;

	for (; block; block = next) {
		next = block->next;
		wk_free(block);
	}
	*lists = (struct wk_stack_lists){ 0 };
}

static void add_block(struct wk_stack_lists *lists, size_t need)
{
	size_t cap = need > BLOCK_NUMBERS ? need : BLOCK_NUMBERS;
	struct wk_list_block *block = wk_alloc(sizeof(*block) + cap * sizeof(block->at[0]));

	block->next = NULL;
	block->used = 0;
	block->cap = cap;
	*(lists->last ? &lists->last->next : &lists->first) = block;
	lists->last = block;
}

wk_frame_id *wk_model_add_list(struct wk_model *model, const struct wk_sample *sample,
			       uint32_t frame_count)
{
	struct wk_stack_lists *lists = &model->lists;
	size_t need = 2 + (size_t)frame_count;
	uint32_t *at;

	if (!lists->last || lists->last->cap - lists->last->used < need)
		add_block(lists, need);
	at = &lists->last->at[lists->last->used];
	at[0] = model->samples.count;
	at[1] = frame_count;
	lists->last->used += need;
	lists->frame_count += frame_count;
	wk_model_add_sample(model, sample);
	return at + 2;
}

void wk_model_stack_lists(struct wk_model *model)
{
	struct wk_list_walk walk = wk_list_walk(model);
	struct wk_stack_list list;

	while (wk_list_walk_next(&walk, &list)) {
		wk_stack_id stack = 0;

		for (uint32_t i = 0; i < list.frame_count; i++)
			stack = wk_model_add_stack(model, stack, list.frames[i]);
		model->samples.stack[list.sample] = stack;
	}
	wk_stack_lists_fini(&model->lists);
}

void wk_model_settle_lists(struct wk_model *model)
{
	if (model->lists.first && (model->stacks.count > 1 || model->thread_count > 1))
		wk_model_stack_lists(model);
}
