/* The steps of building a tree, one file each:
 *
 *   tree_shown.c  which frames of the model's stacks are shown, if not all
 *   tree_fold.c   samples to a prefix tree with weights: borrowed from the model if the model's
 *                 own stacks are the tree already, otherwise built
 *   tree_join.c   the borrowed one, if some functions are merged
 *   tree_keep.c   which of its nodes are drawn, and what the rest becomes
 *   tree.c        the kept ones in the requested order, as columns
 *   tree_label.c  names of nodes
 *
 * For views/tree/, views/aggregate/tree_shape.c and render/page/page_path.c alone. */
#ifndef WK_VIEWS_TREE_TREE_INTERNAL_H
#define WK_VIEWS_TREE_TREE_INTERNAL_H

#include "base/trie.h"
#include "views/compare/pairs.h"
#include "views/tree/annotations.h"
#include "views/tree/tree.h"

/* So far up callers are searched for a function that is called again: stacks of a million frames
 * are read as well. */
#define WK_LONGEST_CYCLE 64

/* The label of a node, in 32 bits, so that (parent, label) identifies a child. */
enum wk_tree_label {
	WK_LABEL_FUNCTION,
	WK_LABEL_PROCESS_NAME, /* text id: processes of one name share a node */
	WK_LABEL_PROCESS,      /* one process, or one that has no name */
	WK_LABEL_THREAD,       /* 0: an interrupt, which belongs to no thread */
	WK_LABEL_CPU,
	WK_LABEL_MODULE,     /* function id: the first of its module */
	WK_LABEL_TEXT,       /* text id: the reason of a wait */
	WK_LABEL_SIZE,       /* with this many binary digits */
	WK_LABEL_LINE,       /* named frame: the first with its function and line */
	WK_LABEL_ANNOTATION, /* number of a rule, see views/tree/annotations.h */
	WK_LABEL_READIER,    /* the thread that ended a wait; 0: an interrupt */
	WK_LABEL_HEAP,       /* text id: the heap of a block, */
	WK_LABEL_PART,       /* and the part of the allocator */
};
#define WK_LABEL_ID_BITS     28
#define WK_LABEL(kind, id)   ((uint32_t)(kind) << WK_LABEL_ID_BITS | (id))
#define WK_LABEL_KIND(label) ((label) >> WK_LABEL_ID_BITS)
#define WK_LABEL_ID(label)   ((label) & ((1u << WK_LABEL_ID_BITS) - 1))

/* Weights of a folding's nodes with everything below them; until they are summed up, their own. */
struct wk_folding_weights {
	uint64_t *weight;
	uint32_t *samples;        /* NULL: as many as the weight */
	uint64_t *before, *after; /* for a comparison, otherwise NULL */
	uint64_t *left;           /* if the options have outstanding weights, otherwise NULL */
};

/* For a chart of samples with times. */
struct wk_chart_place {
	uint64_t from_ns, until_ns; /* of the recording's clock */
	bool is_lane;               /* stacks grow from it */
};

struct wk_folding {
	const struct wk_model *model;
	const struct wk_tree_options *options;
	struct wk_grouping grouping; /* of the options */
	bool is_by_modules;          /* it ends in the stack by modules */
	const struct wk_trie *trie;  /* `own`, or the model's named stacks */
	struct wk_trie own;
	bool is_borrowed;
	struct wk_trie_entry *joined_entries; /* those of a borrowed trie that is joined; or NULL */
	wk_function_id *merged;               /* created for `shown`, unless the options have it */
	const wk_function_id *shown;          /* which function each is shown as */
	wk_function_id *module;     /* the first of each function's module; NULL: not needed */
	uint32_t *place;            /* by named frame: its WK_LABEL_LINE; NULL: not by lines */
	uint8_t *annotation;        /* by named stack; NULL: not needed */
	wk_stack_id *leaf, *caller; /* by named stack: its innermost shown frame and the next shown
				     * caller, 0: none; NULL: all are shown */
	uint8_t *is_inlined;        /* [trie->count] of `own`; NULL while nothing is */
	size_t inlined_cap;
	uint8_t *is_recursive; /* the same */
	size_t recursive_cap;
	struct wk_folding_weights sum;
	uint32_t *node_of; /* by sample in view: the node that it was added to. Supplied by a caller
			    * that wants it, between the two steps; otherwise NULL */
	uint64_t *chart_own; /* for a chart, by node of `own`: its parent's own weight when the node
			      * began; otherwise NULL */
	size_t chart_own_cap;
	struct wk_chart_place *chart_place; /* by node of `own`; NULL: no chart, or no times */
	size_t chart_place_cap;
	uint64_t steps;
	uint32_t cut_stacks; /* see struct wk_tree */
	uint64_t cut_weight, cut_whole;
};

struct wk_grouping wk_tree_grouping(const struct wk_tree_options *options);

/* A weight of the "before" side as a part of the other side's whole. Rounded, but not to nothing:
 * what was there is not new. */
static inline uint64_t wk_folding_scaled(uint64_t weight, double factor)
{
	uint64_t part = factor == 1 ? weight : (uint64_t)((double)weight * factor + 0.5);

	return part || !weight ? part : 1;
}

