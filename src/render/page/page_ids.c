#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "render/page/page_internal.h"
#include "views/tree/merge.h"

/* Marks the stacks of all rows that are written, and all their callers. */
static uint8_t *mark_stacks(const struct wk_model *model, const struct wk_page_rows *rows)
{
	uint8_t *marks = wk_alloc_zeroed((size_t)model->named.count + 1, sizeof(*marks));
	uint32_t count = rows->first[model->source_count];

	for (uint32_t i = 0; i < count; i++)
		marks[wk_model_named_of(model, model->samples.stack[rows->rows[i]])] = 1;
	for (uint32_t id = model->named.count; id-- > 1;)
		if (marks[id])
			marks[model->named.entries[id].parent] = 1;
	return marks;
}

static void number_functions(struct wk_page_ids *ids, const struct wk_model *model,
			     const uint8_t *marks, uint32_t *number)
{
	wk_function_id *merged = wk_functions_merged(model, false, false);
	const wk_function_id *functions = model->named_frames.function;

	for (uint32_t id = 1; id < model->named.count; id++)
		if (marks[id])
			number[merged[functions[model->named.entries[id].label]]] = 1;
	number[0] = 0;
	ids->functions = wk_alloc_zeroed(model->function_count, sizeof(*ids->functions));
	ids->function_count = 1;
	for (wk_function_id id = 1; id < model->function_count; id++) {
		if (number[id]) {
			ids->functions[ids->function_count] = id;
			number[id] = ids->function_count++;
		}
	}
	/* The first of those that are merged has the smallest number. */
	for (wk_function_id id = 1; id < model->function_count; id++)
		number[id] = number[merged[id]];
	wk_free(merged);
}

/* Frames of merged functions that do not differ are one. */
static uint32_t find_frame(struct wk_page_ids *ids, struct wk_map *known,
			   const struct wk_named_frames *frames, uint32_t frame, uint32_t function)
{
	/* Ids of functions have 31 bits. */
	uint64_t key = (uint64_t)function << 33 | (uint64_t)frames->line[frame] << 1 |
		       frames->is_inlined[frame];
	uint32_t *id = wk_map_at(known, key);

	if (!*id) {
		ids->frames[ids->frame_count] = frame;
		ids->function_of[ids->frame_count] = function;
		*id = ids->frame_count++;
	}
	return *id;
}

/* The stacks by their callers, those with the fewest stacks below them first. */
static struct wk_sort_key *sort_siblings(const struct wk_trie *found)
{
	struct wk_sort_key *keys = wk_alloc((size_t)found->count * sizeof(*keys));
	uint32_t *below = wk_alloc_zeroed(found->count, sizeof(*below));

	for (uint32_t id = found->count; id-- > 1;)
		below[found->entries[id].parent] += below[id] + 1;
	for (uint32_t id = 1; id < found->count; id++)
		keys[id - 1] = (struct wk_sort_key){
			(uint64_t)found->entries[id].parent << 32 | below[id], id };
	wk_sort_keys(keys, found->count - 1);
	wk_free(below);
	return keys;
}

/* What is called follows its caller: most parents are the row before, and the others are near,
 * which packs well. `number`: the new number of each. */
static void walk_stacks(const struct wk_trie *found, const struct wk_sort_key *keys,
			uint32_t *number)
{
	uint32_t *first = wk_alloc_zeroed((size_t)found->count + 2, sizeof(*first));
	uint32_t *open = wk_alloc((size_t)found->count * sizeof(*open));
	uint32_t open_count = 1, count = 0;

	for (uint32_t id = 1; id < found->count; id++)
		first[found->entries[id].parent + 1]++;
	for (uint32_t id = 0; id < found->count; id++)
		first[id + 1] += first[id];
	open[0] = 0;
	while (open_count) {
		uint32_t id = open[--open_count];

		number[id] = count++;
		for (uint32_t child = first[id + 1]; child-- > first[id];)
			open[open_count++] = keys[child].row;
	}
	WK_FREE_ALL(first, open);
}

static void number_stacks(struct wk_page_ids *ids, const struct wk_trie *found,
			  uint32_t named_count)
{
	struct wk_sort_key *keys = sort_siblings(found);
	uint32_t *number = wk_alloc((size_t)found->count * sizeof(*number));

	walk_stacks(found, keys, number);
	ids->stack_count = found->count;
	ids->stacks = wk_alloc_zeroed(found->count, sizeof(*ids->stacks));
	for (uint32_t id = 1; id < found->count; id++) {
		const struct wk_trie_entry *entry = &found->entries[id];

		ids->stacks[number[id]] =
			(struct wk_trie_entry){ number[entry->parent], entry->label };
	}
	for (uint32_t id = 0; id < named_count; id++)
		ids->stack_of[id] = number[ids->stack_of[id]];
	WK_FREE_ALL(keys, number);
}

void wk_page_ids_init(struct wk_page_ids *ids, const struct wk_model *model,
		      const struct wk_page_rows *rows)
{
	const struct wk_named_frames *frames = &model->named_frames;
	uint8_t *marks = mark_stacks(model, rows);
	uint32_t *number = wk_alloc_zeroed(model->function_count, sizeof(*number));
	struct wk_map known = { 0 };
	struct wk_trie found;

	number_functions(ids, model, marks, number);
	ids->frames = wk_alloc_zeroed((size_t)frames->count + 1, sizeof(*ids->frames));
	ids->function_of = wk_alloc_zeroed((size_t)frames->count + 1, sizeof(*ids->function_of));
	ids->stack_of = wk_alloc_zeroed((size_t)model->named.count + 1, sizeof(*ids->stack_of));
	ids->frame_count = 1;
	wk_trie_init(&found);
	for (uint32_t id = 1; id < model->named.count; id++) {
		const struct wk_trie_entry *entry = &model->named.entries[id];

		if (!marks[id])
			continue;
		ids->stack_of[id] = wk_trie_add(&found, ids->stack_of[entry->parent],
						find_frame(ids, &known, frames, entry->label,
							   number[frames->function[entry->label]]));
	}
	number_stacks(ids, &found, model->named.count);
	wk_trie_fini(&found);
	wk_map_fini(&known);
	WK_FREE_ALL(marks, number);
}

void wk_page_ids_fini(struct wk_page_ids *ids)
{
	WK_FREE_ALL(ids->functions, ids->frames, ids->function_of, ids->stacks, ids->stack_of);
}
