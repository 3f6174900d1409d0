/* The calling tree: who called whom, and what it cost.
 *
 * wk_tree_init folds the samples that pass a filter. Nodes are columns, numbered in drawing
 * order: each node is followed by its whole subtree, hottest child first, so one loop from 0 to
 * count draws everything without recursion. Node 0 is the whole.
 *
 *	for (child = node + 1; child < tree->end[node]; child = tree->end[child])
 *
 * walks the children of `node`. The cost is proportional to the samples plus the frames of
 * distinct stacks, however deep. The tree owns its columns; names point into the model, which
 * must outlive it. */
#ifndef WK_VIEWS_TREE_TREE_H
#define WK_VIEWS_TREE_TREE_H

#include "base/arena.h"
#include "views/filter/filter.h"
#include "views/tree/grouping.h"

enum wk_node_kind {
	WK_NODE_WHOLE, /* node 0 */
	WK_NODE_PROCESS,
	WK_NODE_THREAD,
	WK_NODE_CPU,
	WK_NODE_SUBJECT, /* the reason of a wait, a heap, a size, an annotation ... */
	WK_NODE_MODULE,  /* a program or library, or a source file if no image is known */
	WK_NODE_FUNCTION,
	WK_NODE_SMALL, /* several frames that are too light to keep; a leaf */
};

/* Code, as opposed to processes and threads. */
static inline bool wk_node_is_code(uint8_t kind)
{
	return kind == WK_NODE_FUNCTION || kind == WK_NODE_MODULE;
}

enum wk_tree_order {
	WK_TREE_BY_WEIGHT, /* hottest first, then by name */
	WK_TREE_BY_NAME,
	WK_TREE_BY_TEXT,  /* as sorted lines of folded text have them: a name that others
			   * follow ends in ';', the last one in ' ' */
	WK_TREE_BY_TIME,  /* first met first */
	WK_TREE_UNSORTED, /* for walks that do not care */
};

/* For a comparison: the weight of a stack. */
enum wk_tree_side {
	WK_TREE_AFTER,
	WK_TREE_BEFORE,
	WK_TREE_LARGER,         /* the larger of both, so that vanished frames have a width as
				 * well */
	WK_TREE_AFTER_AND_GONE, /* after; but vanished stacks have their weight from before */
};

struct wk_pairs;
struct wk_annotations; /* views/tree/annotations.h */
struct wk_tree_verbs;  /* views/tree/verbs.h */

struct wk_tree_options {
	bool by_process; /* first level: process names */
	bool by_thread;  /* a level for each thread, under its process's if there is one */
	const struct wk_grouping *grouping;       /* other levels than those; or NULL */
	const struct wk_annotations *annotations; /* for that column; NULL: without rules */
	bool inverted;                            /* from the leaves: callers below callees */
	bool by_samples;          /* weigh by number of samples, not by the source's weight */
	bool by_lines;            /* a function is a node for each of its source lines */
	bool merge_images;        /* functions of one name are one, whatever their images */
	bool merge_files;         /* and whatever the files of their source (views/tree/merge.h) */
	bool is_chart;            /* in order of time: only neighbours in time share a node */
	bool collapses_recursion; /* a function right below itself is one node with it */
	bool folds_recursion;     /* a call of a function that is running already is one node with
				   * it, and so is what it calls; not for charts */
	bool hides_plumbing;      /* small inlined functions of standard libraries are part of their
				   * callers (names/plumbing.h) */
	bool hides_mapping;       /* set by the tree as well, for the memory of Linux programs: so
				   * does what calls mmap for them */
	bool hides_allocators;    /* set by the tree, with the former, for blocks of heaps: what is
				   * allocated inside of allocators and containers counts at their
				   * caller */
	bool charges_own;     /* weight of other code counts at the nearest caller in the user's own
			       * (views/own_code.h) */
	const uint8_t *focus; /* by function, as merged: only calls of those, and what these call
			       * or, inverted, their callers; other samples are the whole's own.
			       * NULL: all */
	const char *const *skip_after;     /* callers of these functions are left out; NULL-ended */
	const struct wk_tree_verbs *verbs; /* not for charts; NULL: none */
	uint32_t most_nodes;    /* the lightest beyond this number become nodes of kind SMALL; 0:
				 * none */
	uint32_t most_inverted; /* inverted, this many frames are made and then stacks are cut (see
				 * cut_stacks); 0: a number that fits into memory */
	const struct wk_pairs
		*pairs; /* for a comparison, in place of merge_...: views/compare/pairs.h */
	enum wk_tree_side side;
	bool keeps_both_sides; /* nodes that weigh nothing on that side as well */
	double before_factor;  /* weights of "before" are multiplied by this; 0: by 1 */
	const uint64_t *left;  /* by sample: the outstanding part of its weight (views/lifetimes.h),
				* which the tree then sums up as well; or NULL */
	enum wk_tree_order order;
};

