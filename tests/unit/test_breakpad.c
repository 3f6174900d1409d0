/* Breakpad files made by hand: functions, chains of inlined calls, lines and public names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "symbols/breakpad/internal.h"

#define HEAD "MODULE windows x86_64 83FA1D6E2C1E837C4C4C44205044422E1 my app.pdb\n"

/* main calls outer at 1010, and that inner at 1018; a second call of inner is in main itself. */
#define EXAMPLE \
	HEAD \
	"INFO CODE_ID 5A1F2000 app.exe\n" \
	"FILE 0 C:\\src\\main.c\n" \
	"FILE 7 C:\\src\\in line.h\n" \
	"INLINE_ORIGIN 0 outer(int)\n" \
	"INLINE_ORIGIN 1 inner<a, b>\n" \
	"FUNC 1000 60 0 main\n" \
	"INLINE 0 12 0 0 1010 20\n" \
	"INLINE 1 5 7 1 1018 8\n" \
	"INLINE 0 15 0 1 1040 8 1050 4\n" \
	"1000 10 10 0\n" \
	"1010 8 4 7\n" \
	"1018 8 8 7\n" \
	"1020 10 6 7\n" \
	"1030 10 13 0\n" \
	"1040 8 8 7\n" \
	"1050 4 9 7\n" \
	"1054 c 16 0\n" \
	"FUNC m 2000 10 8 second function\n" \
	"2000 8 20 0\n" \
	"PUBLIC 3000 0 start\n" \
	"PUBLIC m 3010 4 other start\n" \
	"STACK CFI INIT 1000 60 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" \
	"STACK WIN 4 2000 10 0 0 0 0 0 0 1 $T0\n"

static struct wk_breakpad *opened(const char *text)
{
	struct wk_err err = { 0 };
	struct wk_breakpad *breakpad = wk_breakpad_open(text, strlen(text), &err);

	assert_non_null(breakpad);
	return breakpad;
}

static struct wk_code_index *filled(struct wk_breakpad *breakpad)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_err err = { 0 };

	wk_breakpad_fill(breakpad, index);
	for (uint32_t i = 0; i < breakpad->unit_count; i++)
		assert_true(wk_breakpad_load(breakpad, i, index, &err));
	return index;
}

/* "inner file:line < outer file:line", innermost first. */
static void check_chain(const struct wk_code_index *index, uint64_t address, const char *expected)
{
	struct wk_place places[8];
	struct wk_buf chain = { 0 };
	size_t count = wk_code_index_places(index, address, places, 8);

	for (size_t i = 0; i < count; i++)
		wk_buf_add_fmt(&chain, "%s%.*s %.*s:%u", i ? " < " : "",
			       WK_STR_ARG(places[i].function), WK_STR_ARG(places[i].file),
			       places[i].line);
	if (!wk_str_is(wk_buf_str(&chain), expected))
		fail_msg("at %llx there is \"%s\" and not \"%s\"", (unsigned long long)address,
			 wk_buf_text(&chain), expected);
	wk_buf_fini(&chain);
}

struct chain {
	uint64_t address;
	const char *text;
};

static void check_chains(const char *text, const struct chain *chains, size_t count)
{
	struct wk_breakpad *breakpad = opened(text);
	struct wk_code_index *index = filled(breakpad);

	for (size_t i = 0; i < count; i++)
		check_chain(index, chains[i].address, chains[i].text);
	wk_code_index_free(index);
	wk_breakpad_free(breakpad);
}

