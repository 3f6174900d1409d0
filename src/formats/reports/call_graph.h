/* A call graph with costs, to stacks with costs.
 *
 * Some profilers count, for each function, what it cost itself, and for each pair of caller and
 * callee what the calls cost with everything below. Which chain of callers a cost came through
 * is then not known beyond the last one, and stacks have to be guessed: a function's costs are
 * taken to be shared out among its callers in the proportion of what their calls cost.
 *
 * The sum over all stacks that end in a function is exactly its own cost, whatever the graph.
 * Functions that call one another in a circle are entered once a path: what they cost together
 * is not unrolled. Paths can be exponentially many; the costliest are followed until there are
 * as many as the graph has calls, twice, and some ten thousand more. What is left over then
 * stands below each function's costliest caller, and wk_call_graph_emit notes how much it is.
 *
 * Usual order of calls: _new; _function, _self, _call as the input tells them; _tell; _free. */
#ifndef WK_FORMATS_REPORTS_CALL_GRAPH_H
#define WK_FORMATS_REPORTS_CALL_GRAPH_H

#include "formats/stack_writer.h"

struct wk_call_graph;

/* `measures`: how many numbers each cost is made of. */
struct wk_call_graph *wk_call_graph_new(size_t measures);
void wk_call_graph_free(struct wk_call_graph *graph);

/* A new function: its number, from 0. */
uint32_t wk_call_graph_function(struct wk_call_graph *graph);

/* Adds to a function's own cost; costs[measures]. */
void wk_call_graph_self(struct wk_call_graph *graph, uint32_t function, const uint64_t *costs);

/* Adds to what calls cost, all below them included. */
void wk_call_graph_call(struct wk_call_graph *graph, uint32_t caller, uint32_t callee,
			const uint64_t *costs);

/* The sum of all functions' own costs in one measure. */
uint64_t wk_call_graph_total(const struct wk_call_graph *graph, size_t measure);

/* Tells samples of process `pid`: source n is measure n. frames[function] are numbers that
 * the writer gave. */
void wk_call_graph_emit(struct wk_call_graph *graph, struct wk_stack_writer *writer,
			const uint32_t *frames, uint32_t pid);

#endif
