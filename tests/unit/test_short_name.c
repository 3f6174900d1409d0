/* Names in little room, by the list that the picture's script is tested with, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "names/label.h"
#include "names/short_name.h"

#define MOST_LINE 8192

/* "10<tab>…Vec::push<tab>alloc::vec::Vec::push<tab>alloc::vec::Vec<u8>::push"; lines without a tab
 * are remarks. */
static bool check_line(char *line)
{
	char *shown = strchr(line, '\t'), *brief = shown ? strchr(shown + 1, '\t') : NULL;
	char *name = brief ? strchr(brief + 1, '\t') : NULL;
	struct wk_buf label = { 0 };
	uint64_t room;

	if (!name)
		return false;
	*shown++ = *brief++ = *name++ = '\0';
	name[strcspn(name, "\n")] = '\0';
	assert_true(wk_num_u64(wk_str_c(line), &room));
	wk_short_name_plain(wk_str_c(name), &label);
	assert_string_equal(wk_buf_text(&label), brief);
	wk_label_fit(&label, (size_t)room);
	assert_string_equal(wk_buf_text(&label), shown);
	assert_true(wk_characters(wk_buf_str(&label)) <= room);
	wk_buf_fini(&label);
	return true;
}

static void names_of_real_programs_are_shown_as_listed(void **state)
{
	const char *root = getenv("WICK_SOURCE_ROOT");
	struct wk_buf path = { 0 };
	static char line[MOST_LINE];
	int checked = 0;
	FILE *list;

	(void)state;
	wk_buf_add_fmt(&path, "%s/tests/data/short_names.tsv", root ? root : ".");
	list = fopen(wk_buf_text(&path), "r");
	assert_non_null(list);
	while (fgets(line, sizeof(line), list))
		checked += check_line(line);
	fclose(list);
	wk_buf_fini(&path);
	assert_true(checked >= 60);
}

static void steps_give_away_little_by_little(void **state)
{
	static const char *const expected[WK_SHORT_STEPS] = {
		"<a::Vec<T> as b::Index<I>>::index::{closure}",
		"<a::Vec<T> as b::Index<I>>::index::{closure}",
		"a::Vec<T>::index::{closure}",
		"a::Vec<..>::index::{closure}",
		"a::Vec::index::{closure}",
	};
	struct wk_buf name = { 0 };

	(void)state;
	wk_buf_add_text(&name, "<a::Vec<T> as b::Index<I>>::index::{{closure}}");
	for (int step = 0; step < WK_SHORT_STEPS; step++) {
		wk_short_name_step(&name, (enum wk_short)step);
		assert_string_equal(wk_buf_text(&name), expected[step]);
	}
	wk_buf_fini(&name);
}

static void check_hostile(const char *piece)
{
	struct wk_buf name = { 0 }, closures = { 0 };

	while (name.len + strlen(piece) <= WK_SHORT_MOST_BYTES)
		wk_buf_add_text(&name, piece);
	for (int step = 0; step < WK_SHORT_STEPS; step++)
		wk_short_name_step(&name, (enum wk_short)step);
	wk_short_name_closures(wk_buf_str(&name), &closures);
	assert_true(name.len <= WK_SHORT_MOST_BYTES);
	WK_BUF_FINI_ALL(&name, &closures);
}

static void brackets_that_never_close_cost_no_more_than_others(void **state)
{
	static const char *const pieces[] = { "{", "<", "(", "'lambda'(", "<impl ", "<<a>::", "{{}",
					      "std::__1::", "operator<", "operator(", "->", "::<",
					      "<{lambda", "f<{closure}", "`1[",
					      "{lambda}::operator()(" };

	(void)state;
	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
			check_hostile(pieces[i]);
}

static void assert_closures(const char *name, const char *expected)
{
	struct wk_buf text = { 0 };

	wk_short_name_closures(wk_str_c(name), &text);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void closures_among_arguments_can_be_kept(void **state)
{
	(void)state;
	assert_closures("double apply<run()::{lambda(int)#2}>(int, run()::{lambda(int)#2})",
			"apply<run::{lambda#2}>");
	assert_closures("a::apply::<a::run::{closure#0}, u8>", "a::apply<a::run::{closure#0}>");
	assert_closures("a::apply::<a::run::{closure:15#0}>", "a::apply<a::run::{closure:15}>");
	assert_closures("void std::sort<int*, a::S<int>::f()::{lambda:38}>(int*, int*)",
			"std::sort<a::S::f::{lambda:38}>");
	assert_closures("f<g()::{lambda(h()::{lambda()#1})#3}, k::{closure#0}::{closure#1}>()",
			"f<g::{lambda#3}, k::{closure}::{closure#1}>");
	assert_closures(
		"f<g()::{lambda()#1}::operator()() const::{lambda:7}, S::h() const::{lambda:9}>()",
		"f<g::{lambda}::{lambda:7}, S::h::{lambda:9}>");
	assert_closures("f<g()::{lambda:5}::operator()<int>(int)::{lambda(int)#2}>()",
			"f<g::{lambda:5}::{lambda#2}>");
	assert_closures("f::{lambda(int)#2}::operator()(int) const", "f::{lambda}");
	assert_closures("f<{lambda", "f<{lambda");
	assert_closures("f<int>", "f");
}

static void a_very_long_name_is_left_alone(void **state)
{
	struct wk_buf name = { 0 }, plain = { 0 };

	(void)state;
	while (name.len <= WK_SHORT_MOST_BYTES)
		wk_buf_add_text(&name, "Vec<u8>::");
	wk_short_name_plain(wk_buf_str(&name), &plain);
	assert_int_equal(plain.len, name.len);
	WK_BUF_FINI_ALL(&name, &plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_real_programs_are_shown_as_listed),
		cmocka_unit_test(steps_give_away_little_by_little),
		cmocka_unit_test(brackets_that_never_close_cost_no_more_than_others),
		cmocka_unit_test(closures_among_arguments_can_be_kept),
		cmocka_unit_test(a_very_long_name_is_left_alone),
	};

	return cmocka_run_group_tests_name("short_name", tests, NULL, NULL);
}
