#include "formats/reports/call_graph_circles.h"

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
	struct wk_call_circles *circles;
	uint32_t *number, *low; /* order of discovery, from 1; the lowest reached */
	uint32_t *next;         /* the next edge of each function */
	uint32_t *open, *way;   /* not yet in a cycle; the path to the current function */
	uint32_t open_count, depth, found;
};

static void enter(struct search *s, uint32_t function)
{
	s->number[function] = s->low[function] = ++s->found;
	s->next[function] = s->circles->first[function];
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
		s->circles->of[member] = s->circles->count;
		s->number[member] = UINT32_MAX;
	} while (member != function);
	s->circles->count++;
}

static void search_from(struct search *s, uint32_t root)
{
	enter(s, root);
	while (s->depth) {
		uint32_t function = s->way[s->depth - 1], callee;

		if (s->next[function] == s->circles->first[function + 1]) {
			leave(s, function);
			continue;
		}
		callee = s->circles->edges[s->circles->edge[s->next[function]++]].callee;
		if (s->number[callee] == 0)
			enter(s, callee);
		else if (s->number[callee] < s->low[function])
			s->low[function] = s->number[callee];
	}
}

void wk_call_circles_find(struct wk_call_circles *circles, const struct wk_call_edge *edges,
			  uint32_t edge_count, uint32_t functions)
{
	size_t rows = (size_t)functions + 1;
	struct search s = {
		.circles = circles,
		.number = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.low = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.next = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.open = wk_alloc_zeroed(rows, sizeof(uint32_t)),
		.way = wk_alloc_zeroed(rows, sizeof(uint32_t)),
	};

	*circles = (struct wk_call_circles){ .edges = edges };
	circles->of = wk_alloc_zeroed(rows, sizeof(uint32_t));
	group(edge_count ? &edges[0].caller : circles->of, sizeof(*edges) / sizeof(uint32_t),
	      edge_count, functions, &circles->first, &circles->edge);
	for (uint32_t i = 0; i < functions; i++)
		if (s.number[i] == 0)
			search_from(&s, i);
	group(circles->of, 1, functions, circles->count, &circles->member_first, &circles->member);
	circles->above = wk_alloc_zeroed(rows, sizeof(uint32_t));
	circles->order = wk_alloc_zeroed(rows, sizeof(uint32_t));
	circles->met = wk_alloc_zeroed(rows, sizeof(uint32_t));
	wk_free(s.number);
	wk_free(s.low);
	wk_free(s.next);
	wk_free(s.open);
	wk_free(s.way);
}

void wk_call_circles_fini(struct wk_call_circles *circles)
{
	wk_free(circles->of);
	wk_free(circles->first);
	wk_free(circles->edge);
	wk_free(circles->member_first);
	wk_free(circles->member);
	wk_free(circles->above);
	wk_free(circles->order);
	wk_free(circles->met);
}

size_t wk_call_circles_from(struct wk_call_circles *circles, uint32_t entry, const uint32_t **order,
			    uint64_t *work)
{
	uint32_t circle = circles->of[entry];
	size_t count = 0;

	*order = circles->order;
	circles->round++;
	circles->met[entry] = circles->round;
	circles->order[count++] = entry;
	for (size_t i = 0; i < count; i++) {
		uint32_t function = circles->order[i];

		*work += 1 + circles->first[function + 1] - circles->first[function];
		for (uint32_t e = circles->first[function]; e < circles->first[function + 1]; e++) {
			uint32_t callee = circles->edges[circles->edge[e]].callee;

			if (circles->of[callee] != circle || circles->met[callee] == circles->round)
				continue;
			circles->met[callee] = circles->round;
			circles->above[callee] = function;
			circles->order[count++] = callee;
		}
	}
	return count;
}