static void functions_chains_and_lines_are_found(void **state)
{
	static const struct chain chains[] = {
		{ 0xfff, "" },
		{ 0x1000, "main C:\\src\\main.c:10" },
		{ 0x100f, "main C:\\src\\main.c:10" },
		{ 0x1010, "outer(int) C:\\src\\in line.h:4 < main C:\\src\\main.c:12" },
		{ 0x1018, "inner<a, b> C:\\src\\in line.h:8 < outer(int) C:\\src\\in line.h:5 < "
			  "main C:\\src\\main.c:12" },
		{ 0x1020, "outer(int) C:\\src\\in line.h:6 < main C:\\src\\main.c:12" },
		{ 0x1030, "main C:\\src\\main.c:13" },
		{ 0x1047, "inner<a, b> C:\\src\\in line.h:8 < main C:\\src\\main.c:15" },
		{ 0x1048, "main :0" },
		{ 0x1053, "inner<a, b> C:\\src\\in line.h:9 < main C:\\src\\main.c:15" },
		{ 0x105f, "main C:\\src\\main.c:16" },
		{ 0x1060, "" },
		{ 0x2007, "second function C:\\src\\main.c:20" },
		{ 0x2008, "second function :0" },
		{ 0x2010, "" },
		{ 0x3000, "" },
	};

	(void)state;
	check_chains(EXAMPLE, chains, sizeof(chains) / sizeof(chains[0]));
}

static void the_module_and_public_names_are_told(void **state)
{
	struct wk_breakpad *breakpad = opened(EXAMPLE);
	const struct wk_breakpad_module *module = wk_breakpad_module(breakpad);
	const struct wk_breakpad_public *publics = breakpad->publics;

	(void)state;
	assert_true(wk_str_is(module->system, "windows"));
	assert_true(wk_str_is(module->machine, "x86_64"));
	assert_true(wk_str_is(module->key, "83FA1D6E2C1E837C4C4C44205044422E1"));
	assert_true(wk_str_is(module->name, "my app.pdb"));
	assert_int_equal(breakpad->public_count, 2);
	assert_int_equal(publics[0].address, 0x3000);
	assert_true(wk_str_is(publics[0].name, "start"));
	assert_int_equal(publics[1].address, 0x3010);
	assert_true(wk_str_is(publics[1].name, "other start"));
	assert_int_equal(breakpad->bad_lines, 0);
	wk_breakpad_free(breakpad);
}

static void name_at(const struct wk_symtab *names, uint64_t vaddr, const char *expected)
{
	struct wk_obj_symbol symbol = { 0 };

	assert_int_equal(wk_symtab_find(names, vaddr, &symbol), expected != NULL);
	if (expected)
		assert_true(wk_str_is(symbol.name, expected));
}

static void a_public_name_reaches_to_the_next_or_to_a_function(void **state)
{
	struct wk_breakpad *breakpad = opened(
		"MODULE windows x86_64 01 a.pdb\nPUBLIC 1000 0 a\nPUBLIC 1008 0 b\n"
		"PUBLIC 1008 0 same\nFUNC 1010 8 0 f\nPUBLIC 1010 0 f too\nPUBLIC 2000 0 z\n");
	struct wk_symtab *names = wk_breakpad_names(breakpad);
	struct wk_buf saved = { 0 };

	(void)state;
	name_at(names, 0xfff, NULL);
	name_at(names, 0x1007, "a");
	name_at(names, 0x100f, "b");
	name_at(names, 0x1010, NULL);
	name_at(names, 0x1018, NULL);
	name_at(names, 0x2fff, "z");
	assert_true(wk_symtab_save(names, &saved));
	wk_symtab_free(names);
	names = wk_symtab_load(wk_bytes_of(saved.at, saved.len), NULL);
	name_at(names, 0x100f, "b");
	wk_symtab_free(names);
	wk_buf_fini(&saved);
	wk_breakpad_free(breakpad);
}

