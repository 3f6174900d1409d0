/* Stacks of text as lists of frames, one for each line, instead of entries of the model's trie.
 *
 * A comparison of functions asks of a stack only which functions it has, and which of them is
 * outermost and innermost. Equal stacks need not be found for that, and to find them takes longer
 * than all the rest. A model has lists only if its sink accepts them (event/sink.h). It then has no
 * other stacks and no threads: wk_model_settle_lists makes stacks of the lists otherwise. The lists
 * of a source and side are one row of the samples, without a stack: of what a filter asks, text has
 * nothing in which its lines differ. Each list has at least one frame. */
#ifndef WK_MODEL_STACK_LISTS_H
#define WK_MODEL_STACK_LISTS_H

#include "model/model.h"

/* More frames than that are not kept in lists: they become stacks. */
#define WK_MOST_LISTED_FRAMES ((size_t)16 << 20)

/* Lists of one row of the samples, none in two blocks. At the start of a block's memory are the
 * frames, one list behind the other, so that passes over all of them need not know where a list
 * ends. From the end of the memory on come the heads, each before the one of the list before it:
 * the number of frames, before it the weight. If one of them needs more than 16 bits, there is
 * WK_LIST_IS_LARGE instead of the number, and before it both with all their bits, lower ones first.
 */
#define WK_LIST_IS_LARGE UINT16_MAX

struct wk_list_block {
	struct wk_list_block *next;
	uint32_t row;
	bool is_wide;         /* frames have 32 bits instead of 16 */
	size_t frames, heads; /* how many frames; how many numbers of 16 bits */
	size_t cap;           /* of `at` */
	uint16_t at[];
};

struct wk_stack_list {
	uint32_t row, frame_count; /* the row whose weight that of the list is a part of */
	uint64_t weight;
	const wk_frame_id *frames; /* outermost first; until the next list is asked for */
};

/* Where a walk over all lists is. It ends by itself behind the last one. */
struct wk_list_walk {
	const struct wk_list_block *block, *next;
	const wk_frame_id *frames; /* of the next list */
	const uint16_t *head;      /* ends before it */
	wk_frame_id *wide;         /* the frames of a block with 16 bits each */
	size_t wide_cap;
};

static inline struct wk_list_walk wk_list_walk(const struct wk_model *model)
{
	return (struct wk_list_walk){ .next = model->lists.first };
}

/* Begins the next block; false if there is none. */
bool wk_list_walk_next_block(struct wk_list_walk *walk);

/* The next list of the block; false if there is none. */
static inline bool wk_list_walk_next_in_block(struct wk_list_walk *walk, struct wk_stack_list *list)
{
	const struct wk_list_block *block = walk->block;
	const uint16_t *head = walk->head;

	if (head == block->at + block->cap - block->heads)
		return false;
	*list = (struct wk_stack_list){ walk->block->row, head[-1], head[-2], walk->frames };
	walk->head -= 2;
	if (list->frame_count == WK_LIST_IS_LARGE) {
		list->frame_count = head[-2] | (uint32_t)head[-3] << 16;
		list->weight = head[-4] | (uint64_t)head[-5] << 16 | (uint64_t)head[-6] << 32 |
			       (uint64_t)head[-7] << 48;
		walk->head = head - 7;
	}
	walk->frames += list->frame_count;
	return true;
}

/* The next list; false if there is none. */
static inline bool wk_list_walk_next(struct wk_list_walk *walk, struct wk_stack_list *list)
{
	while (!walk->block || !wk_list_walk_next_in_block(walk, list))
		if (!wk_list_walk_next_block(walk))
			return false;
	return true;
}

/* How many samples it stands for. */
static inline uint64_t wk_list_times(const struct wk_model *model, const struct wk_stack_list *list)
{
	return model->sources[wk_sample_source(&model->samples, list->row)].counts_samples
		       ? list->weight
		       : 1;
}

/* Adds lists to a row of wk_model_sum_row, with their weight. The numbers of their frames are
 * places in `frame_of`. */
void wk_model_add_lists(struct wk_model *model, uint32_t row, const struct wk_event_lists *lists,
			const wk_frame_id *frame_of);

/* Stacks of the trie instead of lists. */
void wk_model_stack_lists(struct wk_model *model);

/* Once all inputs have been read. */
void wk_model_settle_lists(struct wk_model *model);

void wk_stack_lists_fini(struct wk_stack_lists *lists);

#endif
