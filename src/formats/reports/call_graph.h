/* Converts a call graph with costs to stacks with costs.
 *
 * Some profilers count the own cost of each function, and the inclusive cost of the calls from each
 * caller to each callee. Longer chains are not known, so stacks are estimated: the cost of a
 * function is shared among its callers in proportion to the cost of their calls.
 *
 * The sum over all stacks that end in a function is exactly its own cost. Functions that call each
 * other in a cycle are entered once per path; the cycle is not unrolled. The number of paths can be
 * exponential: the most expensive are followed, up to twice the number of calls in the graph plus
 * 65,536. The rest is placed below each function's most expensive caller, and wk_call_graph_emit
 * notes how much it is.
 *
 * Order of calls: _new; _function, _self, _call in the order of the input; _emit; _free. */
#ifndef WK_FORMATS_REPORTS_CALL_GRAPH_H
#define WK_FORMATS_REPORTS_CALL_GRAPH_H

#include "formats/stack_writer.h"

struct wk_call_graph;

/* `measures`: the number of values of each cost. */
struct wk_call_graph *wk_call_graph_new(size_t measures);
void wk_call_graph_free(struct wk_call_graph *graph);

/* Adds a function; returns its number, from 0. */
uint32_t wk_call_graph_function(struct wk_call_graph *graph);

/* Adds to a function's own cost; costs[measures]. */
void wk_call_graph_self(struct wk_call_graph *graph, uint32_t function, const uint64_t *costs);

/* Adds to the inclusive cost of the calls from caller to callee. */
void wk_call_graph_call(struct wk_call_graph *graph, uint32_t caller, uint32_t callee,
			const uint64_t *costs);

/* The sum of the own costs of all functions in one measure. */
uint64_t wk_call_graph_total(const struct wk_call_graph *graph, size_t measure);

/* Emits samples of process `pid`: source n is measure n. frames[function] are numbers of the
 * writer. */
void wk_call_graph_emit(struct wk_call_graph *graph, struct wk_stack_writer *writer,
			const uint32_t *frames, uint32_t pid);

#endif