static void what_begins_otherwise_is_none(void **state)
{
	static const char *const texts[] = {
		"", "MODULE", "MODULE windows x86_64\n", "MODULE windows x86_64 KEY name, cut",
		"FUNC 1 2 0 a\n", "main;work 12\n" };

	(void)state;
	assert_true(wk_breakpad_is(wk_bytes_of(HEAD, strlen(HEAD))));
	assert_false(wk_breakpad_is(wk_bytes_of("FILE 0 a", 8)));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct wk_err err = { 0 };

		assert_null(wk_breakpad_open(texts[i], strlen(texts[i]), &err));
		assert_int_equal(err.code, WK_EFORMAT);
		assert_non_null(strstr(err.text, "MODULE SYSTEM MACHINE KEY NAME"));
	}
}

static void lines_may_end_as_windows_ends_them(void **state)
{
	static const struct chain chains[] = { { 0x10, "f a.c:3" } };

	(void)state;
	check_chains("MODULE windows x86 KEY a.pdb\r\nFILE 1 a.c\r\nFUNC 10 8 0 f\r\n"
		     "10 8 3 1\r\n",
		     chains, 1);
}

static void a_last_line_without_its_end_is_left_out(void **state)
{
	static const struct chain chains[] = { { 0x10, "f :0" }, { 0x20, "" } };

	(void)state;
	check_chains(HEAD "FUNC 10 8 0 f\nFUNC 20 8 0 g", chains, 2);
}

static void of_two_functions_at_an_address_the_first_has_it(void **state)
{
	static const struct chain chains[] = {
		{ 0x10, "a :1" }, { 0x14, "x :5 < a :9" }, { 0x18, "" } };

	(void)state;
	check_chains(HEAD "INLINE_ORIGIN 0 x\nINLINE_ORIGIN 1 y\n"
			  "FUNC m 10 8 0 a\nINLINE 0 9 0 0 14 4\n10 4 1 0\n14 4 5 0\n"
			  "FUNC m 10 8 0 b\nINLINE 0 8 0 1 14 4\n10 4 2 0\n14 4 6 0\n",
		     chains, 3);
}

/* Their order in the file says nothing; and a call whose parent is not there is in what is. */
static void calls_are_nested_by_depth_and_address(void **state)
{
	static const struct chain chains[] = {
		{ 0x100, "f :0" },
		{ 0x110, "a :0 < f :1" },
		{ 0x118, "b :0 < a :2 < f :1" },
		{ 0x11f, "b :0 < a :2 < f :1" },
		{ 0x120, "f :0" },
		{ 0x130, "b :0 < f :7" },
	};

	(void)state;
	check_chains(HEAD "INLINE_ORIGIN 1 a\nINLINE_ORIGIN 2 b\nFUNC 100 80 0 f\n"
			  "INLINE 1 2 0 2 118 40\nINLINE 0 1 0 1 110 10\n"
			  "INLINE 4 7 0 2 130 8\n",
		     chains, 6);
}

static void what_leaves_its_function_is_cut(void **state)
{
	static const struct chain chains[] = {
		{ 0x104, "a :5 < f :1" }, { 0x108, "" }, { 0xf8, "" } };

	(void)state;
	check_chains(HEAD "INLINE_ORIGIN 1 a\nFUNC 100 8 0 f\n"
			  "INLINE 0 1 0 1 104 ffffffffffffffff\n104 100 5 0\nf8 4 6 0\n",
		     chains, 3);
}

static void bad_lines_are_counted_and_left_out(void **state)
{
	static const char text[] =
		HEAD "FILE x a.c\n" /* 1 */
		     "FILE 1 a.c\n"
		     "strange\n"                     /* 2 */
		     "10 4 1 1\n"                    /* 3: in no function */
		     "FUNC 10 zz 0 f\n"              /* 4 */
		     "FUNC 10 8 0\n"                 /* 5: without a name */
		     "FUNC ffffffffffffffff 8 0 f\n" /* 6: past the end of all addresses */
		     "PUBLIC 10 0\n"                 /* 7 */
		     "FUNC 20 8 0 g\n"
		     "20 4 one 1\n"        /* 8 */
		     "INLINE 0 1 1 0 20\n" /* 9: half a range */
		     "INLINE 0 1 1\n"      /* 10 */
		     "24 4 12 1\n";
	struct wk_breakpad *breakpad = opened(text);
	struct wk_code_index *index;

	(void)state;
	assert_int_equal(breakpad->bad_lines, 7);
	index = filled(breakpad);
	assert_int_equal(breakpad->bad_lines, 10);
	check_chain(index, 0x20, "g :0");
	check_chain(index, 0x24, "g a.c:12");
	wk_code_index_free(index);
	wk_breakpad_free(breakpad);
}

