#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "reach.h"
#include "small_model.h"
#include "views/quality.h"
#include "views/tree/flat.h"

/* "name self total" a line. */
static void assert_flat(const struct wk_model *model, enum wk_flat_by by, const char *expected)
{
	struct wk_buf words = { 0 };
	struct wk_filter filter;
	struct wk_flat flat;

	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_flat_init(&flat, model, &filter, by, NULL);
	for (uint32_t i = 0; i < flat.count; i++) {
		const struct wk_flat_row *row = &flat.rows[i];
		wk_text_id name = by == WK_FLAT_IMAGES ? model->images[row->id].path
						       : model->functions[row->id].name;

		assert_int_equal(row->self, (uint64_t)row->self_samples * SMALL_WEIGHT);
		assert_int_equal(row->total, (uint64_t)row->total_samples * SMALL_WEIGHT);
		wk_buf_add_fmt(&words, "%s %u %u\n", wk_strtab_get(model->text, name),
			       row->self_samples, row->total_samples);
	}
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_flat_fini(&flat);
	wk_filter_fini(&filter);
}

static void functions_stand_by_what_was_spent_in_them(void **state)
{
	struct wk_model *model =
		small_model((const char *[]){ "p;main;a 5", "p;main;b;a 2", "q;main;b 3", NULL });

	(void)state;
	assert_flat(model, WK_FLAT_FUNCTIONS,
		    "a 7 7\n"
		    "b 3 5\n"
		    "main 0 10\n");
	wk_model_free(model);
}

/* Some samples are counted before the sum passes 32 bits, and some after it. */
static void weights_may_add_up_to_more_than_32_bits(void **state)
{
	struct wk_model *model = small_model(
		(const char *[]){ "p;main;a 3000", "p;main;b;a 2000", "q;main;b 4000", NULL });

	(void)state;
	assert_flat(model, WK_FLAT_FUNCTIONS,
		    "a 5000 5000\n"
		    "b 4000 6000\n"
		    "main 0 9000\n");
	wk_model_free(model);
}

