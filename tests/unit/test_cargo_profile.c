#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/doctor/cargo_profile.h"

static const char *find(const char *text, const char *key)
{
	static char found[256];
	struct wk_str value;

	if (!wk_toml_find(wk_str_c(text), key, &value))
		return "nothing";
	snprintf(found, sizeof(found), "%.*s", WK_STR_ARG(value));
	return found;
}

static void a_key_is_found_in_its_table_only(void **state)
{
	const char *text = "debug = 1\n[profile.dev]\ndebug = 2\n[profile.release]\ndebug = 3\n";

	(void)state;
	assert_string_equal(find(text, "profile.release.debug"), "3");
	assert_string_equal(find(text, "profile.dev.debug"), "2");
	assert_string_equal(find(text, "debug"), "1");
	assert_string_equal(find(text, "profile.bench.debug"), "nothing");
}

static void a_key_may_be_dotted_quoted_and_spaced(void **state)
{
	(void)state;
	assert_string_equal(find("[profile]\nrelease.debug=true", "profile.release.debug"), "true");
	assert_string_equal(find("profile . \"release\" . debug = 1", "profile.release.debug"),
			    "1");
	assert_string_equal(
		find(" [ profile . release ] \n debug = 1\r\n", "profile.release.debug"), "1");
}

static void quotes_and_remarks_are_no_part_of_a_value(void **state)
{
	(void)state;
	assert_string_equal(find("a = \"x # y\" # z", "a"), "x # y");
	assert_string_equal(find("a = 'none'", "a"), "none");
	assert_string_equal(find("# a = 1\na = 2", "a"), "2");
}

static void an_inline_table_is_looked_into(void **state)
{
	const char *text = "[profile]\nrelease = { lto = \"fat\", debug = 1, strip = false }\n";

	(void)state;
	assert_string_equal(find("release={debug=1}", "release.debug"), "1");
	assert_string_equal(find(text, "profile.release.debug"), "1");
	assert_string_equal(find(text, "profile.release.strip"), "false");
	assert_string_equal(find(text, "profile.release.panic"), "nothing");
}

static void a_table_is_found_by_its_name(void **state)
{
	(void)state;
	assert_string_equal(find("[package]\n[workspace]\n", "workspace"), "");
	assert_string_equal(find("[package]\n[workspaces]\n", "workspace"), "nothing");
}

static void what_makes_no_sense_is_passed_over(void **state)
{
	(void)state;
	assert_string_equal(find("=\n]\n[\n[[\n{\n\"\n= = =\n", "profile.release.debug"),
			    "nothing");
	assert_string_equal(find("a = {", "a.b"), "nothing");
	assert_string_equal(find("", "a"), "nothing");
}

static void a_variable_is_named_as_cargo_names_it(void **state)
{
	struct wk_buf name = { 0 };

	(void)state;
	wk_cargo_profile_variable("release-lto", "debug", &name);
	assert_string_equal(wk_buf_text(&name), "CARGO_PROFILE_RELEASE_LTO_DEBUG");
	wk_buf_fini(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_found_in_its_table_only),
		cmocka_unit_test(a_key_may_be_dotted_quoted_and_spaced),
		cmocka_unit_test(quotes_and_remarks_are_no_part_of_a_value),
		cmocka_unit_test(an_inline_table_is_looked_into),
		cmocka_unit_test(a_table_is_found_by_its_name),
		cmocka_unit_test(what_makes_no_sense_is_passed_over),
		cmocka_unit_test(a_variable_is_named_as_cargo_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
