#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_model.h"
#include "views/filter/filter.h"

static const char *const lines[] = {
	"demo;main;work 70",
	"demo;main;rest;/lib/libc.so.6!malloc 20",
	"other;start;idle 10",
	NULL,
};

static uint64_t in_view(const struct wk_filter_spec *spec)
{
	struct wk_model *model = small_model(lines);
	struct wk_filter filter;
	struct wk_err err = { 0 };
	uint64_t count;

	assert_true(wk_filter_init(&filter, model, spec, &err));
	assert_int_equal(filter.total, 100);
	count = filter.in_view;
	for (uint32_t i = 0; i < model->samples.count; i++)
		count -= wk_filter_has(&filter, i);
	assert_int_equal(count, 0); /* the bits are as many as was said */
	count = filter.in_view;
	wk_filter_fini(&filter);
	wk_model_free(model);
	return count;
}

static void without_a_word_everything_is_in_view(void **state)
{
	(void)state;
	assert_int_equal(in_view(&(struct wk_filter_spec){ 0 }), 100);
}

static void a_process_is_known_by_its_name_or_its_pid(void **state)
{
	(void)state;
	assert_int_equal(in_view(&(struct wk_filter_spec){ .process = "^de" }), 90);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .process = "102" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .process = "101,102" }), 100);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .process = "10" }), 0);
}

static void a_thread_is_known_by_its_name_or_its_tid(void **state)
{
	(void)state;
	assert_int_equal(in_view(&(struct wk_filter_spec){ .thread = "other" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .thread = "101" }), 90);
}

static void a_function_anywhere_in_a_stack_keeps_its_sample(void **state)
{
	(void)state;
	assert_int_equal(in_view(&(struct wk_filter_spec){ .function = "^main$" }), 90);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .function = "work|idle" }), 80);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .function = "MALLOC" }), 0);
	assert_int_equal(
		in_view(&(struct wk_filter_spec){ .function = "MALLOC", .ignore_case = true }), 20);
}

static void an_image_anywhere_in_a_stack_keeps_its_sample(void **state)
{
	(void)state;
	assert_int_equal(in_view(&(struct wk_filter_spec){ .image = "libc\\.so" }), 20);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .image = "demo" }), 100);
}

static void time_counts_from_the_first_sample(void **state)
{
	(void)state; /* samples are 1 ms apart: 0, 1 ... 99 ms */
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "10ms-19ms" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "0.09-" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "-9ms" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "5-6" }), 0);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "10%-20%" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "90%-" }), 10);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "0%-100%" }), 100);
	assert_int_equal(in_view(&(struct wk_filter_spec){ .time = "1h-2562000h" }), 0);
}

static void parts_of_a_filter_must_all_agree(void **state)
{
	(void)state;
	assert_int_equal(in_view(&(struct wk_filter_spec){
				 .process = "demo", .function = "work|idle", .time = "-49ms" }),
			 50);
}

static void refuses(const struct wk_filter_spec *spec, const char *words)
{
	struct wk_model *model = small_model(lines);
	struct wk_filter filter;
	struct wk_err err = { 0 };

	assert_false(wk_filter_init(&filter, model, spec, &err));
	assert_int_equal(err.code, WK_EUSAGE);
	if (!strstr(err.text, words))
		fail_msg("expected \"%s\" in \"%s\"", words, err.text);
	wk_model_free(model);
}

static void what_makes_no_sense_is_said(void **state)
{
	(void)state;
	refuses(&(struct wk_filter_spec){ .function = "foo(" }, "function pattern \"foo(\"");
	refuses(&(struct wk_filter_spec){ .process = "[" }, "process pattern \"[\"");
	refuses(&(struct wk_filter_spec){ .time = "5" }, "expected FROM-TO");
	refuses(&(struct wk_filter_spec){ .time = "-" }, "expected FROM-TO");
	refuses(&(struct wk_filter_spec){ .time = "%-20%" }, "parts such as 10%-20%");
	refuses(&(struct wk_filter_spec){ .time = "50%-101%" }, "expected FROM-TO");
	refuses(&(struct wk_filter_spec){ .time = "30%-20%" }, "ends before it begins");
	refuses(&(struct wk_filter_spec){ .time = "3-2" }, "ends before it begins");
	refuses(&(struct wk_filter_spec){ .source = "cycles" }, "the recording has: cpu-clock");
}