/* Everything but the samples: which frames are shown, and as what. */
void wk_folding_prepare(struct wk_folding *folding, const struct wk_model *model,
			const struct wk_tree_options *options);

/* And then the samples. */
void wk_folding_fill(struct wk_folding *folding, const struct wk_filter *filter);

/* Both. */
void wk_folding_init(struct wk_folding *folding, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tree_options *options);

/* The innermost shown frame of a sample's stack, and the next shown caller of a frame; 0: none. */
static inline wk_stack_id wk_folding_leaf(const struct wk_folding *f, uint32_t sample)
{
	wk_stack_id named = wk_model_named_of(f->model, f->model->samples.stack[sample]);

	return f->leaf ? f->leaf[named] : named;
}

static inline wk_stack_id wk_folding_caller(const struct wk_folding *f, wk_stack_id named)
{
	return f->caller ? f->caller[named] : f->model->named.entries[named].parent;
}

/* The label of the node that a shown frame of a stack is counted at. */
uint32_t wk_folding_stack_label(const struct wk_folding *f, wk_stack_id named);

/* Fills `leaf` and `caller`, unless all frames are shown. */
bool wk_folding_shows_all(const struct wk_folding *folding);
void wk_folding_choose_shown(struct wk_folding *folding);

/* For stacks that are lists: what wk_folding_hides needs, or NULL if it hides nothing. The caller
 * frees it. */
uint8_t *wk_folding_plumbing(const struct wk_folding *folding);

/* Is the inlined `frame` of the standard library, and not shown if `caller` calls it? */
bool wk_folding_hides(const struct wk_folding *folding, uint8_t *plumbing, uint32_t frame,
		      wk_function_id caller);

/* An outermost frame that represents a process (views/compare/pairs.h). */
static inline bool wk_folding_is_process(const struct wk_folding *f, wk_stack_id named)
{
	const struct wk_pairs *pairs = f->options->pairs;
	struct wk_trie_entry stack = f->model->named.entries[named];

	return pairs && pairs->is_process && stack.parent == 0 &&
	       pairs->is_process[f->model->named_frames.function[stack.label]];
}

/* Only the trie, if it may be the model's own: false if the samples must be folded. `*joined` as in
 * wk_folding_join, or NULL if nothing is joined. */
bool wk_folding_borrow(struct wk_folding *folding, uint32_t **joined);
void wk_folding_fini(struct wk_folding *folding);

/* How the model's named frames are shown. */
enum wk_frame_joins {
	WK_FRAMES_APART,  /* each as a function of its own */
	WK_FRAMES_JOINED, /* some as the same function */
	WK_FRAMES_MIXED,  /* and of those one was inlined and another was not */
};
enum wk_frame_joins wk_frame_joins(const struct wk_folding *folding);

/* Makes the model's named stacks the folding's trie, those that are shown alike being one: the
 * first of them, and the others are nodes without children that nothing is to be added to.
 * Returns which node each stack is, for the caller to free. */
uint32_t *wk_folding_join(struct wk_folding *folding);

/* A node's label, whosever the trie is. */
static inline uint32_t wk_folding_label(const struct wk_folding *f, uint32_t node)
{
	uint32_t label = f->trie->entries[node].label;

	return f->is_borrowed ? WK_LABEL(WK_LABEL_FUNCTION,
					 f->shown[f->model->named_frames.function[label]])
			      : label;
}

/* Its name, if the model does not have it in the arena; what it is; for code the function, for a
 * module one of its functions, otherwise 0. */
struct wk_str wk_folding_name(const struct wk_folding *folding, uint32_t label,
			      struct wk_arena *arena);
enum wk_node_kind wk_label_kind(uint32_t label);
wk_function_id wk_folding_function(const struct wk_folding *folding, uint32_t label);

static inline bool wk_folding_is_inlined(const struct wk_folding *f, uint32_t node)
{
	if (f->is_borrowed)
		return f->model->named_frames.is_inlined[f->trie->entries[node].label];
	return f->is_inlined && f->is_inlined[node];
}

static inline bool wk_folding_is_recursive(const struct wk_folding *f, uint32_t node)
{
	return node < f->recursive_cap && f->is_recursive[node];
}

static inline uint32_t wk_folding_samples(const struct wk_folding *f, uint32_t node)
{
	uint64_t weight = f->sum.weight[node];

	if (f->sum.samples)
		return f->sum.samples[node];
	return weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

/* Sets what follows from the samples in view: a tree is by samples if their weights are all zero,
 * and hides allocators if they are of blocks of heaps. */
void wk_tree_complete_options(struct wk_tree_options *options, const struct wk_model *model,
			      const struct wk_filter *filter);

/* The kept nodes, sorted by id; node 0 is always kept. */
struct wk_cached_rows {
	uint32_t count;
	uint32_t *node;         /* [count]: of the folding */
	uint32_t *parent;       /* [count]: as a place in this list */
	uint32_t *small_frames; /* [count]: below it, not kept; NULL: every frame is kept */
	uint64_t *small_weight; /* [count] */
	uint32_t boxes;         /* how many have small frames */
};

void wk_cached_rows_init(struct wk_cached_rows *kept, const struct wk_folding *folding,
			 uint32_t most_nodes);
void wk_cached_rows_fini(struct wk_cached_rows *kept);

#endif
