/* Which closure is which after an edit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/closures.h"
#include "small_model.h"
#include "views/compare/closure_pairs.h"
#include "views/compare/pairs.h"

#define LINES(...)                                                                        \
	(struct wk_lines){ .at = (uint32_t[]){ __VA_ARGS__ },                            \
			   .count = sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t) }

static void most_of_what_was_sampled_shows_by_how_much_lines_moved(void **state)
{
	struct wk_lines before = LINES(29, 32, 33, 34), after = LINES(34, 35, 36, 37);

	(void)state;
	assert_int_equal(wk_line_shift(LINES(10, 20), LINES(10, 20)), 0);
	assert_int_equal(wk_line_shift(LINES(10, 20, 30), LINES(7, 17, 30)), -3);
	assert_int_equal(wk_line_shift(LINES(10), LINES(400000000)), 399999990);
	assert_int_equal(wk_line_shift(LINES(10), (struct wk_lines){ 0 }), 0);

	/* As many moved by 2 as by 3, but those that moved by 3 weigh more. */
	assert_int_equal(wk_line_shift(before, after), 2);
	before.weight = (uint32_t[]){ 1, 50, 710, 760 };
	after.weight = (uint32_t[]){ 1, 40, 730, 770 };
	assert_int_equal(wk_line_shift(before, after), 3);
}

static void assert_pairs(struct wk_lines before, struct wk_lines after, int64_t shift,
			 const uint32_t *expected)
{
	uint32_t *pairs = wk_closure_pairs(before, after, shift);

	for (uint32_t i = 0; i < before.count; i++)
		assert_int_equal(pairs[i], expected[i]);
	wk_free(pairs);
}

static void closures_that_moved_alike_are_pairs_and_the_rest_keeps_its_order(void **state)
{
	(void)state;
	assert_pairs(LINES(10, 20), LINES(13, 23), 3, (uint32_t[]){ 13, 23 });
	/* One of each side was not sampled on the other. */
	assert_pairs(LINES(32, 33), LINES(34, 35), 3, (uint32_t[]){ 35, 0 });
	/* More lines were added between them. */
	assert_pairs(LINES(10, 20, 30), LINES(10, 22, 30), 0, (uint32_t[]){ 10, 22, 30 });
	assert_pairs(LINES(10, 20), LINES(15, 28), 0, (uint32_t[]){ 15, 28 });
	assert_pairs(LINES(10, 20, 30), LINES(15, 28), 0, (uint32_t[]){ 0, 0, 0 });
	/* A line above the first of the file is no line. */
	assert_pairs(LINES(3), LINES(1), -5, (uint32_t[]){ 1 });
}

/* The first `before` samples are those of the earlier recording. */
static struct wk_model *comparison(const char *const *lines, uint32_t before)
{
	struct wk_model *model = small_model(lines);

	model->samples.is_before = wk_alloc_zeroed(model->samples.cap, 1);
	assert_in_range(before, 1, model->samples.count);
	for (uint32_t i = 0; i < before; i++)
		model->samples.is_before[i] = 1;
	wk_model_name_closures(model);
	return model;
}

static wk_function_id named(const struct wk_model *model, const char *name)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_str_is(wk_model_str(model, model->functions[id].name), name))
			return id;
	fail_msg("no function %s", name);
	return 0;
}

#define RUN(line)            "demo;main;run(int)@" line
#define LAMBDA(line)         ";run::{lambda:" line "}::operator()@" line
#define NESTED(line)         LAMBDA(line) ";run::{lambda:" line "}::{lambda:" line "}::operator()@" line
#define NAME(line)           "run::{lambda:" line "}::operator()"
#define NAME_OF_NESTED(line) "run::{lambda:" line "}::{lambda:" line "}::operator()"

/* Three lines were added above. Of the three lambdas the first was not sampled before, and the
 * last not after but for the one inside it. */
static void lambdas_are_paired_by_how_their_function_moved(void **state)
{
	struct wk_model *model = comparison((const char *[]){
		RUN("34") LAMBDA("32") " 9", RUN("34") LAMBDA("33") " 11", RUN("34") NESTED("33") " 150",
		RUN("37") LAMBDA("34") " 1", RUN("37") LAMBDA("35") " 25", RUN("37") NESTED("36") " 150",
		NULL }, 170);
	struct wk_filter filter;
	struct wk_pairs pairs;

	(void)state;
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_pairs_init(&pairs, model, &filter, true, false);
	assert_int_equal(pairs.shown[named(model, NAME("32"))], named(model, NAME("35")));
	assert_int_equal(pairs.shown[named(model, NAME("33"))], named(model, NAME("36")));
	assert_int_equal(pairs.shown[named(model, NAME("34"))], named(model, NAME("34")));
	assert_int_equal(pairs.shown[named(model, NAME_OF_NESTED("33"))],
			 named(model, NAME_OF_NESTED("36")));
	wk_pairs_fini(&pairs);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_of_what_was_sampled_shows_by_how_much_lines_moved),
		cmocka_unit_test(closures_that_moved_alike_are_pairs_and_the_rest_keeps_its_order),
		cmocka_unit_test(lambdas_are_paired_by_how_their_function_moved),
	};

	return cmocka_run_group_tests_name("closure_pairs", tests, NULL, NULL);
}
