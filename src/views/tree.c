#include "views/tree.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/map.h"
#include "base/mem.h"
#include "views/merge.h"

#define NO_NODE UINT32_MAX

/* What a node stands for, in 32 bits, so that (parent, label) is the key of a child. */
enum label_kind {
	LABEL_FUNCTION,
	LABEL_PROCESS_NAME, /* text id: processes of one name share a node */
	LABEL_PROCESS,      /* a process that has no name */
	LABEL_THREAD,
};
#define LABEL_ID_BITS 30
#define LABEL(kind, id) ((uint32_t)(kind) << LABEL_ID_BITS | (id))
#define LABEL_KIND(label) ((label) >> LABEL_ID_BITS)
#define LABEL_ID(label) ((label) & ((1u << LABEL_ID_BITS) - 1))

/* Nodes in the order they were met: a parent before its children. */
struct raw_node {
	uint32_t parent, label;
	uint64_t self, total;
	uint32_t self_samples, total_samples;
	bool is_inlined;
};

struct builder {
	const struct wk_model *model;
	const struct wk_tree_options *options;
	wk_function_id *shown;      /* which function each is shown as */
	struct raw_node *nodes;
	size_t cap;
	uint32_t count;
	struct wk_map children;     /* (parent, label) to node */
	struct wk_map leaves;       /* (top node, named stack) to node + 1 */
	uint32_t *tops;             /* [thread_count]: the node its stacks grow from */
	uint32_t *pending;          /* stacks that wait for their parent's node */
	size_t pending_cap;
	uint64_t steps;
};

static uint32_t child_of(struct builder *b, uint32_t parent, uint32_t label, bool is_inlined)
{
	uint32_t *id = wk_map_at(&b->children, (uint64_t)parent << 32 | label);

	if (*id) {
		b->nodes[*id].is_inlined &= is_inlined;
		return *id;
	}
	*id = b->count;
	b->nodes = wk_grow(b->nodes, &b->cap, (size_t)b->count + 1, sizeof(*b->nodes));
	b->nodes[b->count] = (struct raw_node){
		.parent = parent, .label = label, .is_inlined = is_inlined };
	return b->count++;
}

static uint32_t top_of(struct builder *b, wk_thread_id thread)
{
	wk_process_id process = b->model->threads[thread].process;
	wk_text_id name = b->model->processes[process].name;
	uint32_t node = 0;

	if (b->tops[thread] != NO_NODE)
		return b->tops[thread];
	if (thread == 0) /* the input does not speak of processes */
		return b->tops[thread] = 0;
	if (b->options->by_process)
		node = child_of(b, 0, name ? LABEL(LABEL_PROCESS_NAME, name)
					   : LABEL(LABEL_PROCESS, process), false);
	if (b->options->by_thread)
		node = child_of(b, node, LABEL(LABEL_THREAD, thread), false);
	b->tops[thread] = node;
	return node;
}

static uint32_t child_for_stack(struct builder *b, uint32_t parent, wk_stack_id named)
{
	const struct wk_named_frames *frames = &b->model->named_frames;
	uint32_t frame = b->model->named.label[named];
	wk_function_id function = b->shown[frames->function[frame]];

	b->steps++;
	return child_of(b, parent, LABEL(LABEL_FUNCTION, function), frames->is_inlined[frame]);
}

static void push_pending(struct builder *b, size_t count, uint32_t value)
{
	b->pending = wk_grow(b->pending, &b->pending_cap, count + 1, sizeof(*b->pending));
	b->pending[count] = value;
}

static uint64_t leaf_key(uint32_t top, wk_stack_id named)
{
	return (uint64_t)top << 32 | named;
}

/* Climbs until a stack whose node is known, then comes down again adding nodes, so each
 * (top, stack) is looked at once. */
static uint32_t leaf_of(struct builder *b, uint32_t top, wk_stack_id named)
{
	size_t waiting = 0;
	uint32_t node = top;

	while (named) {
		uint32_t known = wk_map_find(&b->leaves, leaf_key(top, named));

		if (known) {
			node = known - 1;
			break;
		}
		push_pending(b, waiting++, named);
		named = b->model->named.parent[named];
	}
	while (waiting) {
		named = b->pending[--waiting];
		node = child_for_stack(b, node, named);
		wk_map_set(&b->leaves, leaf_key(top, named), node + 1);
	}
	return node;
}

static uint32_t inverted_leaf_of(struct builder *b, uint32_t top, wk_stack_id named)
{
	uint64_t key = leaf_key(top, named);
	uint32_t node = wk_map_find(&b->leaves, key);

	if (node)
		return node - 1;
	node = top;
	for (; named; named = b->model->named.parent[named])
		node = child_for_stack(b, node, named);
	wk_map_set(&b->leaves, key, node + 1);
	return node;
}

