/* Call graphs as stacks: what is shared out, what stays exact, what is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/reports/call_graph.h"
#include "formats/reports/call_graph_cycles.h"

#define MOST 20000

/* What the stacks say: function n is a frame of the name n. */
struct seen {
	uint64_t self[2][MOST];
	uint32_t frame_of[4 * MOST]; /* by stack; grows no further in these tests */
	uint32_t stacks, samples, notes, deepest;
	uint32_t depth_of[4 * MOST];
	uint32_t function_of[MOST + 1]; /* by frame */
};

static void see_stacks(struct seen *seen, const struct wk_event_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->count; i++) {
		uint32_t number = stacks->first + i;

		seen->stacks++;
		if (number >= 4 * MOST)
			continue;
		seen->frame_of[number] = stacks->entries[i].label;
		seen->depth_of[number] = seen->depth_of[stacks->entries[i].parent] + 1;
		if (seen->depth_of[number] > seen->deepest)
			seen->deepest = seen->depth_of[number];
	}
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct seen *seen = context;

	(void)err;
	seen->notes += event->kind == WK_EVENT_NOTE;
	if (event->kind == WK_EVENT_STACKS)
		see_stacks(seen, &event->stacks);
	if (event->kind != WK_EVENT_SAMPLE)
		return true;
	seen->samples++;
	if (event->sample.named_stack < 4 * MOST)
		seen->self[event->sample.source]
			  [seen->function_of[seen->frame_of[event->sample.named_stack]]] +=
			event->sample.weight;
	return true;
}

static struct wk_call_graph *graph_of(size_t functions, size_t measures)
{
	struct wk_call_graph *graph = wk_call_graph_new(measures);

	for (size_t i = 0; i < functions; i++)
		assert_int_equal(wk_call_graph_function(graph), i);
	return graph;
}

static void self(struct wk_call_graph *graph, uint32_t function, uint64_t a, uint64_t b)
{
	wk_call_graph_self(graph, function, (const uint64_t[]){ a, b });
}

static void call(struct wk_call_graph *graph, uint32_t caller, uint32_t callee, uint64_t a,
		 uint64_t b)
{
	wk_call_graph_call(graph, caller, callee, (const uint64_t[]){ a, b });
}

/* Unfolds and frees the graph; what was seen is to be freed. */
static struct seen *unfolded(struct wk_call_graph *graph, uint32_t functions)
{
	struct seen *seen = wk_alloc_zeroed(1, sizeof(*seen));
	struct wk_sink sink = { .take = take, .context = seen };
	struct wk_stack_writer *writer = wk_stack_writer_new(&sink);
	uint32_t *frames = wk_alloc_zeroed((size_t)functions + 1, sizeof(*frames));

	wk_stack_writer_source(writer, 0, "a", "events", false);
	for (uint32_t i = 0; i < functions; i++) {
		struct wk_buf name = { 0 };

		wk_buf_add_fmt(&name, "%u", i);
		frames[i] = wk_stack_writer_name(writer, wk_buf_str(&name));
		seen->function_of[frames[i]] = i;
		wk_buf_fini(&name);
	}
	wk_call_graph_emit(graph, writer, frames, 7);
	assert_true(wk_stack_writer_end(writer, NULL));
	wk_call_graph_free(graph);
	wk_free(frames);
	return seen;
}

static void a_cost_is_shared_out_as_the_calls_to_it_cost(void **state)
{
	struct wk_call_graph *graph = graph_of(3, 2);
	struct seen *seen;

	(void)state;
	/* 0 and 1 both call 2, which costs 100: 75 of it below 0. Each measure by itself. */
	call(graph, 0, 2, 75, 1);
	call(graph, 1, 2, 25, 3);
	self(graph, 2, 100, 4);
	seen = unfolded(graph, 3);
	assert_int_equal(seen->samples, 4);
	assert_int_equal(seen->self[0][2], 100);
	assert_int_equal(seen->self[1][2], 4);
	assert_int_equal(seen->deepest, 2);
	assert_int_equal(seen->notes, 0);
	wk_free(seen);
}

static void every_function_keeps_exactly_its_own_cost(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 40; seed++) {
		uint64_t own[2][60] = { { 0 } };
		uint32_t functions = 5 + seed, dice = seed * 2654435761u;
		struct wk_call_graph *graph = graph_of(functions, 2);
		struct seen *seen;

		for (uint32_t i = 0; i < functions * 3; i++) {
			uint32_t from = (dice = dice * 1664525u + 1013904223u) >> 8;
			uint32_t to = (dice = dice * 1664525u + 1013904223u) >> 8;
			uint32_t cost = (dice = dice * 1664525u + 1013904223u) >> 16;

			call(graph, from % functions, to % functions, cost, cost / 7);
			self(graph, to % functions, cost % 1000, i % 3);
			own[0][to % functions] += cost % 1000;
			own[1][to % functions] += i % 3;
		}
		seen = unfolded(graph, functions);
		for (uint32_t i = 0; i < functions; i++) {
			assert_int_equal(seen->self[0][i], own[0][i]);
			assert_int_equal(seen->self[1][i], own[1][i]);
		}
		wk_free(seen);
	}
}

