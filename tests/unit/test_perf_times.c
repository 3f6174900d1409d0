/* `--time` of `perf script`: each form, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/perf_script/perf_times.h"

/* A recording whose first sample is at 100 s, and its last one 10 s later. */
static const struct wk_perf_time_range span = { 100000000000, 110000000000 };

/* Whether `time_s` is among the times that `text` means. */
static bool has(const char *text, double time_s)
{
	struct wk_perf_times times;
	struct wk_err err = { 0 };
	bool answer;

	if (!wk_perf_times_parse(&times, text, span, false, &err))
		fail_msg("%s", err.text);
	answer = wk_perf_times_have(&times, (uint64_t)(time_s * 1e9 + 0.5));
	wk_perf_times_fini(&times);
	return answer;
}

static void assert_refused(const char *text)
{
	struct wk_perf_times times;
	struct wk_err err = { 0 };

	if (wk_perf_times_parse(&times, text, span, false, &err))
		fail_msg("\"%s\" was taken", text);
	assert_int_equal(err.code, WK_EUSAGE);
	wk_perf_times_fini(&times);
}

static void seconds_are_the_recordings_own_and_both_ends_belong(void **state)
{
	(void)state;
	assert_false(has("101.5,103", 101.499999999));
	assert_true(has("101.5,103", 101.5));
	assert_true(has("101.5,103", 103));
	assert_false(has("101.5,103", 103.000000001));
}

static void an_end_left_out_or_zero_is_no_end(void **state)
{
	(void)state;
	assert_true(has("105,", 1e6));
	assert_false(has("105,", 104));
	assert_true(has(",105", 0));
	assert_false(has(",105", 106));
	assert_true(has("105,0", 1e6));
	assert_true(has(",", 1));
}

static void blanks_stand_between_several_ranges(void **state)
{
	(void)state;
	assert_true(has(" 101, 102  104,105 ", 101.5));
	assert_false(has(" 101, 102  104,105 ", 103));
	assert_true(has(" 101, 102  104,105 ", 104.5));
}

static void a_part_ends_where_the_next_begins(void **state)
{
	(void)state;
	assert_true(has("10%/2", 101));
	assert_true(has("10%/2", 101.999999999));
	assert_false(has("10%/2", 102));
	assert_true(has("10%/1,10%/3", 102));
	assert_false(has("10%/1,10%/3", 101));
}

static void the_last_part_has_the_last_sample(void **state)
{
	(void)state;
	assert_true(has("10%/10", 110));
	assert_true(has("90%-100%", 110));
	assert_true(has("100%", 110));
}

static void percentages_say_from_where_to_where(void **state)
{
	(void)state;
	assert_true(has("10%-20%, 40% - 50%", 101));
	assert_false(has("10%-20%,40%-50%", 103));
	assert_true(has("10%-20%,40%-50%", 104.5));
	assert_true(has("20%", 101.9));
	assert_false(has("20%", 102));
}

static void without_a_comma_time_counts_from_the_first_sample(void **state)
{
	(void)state;
	assert_true(has("1.5-3", 101.5));
	assert_false(has("1.5-3", 103.1));
	assert_true(has("200ms-", 100.2));
	assert_false(has("-200ms", 100.3));
}

static void what_counts_from_the_first_sample_says_so(void **state)
{
	(void)state;
	assert_true(wk_perf_times_need_span("10%"));
	assert_true(wk_perf_times_need_span("1-2"));
	assert_false(wk_perf_times_need_span("1,2"));
}

static void relative_seconds_count_from_it_too(void **state)
{
	struct wk_perf_times times;
	struct wk_err err = { 0 };

	(void)state;
	assert_true(wk_perf_times_parse(&times, "1,2", span, true, &err));
	assert_true(wk_perf_times_have(&times, 101000000000));
	assert_false(wk_perf_times_have(&times, 103000000000));
	wk_perf_times_fini(&times);
}

static void without_times_every_moment_counts(void **state)
{
	(void)state;
	assert_true(wk_perf_times_have(NULL, 7));
	assert_true(wk_perf_times_have(&(struct wk_perf_times){ 0 }, 7));
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const wrong[] = {
		"", " ", "abc", "5", "5,2", "1,2,3", "1 ,2", "1e3,", "0x5,", "%", "0%", "150%",
		"10%/", "10%/x", "10%/0", "10%/11", "10%-", "20%-10%", "10%-20", "10%,20%",
		",10%/1", "10%/2 10%/3", "nan%", "10%/18446744073709551615", "-", "3-1", "1-x",
		"99999999999999999999,",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_refused(wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_are_the_recordings_own_and_both_ends_belong),
		cmocka_unit_test(an_end_left_out_or_zero_is_no_end),
		cmocka_unit_test(blanks_stand_between_several_ranges),
		cmocka_unit_test(a_part_ends_where_the_next_begins),
		cmocka_unit_test(the_last_part_has_the_last_sample),
		cmocka_unit_test(percentages_say_from_where_to_where),
		cmocka_unit_test(without_a_comma_time_counts_from_the_first_sample),
		cmocka_unit_test(what_counts_from_the_first_sample_says_so),
		cmocka_unit_test(relative_seconds_count_from_it_too),
		cmocka_unit_test(without_times_every_moment_counts),
		cmocka_unit_test(what_is_no_time_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
