#include "views/tree/siblings.h"

#include <stdbool.h>

#include "base/mem.h"
#include "base/sort.h"

/* ---- names */

static int by_name(const void *left, const void *right)
{
	const struct wk_ranked_name *a = left, *b = right;
	int order = wk_str_compare_followed(a->name, a->behind, b->name, b->behind);

	if (order)
		return order;
	if (a->name.len != b->name.len)
		return a->name.len < b->name.len ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

uint32_t *wk_rank_names(struct wk_ranked_name *names, uint32_t count, uint32_t most)
{
	uint32_t *rank = wk_alloc_zeroed(most, sizeof(*rank));

	if (count)
		qsort(names, count, sizeof(*names), by_name);
	for (uint32_t i = 0; i < count; i++)
		rank[names[i].number] = i;
	return rank;
}

/* ---- children */

#define NODES_AHEAD 24 /* whose parents are on their way from memory */

static bool is_listed(const uint32_t *is_there, uint32_t node)
{
	return !is_there || is_there[node];
}

void wk_siblings_init(struct wk_siblings *s, const uint32_t *parent, const uint32_t *is_there,
		      uint32_t count)
{
	uint32_t *next;

	s->order = wk_alloc_table((size_t)count * sizeof(*s->order));
	s->first = wk_alloc_table_zeroed((size_t)count + 2, sizeof(*s->first));
	next = s->first + 1; /* ends up one place to the left, as `first` */
	for (uint32_t i = 1; i < count; i++) {
		if (i + NODES_AHEAD < count)
			__builtin_prefetch(&next[parent[i + NODES_AHEAD] + 1], 1);
		next[parent[i] + 1] += is_listed(is_there, i);
	}
	for (uint32_t i = 0; i < count; i++)
		next[i + 1] += next[i];
	for (uint32_t i = 1; i < count; i++) {
		if (i + NODES_AHEAD < count)
			__builtin_prefetch(&next[parent[i + NODES_AHEAD]], 1);
		if (is_listed(is_there, i))
			s->order[next[parent[i]]++] = i;
	}
}

void wk_siblings_fini(struct wk_siblings *s)
{
	WK_FREE_ALL(s->order, s->first);
	*s = (struct wk_siblings){ 0 };
}

#define FEW_SIBLINGS 24

/* By label. */
struct ranks {
	const uint32_t *rank, *label;
};

static uint32_t rank_of(const struct ranks *ranks, uint32_t node)
{
	return ranks->rank[ranks->label[node]];
}

static void sort_few(uint32_t *nodes, uint32_t count, const struct ranks *ranks)
{
	uint32_t rank[FEW_SIBLINGS];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = nodes[i], own = rank_of(ranks, node), at = i;

		for (; at > 0 && rank[at - 1] > own; at--) {
			nodes[at] = nodes[at - 1];
			rank[at] = rank[at - 1];
		}
		nodes[at] = node;
		rank[at] = own;
	}
}

static void sort_many(uint32_t *nodes, uint32_t count, const struct ranks *ranks)
{
	struct wk_sort_key *keys = wk_alloc((size_t)count * sizeof(*keys));

	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct wk_sort_key){ rank_of(ranks, nodes[i]), nodes[i] };
	wk_sort_keys(keys, count);
	for (uint32_t i = 0; i < count; i++)
		nodes[i] = keys[i].row;
	wk_free(keys);
}

/* Most nodes have one child or a few, whose numbers are close together. */
void wk_siblings_sort(struct wk_siblings *s, const uint32_t *rank_of_label, const uint32_t *label,
		      uint32_t count)
{
	struct ranks ranks = { rank_of_label, label };

	for (uint32_t node = 0; node < count; node++) {
		uint32_t *nodes = s->order + s->first[node];
		uint32_t children = s->first[node + 1] - s->first[node];

		if (children < 2)
			continue;
		if (children <= FEW_SIBLINGS)
			sort_few(nodes, children, &ranks);
		else
			sort_many(nodes, children, &ranks);
	}
}