static void recursion_is_entered_once(void **state)
{
	struct wk_call_graph *graph = graph_of(4, 2);
	struct seen *seen;

	(void)state;
	call(graph, 0, 1, 90, 0);
	call(graph, 1, 2, 500, 0);
	call(graph, 2, 3, 700, 0);
	call(graph, 3, 1, 900, 0);
	call(graph, 2, 2, 900, 0);
	for (uint32_t i = 0; i < 4; i++)
		self(graph, i, i == 0 ? 10 : 30, 0);
	seen = unfolded(graph, 4);
	assert_int_equal(seen->stacks, 4); /* 0; 0;1; 0;1;2; 0;1;2;3 */
	assert_int_equal(seen->deepest, 4);
	assert_int_equal(seen->samples, 4);
	wk_free(seen);
}

static void a_chain_as_deep_as_the_input_is_long_does_not_recurse(void **state)
{
	struct wk_call_graph *graph = graph_of(MOST, 2);
	struct seen *seen;

	(void)state;
	for (uint32_t i = 0; i < MOST; i++) {
		self(graph, i, 1, 0);
		if (i + 1 < MOST)
			call(graph, i, i + 1, MOST - i - 1, 0);
	}
	seen = unfolded(graph, MOST);
	assert_int_equal(seen->samples, MOST);
	assert_int_equal(seen->deepest, MOST);
	wk_free(seen);
}

static void exponentially_many_ways_are_bounded_and_noted(void **state)
{
	enum { LEVELS = 40 };
	struct wk_call_graph *graph = graph_of(2 * LEVELS, 2);
	uint64_t below = (uint64_t)1 << 60, own = below / LEVELS / 2;
	struct seen *seen;

	(void)state;
	for (uint32_t level = 0; level < LEVELS; level++)
		for (uint32_t i = 0; i < 2; i++) {
			self(graph, 2 * level + i, own, 1);
			for (uint32_t k = 0; k < 2 && level + 1 < LEVELS; k++)
				call(graph, 2 * level + i, 2 * level + 2 + k,
				     own * (LEVELS - level - 1) / 2, 1);
		}
	seen = unfolded(graph, 2 * LEVELS);
	assert_in_range(seen->stacks, 60000, 70000);
	assert_int_equal(seen->notes, 1);
	wk_free(seen);
}

static void sums_stop_at_the_largest_number(void **state)
{
	struct wk_call_graph *graph = graph_of(1, 1);

	(void)state;
	wk_call_graph_self(graph, 0, (const uint64_t[]){ UINT64_MAX });
	wk_call_graph_self(graph, 0, (const uint64_t[]){ 5 });
	assert_true(wk_call_graph_total(graph, 0) == UINT64_MAX);
	wk_call_graph_free(graph);
}

static void cycles_are_numbered_with_callers_above(void **state)
{
	static const struct wk_call_edge edges[] = { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 3 },
						     { 4, 3 } };
	struct wk_call_cycles cycles;
	const uint32_t *order;
	uint64_t work = 0;

	(void)state;
	wk_call_cycles_find(&cycles, edges, 5, 5);
	assert_int_equal(cycles.count, 4);
	assert_int_equal(cycles.of[1], cycles.of[2]);
	assert_true(cycles.of[0] > cycles.of[1]);
	assert_true(cycles.of[1] > cycles.of[3]);
	assert_true(cycles.of[4] > cycles.of[3]);
	assert_int_equal(wk_call_cycles_from(&cycles, 2, &order, &work), 2);
	assert_int_equal(order[0], 2);
	assert_int_equal(order[1], 1);
	assert_int_equal(cycles.above[1], 2);
	wk_call_cycles_fini(&cycles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cost_is_shared_out_as_the_calls_to_it_cost),
		cmocka_unit_test(every_function_keeps_exactly_its_own_cost),
		cmocka_unit_test(recursion_is_entered_once),
		cmocka_unit_test(a_chain_as_deep_as_the_input_is_long_does_not_recurse),
		cmocka_unit_test(exponentially_many_ways_are_bounded_and_noted),
		cmocka_unit_test(sums_stop_at_the_largest_number),
		cmocka_unit_test(cycles_are_numbered_with_callers_above),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