/* Functions of every other address, and two that are 2^40 apart. */
static void many_functions_are_many_units(void **state)
{
	struct wk_buf text = { 0 };
	struct wk_breakpad *breakpad;
	struct wk_code_index *index;
	struct wk_err err = { 0 };
	uint32_t unit;

	(void)state;
	wk_buf_add_text(&text, HEAD "FILE 0 a.c\n");
	for (unsigned i = 0; i < 10000; i++)
		wk_buf_add_fmt(&text, "FUNC %x 8 0 f%u\n%x 8 %u 0\n", 0x1000 + 16 * i, i,
			       0x1000 + 16 * i, i);
	wk_buf_add_text(&text, "FUNC 10000001000 8 0 far\n");
	breakpad = opened(wk_buf_text(&text));
	assert_true(breakpad->unit_count > 5);
	index = wk_code_index_new();
	wk_breakpad_fill(breakpad, index);
	unit = wk_code_index_unit_at(index, 0x1000 + 16 * 9000);
	assert_true(unit != WK_NO_UNIT && unit > 0);
	assert_int_equal(wk_code_index_unit_at(index, 0x1008), WK_NO_UNIT);
	assert_true(wk_breakpad_load(breakpad, unit, index, &err));
	check_chain(index, 0x1000 + 16 * 9000, "f9000 a.c:9000");
	check_chain(index, 0x1000, "");
	unit = wk_code_index_unit_at(index, 0x10000001007);
	assert_int_equal(unit, breakpad->unit_count - 1);
	assert_true(wk_breakpad_load(breakpad, unit, index, &err));
	check_chain(index, 0x10000001007, "far :0");
	assert_false(wk_breakpad_load(breakpad, unit + 1, index, &err));
	wk_code_index_free(index);
	wk_breakpad_free(breakpad);
	wk_buf_fini(&text);
}

static void a_second_index_gets_texts_of_its_own(void **state)
{
	struct wk_breakpad *breakpad = opened(EXAMPLE);
	struct wk_code_index *first = filled(breakpad), *second;

	(void)state;
	wk_code_index_free(first);
	second = wk_code_index_new();
	wk_code_index_text(second, wk_str_c("something else"));
	wk_breakpad_fill(breakpad, second);
	assert_true(wk_breakpad_load(breakpad, 0, second, NULL));
	check_chain(second, 0x1010, "outer(int) C:\\src\\in line.h:4 < main C:\\src\\main.c:12");
	wk_code_index_free(second);
	wk_breakpad_free(breakpad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_chains_and_lines_are_found),
		cmocka_unit_test(the_module_and_public_names_are_told),
		cmocka_unit_test(a_public_name_reaches_to_the_next_or_to_a_function),
		cmocka_unit_test(what_begins_otherwise_is_none),
		cmocka_unit_test(lines_may_end_as_windows_ends_them),
		cmocka_unit_test(a_last_line_without_its_end_is_left_out),
		cmocka_unit_test(of_two_functions_at_an_address_the_first_has_it),
		cmocka_unit_test(calls_are_nested_by_depth_and_address),
		cmocka_unit_test(what_leaves_its_function_is_cut),
		cmocka_unit_test(bad_lines_are_counted_and_left_out),
		cmocka_unit_test(many_functions_are_many_units),
		cmocka_unit_test(a_second_index_gets_texts_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
