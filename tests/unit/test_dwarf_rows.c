/* Line programs that several units name: work and memory stay in proportion to the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "dwarf_maker.h"
#include "line_maker.h"

#define UNIT_BYTES 64 /* of code */
#define UNITS      200
#define ROWS       (UNITS * UNIT_BYTES / 4)

/* A row every 4 bytes; line 1 is at CODE_AT. */
static void put_program(struct maker *m)
{
	struct line_maker line = { .version = 4 };

	line_begin(&line);
	line_old_tables(&line);
	line_u8(&line, 0);
	line_uleb(&line, 9);
	line_u8(&line, 2); /* DW_LNE_set_address */
	elf_put(&line.out, false, CODE_AT, 8);
	line_u8(&line, 1); /* DW_LNS_copy */
	for (unsigned i = 1; i < ROWS; i++)
		line_u8(&line, 13 + 4 * 12 + 3 + 1);
	line_u8(&line, 2); /* DW_LNS_advance_pc */
	line_uleb(&line, 4);
	line_u8(&line, 0);
	line_uleb(&line, 1);
	line_u8(&line, 1); /* DW_LNE_end_sequence */
	line_end(&line);
	wk_buf_add_str(&m->sections[S_LINE], wk_buf_str(&line.out));
	wk_buf_fini(&line.out);
}

static void put_kinds(struct maker *m)
{
	die_kind(m, 1, DW_TAG_compile_unit, true, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	die_kind(m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	put_uleb(m, S_ABBREV, 0);
}

static void put_code(struct maker *m, uint64_t start, uint64_t bytes)
{
	put_address(m, S_INFO, start);
	put(m, S_INFO, bytes, 4);
}

/* A unit with one function from `start` on, which names the program. */
static void put_unit(struct maker *m, uint64_t start, uint64_t bytes)
{
	unit_begin(m, DW_UT_compile, 0, 0);
	put_uleb(m, S_INFO, 1);
	put_offset(m, S_INFO, 0);
	put_code(m, start, bytes);
	put_uleb(m, S_INFO, 2);
	put_text(m, S_INFO, "f");
	put_code(m, start, bytes);
	put_uleb(m, S_INFO, 0);
	unit_end(m);
}

/* Units of so many bytes of code, each so far behind the one before, that share a program. */
static void open_units(struct maker *m, unsigned count, uint64_t apart, uint64_t bytes)
{
	maker_init(m, 4);
	put_kinds(m);
	put_program(m);
	for (unsigned i = 0; i < count; i++)
		put_unit(m, CODE_AT + apart * i, bytes);
	assert_true(maker_open(m));
	for (uint32_t i = 0; i < m->dwarf->main->unit_count; i++)
		assert_true(wk_dwarf_load(m->dwarf, i, m->index, NULL));
}

/* As compilers write where an object file has several units. */
static void units_that_share_a_program_have_the_lines_of_their_code(void **state)
{
	struct maker m;
	char expected[32];

	(void)state;
	open_units(&m, UNITS, UNIT_BYTES, UNIT_BYTES);
	for (unsigned i = 0; i < ROWS; i++) {
		snprintf(expected, sizeof(expected), "f:%u", i + 1);
		assert_string_equal(chain_at(&m, CODE_AT + 4 * i), expected);
		assert_string_equal(chain_at(&m, CODE_AT + 4 * i + 3), expected);
	}
	assert_int_equal(wk_dwarf_missing(m.dwarf).len, 0);
	maker_fini(&m);
}

static void what_units_that_share_a_program_keep_is_their_own_rows(void **state)
{
	struct maker m;

	(void)state;
	open_units(&m, UNITS, UNIT_BYTES, UNIT_BYTES);
	assert_true(maker_saved_bytes(&m) < 10 * ROWS * 16);
	maker_fini(&m);
}

static void units_that_all_want_all_of_one_program_take_no_more_than_some(void **state)
{
	struct maker m;

	(void)state;
	open_units(&m, 4 * UNITS, 0, ROWS * 4);
	assert_true(maker_saved_bytes(&m) < 40 * ROWS * 16 + 4 * UNITS * 512);
	assert_non_null(strstr(wk_dwarf_missing(m.dwarf).at, "line programs"));
	maker_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_that_share_a_program_have_the_lines_of_their_code),
		cmocka_unit_test(what_units_that_share_a_program_keep_is_their_own_rows),
		cmocka_unit_test(units_that_all_want_all_of_one_program_take_no_more_than_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