struct wk_tree {
	uint32_t count;
	uint32_t *parent;         /* smaller than the node's own number; 0 for node 0 */
	uint32_t *end;            /* the number behind the last node of the subtree */
	uint32_t *depth;          /* 0 for node 0 */
	uint8_t *kind;            /* enum wk_node_kind */
	uint8_t *is_inlined;      /* wherever it was met here, it was inlined into its parent */
	uint8_t *is_recursive;    /* calls of its function below it are part of it; NULL: none is */
	wk_function_id *function; /* for a function's node; for a module's, one of its functions */
	struct wk_str *name;
	uint32_t *place; /* a named frame with the node's function and its line, if it is by lines,
			  * or the line with most weight (wk_tree_find_lines), or 0; NULL: no lines
			  * are known */
	uint32_t *line_count;   /* of wk_tree_find_lines: how many lines of the function have weight
				 * in the node; otherwise NULL */
	uint64_t *self, *total; /* weight; inverted, self is what has no further caller */
	uint64_t *lead;         /* of the parent's self, the part before the node: in charts and in
				 * order of text; otherwise NULL, and it is at the end */
	/* In a chart of samples that have times, otherwise NULL: when each node began, in ns since
	 * wk_model_begin_ns; how long it lasted; and whether it is a lane, from which the stacks of
	 * one thread (or of what else the samples are grouped by) grow. */
	uint64_t *from_ns, *took_ns;
	uint8_t *is_lane;
	uint32_t *self_samples, *total_samples; /* as many as 32 bits hold at most */
	uint32_t *small_count; /* of nodes of kind SMALL: how many frames; NULL: there are none */

	/* For a comparison, otherwise NULL; self and total are then those of the selected side. */
	uint64_t *self_before, *total_before, *self_after, *total_after;
	uint64_t *total_left; /* if the options have outstanding weights; otherwise NULL */

	uint32_t small_nodes;  /* the number of frames in all nodes of kind SMALL, */
	uint64_t small_weight; /* and their weight */
	/* Inverted, stacks of n frames that are all hit are up to n * n / 2 nodes. The lightest
	 * then lose their outer callers: how many distinct ones, and which part of all weight. */
	uint32_t cut_stacks;
	uint64_t cut_weight, cut_whole;
	uint32_t depth_max;
	uint64_t steps;        /* stack entries visited while folding: the work done */
	struct wk_str unit;    /* of the weights: "ns", "cycles" ..., "samples" */
	const char *row_word;  /* what one of its samples is called */
	bool only_weights;     /* how many samples there are says nothing, see wk_source */
	struct wk_arena arena; /* names that are not the model's */
};

/* Weighs by samples if the source's weights are all zero. */
void wk_tree_init(struct wk_tree *tree, const struct wk_model *model,
		  const struct wk_filter *filter, const struct wk_tree_options *options);
void wk_tree_fini(struct wk_tree *tree);

/* Fills `place` of a tree that was made with the same arguments. The line of a function's node is
 * the one with most weight, its own or that of calls. Not for charts, whose nodes have no place. */
void wk_tree_find_lines(struct wk_tree *tree, const struct wk_model *model,
			const struct wk_filter *filter, const struct wk_tree_options *options);

/* Why the innermost frame of a stack counts as a part of its caller. */
enum wk_tree_hidden {
	WK_HIDDEN_PLUMBING = 1,  /* hides_plumbing */
	WK_HIDDEN_OF_BLOCKS = 2, /* for blocks of heaps: hides_allocators */
	WK_HIDDEN_OF_PAGES = 4,  /* for memory of Linux programs: hides_mapping as well */
};

/* By named stack: bits of enum wk_tree_hidden, for views that show stacks by themselves. The caller
 * frees it. */
uint8_t *wk_tree_hidden(const struct wk_model *model);

/* The name that a function's node has. */
struct wk_str wk_function_shown_name(const struct wk_model *model, wk_function_id id);

/* A sentence about the stacks that were cut; nothing if there were none. */
void wk_tree_cut_note(const struct wk_tree *tree, struct wk_buf *note);

#endif