static void fold_samples(struct builder *b, const struct wk_filter *filter)
{
	const struct wk_samples *samples = &b->model->samples;

	for (uint32_t i = 0; i < samples->count; i++) {
		wk_stack_id named = wk_model_named_of(b->model, samples->stack[i]);
		uint32_t top, leaf;

		if (!wk_filter_has(filter, i))
			continue;
		top = top_of(b, samples->thread[i]);
		leaf = b->options->inverted ? inverted_leaf_of(b, top, named)
					    : leaf_of(b, top, named);
		b->nodes[leaf].self += b->options->by_samples ? 1 : samples->weight[i];
		b->nodes[leaf].self_samples++;
	}
}

static void roll_up(struct builder *b)
{
	for (uint32_t i = b->count; i-- > 0;) {
		struct raw_node *node = &b->nodes[i];

		node->total += node->self;
		node->total_samples += node->self_samples;
		if (i == 0)
			break;
		b->nodes[node->parent].total += node->total;
		b->nodes[node->parent].total_samples += node->total_samples;
	}
}

static bool weighs_nothing(const struct wk_model *model, const struct wk_filter *filter)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i) && model->samples.weight[i])
			return false;
	return true;
}

/* A child as its parent's list is sorted. */
struct child {
	struct wk_str name;
	uint64_t total;
	uint32_t node;
};

static int by_name(const void *left, const void *right)
{
	const struct child *a = left, *b = right;
	int order = wk_str_compare(a->name, b->name);

	return order ? order : (a->node > b->node) - (a->node < b->node);
}

static int by_weight(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return by_name(left, right);
}

/* `id` says which of several that have no name of their own. */
static struct wk_str composed_name(struct wk_tree *tree, struct wk_str name, const char *what,
				   uint32_t id)
{
	struct wk_buf text = { 0 };
	struct wk_str copy;

	if (name.len == 0)
		wk_buf_add_fmt(&text, "%s %" PRIu32, what, id);
	else
		wk_buf_add_fmt(&text, "%.*s (%" PRIu32 ")", WK_STR_ARG(name), id);
	copy = wk_arena_copy(&tree->arena, wk_buf_str(&text));
	wk_buf_fini(&text);
	return copy;
}

static struct wk_str name_of_label(struct wk_tree *tree, const struct wk_model *model,
				   uint32_t label)
{
	static const struct wk_str no_name = WK_STR("(unknown)");
	uint32_t id = LABEL_ID(label);
	struct wk_str name;

	switch (LABEL_KIND(label)) {
	case LABEL_PROCESS_NAME:
		return wk_model_str(model, id);
	case LABEL_PROCESS:
		return composed_name(tree, (struct wk_str){ 0 }, "process",
				     model->processes[id].pid);
	case LABEL_THREAD:
		return composed_name(tree, wk_model_str(model, model->threads[id].name), "thread",
				     model->threads[id].tid);
	default:
		name = wk_model_str(model, model->functions[id].name);
		return name.len ? name : no_name;
	}
}

/* Lists of children: those of node n are children[first[n]] up to children[first[n + 1]]. */
struct lists {
	struct child *children;
	uint32_t *first;
};

static void list_children(const struct builder *b, struct wk_tree *tree, struct lists *lists)
{
	uint32_t *next;

	lists->children = wk_alloc(b->count * sizeof(*lists->children));
	lists->first = wk_alloc_zeroed((size_t)b->count + 2, sizeof(*lists->first));
	next = lists->first + 1; /* ends up one place to the left, as `first` */
	for (uint32_t i = 1; i < b->count; i++)
		next[b->nodes[i].parent + 1]++;
	for (uint32_t i = 0; i < b->count; i++)
		next[i + 1] += next[i];
	for (uint32_t i = 1; i < b->count; i++) {
		const struct raw_node *node = &b->nodes[i];

		lists->children[next[node->parent]++] = (struct child){
			.name = name_of_label(tree, b->model, node->label),
			.total = node->total,
			.node = i,
		};
	}
}

static void sort_children(const struct builder *b, struct lists *lists)
{
	if (b->options->order == WK_TREE_UNSORTED)
		return;
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t first = lists->first[i], count = lists->first[i + 1] - first;

		if (count > 1)
			qsort(&lists->children[first], count, sizeof(*lists->children),
			      b->options->order == WK_TREE_BY_NAME ? by_name : by_weight);
	}
}

static void start_columns(struct wk_tree *tree, uint32_t count)
{
	tree->parent = wk_alloc_zeroed(count, sizeof(*tree->parent));
	tree->end = wk_alloc_zeroed(count, sizeof(*tree->end));
	tree->depth = wk_alloc_zeroed(count, sizeof(*tree->depth));
	tree->kind = wk_alloc_zeroed(count, sizeof(*tree->kind));
	tree->is_inlined = wk_alloc_zeroed(count, sizeof(*tree->is_inlined));
	tree->function = wk_alloc_zeroed(count, sizeof(*tree->function));
	tree->name = wk_alloc_zeroed(count, sizeof(*tree->name));
	tree->self = wk_alloc_zeroed(count, sizeof(*tree->self));
	tree->total = wk_alloc_zeroed(count, sizeof(*tree->total));
	tree->self_samples = wk_alloc_zeroed(count, sizeof(*tree->self_samples));
	tree->total_samples = wk_alloc_zeroed(count, sizeof(*tree->total_samples));
}

