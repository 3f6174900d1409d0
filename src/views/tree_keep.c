#include "views/tree_internal.h"

#include "base/mem.h"

/* Weights as steps that grow with them: eleven bits behind the first one. */
#define STEP_BITS 11
#define STEPS     ((64 - STEP_BITS + 1) << STEP_BITS)

static uint32_t step_of(uint64_t weight)
{
	unsigned shift;

	if (weight < 1u << STEP_BITS)
		return (uint32_t)weight;
	shift = 63 - (unsigned)__builtin_clzll(weight) - STEP_BITS;
	return ((shift + 1) << STEP_BITS) + (uint32_t)(weight >> shift & ((1u << STEP_BITS) - 1));
}

static bool is_met(const struct wk_folding *f, uint32_t node)
{
	/* What weighs nothing on a comparison's chosen side is not there on it. */
	return f->sum.samples[node] != 0 && (!f->sum.before || f->sum.weight[node]);
}

/* The lightest weight of a step. */
static uint64_t weight_of(uint32_t step)
{
	unsigned shift = step >> STEP_BITS;

	if (shift == 0)
		return step;
	return ((uint64_t)(step & ((1u << STEP_BITS) - 1)) | 1u << STEP_BITS) << (shift - 1);
}

/* How many nodes lie on each step; and how many there are in all. */
static uint32_t *count_steps(const struct wk_folding *f, uint32_t *met)
{
	uint32_t *count = wk_alloc_zeroed(STEPS, sizeof(*count));

	*met = 0;
	for (uint32_t i = 1; i < f->trie->count; i++) {
		if (!is_met(f, i))
			continue;
		count[step_of(f->sum.weight[i])]++;
		(*met)++;
	}
	return count;
}

/* The least weight such that at most `most` nodes weigh as much or more. A child never weighs
 * more than its parent, so these are a tree. */
static uint64_t least_weight(const uint32_t *count, uint32_t most)
{
	uint32_t step = STEPS, kept = 0;

	while (step > 0 && kept + count[step - 1] <= most)
		kept += count[--step];
	return weight_of(step);
}

/* How many nodes of weight `least` or more have children of less. */
static uint32_t count_boxes(const struct wk_folding *f, uint64_t least)
{
	uint8_t *has_box = wk_alloc_zeroed(f->trie->count, 1);
	uint32_t boxes = 0;

	for (uint32_t i = 1; i < f->trie->count; i++) {
		uint32_t parent = f->trie->parent[i];

		if (f->sum.weight[i] >= least || !is_met(f, i) || has_box[parent] ||
		    (parent && f->sum.weight[parent] < least))
			continue;
		has_box[parent] = 1;
		boxes++;
	}
	free(has_box);
	return boxes;
}

/* The weight from which on nodes are kept, their boxes included in `most`; 0: all are. */
static uint64_t choose_least(const struct wk_folding *f, uint32_t most)
{
	uint32_t met, boxes, *count;
	uint64_t least = 0;

	if (most == 0)
		return 0;
	count = count_steps(f, &met);
	if (met > most) {
		least = least_weight(count, most);
		boxes = count_boxes(f, least);
		least = least_weight(count, boxes < most / 2 ? most - boxes : most / 2);
	}
	free(count);
	return least;
}

/* How many frames not kept lie below each node, itself not counted. */
static uint32_t *count_small(const struct wk_folding *f, uint64_t least)
{
	uint32_t *below = wk_alloc_zeroed(f->trie->count, sizeof(*below));

	for (uint32_t i = f->trie->count; i-- > 1;)
		if (is_met(f, i) && f->sum.weight[i] < least)
			below[f->trie->parent[i]] += below[i] + 1;
	return below;
}

static void add_kept(struct wk_kept *kept, uint32_t *place, const struct wk_folding *f,
		     uint32_t node)
{
	place[node] = kept->count;
	kept->node[kept->count] = node;
	kept->parent[kept->count++] = place[f->trie->parent[node]];
}

/* A box that would hold a single frame is that frame. */
static bool is_kept(const struct wk_folding *f, const uint32_t *small, uint32_t node,
		    uint64_t least)
{
	return f->sum.weight[node] >= least || small[f->trie->parent[node]] == 1;
}

static void keep_some(struct wk_kept *kept, const struct wk_folding *f, uint32_t *place,
		      uint64_t least)
{
	uint32_t *small = count_small(f, least);

	kept->small_frames = wk_alloc_zeroed(f->trie->count, sizeof(*kept->small_frames));
	kept->small_weight = wk_alloc_zeroed(f->trie->count, sizeof(*kept->small_weight));
	for (uint32_t i = 1; i < f->trie->count; i++) {
		uint32_t parent = f->trie->parent[i];

		if (!is_met(f, i) || (parent && !place[parent]))
			continue;
		if (is_kept(f, small, i, least)) {
			add_kept(kept, place, f, i);
			continue;
		}
		kept->boxes += kept->small_frames[place[parent]] == 0;
		kept->small_frames[place[parent]] += small[i] + 1;
		kept->small_weight[place[parent]] += f->sum.weight[i];
	}
	free(small);
}

void wk_kept_init(struct wk_kept *kept, const struct wk_folding *f, uint32_t most_nodes)
{
	uint64_t least = choose_least(f, most_nodes);
	uint32_t *place = wk_alloc_zeroed(f->trie->count, sizeof(*place));

	*kept = (struct wk_kept){ .count = 1 };
	kept->node = wk_alloc_zeroed(f->trie->count, sizeof(*kept->node));
	kept->parent = wk_alloc_zeroed(f->trie->count, sizeof(*kept->parent));
	if (least) {
		keep_some(kept, f, place, least);
	} else {
		for (uint32_t i = 1; i < f->trie->count; i++)
			if (is_met(f, i))
				add_kept(kept, place, f, i);
	}
	free(place);
}

void wk_kept_fini(struct wk_kept *kept)
{
	free(kept->node);
	free(kept->parent);
	free(kept->small_frames);
	free(kept->small_weight);
	*kept = (struct wk_kept){ 0 };
}
