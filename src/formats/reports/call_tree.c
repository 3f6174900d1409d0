#include "formats/reports/call_tree.h"

#include <inttypes.h>

#include "base/mem.h"
#include "formats/lines.h"

static uint64_t own_weight(const struct wk_call_tree *tree, const struct wk_call_level *level)
{
	if (!tree->with_callees || tree->leaves_only)
		return level->weight;
	return level->weight > level->in_callees ? level->weight - level->in_callees : 0;
}

static void replace(struct wk_call_tree *tree, uint32_t stack, uint64_t weight)
{
	WK_RESERVE_ZEROED(tree->last, tree->last_cap, (size_t)stack + 1);
	tree->replaced += tree->last[stack];
	tree->last[stack] = weight;
}

static void emit(struct wk_call_tree *tree, const struct wk_call_level *level)
{
	uint64_t weight = own_weight(tree, level);

	if (level->is_silent || (tree->leaves_only && level->has_callees) ||
	    (weight == 0 && !tree->keeps_zero))
		return;
	if (tree->keeps_last)
		replace(tree, level->stack, weight);
	else
		wk_stack_writer_sample(tree->writer, 0, tree->pid, tree->tid, 0, level->stack,
				       weight);
}

void wk_call_tree_close(struct wk_call_tree *tree, uint32_t depth)
{
	while (tree->count && tree->levels[tree->count - 1].depth >= depth)
		emit(tree, &tree->levels[--tree->count]);
}

struct wk_call_level *wk_call_tree_add(struct wk_call_tree *tree, uint32_t depth,
				       const struct wk_event_frame *frame, uint64_t weight)
{
	struct wk_call_level *caller;
	uint32_t parent = 0;

	wk_call_tree_close(tree, depth);
	if (tree->count) {
		caller = &tree->levels[tree->count - 1];
		caller->in_callees = weight > UINT64_MAX - caller->in_callees
					     ? UINT64_MAX
					     : caller->in_callees + weight;
		caller->has_callees = true;
		parent = caller->stack;
	}
	WK_RESERVE(tree->levels, tree->cap, tree->count + 1);
	tree->levels[tree->count] = (struct wk_call_level){
		.weight = weight,
		.depth = depth,
		.stack = frame ? wk_stack_writer_push(tree->writer, parent, frame) : 0,
	};
	return &tree->levels[tree->count++];
}

void wk_call_tree_misplaced(struct wk_call_tree *tree, uint64_t line_number)
{
	if (tree->misplaced++ == 0)
		tree->first_misplaced = line_number;
}

#define PLACED " below the nearest line above that is less indented"

void wk_call_tree_emit_misplaced(const struct wk_call_tree *tree)
{
	if (tree->misplaced == 1)
		wk_note(tree->writer,
			"line %" PRIu64 " has a wrong indentation; it was placed" PLACED,
			tree->first_misplaced);
	else if (tree->misplaced)
		wk_note(tree->writer,
			"%" PRIu64 " lines have a wrong indentation, the first is line %" PRIu64
			"; they were placed" PLACED,
			tree->misplaced, tree->first_misplaced);
}

void wk_call_tree_fini(struct wk_call_tree *tree)
{
	wk_call_tree_close(tree, 0);
	for (size_t stack = 0; stack < tree->last_cap; stack++)
		if (tree->last[stack])
			wk_stack_writer_count(tree->writer, (uint32_t)stack, tree->last[stack]);
	WK_FREE_ALL(tree->last, tree->levels);
}
