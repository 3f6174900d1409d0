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

/* The lowest step such that at most `most` nodes lie on it or above. A child never weighs
 * more than its parent, so what lies above is a tree. */
static uint32_t lowest_step(const struct wk_folding *f, uint32_t most)
{
	uint32_t *count = wk_alloc_zeroed(STEPS, sizeof(*count));
	uint32_t step = STEPS, kept = 0;

	for (uint32_t i = 1; i < f->trie->count; i++)
		if (is_met(f, i))
			count[step_of(f->sum.weight[i])]++;
	while (step > 0 && kept + count[step - 1] <= most)
		kept += count[--step];
	free(count);
	return step;
}

/* How many nodes of `step` or above have children below it. */
static uint32_t count_boxes(const struct wk_folding *f, uint32_t step)
{
	uint8_t *has_box = wk_alloc_zeroed(f->trie->count, 1);
	uint32_t boxes = 0;

	for (uint32_t i = 1; i < f->trie->count; i++) {
		uint32_t parent = f->trie->parent[i];

		if (!is_met(f, i) || step_of(f->sum.weight[i]) >= step || has_box[parent] ||
		    (parent && step_of(f->sum.weight[parent]) < step))
			continue;
		has_box[parent] = 1;
		boxes++;
	}
	free(has_box);
	return boxes;
}

/* The step from which on nodes are kept, their boxes included in `most`. */
static uint32_t choose_step(const struct wk_folding *f, uint32_t most)
{
	uint32_t met = 0, step, boxes;

	for (uint32_t i = 1; i < f->trie->count; i++)
		met += is_met(f, i);
	if (most == 0 || met <= most)
		return 0;
	step = lowest_step(f, most);
	boxes = count_boxes(f, step);
	return lowest_step(f, boxes < most / 2 ? most - boxes : most / 2);
}

/* How many frames not kept lie below each node, itself not counted. */
static uint32_t *count_small(const struct wk_folding *f, uint32_t step)
{
	uint32_t *below = wk_alloc_zeroed(f->trie->count, sizeof(*below));

	for (uint32_t i = f->trie->count; i-- > 1;)
		if (is_met(f, i) && step_of(f->sum.weight[i]) < step)
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
		    uint32_t step)
{
	return step_of(f->sum.weight[node]) >= step || small[f->trie->parent[node]] == 1;
}

static void keep_some(struct wk_kept *kept, const struct wk_folding *f, uint32_t *place,
		      uint32_t step)
{
	uint32_t *small = count_small(f, step);

	kept->small_frames = wk_alloc_zeroed(f->trie->count, sizeof(*kept->small_frames));
	kept->small_weight = wk_alloc_zeroed(f->trie->count, sizeof(*kept->small_weight));
	for (uint32_t i = 1; i < f->trie->count; i++) {
		uint32_t parent = f->trie->parent[i];

		if (!is_met(f, i) || (parent && !place[parent]))
			continue;
		if (is_kept(f, small, i, step)) {
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
	uint32_t step = choose_step(f, most_nodes);
	uint32_t *place = wk_alloc_zeroed(f->trie->count, sizeof(*place));

	*kept = (struct wk_kept){ .count = 1 };
	kept->node = wk_alloc_zeroed(f->trie->count, sizeof(*kept->node));
	kept->parent = wk_alloc_zeroed(f->trie->count, sizeof(*kept->parent));
	if (step) {
		keep_some(kept, f, place, step);
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
