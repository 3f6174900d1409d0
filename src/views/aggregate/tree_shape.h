/* The calling tree of an event without weights: which nodes there are, and on which of them each
 * row ends.
 *
 * It depends on the grouping and the options of a tree, never on a selection, whose weights are in
 * views/aggregate/tree_weights.h. Nodes are those that wk_tree_init makes of the same options, with
 * the same names, in no order but that a parent has a smaller number than its children. Node 0 is
 * the whole. */
#ifndef WK_VIEWS_AGGREGATE_TREE_SHAPE_H
#define WK_VIEWS_AGGREGATE_TREE_SHAPE_H

#include "base/arena.h"
#include "base/map.h"
#include "views/aggregate/event_rows.h"
#include "views/tree/tree.h"

struct wk_folding;

struct wk_tree_shape {
	const struct wk_event_rows *rows;
	uint32_t *node_of; /* by row: the node that its stack ends on */

	uint32_t count; /* of nodes */
	uint32_t *parent;
	uint32_t *depth;       /* 0 for node 0 */
	uint32_t *first_row;   /* of its rows; rows->count if it has none */
	uint8_t *is_inlined;   /* wherever it was met, it was inlined into its parent */
	uint8_t *is_recursive; /* calls of its function below it are part of it */
	uint32_t depth_max;

	uint32_t cut_stacks; /* inverted: see struct wk_tree */
	uint64_t cut_weight, cut_whole;

	uint32_t *label;              /* what kinds, ids and names are made of */
	struct wk_map first_of_names; /* the first process of a name */
	struct wk_tree_options options;
	struct wk_grouping grouping;
	struct wk_folding *folding;
};

/* Ignored options: order, most_nodes, side, before_factor, keeps_both_sides, left, by_samples.
 * Charts have no shape. The rows must outlive it, and so must the pairs of a comparison and the
 * rules of annotations. */
struct wk_tree_shape *wk_tree_shape_new(const struct wk_event_rows *rows,
					const struct wk_tree_options *options);
void wk_tree_shape_free(struct wk_tree_shape *shape);

/* All but SMALL. */
enum wk_node_kind wk_tree_shape_kind(const struct wk_tree_shape *shape, uint32_t node);

/* PROCESS: the process, or the first of its name. THREAD: the thread, 0 for an interrupt. CPU: the
 * number of the processor. FUNCTION and MODULE: a function, as struct wk_tree has it. Others: no
 * sibling has the same. */
uint32_t wk_tree_shape_id(const struct wk_tree_shape *shape, uint32_t node);

/* The name that wk_tree_init gives it. Names that the model does not have are in the arena. */
struct wk_str wk_tree_shape_name(const struct wk_tree_shape *shape, uint32_t node,
				 struct wk_arena *arena);

/* By node: 1 if it matches. Functions do if `functions` says so, all other nodes if `matches`
 * accepts their names; either may be NULL. The caller frees it. */
uint8_t *wk_tree_shape_search(const struct wk_tree_shape *shape, const uint8_t *functions,
			      bool (*matches)(void *context, struct wk_str name), void *context);

#endif
