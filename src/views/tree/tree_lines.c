/* The hottest line of each node: the samples are folded again, by lines, and each node of that
 * finer tree is a part of one of the tree. */
#include "base/map.h"
#include "base/mem.h"
#include "views/source_line.h"
#include "views/tree/tree_internal.h"

#define NO_NODE UINT32_MAX

/* The weight of one line of one node. */
struct part {
	uint32_t node, place;
	uint64_t weight;
};

struct line_finder {
	const struct wk_tree *tree, *fine;
	struct wk_map children; /* (parent, function) to the tree's node */
	uint32_t *node_of;      /* [fine->count]: of the tree; NO_NODE if it is not kept */
	struct wk_map numbers;  /* (node, place) to a part, counted from 1 */
	struct part *parts;
	size_t part_cap;
	uint32_t part_count;
};

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static void map_children(struct line_finder *finder)
{
	const struct wk_tree *tree = finder->tree;

	for (uint32_t node = 1; node < tree->count; node++)
		if (tree->kind[node] == WK_NODE_FUNCTION)
			*wk_map_at(&finder->children,
				   pair(tree->parent[node], tree->function[node])) = node;
}

/* Levels above functions are few. */
static uint32_t child_named(const struct wk_tree *tree, uint32_t parent, uint8_t kind,
			    struct wk_str name)
{
	for (uint32_t child = parent + 1; child < tree->end[parent]; child = tree->end[child])
		if (tree->kind[child] == kind && wk_str_eq(tree->name[child], name))
			return child;
	return NO_NODE;
}

static uint32_t find_node(struct line_finder *finder, uint32_t node)
{
	const struct wk_tree *tree = finder->tree, *fine = finder->fine;
	uint32_t parent = finder->node_of[fine->parent[node]], found;

	if (parent == NO_NODE)
		return NO_NODE;
	if (fine->kind[node] != WK_NODE_FUNCTION)
		return child_named(tree, parent, fine->kind[node], fine->name[node]);
	found = wk_map_find(&finder->children, pair(parent, fine->function[node]));
	if (found)
		return found;
	/* Recursion that is folded: options->collapses_recursion, folds_recursion. */
	for (unsigned i = 0; i < WK_LONGEST_CYCLE && tree->kind[parent] == WK_NODE_FUNCTION; i++) {
		if (tree->function[parent] == fine->function[node])
			return parent;
		parent = tree->parent[parent];
	}
	return NO_NODE;
}

static void add_part(struct line_finder *finder, uint32_t node, uint32_t place, uint64_t weight)
{
	uint32_t *number = wk_map_at(&finder->numbers, pair(node, place));

	if (!*number) {
		*WK_APPEND(finder->parts, finder->part_count, finder->part_cap) =
			(struct part){ node, place, 0 };
		*number = finder->part_count;
	}
	finder->parts[*number - 1].weight += weight;
}

static void add_parts(struct line_finder *finder, const struct wk_model *model)
{
	const struct wk_tree *fine = finder->fine;

	for (uint32_t node = 1; node < fine->count; node++) {
		uint32_t found = finder->node_of[node] = find_node(finder, node);
		uint32_t place = fine->place[node];

		/* Not again for the calls of a recursion. */
		if (found != NO_NODE &&
		    finder->tree->parent[found] == finder->node_of[fine->parent[node]] &&
		    model->named_frames.line[place])
			add_part(finder, found, place, fine->total[node]);
	}
}

static void choose(const struct line_finder *finder, struct wk_tree *tree)
{
	uint64_t *most = wk_alloc_zeroed(finder->tree->count, sizeof(*most));

	for (uint32_t i = 0; i < finder->part_count; i++) {
		const struct part *part = &finder->parts[i];

		tree->line_count[part->node] += part->weight > 0;
		if (part->weight <= most[part->node])
			continue;
		most[part->node] = part->weight;
		tree->place[part->node] = part->place;
	}
	wk_free(most);
}

void wk_tree_find_lines(struct wk_tree *tree, const struct wk_model *model,
			const struct wk_filter *filter, const struct wk_tree_options *options)
{
	struct wk_tree_options by_lines = *options;
	struct line_finder finder = { .tree = tree };
	struct wk_tree fine;

	if (tree->place || options->is_chart || !wk_has_source_lines(model))
		return;
	by_lines.by_lines = true;
	by_lines.folds_recursion = false;
	by_lines.most_nodes = 0;
	by_lines.order = WK_TREE_UNSORTED;
	wk_tree_init(&fine, model, filter, &by_lines);
	finder.fine = &fine;
	finder.node_of = wk_alloc_zeroed(fine.count, sizeof(*finder.node_of));
	map_children(&finder);
	add_parts(&finder, model);
	tree->place = wk_alloc_table_zeroed(tree->count, sizeof(*tree->place));
	tree->line_count = wk_alloc_table_zeroed(tree->count, sizeof(*tree->line_count));
	choose(&finder, tree);
	wk_map_fini(&finder.children);
	wk_map_fini(&finder.numbers);
	WK_FREE_ALL(finder.node_of, finder.parts);
	wk_tree_fini(&fine);
}
