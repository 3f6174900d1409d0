#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/options/options.h"

struct values {
	bool loud, quick, tidy;
	double factor;
	const char *output, *color;
	struct wk_text_list names;
	uint64_t count, wait_ns, size_bytes;
};

static const char *const colors[] = { "red", "green", "blue", NULL };

static const struct wk_opt options[] = {
	{ 'l', "loud", NULL, "", WK_OPT_FLAG, offsetof(struct values, loud), NULL },
	{ 'q', "quick", NULL, "", WK_OPT_FLAG, offsetof(struct values, quick), NULL },
	{ 'o', "output", "FILE", "", WK_OPT_TEXT, offsetof(struct values, output), NULL },
	{ 0, "color", "COLOR", "", WK_OPT_CHOICE, offsetof(struct values, color), colors },
	{ 'n', "name", "NAME", "", WK_OPT_LIST, offsetof(struct values, names), NULL },
	{ 'c', "count", "NUMBER", "", WK_OPT_NUMBER, offsetof(struct values, count), NULL },
	{ 0, "wait", "TIME", "", WK_OPT_DURATION, offsetof(struct values, wait_ns), NULL },
	{ 0, "size", "SIZE", "", WK_OPT_SIZE, offsetof(struct values, size_bytes), NULL },
	{ 0, "factor", "REAL", "", WK_OPT_REAL, offsetof(struct values, factor), NULL },
	{ 0, "tidy", NULL, "", WK_OPT_SWITCH, offsetof(struct values, tidy), NULL },
	{ 0 },
};

static const struct wk_opt_group group = { "Options", options };

/* What a command line gives; freed by the next one. */
static struct values values;
static struct wk_words words;
static struct wk_err err;

static enum wk_parsed parse_as(enum wk_opt_style style, bool word_ends_options, char **argv)
{
	struct wk_opt_target targets[] = { { &group, &values }, { 0 } };

	wk_options_fini(targets);
	wk_words_fini(&words);
	values = (struct values){ 0 };
	err = (struct wk_err){ 0 };
	return wk_options_parse(style, argv, targets, word_ends_options, &words, &err);
}

static enum wk_parsed parse_with(bool word_ends_options, char **argv)
{
	return parse_as(WK_STYLE_WICK, word_ends_options, argv);
}

#define PARSE(...) parse_with(false, (char *[]){ __VA_ARGS__, NULL })
#define GETOPT(...) parse_as(WK_STYLE_GETOPT, false, (char *[]){ __VA_ARGS__, NULL })
#define CLAP(...) parse_as(WK_STYLE_CLAP, false, (char *[]){ __VA_ARGS__, NULL })

static int forget(void **state)
{
	char *nothing[] = { NULL };

	(void)state;
	return parse_with(false, nothing) != WK_PARSED;
}

static void a_value_may_follow_an_equals_sign_or_be_the_next_word(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--output=a=b"), WK_PARSED);
	assert_string_equal(values.output, "a=b");
	assert_int_equal(PARSE("--output", "-x"), WK_PARSED);
	assert_string_equal(values.output, "-x");
	assert_int_equal(PARSE("--output="), WK_PARSED);
	assert_string_equal(values.output, "");
}

static void a_letter_takes_its_value_from_the_same_word_or_the_next(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-c99"), WK_PARSED);
	assert_int_equal(values.count, 99);
	assert_int_equal(PARSE("-c", "98"), WK_PARSED);
	assert_int_equal(values.count, 98);
}

static void flags_may_be_bundled_and_end_in_an_option_with_a_value(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-lqofile"), WK_PARSED);
	assert_true(values.loud && values.quick);
	assert_string_equal(values.output, "file");
}

