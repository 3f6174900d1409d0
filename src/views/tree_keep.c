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
	return f->sum.weight[node] ||
	       (f->sum.samples && f->sum.samples[node] && !f->sum.before);
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
	return step < STEPS ? weight_of(step) : UINT64_MAX;
}

/* How many frames not kept lie below each node, itself not counted. */
static uint32_t *count_small(const struct wk_folding *f, uint64_t least)
{
	uint32_t *below = wk_alloc_table_zeroed(f->trie->count, sizeof(*below));

	for (uint32_t i = f->trie->count; i-- > 1;)
		if (f->sum.weight[i] < least && is_met(f, i))
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

static void keep_heavy(struct wk_kept *kept, const struct wk_folding *f, uint32_t *place,
		       uint64_t least)
{
	uint32_t *small = count_small(f, least);

	kept->small_frames = wk_alloc_zeroed(f->trie->count, sizeof(*kept->small_frames));
	kept->small_weight = wk_alloc_zeroed(f->trie->count, sizeof(*kept->small_weight));
	for (uint32_t i = 1; i < f->trie->count; i++) {
		uint32_t parent = f->trie->parent[i];

		if ((parent && !place[parent]) || !is_met(f, i))
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

static void keep_all(struct wk_kept *kept, const struct wk_folding *f, uint32_t *place)
{
	for (uint32_t i = 1; i < f->trie->count; i++)
		if (is_met(f, i))
			add_kept(kept, place, f, i);
}

static void start(struct wk_kept *kept, uint32_t most_entries)
{
	*kept = (struct wk_kept){ .count = 1 };
	kept->node = wk_alloc_zeroed(most_entries, sizeof(*kept->node));
	kept->parent = wk_alloc_zeroed(most_entries, sizeof(*kept->parent));
}

/* Boxes are nodes, too, and how many there are shows only afterwards: three quarters of the
 * limit usually leave room for them, and half of it always does. */
void wk_kept_init(struct wk_kept *kept, const struct wk_folding *f, uint32_t most_nodes)
{
	uint32_t met, *count = count_steps(f, &met);
	uint32_t *place = wk_alloc_table_zeroed(f->trie->count, sizeof(*place));
	uint32_t aims[] = { most_nodes - most_nodes / 4, most_nodes / 2 };

	start(kept, f->trie->count);
	if (most_nodes == 0 || met <= most_nodes) {
		keep_all(kept, f, place);
	} else {
		for (int i = 0; i < 2; i++) {
			keep_heavy(kept, f, place, least_weight(count, aims[i]));
			if (kept->count - 1 + kept->boxes <= most_nodes || i == 1)
				break;
			wk_kept_fini(kept);
			memset(place, 0, f->trie->count * sizeof(*place));
			start(kept, f->trie->count);
		}
	}
	free(place);
	free(count);
}

void wk_kept_fini(struct wk_kept *kept)
{
	free(kept->node);
	free(kept->parent);
	free(kept->small_frames);
	free(kept->small_weight);
	*kept = (struct wk_kept){ 0 };
}