/* The sum of its time and its samples is 64 bits and wraps. */
static void the_weight_of_a_sample_may_need_64_bits(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;main;a 2", NULL });
	struct wk_filter filter;
	struct wk_flat flat;

	(void)state;
	model->samples.weight[0] = 9;
	model->samples.weight[1] = UINT64_MAX - 10;
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_flat_init(&flat, model, &filter, WK_FLAT_FUNCTIONS, NULL);
	assert_true(flat.whole == UINT64_MAX - 1);
	assert_true(flat.rows[0].self == UINT64_MAX - 1);
	wk_flat_fini(&flat);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

static void recursion_counts_once(void **state)
{
	struct wk_model *model = small_model(
		(const char *[]){ "p;main;f;f;g;f 4", "p;main;f;g 2", "p;main;g;f 1", NULL });

	(void)state;
	assert_flat(model, WK_FLAT_FUNCTIONS,
		    "f 5 7\n"
		    "g 2 7\n"
		    "main 0 7\n");
	wk_model_free(model);
}

static void images_are_summed_the_same_way(void **state)
{
	struct wk_model *model =
		small_model((const char *[]){ "p;/bin/p!main;/lib/c!qsort;/bin/p!compare 4",
					      "p;/bin/p!main;/lib/c!qsort 6", NULL });

	(void)state;
	assert_flat(model, WK_FLAT_IMAGES,
		    "/lib/c 6 10\n"
		    "/bin/p 4 10\n");
	wk_model_free(model);
}

static void functions_of_one_name_and_image_are_one_row(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;main 1", NULL });

	(void)state;
	for (int i = 0; i < 3; i++) {
		char linked[] = "push1";

		linked[4] = (char)('1' + i);
		small_samples(model, 1,
			      wk_model_add_named(
				      model, 1,
				      wk_model_add_named_frame(
					      model,
					      wk_model_add_function(
						      model,
						      &(struct wk_function){
							      .name = wk_model_text(
								      model, wk_str_c("Vec::push")),
							      .linked = wk_model_text(
								      model, wk_str_c(linked)),
							      .image = 1,
						      }),
					      0, 0, false)),
			      2, 1, SMALL_WEIGHT);
	}
	small_resolved(model);
	assert_flat(model, WK_FLAT_FUNCTIONS,
		    "Vec::push 6 6\n"
		    "main 1 7\n");
	wk_model_free(model);
}

static void deep_recursion_is_still_one_row(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;f 1", NULL });
	wk_stack_id stack = 1;

	(void)state;
	for (int i = 0; i < 9999; i++)
		stack = wk_model_add_named(model, stack, model->named.entries[1].label);
	small_samples(model, 1, stack, 3, 1, SMALL_WEIGHT);
	small_resolved(model);
	assert_flat(model, WK_FLAT_FUNCTIONS, "f 4 4\n");
	wk_model_free(model);
}

static void assert_quality(const struct wk_model *model, const struct wk_filter_spec *spec,
			   const char *expected)
{
	struct wk_buf line = { 0 };
	struct wk_quality quality;
	struct wk_filter filter;

	assert_true(wk_filter_init(&filter, model, spec, NULL));
	quality = wk_quality_of(model, &filter);
	wk_quality_line(&quality, &line);
	assert_string_equal(wk_buf_text(&line), expected);
	if (!filter.is_narrowed) {
		struct reach reach = reach_of(model);

		assert_int_equal(quality.with_user_part, reach.with_user_part);
		assert_int_equal(quality.whole, reach.whole);
		assert_int_equal(quality.unknown_reach, reach.unknown);
	}
	wk_buf_fini(&line);
	wk_filter_fini(&filter);
}

static void a_view_says_how_good_it_is(void **state)
{
	struct wk_model *model = small_model(
		(const char *[]){ "p;main;a 990", "p;main;p+0x12 9", "q;cut;b 1", NULL });

	(void)state;
	assert_quality(model, &(struct wk_filter_spec){ 0 },
		       "1,000 samples, none lost; 99.9 % of user stacks reach a root; "
		       "0.5 % of frames unnamed");
	model->lost_samples = 1234;
	model->lost_records = 1;
	assert_quality(model, &(struct wk_filter_spec){ .process = "q" },
		       "1 of 1,000 samples in view, 1,234 lost and 1 other record lost; "
		       "0 % of user stacks reach a root; 0 % of frames unnamed");
	model->lost_samples = 0;
	assert_quality(model, &(struct wk_filter_spec){ .process = "q" },
		       "1 of 1,000 samples in view, 1 record lost; "
		       "0 % of user stacks reach a root; 0 % of frames unnamed");
	wk_model_free(model);
}

/* Samples of one event are in view, and its losses; a list of all events has those of all. */
static void losses_are_those_of_the_event_in_view(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;main;a 100", NULL });
	const struct wk_filter_spec spec = { 0 };
	struct wk_buf line = { 0 };
	struct wk_quality quality;
	struct wk_filter filter;

	(void)state;
	wk_model_add_source(model, &(struct wk_source){ .number = 7, .lost_samples = 30 });
	model->sources[1].lost_samples = 15;
	model->lost_samples = 50; /* five are of unknown ones */
	assert_quality(model, &spec,
		       "100 samples, 20 lost; 100.0 % of user stacks reach a root; 0 % of frames "
		       "unnamed");
	assert_true(wk_filter_init(&filter, model, &spec, NULL));
	quality = wk_quality_of(model, &filter);
	quality.shows_elsewhere = true;
	wk_quality_line(&quality, &line);
	assert_non_null(strstr(wk_buf_text(&line), "100 samples, 50 lost;"));
	wk_buf_fini(&line);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

static void nothing_is_of_no_quality(void **state)
{
	struct wk_model *model = small_empty_model();

	(void)state;
	assert_quality(model, &(struct wk_filter_spec){ 0 }, "0 samples, none lost");
	wk_model_free(model);
}

static void what_nobody_can_tell_is_not_counted_as_cut(void **state)
{
	struct wk_model *model =
		small_model((const char *[]){ "p;main;a 80", "p;gone;a 15", "q;cut;b 5", NULL });

	(void)state;
	assert_quality(model, &(struct wk_filter_spec){ 0 },
		       "100 samples, none lost; 80.0 % of user stacks reach a root, unknown for "
		       "15.0 % whose program file is gone, replaced or was in memory only; 0 % of "
		       "frames unnamed");
	assert_quality(
		model, &(struct wk_filter_spec){ .function = "gone" },
		"15 of 100 samples in view, none lost; unknown whether user stacks reach a "
		"root, as their program file is gone, replaced or was in memory only; 0 % of "
		"frames unnamed");
	wk_model_free(model);
}

static void assert_closed(const struct wk_model *model, const struct wk_filter_spec *spec,
			  const char *expected)
{
	struct wk_buf line = { 0 };
	struct wk_quality quality;
	struct wk_filter filter;

	assert_true(wk_filter_init(&filter, model, spec, NULL));
	quality = wk_quality_of(model, &filter);
	wk_quality_closed_line(&quality, &line);
	assert_string_equal(wk_buf_text(&line), expected);
	wk_buf_fini(&line);
	wk_filter_fini(&filter);
}

static void set_state(struct wk_model *model, const char *path, enum wk_image_state image_state)
{
	for (wk_image_id id = 1; id < model->image_count; id++)
		if (wk_str_is(wk_model_str(model, model->images[id].path), path))
			model->images[id].state = image_state;
}

static void files_that_cannot_be_used_any_more_are_told_heaviest_first(void **state)
{
	struct wk_model *model = small_model((const char *[]){
		"p;/a/one!one+0x1;/a/two!two+0x1;/a/one!one+0x9 3", "p;/a/two!two+0x1 2",
		"p;/a/three!three+0x1 1", "p;main 9", NULL });

	(void)state;
	assert_closed(model, &(struct wk_filter_spec){ 0 }, "");
	set_state(model, "/a/one", WK_IMAGE_DIFFERS);
	assert_closed(model, &(struct wk_filter_spec){ 0 },
		      "one has been replaced since it was recorded, so its functions have no "
		      "names");
	set_state(model, "/a/two", WK_IMAGE_MISSING);
	assert_closed(model, &(struct wk_filter_spec){ 0 },
		      "two is not here, one has been replaced since it was recorded, so their "
		      "functions have no names");
	set_state(model, "/a/three", WK_IMAGE_UNREADABLE);
	assert_closed(model, &(struct wk_filter_spec){ 0 },
		      "two is not here, one has been replaced since it was recorded, so their "
		      "functions have no names; and 1 more: `wick show FILE images` lists them");
	assert_closed(model, &(struct wk_filter_spec){ .function = "three" },
		      "three cannot be read, so its functions have no names");
	assert_closed(model, &(struct wk_filter_spec){ .function = "main" }, "");
	wk_model_free(model);
}

static void what_was_fetched_or_interrupted_is_not_advised(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;/a/one!one+0x1 3", NULL });
	const struct wk_filter_spec all = { 0 };

	(void)state;
	set_state(model, "/a/one", WK_IMAGE_MISSING);
	model->fetching = WK_FETCHING_STOPPED;
	assert_closed(model, &all,
		      "one is not here, so its functions have no names; fetching was "
		      "interrupted; the next run continues it");
	model->traits = &wk_traits_windows;
	assert_closed(model, &all,
		      "one is not here, so its functions have no names; fetching was "
		      "interrupted; the next run continues it");
	model->fetching = WK_FETCHING_DONE;
	assert_closed(model, &all,
		      "one is not here, so its functions have no names: `wick symbols "
		      "FILE` with the same symbol path shows where wick searched");
	model->fetching = WK_FETCHING_NOTHING;
	assert_closed(model, &all,
		      "one is not here, so its functions have no names: `wick symbols "
		      "FILE --symbol-path 'srv*'` fetches those that Microsoft has");
	wk_model_free(model);
}

static void very_many_files_without_names_are_counted(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_quality quality;
	struct wk_filter filter;

	(void)state;
	for (int i = 1; i <= 40; i++) {
		char line[64], path[32];

		snprintf(line, sizeof(line), "p;/lib/x%d!x%d+0x1 %d", i, i, i);
		snprintf(path, sizeof(path), "/lib/x%d", i);
		small_line(model, wk_str_c(line));
		set_state(model, path, WK_IMAGE_MISSING);
	}
	small_resolved(model);
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	quality = wk_quality_of(model, &filter);
	assert_int_equal(quality.closed_count, 40);
	for (uint32_t i = 0; i < WK_QUALITY_IMAGES; i++)
		assert_int_equal(quality.closed[i].samples, 40 - i);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_stand_by_what_was_spent_in_them),
		cmocka_unit_test(weights_may_add_up_to_more_than_32_bits),
		cmocka_unit_test(the_weight_of_a_sample_may_need_64_bits),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(images_are_summed_the_same_way),
		cmocka_unit_test(functions_of_one_name_and_image_are_one_row),
		cmocka_unit_test(deep_recursion_is_still_one_row),
		cmocka_unit_test(a_view_says_how_good_it_is),
		cmocka_unit_test(what_nobody_can_tell_is_not_counted_as_cut),
		cmocka_unit_test(files_that_cannot_be_used_any_more_are_told_heaviest_first),
		cmocka_unit_test(what_was_fetched_or_interrupted_is_not_advised),
		cmocka_unit_test(very_many_files_without_names_are_counted),
		cmocka_unit_test(losses_are_those_of_the_event_in_view),
		cmocka_unit_test(nothing_is_of_no_quality),
	};

	return cmocka_run_group_tests_name("flat", tests, NULL, NULL);
}
