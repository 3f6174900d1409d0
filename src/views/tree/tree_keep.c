#include "views/tree/tree_internal.h"

#include <assert.h>

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
	if (f->sum.before && f->options->keeps_both_sides)
		return f->sum.before[node] || f->sum.after[node];
	return f->sum.weight[node] || (f->sum.samples && f->sum.samples[node] && !f->sum.before);
}

/* The lightest weight of a step. */
static uint64_t weight_of(uint32_t step)
{
	unsigned shift = step >> STEP_BITS;

	if (shift == 0)
		return step;
	return ((uint64_t)(step & ((1u << STEP_BITS) - 1)) | 1u << STEP_BITS) << (shift - 1);
}

/* The number of nodes on each step; and the total. */
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

/* A weight such that at most `most` nodes, which are fewer than there are, weigh more. A
 * child never weighs more than its parent, so these are a tree. */
static uint64_t weight_below(const uint32_t *count, uint32_t most)
{
	uint32_t step = STEPS, kept = 0;

	while (step > 0 && kept + count[step - 1] <= most)
		kept += count[--step];
	assert(step > 0);
	return step < STEPS ? weight_of(step) - 1 : UINT64_MAX;
}

/* A node while the kept ones are selected. */
struct spot {
	uint32_t small; /* frames below it that are not kept, without itself */
	uint32_t place; /* position among the kept; 0: not kept, or the root */
};

/* Parents may be far before their children: such nodes are prefetched from memory. */
#define AHEAD 16

static struct spot *count_small(const struct wk_folding *f, uint64_t below)
{
	struct spot *spots = wk_alloc_table_zeroed(f->trie->count, sizeof(*spots));
	const struct wk_trie_entry *entries = f->trie->entries;

	for (uint32_t i = f->trie->count; i-- > 1;) {
		__builtin_prefetch(&spots[entries[i > AHEAD ? i - AHEAD : 0].parent], 1);
		if (f->sum.weight[i] <= below && is_met(f, i))
			spots[entries[i].parent].small += spots[i].small + 1;
	}
	return spots;
}

static uint32_t add_kept(struct wk_cached_rows *kept, uint32_t node, uint32_t parent)
{
	assert(parent < kept->count || kept->count == 0);
	kept->node[kept->count] = node;
	kept->parent[kept->count] = parent;
	if (kept->small_frames) {
		kept->small_frames[kept->count] = 0;
		kept->small_weight[kept->count] = 0;
	}
	return kept->count++;
}

/* Space for `most` nodes; the root is included. */
static void start(struct wk_cached_rows *kept, size_t most, bool has_boxes)
{
	*kept = (struct wk_cached_rows){ 0 };
	kept->node = wk_alloc_table(most * sizeof(*kept->node));
	kept->parent = wk_alloc_table(most * sizeof(*kept->parent));
	if (has_boxes) {
		kept->small_frames = wk_alloc_table(most * sizeof(*kept->small_frames));
		kept->small_weight = wk_alloc_table(most * sizeof(*kept->small_weight));
	}
	add_kept(kept, 0, 0);
}

static void add_to_box(struct wk_cached_rows *kept, uint32_t place, uint32_t frames,
		       uint64_t weight)
{
	kept->boxes += kept->small_frames[place] == 0;
	kept->small_frames[place] += frames;
	kept->small_weight[place] += weight;
}

/* At most `most` nodes weigh more than `below`. A box that would hold a single frame is that frame,
 * so that each of them may have one that is lighter. */
static void keep_heavy(struct wk_cached_rows *kept, const struct wk_folding *f, uint64_t below,
		       uint32_t most)
{
	struct spot *spots = count_small(f, below);
	uint32_t count = f->trie->count;
	size_t room = 2 * ((size_t)most + 1);

	start(kept, room < count ? room : count, true);
	for (uint32_t i = 1; i < count; i++) {
		uint32_t parent = f->trie->entries[i].parent, place = spots[parent].place;

		__builtin_prefetch(
			&spots[f->trie->entries[count - i > AHEAD ? i + AHEAD : i].parent]);
		if ((parent && !place) || !is_met(f, i))
			continue;
		if (f->sum.weight[i] > below || spots[parent].small == 1)
			spots[i].place = add_kept(kept, i, place);
		else
			add_to_box(kept, place, spots[i].small + 1, f->sum.weight[i]);
	}
	assert(kept->count <= room);
	wk_free(spots);
}

/* All that are met. */
static void keep_all(struct wk_cached_rows *kept, const struct wk_folding *f, uint32_t met)
{
	uint32_t *place = NULL; /* of each node; NULL: its number, as all are met */

	start(kept, (size_t)met + 1, false);
	if (met + 1 < f->trie->count)
		place = wk_alloc_table_zeroed(f->trie->count, sizeof(*place));
	for (uint32_t i = 1; i < f->trie->count; i++) {
		uint32_t parent = f->trie->entries[i].parent;

		if (!place)
			add_kept(kept, i, parent);
		else if (is_met(f, i))
			place[i] = add_kept(kept, i, place[parent]);
	}
	assert(kept->count == met + 1);
	wk_free(place);
}

/* Boxes are nodes as well, and their number is known only afterwards: three quarters of the limit
 * usually leave space for them, and half of it always does. */
void wk_cached_rows_init(struct wk_cached_rows *kept, const struct wk_folding *f,
			 uint32_t most_nodes)
{
	uint32_t met, *count = count_steps(f, &met);
	uint32_t aims[] = { most_nodes - most_nodes / 4, most_nodes / 2 };

	if (most_nodes == 0 || met <= most_nodes) {
		keep_all(kept, f, met);
	} else {
		for (int i = 0; i < 2; i++) {
			keep_heavy(kept, f, weight_below(count, aims[i]), aims[i]);
			if (kept->count - 1 + kept->boxes <= most_nodes || i == 1)
				break;
			wk_cached_rows_fini(kept);
		}
	}
	assert(!most_nodes || kept->count - 1 + kept->boxes <= most_nodes);
	wk_free(count);
}

void wk_cached_rows_fini(struct wk_cached_rows *kept)
{
	WK_FREE_ALL(kept->node, kept->parent, kept->small_frames, kept->small_weight);
	*kept = (struct wk_cached_rows){ 0 };
}
