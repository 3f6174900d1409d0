#include "formats/reports/call_graph.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/lines.h"
#include "formats/reports/call_graph_cycles.h"

#define FEWEST_PATHS 65536

/* An entry into a cycle (usually a single function) that is still to be followed. */
struct path {
	double weight;   /* its share of all costs */
	uint32_t number; /* its costs are at number * measures */
	uint32_t stack, entry;
};

struct wk_call_graph {
	size_t measures;
	uint32_t functions;
	uint64_t *self; /* [functions][measures] */
	size_t self_cap;
	struct wk_call_edge *edges;
	uint64_t *edge_costs; /* [edges][measures] */
	uint32_t edge_count;
	size_t edges_cap, edge_costs_cap;
	struct wk_map edge_of; /* (caller, callee): number + 1 */
};

/* State while stacks are created. */
struct unfolding {
	const struct wk_call_graph *graph;
	struct wk_stack_writer *writer;
	const uint32_t *frames;
	uint32_t pid;
	struct wk_call_cycles cycles;
	double *total_in, *entered; /* [cycles][measures]: all incoming cost; cost so far */
	double *total;              /* [measures] */
	uint64_t *emitted;          /* [functions][measures]: part of `self` emitted so far */
	struct path *heap;          /* the most expensive first */
	size_t heap_count, heap_cap;
	double *costs; /* [paths][measures] */
	size_t costs_cap;
	uint32_t paths, most_paths;
	uint64_t work, most_work;
	uint32_t *stack_of; /* by function, in the current cycle */
};

struct wk_call_graph *wk_call_graph_new(size_t measures)
{
	struct wk_call_graph *graph = wk_alloc_zeroed(1, sizeof(*graph));

	graph->measures = measures;
	return graph;
}

void wk_call_graph_free(struct wk_call_graph *graph)
{
	WK_FREE_ALL(graph->self, graph->edges, graph->edge_costs);
	wk_map_fini(&graph->edge_of);
	wk_free(graph);
}

uint32_t wk_call_graph_function(struct wk_call_graph *graph)
{
	WK_RESERVE_ZEROED(graph->self, graph->self_cap,
			  ((size_t)graph->functions + 1) * graph->measures + 1);
	return graph->functions++;
}

/* Sums of hostile numbers saturate. */
static void add(uint64_t *sums, const uint64_t *costs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(sums[i], costs[i], &sums[i]))
			sums[i] = UINT64_MAX;
}

void wk_call_graph_self(struct wk_call_graph *graph, uint32_t function, const uint64_t *costs)
{
	add(graph->self + function * graph->measures, costs, graph->measures);
}

void wk_call_graph_call(struct wk_call_graph *graph, uint32_t caller, uint32_t callee,
			const uint64_t *costs)
{
	uint32_t *known = wk_map_at(&graph->edge_of, ((uint64_t)caller << 32 | callee) + 1);
	uint32_t edge = graph->edge_count;

	if (!*known) {
		*known = ++graph->edge_count;
		WK_RESERVE(graph->edges, graph->edges_cap, graph->edge_count);
		graph->edges[edge] = (struct wk_call_edge){ caller, callee };
		WK_RESERVE_ZEROED(graph->edge_costs, graph->edge_costs_cap,
				  graph->edge_count * graph->measures + 1);
	}
	add(graph->edge_costs + (*known - 1) * graph->measures, costs, graph->measures);
}

uint64_t wk_call_graph_total(const struct wk_call_graph *graph, size_t measure)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < graph->functions; i++)
		add(&total, &graph->self[i * graph->measures + measure], 1);
	return total;
}

static const uint64_t *edge_costs(const struct unfolding *u, uint32_t edge)
{
	return u->graph->edge_costs + edge * u->graph->measures;
}

/* The cost that enters a cycle is that of the calls from outside, but at least its own cost plus
 * that of its outgoing calls: the rest has no known caller. */
static void weigh_cycles(struct unfolding *u)
{
	const struct wk_call_graph *graph = u->graph;
	size_t m = graph->measures, rows = u->cycles.count * m + 1;
	double *out = wk_alloc_zeroed(rows, sizeof(*out));

	for (uint32_t i = 0; i < graph->functions; i++)
		for (size_t k = 0; k < m; k++) {
			out[u->cycles.of[i] * m + k] += (double)graph->self[i * m + k];
			u->total[k] += (double)graph->self[i * m + k];
		}
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		uint32_t from = u->cycles.of[graph->edges[i].caller];
		uint32_t to = u->cycles.of[graph->edges[i].callee];

		for (size_t k = 0; k < m && from != to; k++) {
			out[from * m + k] += (double)edge_costs(u, i)[k];
			u->total_in[to * m + k] += (double)edge_costs(u, i)[k];
		}
	}
	/* Until the roots are added, `entered` is the cost without a known caller. */
	for (size_t i = 0; i < u->cycles.count * m; i++)
		if (out[i] > u->total_in[i]) {
			u->entered[i] = out[i] - u->total_in[i];
			u->total_in[i] = out[i];
		}
	wk_free(out);
}

