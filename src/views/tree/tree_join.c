#include "views/tree/tree_internal.h"

#include "base/map.h"
#include "base/mem.h"

static wk_function_id shown_of(const struct wk_folding *f, uint32_t frame)
{
	return f->shown[f->model->named_frames.function[frame]];
}

/* By function as it is shown: how many frames are shown as it; more than two count as two. */
static uint8_t *count_frames(const struct wk_folding *f)
{
	uint8_t *count = wk_alloc_zeroed(f->model->function_count, 1);

	for (uint32_t i = 1; i < f->model->named_frames.count; i++) {
		uint8_t *frames = &count[shown_of(f, i)];

		*frames += *frames < 2;
	}
	return count;
}

/* Is each function shown for inlined calls alone, or for others alone? */
static bool agree_on_inlining(const struct wk_folding *f)
{
	const struct wk_named_frames *frames = &f->model->named_frames;
	uint8_t *met = wk_alloc_zeroed(f->model->function_count, 1);
	bool agree = true;

	for (uint32_t i = 1; i < frames->count; i++)
		met[shown_of(f, i)] |= frames->is_inlined[i] ? 1 : 2;
	for (wk_function_id id = 1; id < f->model->function_count && agree; id++)
		agree = met[id] != 3;
	wk_free(met);
	return agree;
}

enum wk_frame_joins wk_frame_joins(const struct wk_folding *f)
{
	uint8_t *count = count_frames(f);
	bool is_joined = false;

	for (wk_function_id id = 1; id < f->model->function_count && !is_joined; id++)
		is_joined = count[id] > 1;
	wk_free(count);
	if (!is_joined)
		return WK_FRAMES_APART;
	return agree_on_inlining(f) ? WK_FRAMES_JOINED : WK_FRAMES_MIXED;
}

#define NODES_AHEAD       24          /* whose parents are on their way from memory */
#define IS_ONE_OF_SEVERAL 0x80000000u /* ids stay below it */

/* By frame: the function it is shown as, marked if other frames are shown as it as well. */
static uint32_t *mark_frames(const struct wk_folding *f)
{
	const struct wk_named_frames *frames = &f->model->named_frames;
	uint32_t *shown = wk_alloc((size_t)frames->count * sizeof(*shown));
	uint8_t *count = count_frames(f);

	for (uint32_t i = 0; i < frames->count; i++) {
		shown[i] = shown_of(f, i);
		shown[i] |= count[shown[i]] > 1 ? IS_ONE_OF_SEVERAL : 0;
	}
	wk_free(count);
	return shown;
}

/* Only below a function of several frames can stacks be merged: all others stay as they are. */
uint32_t *wk_folding_join(struct wk_folding *f)
{
	const struct wk_trie *named = &f->model->named;
	uint32_t *node = wk_alloc_table((size_t)named->count * sizeof(*node));
	uint32_t *shown_as = mark_frames(f);
	uint8_t *is_below = wk_alloc_zeroed(named->count, 1);
	struct wk_map first = { 0 };

	f->joined_entries = wk_alloc_table((size_t)named->count * sizeof(*f->joined_entries));
	f->joined_entries[0] = named->entries[0];
	node[0] = 0;
	for (wk_stack_id id = 1; id < named->count; id++) {
		uint32_t shown = shown_as[named->entries[id].label];
		uint32_t parent = node[named->entries[id].parent], *known;

		if (id + NODES_AHEAD < named->count)
			__builtin_prefetch(&node[named->entries[id + NODES_AHEAD].parent]);
		f->joined_entries[id] = (struct wk_trie_entry){ parent, named->entries[id].label };
		node[id] = id;
		is_below[id] = is_below[parent] || (shown & IS_ONE_OF_SEVERAL);
		if (!is_below[id])
			continue;
		known = wk_map_at(&first, (uint64_t)parent << 32 | shown);
		if (*known)
			node[id] = *known;
		else
			*known = id;
	}
	f->own = *named;
	f->own.entries = f->joined_entries;
	f->trie = &f->own;
	wk_map_fini(&first);
	WK_FREE_ALL(shown_as, is_below);
	return node;
}