static void the_last_value_wins_but_a_list_keeps_all(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-o", "a", "-n", "x", "--output=b", "--name=y"), WK_PARSED);
	assert_string_equal(values.output, "b");
	assert_int_equal(values.names.count, 2);
	assert_string_equal(values.names.at[0], "x");
	assert_string_equal(values.names.at[1], "y");
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	assert_int_equal(PARSE("a", "-l", "-", "--", "--quick", "b"), WK_PARSED);
	assert_true(values.loud);
	assert_false(values.quick);
	assert_int_equal(words.count, 2);
	assert_string_equal(words.at[1], "-");
	assert_int_equal(words.rest_count, 2);
	assert_string_equal(words.rest[0], "--quick");
}

static void nothing_after_two_dashes_differs_from_no_dashes(void **state)
{
	(void)state;
	assert_int_equal(PARSE("a", "--"), WK_PARSED);
	assert_non_null(words.rest);
	assert_int_equal(words.rest_count, 0);
	assert_int_equal(PARSE("a"), WK_PARSED);
	assert_null(words.rest);
}

static void a_command_line_keeps_options_of_its_own(void **state)
{
	char *argv[] = { "-l", "ls", "-q", "--help", NULL };

	(void)state;
	assert_int_equal(parse_with(true, argv), WK_PARSED);
	assert_true(values.loud);
	assert_false(values.quick);
	assert_int_equal(words.rest_count, 3);
	assert_string_equal(words.rest[2], "--help");
}

static void times_and_sizes_have_units(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--wait", "1.5", "--size", "64K"), WK_PARSED);
	assert_int_equal(values.wait_ns, 1500000000);
	assert_int_equal(values.size_bytes, 65536);
	assert_int_equal(PARSE("--wait=20ms"), WK_PARSED);
	assert_int_equal(values.wait_ns, 20000000);
}

static void wrong(enum wk_parsed parsed, const char *sentence)
{
	assert_int_equal(parsed, WK_PARSED_WRONG);
	assert_int_equal(err.code, WK_EUSAGE);
	assert_string_equal(err.text, sentence);
}

static void a_wrong_value_is_answered_with_what_was_expected(void **state)
{
	(void)state;
	wrong(PARSE("-c", "many"), "--count is \"many\", but must be a whole number");
	wrong(PARSE("-c", "-1"), "--count is \"-1\", but must be a whole number");
	wrong(PARSE("-c", "99999999999999999999"),
	      "--count is \"99999999999999999999\", but must be a whole number");
	wrong(PARSE("--wait=soon"),
	      "--wait is \"soon\", but must be a time above 0 such as 10, 1.5s or 500ms");
	wrong(PARSE("--size=big"),
	      "--size is \"big\", but must be a size above 0 such as 16384, 64K or 8M");
	wrong(PARSE("--color=gray"), "--color is \"gray\", but must be red, green or blue");
}

static void a_missing_or_needless_value_is_told(void **state)
{
	(void)state;
	wrong(PARSE("--output"), "--output requires a value: FILE");
	wrong(PARSE("-lo"), "--output requires a value: FILE");
	wrong(PARSE("--loud=yes"), "--loud accepts no value, found \"yes\"");
}

static void an_unknown_option_is_answered_with_the_nearest(void **state)
{
	(void)state;
	wrong(PARSE("--outptu=x"), "unknown option --outptu; did you mean --output?");
	wrong(PARSE("--siz"), "unknown option --siz; did you mean --size?");
	wrong(PARSE("--xylophone"), "unknown option --xylophone");
	wrong(PARSE("-lz"), "unknown option -z");
}

static void help_is_always_understood(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-l", "--help"), WK_PARSED_HELP);
	assert_int_equal(PARSE("-lh"), WK_PARSED_HELP);
	assert_int_equal(PARSE("--help", "all"), WK_PARSED_HELP_ALL);
	assert_int_equal(PARSE("-h", "all"), WK_PARSED_HELP_ALL);
	assert_int_equal(PARSE("--", "--help"), WK_PARSED);
}

static void a_switch_can_be_turned_off_again(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--tidy", "--no-tidy"), WK_PARSED);
	assert_false(values.tidy);
	assert_int_equal(GETOPT("-notidy", "-tidy"), WK_PARSED);
	assert_true(values.tidy);
	wrong(PARSE("--no-loud"), "unknown option --no-loud");
}