static void add_node(struct wk_tree *tree, const struct raw_node *raw, uint32_t parent,
		     struct wk_str name)
{
	static const uint8_t kinds[] = {
		[LABEL_FUNCTION] = WK_NODE_FUNCTION,
		[LABEL_PROCESS_NAME] = WK_NODE_PROCESS,
		[LABEL_PROCESS] = WK_NODE_PROCESS,
		[LABEL_THREAD] = WK_NODE_THREAD,
	};
	uint32_t node = tree->count++;
	bool is_whole = node == 0;

	tree->parent[node] = parent;
	tree->depth[node] = is_whole ? 0 : tree->depth[parent] + 1;
	tree->kind[node] = is_whole ? WK_NODE_WHOLE : kinds[LABEL_KIND(raw->label)];
	if (tree->kind[node] == WK_NODE_FUNCTION)
		tree->function[node] = LABEL_ID(raw->label);
	tree->is_inlined[node] = raw->is_inlined;
	tree->name[node] = name;
	tree->self[node] = raw->self;
	tree->total[node] = raw->total;
	tree->self_samples[node] = raw->self_samples;
	tree->total_samples[node] = raw->total_samples;
	if (tree->depth[node] > tree->depth_max)
		tree->depth_max = tree->depth[node];
}

/* Numbers the nodes anew, each before its subtree. What waits is the stack of a
 * depth-first walk: places in the children's list, with the new number of their parent. */
static void number_nodes(const struct builder *b, struct wk_tree *tree, const struct lists *lists)
{
	struct waiting {
		uint32_t place, parent;
	} *stack = wk_alloc((size_t)b->count * sizeof(*stack));
	uint32_t waiting = 0, raw = 0;

	start_columns(tree, b->count);
	add_node(tree, &b->nodes[0], 0, (struct wk_str)WK_STR("all"));
	for (;;) {
		for (uint32_t i = lists->first[raw + 1]; i-- > lists->first[raw];)
			stack[waiting++] = (struct waiting){ i, tree->count - 1 };
		if (waiting == 0)
			break;
		waiting--;
		raw = lists->children[stack[waiting].place].node;
		add_node(tree, &b->nodes[raw], stack[waiting].parent,
			 lists->children[stack[waiting].place].name);
	}
	for (uint32_t i = tree->count; i-- > 0;) {
		if (tree->end[i] == 0)
			tree->end[i] = i + 1;
		if (i && tree->end[tree->parent[i]] < tree->end[i])
			tree->end[tree->parent[i]] = tree->end[i];
	}
	free(stack);
}

void wk_tree_init(struct wk_tree *tree, const struct wk_model *model,
		  const struct wk_filter *filter, const struct wk_tree_options *options)
{
	struct wk_tree_options used = *options;
	struct builder b = { .model = model, .options = &used, .count = 1 };
	struct lists lists;

	*tree = (struct wk_tree){ 0 };
	used.by_samples |= weighs_nothing(model, filter);
	b.shown = wk_functions_merged(model, options->merge_images);
	b.nodes = wk_grow(NULL, &b.cap, 1, sizeof(*b.nodes));
	b.nodes[0] = (struct raw_node){ 0 };
	b.tops = wk_alloc(model->thread_count * sizeof(*b.tops));
	memset(b.tops, 0xff, model->thread_count * sizeof(*b.tops)); /* NO_NODE */
	fold_samples(&b, filter);
	roll_up(&b);
	list_children(&b, tree, &lists);
	sort_children(&b, &lists);
	number_nodes(&b, tree, &lists);
	tree->steps = b.steps;
	tree->unit = used.by_samples ? (struct wk_str)WK_STR("samples")
				     : wk_model_str(model, model->sources[filter->source].unit);
	free(lists.children);
	free(lists.first);
	free(b.shown);
	free(b.nodes);
	free(b.tops);
	free(b.pending);
	wk_map_fini(&b.children);
	wk_map_fini(&b.leaves);
}

void wk_tree_fini(struct wk_tree *tree)
{
	free(tree->parent);
	free(tree->end);
	free(tree->depth);
	free(tree->kind);
	free(tree->is_inlined);
	free(tree->function);
	free(tree->name);
	free(tree->self);
	free(tree->total);
	free(tree->self_samples);
	free(tree->total_samples);
	wk_arena_fini(&tree->arena);
	*tree = (struct wk_tree){ 0 };
}