static void an_empty_view_says_which_part_emptied_it(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_buf sentence = { 0 };
	struct wk_filter filter;

	(void)state;
	assert_true(wk_filter_init(
		&filter, model, &(struct wk_filter_spec){ .process = "other", .function = "work" },
		NULL));
	wk_filter_explain(&filter, &sentence);
	assert_string_equal(wk_buf_text(&sentence),
			    "no samples in view of 100: the process filter alone keeps 10, "
			    "the function filter alone keeps 70");
	wk_buf_fini(&sentence);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

static void a_view_weighs_by_one_source_and_counts_the_others(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_filter filter;
	wk_source_id faults = wk_model_add_source(
		model, &(struct wk_source){
			       .number = 2,
			       .name = wk_model_text(model, wk_str_c("page-faults")),
			       .unit = wk_model_text(model, wk_str_c("events")),
		       });

	(void)state;
	small_samples(model, 1, 1, 7, faults, 1);
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	assert_int_equal(filter.source, 1);
	assert_int_equal(filter.in_view, 100);
	assert_int_equal(filter.elsewhere, 7);
	wk_filter_fini(&filter);
	assert_true(wk_filter_init(&filter, model,
				   &(struct wk_filter_spec){ .source = "page-faults" }, NULL));
	assert_int_equal(filter.in_view, 7);
	assert_int_equal(filter.elsewhere, 100);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

static void an_event_goes_by_the_end_of_its_name_if_no_other_ends_so(void **state)
{
	static const char *const names[] = { "Runtime/GC/Start", "Runtime/GC/Stop",
					     "Other/GC/Stop" };
	struct wk_model *model = small_model(lines);
	struct wk_source row = { .unit = wk_model_text(model, wk_str_c("events")) };
	struct wk_filter filter;
	struct wk_err err = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		row.number = 2 + i;
		row.name = wk_model_text(model, wk_str_c(names[i]));
		wk_model_add_source(model, &row);
	}
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ .source = "GC/Start" },
				   NULL));
	assert_int_equal(filter.source, 2);
	wk_filter_fini(&filter);
	assert_false(wk_filter_init(&filter, model, &(struct wk_filter_spec){ .source = "GC/Stop" },
				    NULL));
	assert_false(
		wk_filter_init(&filter, model, &(struct wk_filter_spec){ .source = "Star" }, NULL));
	for (uint32_t i = 0; i < 40; i++) {
		row.number = 10 + i;
		wk_model_add_source(model, &row);
	}
	assert_false(wk_filter_init(&filter, model, &(struct wk_filter_spec){ .source = "nothing" },
				    &err));
	assert_non_null(strstr(err.text, "Other/GC/Stop, and 30 more"));
	wk_model_free(model);
}

static void a_model_without_samples_has_an_empty_view(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_buf sentence = { 0 };
	struct wk_filter filter;

	(void)state;
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	assert_int_equal(filter.source, 0);
	assert_int_equal(filter.total, 0);
	wk_filter_explain(&filter, &sentence);
	assert_string_equal(wk_buf_text(&sentence), "no samples were recorded");
	wk_buf_fini(&sentence);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_word_everything_is_in_view),
		cmocka_unit_test(a_process_is_known_by_its_name_or_its_pid),
		cmocka_unit_test(a_thread_is_known_by_its_name_or_its_tid),
		cmocka_unit_test(a_function_anywhere_in_a_stack_keeps_its_sample),
		cmocka_unit_test(an_image_anywhere_in_a_stack_keeps_its_sample),
		cmocka_unit_test(time_counts_from_the_first_sample),
		cmocka_unit_test(parts_of_a_filter_must_all_agree),
		cmocka_unit_test(what_makes_no_sense_is_said),
		cmocka_unit_test(an_empty_view_says_which_part_emptied_it),
		cmocka_unit_test(a_view_weighs_by_one_source_and_counts_the_others),
		cmocka_unit_test(an_event_goes_by_the_end_of_its_name_if_no_other_ends_so),
		cmocka_unit_test(a_model_without_samples_has_an_empty_view),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
