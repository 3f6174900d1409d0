/* Stacks of text as lists of frames, one for each sample, instead of entries of the model's trie.
 *
 * A comparison of functions asks of a stack only which functions it has, and which of them is
 * outermost and innermost. Equal stacks need not be found for that, and to find them takes longer
 * than all the rest. A model has lists only if its sink accepts them (event/sink.h). It then has no
 * other stacks and no threads: wk_model_settle_lists makes stacks of the lists otherwise. Each list
 * is of a sample whose stack is 0, and has at least one frame. */
#ifndef WK_MODEL_STACK_LISTS_H
#define WK_MODEL_STACK_LISTS_H

#include "model/model.h"

/* More frames than that are not kept in lists: they become stacks. */
#define WK_MOST_LISTED_FRAMES ((size_t)16 << 20)

/* Lists in the order of their samples, none in two blocks: the sample, the number of frames, and
 * the frames. */
struct wk_list_block {
	struct wk_list_block *next;
	size_t used, cap;
	uint32_t at[];
};

struct wk_stack_list {
	uint32_t sample, frame_count;
	const wk_frame_id *frames; /* outermost first */
};

/* Where a walk over all lists is. */
struct wk_list_walk {
	const struct wk_list_block *block;
	size_t at;
};

static inline struct wk_list_walk wk_list_walk(const struct wk_model *model)
{
	return (struct wk_list_walk){ .block = model->lists.first };
}

/* The next list; false if there is none. */
static inline bool wk_list_walk_next(struct wk_list_walk *walk, struct wk_stack_list *list)
{
	const uint32_t *at;

	if (walk->block && walk->at == walk->block->used)
		*walk = (struct wk_list_walk){ .block = walk->block->next };
	if (!walk->block)
		return false;
	at = &walk->block->at[walk->at];
	*list = (struct wk_stack_list){ .sample = at[0], .frame_count = at[1], .frames = at + 2 };
	walk->at += 2 + (size_t)at[1];
	return true;
}

/* Adds the sample and a list for its stack; the caller fills the frames, which are returned. */
wk_frame_id *wk_model_add_list(struct wk_model *model, const struct wk_sample *sample,
			       uint32_t frame_count);

/* Stacks of the trie instead of lists. */
void wk_model_stack_lists(struct wk_model *model);

/* Once all inputs have been read. */
void wk_model_settle_lists(struct wk_model *model);

void wk_stack_lists_fini(struct wk_stack_lists *lists);

#endif
