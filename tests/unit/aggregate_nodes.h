/* The nodes of a tree and of a shape with weights as lists that can be compared: a number for the
 * way from the root, by kinds, functions and names, and what the node weighs. */
#ifndef WK_TESTS_AGGREGATE_NODES_H
#define WK_TESTS_AGGREGATE_NODES_H

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "views/aggregate/tree_cut.h"

struct listed_node {
	uint64_t path, total, self;
	uint32_t total_samples, self_samples;
	uint64_t is_inlined, is_recursive; /* only if all samples are in view */
};

struct listed_nodes {
	struct listed_node *nodes;
	uint32_t count;
};

static inline uint64_t path_below(uint64_t path, uint8_t kind, uint32_t function, uint32_t place,
				  struct wk_str name)
{
	path = wk_hash_u64(path ^ wk_hash_bytes(name.at, name.len));
	path = wk_hash_u64(path ^ kind);
	return wk_hash_u64(path ^ ((uint64_t)function << 32 | place));
}

static inline uint32_t as_u32(uint64_t times)
{
	return times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
}

static inline int by_path(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct listed_node));
}

static inline struct listed_nodes sorted(struct listed_nodes list)
{
	qsort(list.nodes, list.count, sizeof(*list.nodes), by_path);
	return list;
}

/* `side`: WK_SPAN_OF_ALL, or that of a comparison, whose samples are not counted by side. */
static inline struct listed_nodes list_of_tree(const struct wk_tree *tree, enum wk_span_side side,
					       bool is_whole)
{
	uint64_t *paths = wk_alloc(tree->count * sizeof(*paths));
	struct listed_nodes list = { wk_alloc(tree->count * sizeof(*list.nodes)), 0 };

	paths[0] = 0;
	for (uint32_t i = 0; i < tree->count; i++) {
		struct listed_node node = { .total = tree->total[i], .self = tree->self[i],
					    .total_samples = tree->total_samples[i],
					    .self_samples = tree->self_samples[i] };

		if (i)
			paths[i] =
				path_below(paths[tree->parent[i]], tree->kind[i], tree->function[i],
					   tree->place ? tree->place[i] : 0, tree->name[i]);
		if (side != WK_SPAN_OF_ALL)
			node = (struct listed_node){
				.total = side == WK_SPAN_BEFORE ? tree->total_before[i]
								: tree->total_after[i],
				.self = side == WK_SPAN_BEFORE ? tree->self_before[i]
							       : tree->self_after[i] };
		node.path = paths[i];
		node.is_inlined = is_whole && tree->is_inlined[i];
		node.is_recursive = is_whole && tree->is_recursive && tree->is_recursive[i];
		if (side == WK_SPAN_OF_ALL || node.total || i == 0)
			list.nodes[list.count++] = node;
	}
	wk_free(paths);
	return sorted(list);
}

static inline uint64_t *paths_of_shape(const struct wk_tree_shape *shape)
{
	uint64_t *paths = wk_alloc_zeroed(shape->count, sizeof(*paths));
	struct wk_arena arena = { 0 };

	for (uint32_t i = 1; i < shape->count; i++) {
		uint8_t kind = (uint8_t)wk_tree_shape_kind(shape, i);
		uint32_t id = wk_tree_shape_id(shape, i);
		uint32_t label_id = shape->label[i] & ((1u << 28) - 1);

		/* By lines, the label is a line's, and the id the function's. */
		paths[i] =
			path_below(paths[shape->parent[i]], kind, wk_node_is_code(kind) ? id : 0,
				   kind == WK_NODE_FUNCTION && shape->label[i] != id ? label_id : 0,
				   wk_tree_shape_name(shape, i, &arena));
	}
	wk_arena_fini(&arena);
	return paths;
}

/* All nodes with weight, by a cut that leaves nothing out. */
static inline struct listed_nodes list_of_shape(const struct wk_tree_weights *weights,
						enum wk_span_side side, bool is_whole)
{
	const struct wk_tree_shape *shape = weights->shape;
	struct wk_cut_options options = { .opened_count = shape->count };
	uint32_t *opened = wk_alloc(shape->count * sizeof(*opened));
	uint64_t *paths = paths_of_shape(shape);
	struct listed_nodes list;
	struct wk_tree_cut cut;

	for (uint32_t i = 0; i < shape->count; i++)
		opened[i] = i;
	options.opened = opened;
	wk_tree_cut_init(&cut, weights, NULL, &options);
	list = (struct listed_nodes){ wk_alloc(cut.count * sizeof(*list.nodes)), cut.count };
	for (uint32_t i = 0; i < cut.count; i++) {
		const struct wk_cut_row *row = &cut.rows[i];

		assert_int_equal(row->left_out, 0);
		assert_int_equal(cut.rows[row->parent].node, shape->parent[row->node]);
		list.nodes[i] = (struct listed_node){ .path = paths[row->node],
						      .total = row->total.weight,
						      .self = row->self.weight };
		list.nodes[i].is_inlined = is_whole && shape->is_inlined[row->node];
		list.nodes[i].is_recursive = is_whole && shape->is_recursive[row->node];
		if (side != WK_SPAN_OF_ALL)
			continue;
		list.nodes[i].total_samples = as_u32(row->total.times);
		list.nodes[i].self_samples = as_u32(row->self.times);
	}
	wk_tree_cut_fini(&cut);
	WK_FREE_ALL(opened, paths);
	return sorted(list);
}

static inline void assert_same_nodes(struct listed_nodes is, struct listed_nodes expected,
				     const char *what)
{
	if (is.count != expected.count)
		fail_msg("%s: %u nodes instead of %u", what, is.count, expected.count);
	for (uint32_t i = 0; i < is.count; i++) {
		const struct listed_node *a = &is.nodes[i], *b = &expected.nodes[i];

		if (memcmp(a, b, sizeof(*a)) != 0)
			fail_msg("%s: node %u: total %llu self %llu, %u and %u samples, instead of "
				 "%llu %llu, %u and %u%s",
				 what, i, (unsigned long long)a->total, (unsigned long long)a->self,
				 a->total_samples, a->self_samples, (unsigned long long)b->total,
				 (unsigned long long)b->self, b->total_samples, b->self_samples,
				 a->path == b->path ? "" : "; its path differs");
	}
	WK_FREE_ALL(is.nodes, expected.nodes);
}

#endif