static void real_numbers_are_read_whole(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--factor=0.5"), WK_PARSED);
	assert_true(values.factor == 0.5);
	assert_int_equal(PARSE("--factor", "-2e3"), WK_PARSED);
	assert_true(values.factor == -2000);
	wrong(PARSE("--factor=1x"), "--factor is \"1x\", but must be a number such as 0.5");
	wrong(PARSE("--factor=inf"), "--factor is \"inf\", but must be a number such as 0.5");
	wrong(PARSE("--factor=1e999"), "--factor is \"1e999\", but must be a number such as 0.5");
}

static void getopt_long_takes_one_dash_any_case_and_what_is_clear(void **state)
{
	(void)state;
	assert_int_equal(GETOPT("-loud", "--COUNT", "3", "-o=x", "word", "-si", "4K"), WK_PARSED);
	assert_true(values.loud);
	assert_int_equal(values.count, 3);
	assert_string_equal(values.output, "x");
	assert_int_equal(values.size_bytes, 4096);
	assert_int_equal(words.count, 1);
}

static void getopt_long_says_what_is_wrong_in_its_own_words(void **state)
{
	(void)state;
	wrong(GETOPT("-co", "1"), "Option co is ambiguous (color, count)");
	wrong(GETOPT("-zap"), "Unknown option: zap");
	wrong(GETOPT("-count"), "Option count requires an argument");
	wrong(GETOPT("-count=x"), "Value \"x\" invalid for option count (number expected)");
	wrong(GETOPT("-factor=x"), "Value \"x\" invalid for option factor (real number expected)");
	wrong(GETOPT("-loud=1"), "Option loud does not take an argument");
}

static void clap_reads_as_wick_does_and_says_it_differently(void **state)
{
	(void)state;
	assert_int_equal(CLAP("-lc=7", "--color=red"), WK_PARSED);
	assert_int_equal(values.count, 7);
	wrong(CLAP("--zap"), "error: unexpected argument '--zap' found");
	wrong(CLAP("-z"), "error: unexpected argument '-z' found");
	wrong(CLAP("--lou"), "error: unexpected argument '--lou' found");
	wrong(CLAP("--count"), "error: a value is required for '--count <NUMBER>' but none was "
			       "supplied");
	wrong(CLAP("--color=pink"), "error: invalid value 'pink' for '--color <COLOR>' [possible "
				    "values: red, green, blue]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_value_may_follow_an_equals_sign_or_be_the_next_word,
					  forget),
		cmocka_unit_test_teardown(a_letter_takes_its_value_from_the_same_word_or_the_next,
					  forget),
		cmocka_unit_test_teardown(flags_may_be_bundled_and_end_in_an_option_with_a_value,
					  forget),
		cmocka_unit_test_teardown(the_last_value_wins_but_a_list_keeps_all, forget),
		cmocka_unit_test_teardown(two_dashes_end_the_options, forget),
		cmocka_unit_test_teardown(nothing_after_two_dashes_differs_from_no_dashes, forget),
		cmocka_unit_test_teardown(a_command_line_keeps_options_of_its_own, forget),
		cmocka_unit_test_teardown(times_and_sizes_have_units, forget),
		cmocka_unit_test_teardown(a_wrong_value_is_answered_with_what_was_expected, forget),
		cmocka_unit_test_teardown(a_missing_or_needless_value_is_told, forget),
		cmocka_unit_test_teardown(an_unknown_option_is_answered_with_the_nearest, forget),
		cmocka_unit_test_teardown(help_is_always_understood, forget),
		cmocka_unit_test_teardown(a_switch_can_be_turned_off_again, forget),
		cmocka_unit_test_teardown(real_numbers_are_read_whole, forget),
		cmocka_unit_test_teardown(getopt_long_takes_one_dash_any_case_and_what_is_clear,
					  forget),
		cmocka_unit_test_teardown(getopt_long_says_what_is_wrong_in_its_own_words, forget),
		cmocka_unit_test_teardown(clap_reads_as_wick_does_and_says_it_differently, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
