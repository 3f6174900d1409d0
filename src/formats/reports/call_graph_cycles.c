#include "formats/reports/call_graph_cycles.h"

#include "base/mem.h"

/* Sorts rows by group: those of group g are rows[first[g]] up to rows[first[g + 1]]. */
static void group(const uint32_t *group_of, size_t stride, uint32_t count, uint32_t groups,
		  uint32_t **first, uint32_t **rows)
{
	uint32_t *start = wk_alloc_zeroed((size_t)groups + 2, sizeof(*start));
	uint32_t *sorted = wk_alloc_zeroed((size_t)count + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < count; i++)
		start[group_of[i * stride] + 2]++;
	for (uint32_t g = 0; g < groups; g++)
		start[g + 1] += start[g];
	/* start[g + 1] is the next free place of group g, and in the end the start of group g +
	 * 1. */
	for (uint32_t i = 0; i < count; i++)
		sorted[start[group_of[i * stride] + 1]++] = i;
	*first = start;
	*rows = sorted;
}

/* Tarjan's algorithm with an explicit stack. */
struct search {
	struct wk_call_cycles *cycles;
	uint32_t *number, *low; /* order of discovery, from 1; the lowest reached */
	uint32_t *next;         /* the next edge of each function */
	uint32_t *open, *way;   /* not yet in a cycle; the path to the current function */
	uint32_t open_count, depth, found;
};

static void enter(struct search *s, uint32_t function)
{
	s->number[function] = s->low[function] = ++s->found;
	s->next[function] = s->cycles->first[function];
	s->open[s->open_count++] = function;
	s->way[s->depth++] = function;
}

static void leave(struct search *s, uint32_t function)
{
	uint32_t member;

	s->depth--;
	if (s->depth && s->low[function] < s->low[s->way[s->depth - 1]])
		s->low[s->way[s->depth - 1]] = s->low[function];
	if (s->low[function] != s->number[function])
		return;
	do {
		member = s->open[--s->open_count];
		s->cycles->of[member] = s->cycles->count;
		s->number[member] = UINT32_MAX;
	} while (member != function);
	s->cycles->count++;
}

static void search_from(struct search *s, uint32_t root)
{
	enter(s, root);
	while (s->depth) {
		uint32_t function = s->way[s->depth - 1], callee;

		if (s->next[function] == s->cycles->first[function + 1]) {
			leave(s, function);
			continue;
		}
		callee = s->cycles->edges[s->cycles->edge[s->next[function]++]].callee;
		if (s->number[callee] == 0)
			enter(s, callee);
		else if (s->number[callee] < s->low[function])
			s->low[function] = s->number[callee];
	}
}

void wk_call_cycles_find(struct wk_call_cycles *cycles, const struct wk_call_edge *edges,
			 uint32_t edge_count, uint32_t functions)
{
	size_t rows = (size_t)functions + 1;
	struct search s = {
		.cycles = cycles,
		.number = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.low = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.next = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.open = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.way = wk_alloc_zeroed(rows, sizeof(uint32_t)),
	};

	*cycles = (struct wk_call_cycles){ .edges = edges };
	cycles->of = wk_alloc_zeroed(rows, sizeof(uint32_t));
	group(edge_count ? &edges[0].caller : cycles->of, sizeof(*edges) / sizeof(uint32_t),
	      edge_count, functions, &cycles->first, &cycles->edge);
	for (uint32_t i = 0; i < functions; i++)
		if (s.number[i] == 0)
			search_from(&s, i);
	group(cycles->of, 1, functions, cycles->count, &cycles->member_first, &cycles->member);
	cycles->above = wk_alloc_zeroed(rows, sizeof(uint32_t));
	cycles->order = wk_alloc_zeroed(rows, sizeof(uint32_t));
	cycles->met = wk_alloc_zeroed(rows, sizeof(uint32_t));
	WK_FREE_ALL(s.number, s.low, s.next, s.open, s.way);
}

void wk_call_cycles_fini(struct wk_call_cycles *cycles)
{
	WK_FREE_ALL(cycles->of, cycles->first, cycles->edge, cycles->member_first, cycles->member,
		    cycles->above, cycles->order, cycles->met);
}

size_t wk_call_cycles_from(struct wk_call_cycles *cycles, uint32_t entry, const uint32_t **order,
			   uint64_t *work)
{
	uint32_t cycle = cycles->of[entry];
	size_t count = 0;

	*order = cycles->order;
	cycles->round++;
	cycles->met[entry] = cycles->round;
	cycles->order[count++] = entry;
	for (size_t i = 0; i < count; i++) {
		uint32_t function = cycles->order[i];

		*work += 1 + cycles->first[function + 1] - cycles->first[function];
		for (uint32_t e = cycles->first[function]; e < cycles->first[function + 1]; e++) {
			uint32_t callee = cycles->edges[cycles->edge[e]].callee;

			if (cycles->of[callee] != cycle || cycles->met[callee] == cycles->round)
				continue;
			cycles->met[callee] = cycles->round;
			cycles->above[callee] = function;
			cycles->order[count++] = callee;
		}
	}
	return count;
}
