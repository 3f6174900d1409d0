/* Which functions of a call graph call one another in a circle (its strongly connected
 * components), and the ways through a circle. Most circles are a single function.
 *
 * Circles are numbered such that a call between two goes from the higher number to the lower. */
#ifndef WK_FORMATS_REPORTS_CALL_GRAPH_CIRCLES_H
#define WK_FORMATS_REPORTS_CALL_GRAPH_CIRCLES_H

#include <stddef.h>
#include <stdint.h>

struct wk_call_edge {
	uint32_t caller, callee;
};

struct wk_call_circles {
	const struct wk_call_edge *edges; /* borrowed */
	uint32_t count;
	uint32_t *of;                    /* [functions]: the circle of each */
	uint32_t *first, *edge;          /* edges by caller: edge[first[f] .. first[f + 1]] */
	uint32_t *member_first, *member; /* functions by circle, in the same way */

	/* Of the last wk_call_circles_from: who called a function on the way to it. */
	uint32_t *above;
	uint32_t *order, *met, round;
};

void wk_call_circles_find(struct wk_call_circles *circles, const struct wk_call_edge *edges,
			  uint32_t edge_count, uint32_t functions);
void wk_call_circles_fini(struct wk_call_circles *circles);

/* All functions of the circle of `entry`, by their distance from it, itself first: how many.
 * `work` grows by what was looked at. */
size_t wk_call_circles_from(struct wk_call_circles *circles, uint32_t entry, const uint32_t **order,
			    uint64_t *work);

#endif
