/* The cycles of a call graph (its strongly connected components), and paths through a cycle. Most
 * cycles are a single function.
 *
 * Cycles are numbered such that a call between two goes from the higher number to the lower. */
#ifndef WK_FORMATS_REPORTS_CALL_GRAPH_CYCLES_H
#define WK_FORMATS_REPORTS_CALL_GRAPH_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct wk_call_edge {
	uint32_t caller, callee;
};

struct wk_call_cycles {
	const struct wk_call_edge *edges; /* borrowed */
	uint32_t count;
	uint32_t *of;                    /* [functions]: the cycle of each */
	uint32_t *first, *edge;          /* edges by caller: edge[first[f] .. first[f + 1]] */
	uint32_t *member_first, *member; /* functions by cycle, likewise */

	/* Of the last wk_call_cycles_from: the caller on the path to each function. */
	uint32_t *above;
	uint32_t *order, *met, round;
};

void wk_call_cycles_find(struct wk_call_cycles *cycles, const struct wk_call_edge *edges,
			 uint32_t edge_count, uint32_t functions);
void wk_call_cycles_fini(struct wk_call_cycles *cycles);

/* Lists the functions of the cycle of `entry` by their distance from it; returns their number.
 * `work` grows by the edges visited. */
size_t wk_call_cycles_from(struct wk_call_cycles *cycles, uint32_t entry, const uint32_t **order,
			   uint64_t *work);

#endif
