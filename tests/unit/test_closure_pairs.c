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

/* Lines of the function itself and of its closures, with how many samples each has. A closure
 * without a line of its own in `lines` is only known by the one on which it begins. */
struct known {
	uint32_t closures[4], count;
	uint32_t lines[12][3]; /* line, closure from 1 on or 0, samples */
};

struct side {
	struct wk_closure_side data;
	struct wk_closure closures[4];
	struct wk_spot spots[12];
};

static void make_side(struct side *side, const struct known *known)
{
	double sum = 0;

	*side = (struct side){ .data = { .closures = side->closures, .spots = side->spots,
					 .closure_count = known->count } };
	for (int i = 0; i < 12; i++)
		sum += known->lines[i][2];
	for (uint32_t i = 0; i < known->count; i++)
		side->closures[i].line = known->closures[i];
	for (int i = 0; i < 12 && known->lines[i][0]; i++) {
		uint32_t closure = known->lines[i][1];

		side->spots[side->data.spot_count++] = (struct wk_spot){
			known->lines[i][0], closure ? 1 : 2, closure, known->lines[i][2] / sum };
		if (closure)
			side->closures[closure - 1].weight += known->lines[i][2] / sum;
	}
}

static void assert_pairs(const struct known *before, const struct known *after,
			 const uint32_t *expected)
{
	struct side left, right;
	uint32_t *pairs;

	make_side(&left, before);
	make_side(&right, after);
	pairs = wk_closure_pairs(&left.data, &right.data);
	for (uint32_t i = 0; i < before->count; i++)
		assert_int_equal(pairs[i] ? after->closures[pairs[i] - 1] : 0, expected[i]);
	wk_free(pairs);
}

#define KNOWN(...)    (&(struct known){ __VA_ARGS__ })
#define EXPECTED(...) (uint32_t[]){ __VA_ARGS__ }

static void closures_that_moved_alike_are_pairs(void **state)
{
	(void)state;
	assert_pairs(KNOWN({ 10, 20 }, 2, { { 10, 1, 5 }, { 20, 2, 5 } }),
		     KNOWN({ 13, 23 }, 2, { { 13, 1, 5 }, { 23, 2, 5 } }), EXPECTED(13, 23));
	/* One of each side was not sampled on the other: the function moved by three. */
	assert_pairs(KNOWN({ 32, 33 }, 2, { { 29, 0, 1 }, { 32, 1, 50 }, { 33, 2, 710 },
					    { 40, 0, 500 } }),
		     KNOWN({ 34, 35 }, 2, { { 34, 1, 1 }, { 35, 2, 40 }, { 43, 0, 730 } }),
		     EXPECTED(35, 0));
	/* More lines were added between them. */
	assert_pairs(KNOWN({ 10, 20, 30 }, 3, { { 10, 1, 5 }, { 20, 2, 5 }, { 30, 3, 5 } }),
		     KNOWN({ 10, 22, 30 }, 3, { { 10, 1, 5 }, { 22, 2, 5 }, { 30, 3, 5 } }),
		     EXPECTED(10, 22, 30));
	assert_pairs(KNOWN({ 3 }, 1, { { 3, 1, 5 } }), KNOWN({ 1 }, 1, { { 1, 1, 5 } }),
		     EXPECTED(1));
	assert_pairs(KNOWN({ 10 }, 1, { { 10, 1, 1 } }),
		     KNOWN({ 400000000 }, 1, { { 400000000, 1, 1 } }), EXPECTED(400000000));
	assert_pairs(KNOWN({ 10 }, 1, { { 10, 1, 1 } }), KNOWN({ 0 }, 0, { { 0 } }), EXPECTED(0));
}

/* A line was added in the middle of the last one, and one more was sampled before. */
static void a_closure_of_one_side_alone_does_not_separate_others(void **state)
{
	(void)state;
	assert_pairs(KNOWN({ 7, 8, 10 }, 3, { { 7, 1, 1 }, { 8, 2, 20 }, { 10, 3, 10 },
					      { 11, 3, 14 }, { 12, 3, 20 } }),
		     KNOWN({ 8, 10 }, 2, { { 8, 1, 22 }, { 10, 2, 20 }, { 11, 2, 16 },
					   { 12, 2, 30 }, { 13, 2, 70 } }),
		     EXPECTED(0, 8, 10));
	assert_pairs(KNOWN({ 8, 10 }, 2, { { 8, 1, 22 }, { 10, 2, 20 }, { 12, 2, 100 } }),
		     KNOWN({ 9, 10, 11 }, 3, { { 9, 1, 1 }, { 10, 2, 20 }, { 11, 3, 10 },
					       { 14, 3, 50 } }),
		     EXPECTED(10, 11));
	/* The first sampled line of a closure may be another one in each recording. */
	assert_pairs(KNOWN({ 10, 20 }, 2, { { 10, 1, 1 }, { 12, 1, 50 }, { 20, 2, 40 } }),
		     KNOWN({ 12, 21 }, 2, { { 12, 1, 60 }, { 21, 2, 50 } }), EXPECTED(12, 21));
}

