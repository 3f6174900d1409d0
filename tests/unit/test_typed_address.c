#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "session/symbolize/typed_address.h"

/* A text and what is to be made of it. */
struct example {
	const char *text, *image, *function;
	uint64_t offset;
	bool may_be_image;
};

static bool is(struct wk_str text, const char *expected)
{
	return wk_str_is(text, expected);
}

static void check(const struct example *e)
{
	struct wk_typed_address typed;

	if (!wk_typed_address_read(wk_str_c(e->text), &typed))
		fail_msg("\"%s\" is not understood", e->text);
	if (!is(typed.image, e->image) || !is(typed.function, e->function) ||
	    typed.offset != e->offset || typed.may_be_image != e->may_be_image)
		fail_msg("\"%s\": image \"%.*s\", function \"%.*s\", offset 0x%llx%s", e->text,
			 WK_STR_ARG(typed.image), WK_STR_ARG(typed.function),
			 (unsigned long long)typed.offset,
			 typed.may_be_image ? ", or an image" : "");
}

/* Up to the one without a text. */
static void check_all(const struct example *examples)
{
	for (; examples->text; examples++)
		check(examples);
}

static void addresses_are_hexadecimal(void **state)
{
	static const struct example examples[] = {
		{ "22f0", "", "", 0x22f0, false },
		{ "0x22f0", "", "", 0x22f0, false },
		{ "0X22F0", "", "", 0x22f0, false },
		{ "  0x22f0\r", "", "", 0x22f0, false },
		{ "0", "", "", 0, false },
		{ "ffffffffffffffff", "", "", UINT64_MAX, false },
		{ 0 },
	};

	(void)state;
	check_all(examples);
}

static void an_image_may_stand_in_front(void **state)
{
	static const struct example examples[] = {
		{ "app 0x22f0", "app", "", 0x22f0, false },
		{ "app\t22f0", "app", "", 0x22f0, false },
		{ "./a b/app 22f0", "./a b/app", "", 0x22f0, false },
		{ "\"an app\" 22f0", "an app", "", 0x22f0, false },
		{ "CODE app 22f0", "app", "", 0x22f0, false },
		{ "CODE \"an app\" 0x10", "an app", "", 0x10, false },
		{ "app main+0x10", "app", "main", 0x10, false },
		{ "app main", "app", "main", 0, false },
		{ 0 },
	};

	(void)state;
	check_all(examples);
}

static void what_stands_before_a_plus_is_an_image_or_a_function(void **state)
{
	static const struct example examples[] = {
		{ "main+0x10", "", "main", 0x10, true },
		{ "main+10", "", "main", 0x10, true },
		{ "libstdc++.so+0x10", "", "libstdc++.so", 0x10, true },
		{ "+0x10", "", "", 0x10, false },
		{ 0 },
	};

	(void)state;
	check_all(examples);
}

static void a_name_alone_is_a_function(void **state)
{
	static const struct example examples[] = {
		{ "main", "", "main", 0, false },
		{ "_ZN4shop3payEi", "", "_ZN4shop3payEi", 0, false },
		{ "0x", "", "0x", 0, false },
		{ "10000000000000000", "", "10000000000000000", 0, false }, /* 65 bits */
		{ 0 },
	};

	(void)state;
	check_all(examples);
}

/* As glibc's backtrace_symbols prints them; what stands in brackets is where it was loaded, and
 * counts only where there is no other. */
static void lines_of_backtraces_are_taken_apart(void **state)
{
	static const struct example examples[] = {
		{ "app(+0x22f0)", "app", "", 0x22f0, false },
		{ "app(+0x22f0) [0x55d0c0de]", "app", "", 0x22f0, false },
		{ "app(main+0x10) [0x55d0c0de]", "app", "main", 0x10, false },
		{ "./a b/app(main+0x10) [0x55d0c0de]", "./a b/app", "main", 0x10, false },
		{ "app() [0x401136]", "app", "", 0x401136, false },
		{ "app(_start) [0x401000]", "app", "", 0x401000, false },
		{ "app [0x401000]", "app", "", 0x401000, false },
		{ "app(1)(+0x10)", "app(1)", "", 0x10, false },
		{ 0 },
	};

	(void)state;
	check_all(examples);
}

static void what_is_no_address_is_refused(void **state)
{
	static const char *const texts[] = { "", "   ", "main+", "main+zz", "app(main)", "app()",
					     "app(main+zz)", "main+10000000000000000" };
	struct wk_typed_address typed;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (wk_typed_address_read(wk_str_c(texts[i]), &typed))
			fail_msg("\"%s\" is taken for an address", texts[i]);
}

static void only_digits_are_plain(void **state)
{
	uint64_t address = 0;

	(void)state;
	assert_true(wk_typed_address_is_plain(wk_str_c("22f0"), &address));
	assert_int_equal(address, 0x22f0);
	assert_true(wk_typed_address_is_plain(wk_str_c("0x22F1"), &address));
	assert_int_equal(address, 0x22f1);
	assert_false(wk_typed_address_is_plain(wk_str_c("+0x22f0"), &address));
	assert_false(wk_typed_address_is_plain(wk_str_c(" 22f0"), &address));
	assert_false(wk_typed_address_is_plain(wk_str_c("0x"), &address));
	assert_false(wk_typed_address_is_plain(wk_str_c(""), &address));
	assert_false(wk_typed_address_is_plain(wk_str_c("main"), &address));
}

/* Nothing is looked at beyond the text's end. */
static void any_beginning_of_a_line_can_be_read(void **state)
{
	static const char line[] = "CODE \"./a b/app\"(main+0x10) [0x55d0c0de]";
	struct wk_typed_address typed;

	(void)state;
	for (size_t begin = 0; begin < sizeof(line); begin++)
		for (size_t len = 0; begin + len < sizeof(line); len++) {
			char *copy = wk_alloc(len + 1);

			memcpy(copy, line + begin, len);
			wk_typed_address_read(wk_str_of(copy, len), &typed);
			wk_free(copy);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_hexadecimal),
		cmocka_unit_test(an_image_may_stand_in_front),
		cmocka_unit_test(what_stands_before_a_plus_is_an_image_or_a_function),
		cmocka_unit_test(a_name_alone_is_a_function),
		cmocka_unit_test(lines_of_backtraces_are_taken_apart),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(only_digits_are_plain),
		cmocka_unit_test(any_beginning_of_a_line_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