static bool is_before(const struct path *a, const struct path *b)
{
	return a->weight > b->weight || (a->weight == b->weight && a->number < b->number);
}

static void push_heap(struct unfolding *u, struct path path)
{
	size_t at = u->heap_count++;

	WK_RESERVE(u->heap, u->heap_cap, u->heap_count);
	while (at > 0 && is_before(&path, &u->heap[(at - 1) / 2])) {
		u->heap[at] = u->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	u->heap[at] = path;
}

static struct path pop_heap(struct unfolding *u)
{
	struct path first = u->heap[0], last = u->heap[--u->heap_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < u->heap_count) {
		if (child + 1 < u->heap_count && is_before(&u->heap[child + 1], &u->heap[child]))
			child++;
		if (!is_before(&u->heap[child], &last))
			break;
		u->heap[at] = u->heap[child];
		at = child;
	}
	u->heap[at] = last;
	return first;
}

/* Space for the costs of the next path; used only if add_path accepts it. */
static double *next_costs(struct unfolding *u)
{
	WK_RESERVE(u->costs, u->costs_cap, ((size_t)u->paths + 1) * u->graph->measures + 1);
	return u->costs + (size_t)u->paths * u->graph->measures;
}

/* Paths below half a unit in every measure are not followed. */
static void add_path(struct unfolding *u, uint32_t stack, uint32_t entry)
{
	const double *costs = next_costs(u);
	struct path path = { .number = u->paths, .stack = stack, .entry = entry };
	bool counts = false;

	for (size_t k = 0; k < u->graph->measures; k++) {
		counts |= costs[k] >= 0.5;
		if (u->total[k] > 0)
			path.weight += costs[k] / u->total[k];
	}
	if (!counts || u->paths >= u->most_paths)
		return;
	u->paths++;
	push_heap(u, path);
}

static void emit(struct unfolding *u, uint32_t stack, size_t measure, uint64_t weight)
{
	if (weight)
		wk_stack_writer_sample(u->writer, 0, u->pid, u->pid, (uint32_t)measure, stack,
				       weight);
}

/* The stacks of all functions of a cycle, from its entry. */
static void fill_stacks(struct unfolding *u, uint32_t stack, uint32_t entry)
{
	const uint32_t *order;
	size_t count = wk_call_cycles_from(&u->cycles, entry, &order, &u->work);

	for (size_t i = 0; i < count; i++) {
		uint32_t above = i == 0 ? stack : u->stack_of[u->cycles.above[order[i]]];

		u->stack_of[order[i]] =
			wk_stack_writer_stack(u->writer, above, u->frames[order[i]]);
	}
}

/* Emits the part of a function's own cost that corresponds to the cost that has entered its cycle,
 * rounded such that all parts add up to the whole. */
static void emit_self(struct unfolding *u, uint32_t function)
{
	size_t m = u->graph->measures, cycle = u->cycles.of[function] * m;

	for (size_t k = 0; k < m; k++) {
		uint64_t own = u->graph->self[function * m + k], due;
		uint64_t *emitted = &u->emitted[function * m + k];
		double until;

		if (own == 0)
			continue;
		until = (double)own * (u->entered[cycle + k] / u->total_in[cycle + k]) + 0.5;
		due = until >= (double)own ? own : (uint64_t)until;
		if (due <= *emitted)
			continue;
		emit(u, u->stack_of[function], k, due - *emitted);
		*emitted = due;
	}
}

static void add_calls(struct unfolding *u, uint32_t function, uint32_t path)
{
	size_t m = u->graph->measures;
	uint32_t cycle = u->cycles.of[function];

	for (uint32_t i = u->cycles.first[function]; i < u->cycles.first[function + 1]; i++) {
		uint32_t edge = u->cycles.edge[i], callee = u->graph->edges[edge].callee;
		double *costs = next_costs(u);

		if (u->cycles.of[callee] == cycle)
			continue;
		for (size_t k = 0; k < m; k++) {
			double whole = u->total_in[cycle * m + k];

			costs[k] = whole > 0 ? (double)edge_costs(u, edge)[k] *
						       (u->costs[path * m + k] / whole)
					     : 0;
		}
		add_path(u, u->stack_of[function], callee);
	}
	u->work += u->cycles.first[function + 1] - u->cycles.first[function];
}

static void follow(struct unfolding *u, struct path path)
{
	size_t m = u->graph->measures;
	uint32_t cycle = u->cycles.of[path.entry];

	fill_stacks(u, path.stack, path.entry);
	for (size_t k = 0; k < m; k++)
		u->entered[cycle * m + k] += u->costs[path.number * m + k];
	for (uint32_t i = u->cycles.member_first[cycle]; i < u->cycles.member_first[cycle + 1];
	     i++) {
		emit_self(u, u->cycles.member[i]);
		add_calls(u, u->cycles.member[i], path.number);
	}
}

static void add_roots(struct unfolding *u)
{
	size_t m = u->graph->measures;

	for (uint32_t cycle = u->cycles.count; cycle-- > 0;) {
		double *costs = next_costs(u);

		memcpy(costs, u->entered + cycle * m, m * sizeof(*costs));
		memset(u->entered + cycle * m, 0, m * sizeof(*costs));
		add_path(u, 0, u->cycles.member[u->cycles.member_first[cycle]]);
	}
}

/* The most expensive call into each cycle by the first measure: number + 1, or 0. */
static uint32_t *costliest_calls(const struct unfolding *u)
{
	uint32_t *best = wk_alloc_zeroed((size_t)u->cycles.count + 1, sizeof(*best));

	for (uint32_t i = 0; i < u->graph->edge_count; i++) {
		uint32_t to = u->cycles.of[u->graph->edges[i].callee];

		if (to != u->cycles.of[u->graph->edges[i].caller] &&
		    (!best[to] || edge_costs(u, i)[0] > edge_costs(u, best[to] - 1)[0]))
			best[to] = i + 1;
	}
	return best;
}

static bool is_emitted(const struct unfolding *u)
{
	size_t count = (size_t)u->graph->functions * u->graph->measures;

	return count == 0 || memcmp(u->emitted, u->graph->self, count * sizeof(*u->emitted)) == 0;
}

/* Places the cost that no path reached below the most expensive caller, callers first. Returns how
 * much of the first measure that was. */
static uint64_t emit_rest(struct unfolding *u)
{
	size_t m = u->graph->measures;
	uint32_t *best = costliest_calls(u);
	uint64_t rest = 0;

	for (uint32_t cycle = u->cycles.count; cycle-- > 0;) {
		const struct wk_call_edge *call =
			best[cycle] ? &u->graph->edges[best[cycle] - 1] : NULL;
		uint32_t entry =
			call ? call->callee : u->cycles.member[u->cycles.member_first[cycle]];

		fill_stacks(u, call ? u->stack_of[call->caller] : 0, entry);
		for (uint32_t i = u->cycles.member_first[cycle];
		     i < u->cycles.member_first[cycle + 1]; i++) {
			uint32_t function = u->cycles.member[i];

			for (size_t k = 0; k < m; k++) {
				uint64_t left = u->graph->self[function * m + k] -
						u->emitted[function * m + k];

				emit(u, u->stack_of[function], k, left);
				if (k == 0)
					add(&rest, &left, 1);
			}
		}
	}
	wk_free(best);
	return rest;
}

static void note_rest(struct unfolding *u, uint64_t rest)
{
	uint64_t total = wk_call_graph_total(u->graph, 0);
	struct wk_buf share = { 0 };

	if (rest == 0 || rest < total / 1000)
		return;
	wk_num_add_share(&share, rest, total);
	wk_note(u->writer,
		"%s of the cost is shown only below its most expensive caller: too many paths "
		"lead to it",
		wk_buf_text(&share));
	wk_buf_fini(&share);
}

static void unfold(struct unfolding *u)
{
	add_roots(u);
	while (u->heap_count && u->work < u->most_work && !wk_stack_writer_is_done(u->writer))
		follow(u, pop_heap(u));
	if (!is_emitted(u))
		note_rest(u, emit_rest(u));
}

void wk_call_graph_emit(struct wk_call_graph *graph, struct wk_stack_writer *writer,
			const uint32_t *frames, uint32_t pid)
{
	struct unfolding u = { .graph = graph, .writer = writer, .frames = frames, .pid = pid };
	size_t m = graph->measures;

	wk_call_cycles_find(&u.cycles, graph->edges, graph->edge_count, graph->functions);
	u.total_in = wk_alloc_zeroed(u.cycles.count * m + 1, sizeof(*u.total_in));
	u.entered = wk_alloc_zeroed(u.cycles.count * m + 1, sizeof(*u.entered));
	u.total = wk_alloc_zeroed(m + 1, sizeof(*u.total));
	u.emitted = wk_alloc_zeroed(graph->functions * m + 1, sizeof(*u.emitted));
	u.stack_of = wk_alloc_zeroed((size_t)graph->functions + 1, sizeof(*u.stack_of));
	u.most_paths = FEWEST_PATHS + (graph->edge_count < UINT32_MAX / 4 ? 2 * graph->edge_count
									  : UINT32_MAX / 2);
	u.most_work = 16 * (uint64_t)u.most_paths;
	weigh_cycles(&u);
	unfold(&u);
	wk_call_cycles_fini(&u.cycles);
	WK_FREE_ALL(u.total_in, u.entered, u.total, u.emitted, u.stack_of, u.heap, u.costs);
}
