/* What matches is compared with the C library's own regcomp(), where that knows the same grammar.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/pattern.h"

static bool matches(const char *pattern, const char *text)
{
	const char *why = NULL;
	struct wk_pattern *made = wk_pattern_new(pattern, false, &why);
	bool found;

	if (!made)
		fail_msg("\"%s\" is no pattern: %s", pattern, why);
	found = wk_pattern_matches(made, wk_str_c(text));
	wk_pattern_free(made);
	return found;
}

static void assert_refused(const char *pattern, const char *words)
{
	const char *why = NULL;

	assert_null(wk_pattern_new(pattern, false, &why));
	assert_non_null(strstr(why, words));
}

static void a_pattern_is_looked_for_anywhere(void **state)
{
	(void)state;
	assert_true(matches("sort", "std::sort<int>"));
	assert_false(matches("^sort", "std::sort<int>"));
	assert_true(matches("^std.*>$", "std::sort<int>"));
	assert_true(matches("", "anything"));
	assert_true(matches("", ""));
	assert_false(matches("a", ""));
}

static void places_hold_after_bytes_were_passed_over(void **state)
{
	(void)state;
	assert_true(matches("\\bfoo\\b", "xfoo foo"));
	assert_true(matches("\\<b", "abc ab bc"));
	assert_false(matches("\\<c", "abc ab bc"));
	assert_true(matches("b$", "ab abb"));
	assert_false(matches("a^b", "ab"));
	assert_true(matches("(^|:)run$", "a::run"));
}

static void case_is_ignored_in_sets_too(void **state)
{
	const char *why;
	struct wk_pattern *pattern = wk_pattern_new("^[a-c]X[^q]$", true, &why);

	(void)state;
	assert_true(wk_pattern_matches(pattern, wk_str_c("Bxz")));
	assert_false(wk_pattern_matches(pattern, wk_str_c("bxQ")));
	wk_pattern_free(pattern);
}

static void a_set_of_one_character_matches_that_alone(void **state)
{
	(void)state;
	for (int wanted = ' '; wanted < 0x7f; wanted++) {
		char source[] = { '[', (char)wanted, ']', '\0' };
		const char *why;
		struct wk_pattern *pattern;

		if (strchr("[]^\\", wanted))
			continue;
		pattern = wk_pattern_new(source, false, &why);
		for (int other = ' '; other < 0x7f; other++) {
			char text = (char)other;

			assert_int_equal(wk_pattern_matches(pattern, wk_str_of(&text, 1)),
					 other == wanted);
		}
		wk_pattern_free(pattern);
	}
}

static void a_text_may_hold_any_byte(void **state)
{
	const char *why;
	struct wk_pattern *pattern = wk_pattern_new("a.b", false, &why);

	(void)state;
	assert_true(wk_pattern_matches(pattern, wk_str_of("xa\0b", 4)));
	assert_true(wk_pattern_matches(pattern, wk_str_of("a\xff"
							  "b",
							  3)));
	assert_false(wk_pattern_matches(pattern, wk_str_of("ab", 2)));
	wk_pattern_free(pattern);
}

static void what_is_no_pattern_is_told(void **state)
{
	(void)state;
	assert_refused("a(b", "( is not closed");
	assert_refused("a[b", "[ is not closed");
	assert_refused("a[]", "[ is not closed");
	assert_refused("*a", "nothing precedes");
	assert_refused("a|+", "nothing precedes");
	assert_refused("a\\", "nothing follows");
	assert_refused("(a)\\1", "back references");
	assert_refused("a{2", "{ is not closed");
	assert_refused("a{3,2}", "larger than the second");
	assert_refused("a{300}", "larger than 255");
	assert_refused("[b-a]", "ends before it begins");
	assert_refused("[[:letter:]]", "name of a class");
	assert_refused("((a{255}){255}){255}", "too large");
	assert_refused("((((a{99}){99}){99}){99}|b)*c+", "too large");
}

static void nesting_has_an_end(void **state)
{
	char pattern[1002];

	(void)state;
	memset(pattern, '(', 500);
	memset(pattern + 500, ')', 500);
	pattern[1000] = '\0';
	assert_refused(pattern, "too deeply");
}

/* What takes others as many steps as there are ways to cut the text into pieces. */
static void a_hostile_name_takes_no_longer_than_its_length(void **state)
{
	size_t len = 100000;
	char *text = wk_alloc(len + 1);

	(void)state;
	memset(text, 'a', len);
	text[len] = '\0';
	assert_false(matches("(a*)*b", text));
	assert_false(matches("(a|aa)+$b", text));
	assert_true(matches("(a*)*$", text));
	wk_free(text);
}

/* A small generator of patterns and texts, always the same ones. */
static uint32_t drawn(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % below;
}

static void draw_pattern(uint32_t *seed, char *pattern, size_t most)
{
	static const char *const pieces[] = {
		"a", "b", "c", ".", "a*", "b+", "c?", "(a|b)", "(ab)*", "[ab]", "[^a]", "^", "$", "|",
		"(", ")", "x{2}", "a{1,2}", "(b|ca){0,2}", "[[:alpha:]]", "[]a]", "[a-c]", "\\.", "\\w",
		"\\b", "\\<", "\\>", "\\B", "()", "(^a|b$)", "c{2,}", "_",
	};
	size_t count = 1 + drawn(seed, 6);

	pattern[0] = '\0';
	for (size_t i = 0; i < count; i++)
		strncat(pattern, pieces[drawn(seed, sizeof(pieces) / sizeof(pieces[0]))],
			most - strlen(pattern) - 1);
}

static void draw_text(uint32_t *seed, char *text, size_t most)
{
	size_t len = drawn(seed, (uint32_t)most);

	for (size_t i = 0; i < len; i++)
		text[i] = "abcabcabx._ ABC(]"[drawn(seed, 17)];
	text[len] = '\0';
}

static void it_finds_what_the_c_library_finds(void **state)
{
	uint32_t seed = 7;
	unsigned compared = 0;

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		char pattern[128], text[16];
		bool ignore_case = drawn(&seed, 2);
		const char *why;
		struct wk_pattern *ours;
		regex_t theirs;

		draw_pattern(&seed, pattern, sizeof(pattern));
		if (regcomp(&theirs, pattern,
			    REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0)) != 0)
			continue;
		ours = wk_pattern_new(pattern, ignore_case, &why);
		if (!ours)
			fail_msg("\"%s\": %s", pattern, why);
		for (unsigned k = 0; k < 20; k++) {
			draw_text(&seed, text, sizeof(text));
			if (wk_pattern_matches(ours, wk_str_c(text)) !=
			    (regexec(&theirs, text, 0, NULL, 0) == 0))
				fail_msg("\"%s\" in \"%s\"%s", pattern, text,
					 ignore_case ? ", of any case" : "");
			compared++;
		}
		wk_pattern_free(ours);
		regfree(&theirs);
	}
	assert_true(compared > 40000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_looked_for_anywhere),
		cmocka_unit_test(places_hold_after_bytes_were_passed_over),
		cmocka_unit_test(case_is_ignored_in_sets_too),
		cmocka_unit_test(a_set_of_one_character_matches_that_alone),
		cmocka_unit_test(a_text_may_hold_any_byte),
		cmocka_unit_test(what_is_no_pattern_is_told),
		cmocka_unit_test(nesting_has_an_end),
		cmocka_unit_test(a_hostile_name_takes_no_longer_than_its_length),
		cmocka_unit_test(it_finds_what_the_c_library_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