static void others_are_paired_in_order_between_what_moved_alike(void **state)
{
	(void)state;
	assert_pairs(KNOWN({ 10, 20 }, 2, { { 5, 0, 900 }, { 10, 1, 1 }, { 20, 2, 1 } }),
		     KNOWN({ 15, 28 }, 2, { { 5, 0, 900 }, { 15, 1, 1 }, { 28, 2, 1 } }),
		     EXPECTED(15, 28));
	/* Of three the two heavy ones. */
	assert_pairs(KNOWN({ 10, 20, 30 }, 3,
			   { { 10, 1, 1 }, { 20, 2, 50 }, { 30, 3, 40 }, { 90, 0, 6000 } }),
		     KNOWN({ 15, 28 }, 2, { { 15, 1, 60 }, { 28, 2, 50 }, { 90, 0, 6000 } }),
		     EXPECTED(0, 15, 28));
	/* A line of the function itself is above the one, and below the other. */
	assert_pairs(KNOWN({ 30 }, 1, { { 20, 0, 500 }, { 30, 1, 1 } }),
		     KNOWN({ 12 }, 1, { { 12, 1, 1 }, { 23, 0, 500 } }), EXPECTED(0));
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

#define BUILT(image, line) "demo;" image "!main@" line
#define CALL(image, line)  ";" image "!main::{lambda:" line "}::operator()@" line
#define INSTANCE(image, line) \
	";" image "!void each<main::{lambda:" line "}>(main::{lambda:" line "}, int)@5"

static wk_function_id in_image(const struct wk_model *model, const char *image, const char *name)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_str_is(wk_model_str(model, model->functions[id].name), name) &&
		    wk_str_is(wk_model_str(model, model->images[model->functions[id].image].path),
			      image))
			return id;
	fail_msg("no function %s of %s", name, image);
	return 0;
}

/* One line was added above three lambdas of a program in another folder. Its names collide with
 * those of the lambdas that were there before, and pictures merge functions of one name. */
static void lambdas_that_got_the_line_of_another_one_are_paired(void **state)
{
	struct wk_model *model = comparison((const char *[]){
		BUILT("/a/app", "80") INSTANCE("/a/app", "90") CALL("/a/app", "90") " 30",
		BUILT("/a/app", "80") CALL("/a/app", "91") " 50",
		BUILT("/a/app", "80") INSTANCE("/a/app", "92") CALL("/a/app", "92") " 40",
		BUILT("/b/app", "81") INSTANCE("/b/app", "91") CALL("/b/app", "91") " 30",
		BUILT("/b/app", "81") CALL("/b/app", "92") " 52",
		BUILT("/b/app", "81") INSTANCE("/b/app", "93") CALL("/b/app", "93") " 41",
		NULL }, 120);
	static const char *const names[][2] = {
		{ "main::{lambda:90}::operator()", "main::{lambda:91}::operator()" },
		{ "main::{lambda:91}::operator()", "main::{lambda:92}::operator()" },
		{ "main::{lambda:92}::operator()", "main::{lambda:93}::operator()" },
		{ "void each<main::{lambda:90}>(main::{lambda:90}, int)",
		  "void each<main::{lambda:91}>(main::{lambda:91}, int)" },
		{ "void each<main::{lambda:92}>(main::{lambda:92}, int)",
		  "void each<main::{lambda:93}>(main::{lambda:93}, int)" },
	};
	struct wk_filter filter;
	struct wk_pairs pairs;

	(void)state;
	wk_model_note_closures(model);
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	for (int across_images = 0; across_images <= 1; across_images++) {
		wk_pairs_init(&pairs, model, &filter, across_images, false);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			assert_int_equal(pairs.shown[in_image(model, "/a/app", names[i][0])],
					 in_image(model, "/b/app", names[i][1]));
		wk_pairs_fini(&pairs);
	}
	wk_filter_fini(&filter);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closures_that_moved_alike_are_pairs),
		cmocka_unit_test(a_closure_of_one_side_alone_does_not_separate_others),
		cmocka_unit_test(others_are_paired_in_order_between_what_moved_alike),
		cmocka_unit_test(lambdas_are_paired_by_how_their_function_moved),
		cmocka_unit_test(lambdas_that_got_the_line_of_another_one_are_paired),
	};

	return cmocka_run_group_tests_name("closure_pairs", tests, NULL, NULL);
}
