/* How far changes of sampled heaps may be off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "built_model.h"
#include "model/resolve.h"
#include "views/compare/diff_margins.h"
#include "views/lifetimes.h"

#define DISTANCE 4096

/* Stacks are functions of their number. */
static size_t chain(const void *context, uint32_t group, uint32_t stack, uint64_t *addresses,
		    size_t most)
{
	(void)context, (void)group, (void)most;
	addresses[0] = stack;
	return 1;
}

/* As many chosen blocks, which represent `of` others each. */
static void give(struct built *f, bool is_before, uint32_t stack, size_t count, uint64_t size,
		 uint64_t of, uint64_t distance)
{
	static const struct wk_block_thread thread = { .pid = 7, .tid = 7 };
	struct wk_event_block blocks[64] = { 0 };
	struct wk_block_estimate estimates[64] = { 0 };

	for (size_t i = 0; i < count; i++) {
		blocks[i].address = (uint64_t)stack << 32 | (uint64_t)is_before << 31 | i * 0x1000;
		blocks[i].size_bytes = size;
		blocks[i].stack = stack;
		estimates[i] = (struct wk_block_estimate){ of, size * of };
	}
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_BLOCKS, .pid = 7, .tid = 7,
		.blocks = { .at = blocks, .count = count, .threads = &thread, .thread_count = 1,
			    .estimates = distance ? estimates : NULL, .sample_bytes = distance,
			    .is_before = is_before, .chain = chain } });
}

static void start(struct built *f)
{
	built_start(f);
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .pid = 7, .tid = 7,
		.process = { .change = WK_PROCESS_SEEN, .name = WK_STR("app") } });
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_IMAGE, .pid = 7, .tid = 7,
		.image = { .size_bytes = 0x1000, .path = WK_STR("/app") } });
}

/* "app+0x1: 100, ...": by name. */
static void shows(struct built *f, double factor, const char *expected)
{
	struct wk_filter_spec spec = { 0 };
	struct wk_diff_options options = { .tree.before_factor = factor };
	struct wk_filter filter;
	struct wk_pairs pairs;
	struct wk_flat flat;
	struct wk_buf text = { 0 };
	struct wk_err err = { 0 };
	uint64_t *margins;

	built_end(f);
	wk_model_resolve(f->model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	spec.before_source = spec.after_source = wk_lifetimes_source(f->model, "heap");
	assert_true(wk_filter_init(&filter, f->model, &spec, &err));
	wk_pairs_init(&pairs, f->model, &filter, false, false);
	options.tree.pairs = &pairs;
	wk_flat_compare(&flat, f->model, &filter, &options.tree);
	margins = wk_diff_margins(&flat, f->model, &filter, &options);
	for (wk_function_id i = 1; margins && i < f->model->function_count; i++)
		wk_buf_add_fmt(&text, "%s%s: %llu", text.len ? ", " : "",
			       wk_strtab_get(f->model->text, f->model->functions[i].name),
			       (unsigned long long)margins[i]);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_free(margins);
	wk_buf_fini(&text);
	wk_flat_fini(&flat);
	wk_pairs_fini(&pairs);
	wk_filter_fini(&filter);
	wk_model_free(f->model);
}

/* The step of blocks of 64 bytes is 64 / (exp(64 / 4096) - 1) = 4064.08, and so the margin of 20
 * that were chosen is 43373.3, of 10 33163.4, of none 13849.6. Sums of integers lose 1 or 2. */
static void margins_of_both_sides_add_up_as_squares(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give(&f, true, 1, 20, 64, 64, DISTANCE);
	give(&f, false, 1, 10, 64, 64, DISTANCE);
	shows(&f, 1, "app+0x1: 54598");
}

static void what_one_side_lacks_may_be_there(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give(&f, true, 1, 20, 64, 64, DISTANCE);
	give(&f, false, 2, 10, 64, 64, DISTANCE);
	shows(&f, 1, "app+0x1: 45530, app+0x2: 35938");
}

static void large_blocks_are_certain(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give(&f, true, 1, 3, 1 << 20, 1, DISTANCE);
	give(&f, false, 2, 3, 1 << 20, 1, DISTANCE);
	shows(&f, 1, "app+0x1: 0, app+0x2: 0");
}

static void an_exact_side_adds_nothing(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give(&f, true, 1, 20, 64, 64, DISTANCE);
	give(&f, false, 1, 20, 64, 1, 0);
	shows(&f, 1, "app+0x1: 43372");
}

static void margins_grow_with_the_factor(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give(&f, true, 1, 20, 64, 64, DISTANCE);
	give(&f, false, 1, 20, 64, 1, 0);
	shows(&f, 2, "app+0x1: 86745");
}

static void exact_heaps_have_none(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give(&f, true, 1, 20, 64, 1, 0);
	give(&f, false, 1, 10, 64, 1, 0);
	shows(&f, 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(margins_of_both_sides_add_up_as_squares),
		cmocka_unit_test(what_one_side_lacks_may_be_there),
		cmocka_unit_test(large_blocks_are_certain),
		cmocka_unit_test(an_exact_side_adds_nothing),
		cmocka_unit_test(margins_grow_with_the_factor),
		cmocka_unit_test(exact_heaps_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
