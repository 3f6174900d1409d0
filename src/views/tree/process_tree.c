#include "views/tree/process_tree.h"

#include "base/mem.h"
#include "base/sort.h"

/* A number for each walk up from a process that no earlier one has reached: a walk that meets its
 * own number is in a cycle. */
static void find_parents(struct wk_process_tree *tree, const struct wk_model *model)
{
	uint32_t *met = wk_alloc_zeroed(model->process_count, sizeof(*met));

	for (wk_process_id i = 1; i < model->process_count; i++)
		tree->parent[i] = model->processes[i].parent;
	for (wk_process_id i = 1; i < model->process_count; i++) {
		wk_process_id at = i;

		while (at && !met[at]) {
			wk_process_id parent = tree->parent[at];

			met[at] = i;
			if (parent && met[parent] == i)
				tree->parent[at] = 0;
			at = parent;
		}
	}
	wk_free(met);
}

/* Of each process its first child, and of each the next of the same parent; of 0 the roots. */
struct links {
	wk_process_id *first, *next;
};

static struct links link_children(const struct wk_process_tree *tree, const struct wk_model *model)
{
	uint32_t count = model->process_count;
	struct wk_sort_key *keys = wk_alloc(count * sizeof(*keys));
	struct links links = { wk_alloc_zeroed(count, sizeof(wk_process_id)),
			       wk_alloc_zeroed(count, sizeof(wk_process_id)) };

	for (wk_process_id i = 1; i < count; i++)
		keys[i - 1] = (struct wk_sort_key){ model->processes[i].start_ns, i };
	wk_sort_keys(keys, count - 1);
	for (uint32_t i = count - 1; i-- > 0;) {
		wk_process_id process = keys[i].row, parent = tree->parent[process];

		links.next[process] = links.first[parent];
		links.first[parent] = process;
	}
	wk_free(keys);
	return links;
}

static void put_in_order(struct wk_process_tree *tree, const struct links *links)
{
	wk_process_id at = links->first[0];
	uint32_t depth = 0;

	while (at) {
		tree->order[tree->count] = at;
		tree->depth[tree->count++] = depth;
		if (links->first[at]) {
			at = links->first[at];
			depth++;
			continue;
		}
		while (at && !links->next[at]) {
			at = tree->parent[at];
			depth -= at != 0;
		}
		at = links->next[at];
	}
}

void wk_process_tree_init(struct wk_process_tree *tree, const struct wk_model *model)
{
	struct links links;

	*tree = (struct wk_process_tree){
		.order = wk_alloc_zeroed(model->process_count, sizeof(*tree->order)),
		.depth = wk_alloc_zeroed(model->process_count, sizeof(*tree->depth)),
		.parent = wk_alloc_zeroed(model->process_count, sizeof(*tree->parent)),
	};
	find_parents(tree, model);
	links = link_children(tree, model);
	put_in_order(tree, &links);
	WK_FREE_ALL(links.first, links.next);
}

void wk_process_tree_fini(struct wk_process_tree *tree)
{
	WK_FREE_ALL(tree->order, tree->depth, tree->parent);
	*tree = (struct wk_process_tree){ 0 };
}
