/* Line programs of every version, made by hand: which line each address gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "line_maker.h"
#include "symbols/dwarf/line.h"

struct read {
	struct wk_code_index *index;
	struct wk_dwarf_lines lines;
	struct wk_dwarf_line_input input;
	struct wk_err err;
	struct wk_buf text;
};

static void read_fini(struct read *r)
{
	wk_dwarf_lines_fini(&r->lines);
	wk_code_index_free(r->index);
	wk_buf_fini(&r->text);
}

/* Reads what was made, which is given back; as compiled in /src. */
static bool read_lines(struct read *r, struct line_maker *m)
{
	bool ok;

	r->index = wk_code_index_new();
	r->input.section = wk_bytes_of(m->out.at, m->out.len);
	r->input.section.big_endian = m->big_endian;
	r->input.address_size = r->input.address_size ? r->input.address_size : 8;
	r->input.directory = wk_str_c("/src");
	ok = wk_dwarf_lines_read(&r->input, true, r->index, &r->lines, &r->err);
	return ok;
}

/* The rows as "1000 a.c:5:2 1004 -": address, the file's last part, line, column. */
static const char *rows(struct read *r)
{
	wk_buf_reset(&r->text);
	for (size_t i = 0; i < r->lines.row_count; i++) {
		const struct wk_dwarf_row *row = &r->lines.rows[i];
		struct wk_str file = wk_code_index_str(r->index, row->file);

		wk_buf_add_fmt(&r->text, "%s%llx ", i ? " " : "", (unsigned long long)row->address);
		if (row->is_end) {
			wk_buf_add_text(&r->text, "-");
			continue;
		}
		wk_buf_add_str(&r->text, wk_str_basename(file));
		wk_buf_add_fmt(&r->text, ":%u", row->line);
		if (row->column)
			wk_buf_add_fmt(&r->text, ":%u", row->column);
	}
	return wk_buf_text(&r->text);
}

static const char *file(const struct read *r, size_t number)
{
	return number < r->lines.file_count ? wk_code_index_str(r->index, r->lines.files[number]).at
					    : "none";
}

static void check_rows(struct line_maker *m, const char *expected)
{
	struct read r = { 0 };

	line_end(m);
	assert_true(read_lines(&r, m));
	assert_string_equal(rows(&r), expected);
	read_fini(&r);
	wk_buf_fini(&m->out);
}

static struct line_maker begin_old(uint16_t version)
{
	struct line_maker m = { .version = version };

	line_begin(&m);
	line_old_tables(&m);
	return m;
}

static void files_before_dwarf_5_are_counted_from_1(void **state)
{
	(void)state;
	for (uint16_t version = 2; version < 5; version++) {
		struct line_maker m = begin_old(version);
		struct read r = { 0 };

		line_end(&m);
		assert_true(read_lines(&r, &m));
		assert_int_equal(r.lines.file_count, 4);
		assert_int_equal(r.lines.files[0], 0);
		assert_string_equal(file(&r, 1), "/src/a.c");
		assert_string_equal(file(&r, 2), "/inc/b.h");
		assert_string_equal(file(&r, 3), "/src/sub/c.h");
		read_fini(&r);
		wk_buf_fini(&m.out);
	}
}

/* What versions 2 to 5 have in common, and both forms and byte orders. */
static void put_common_program(struct line_maker *m)
{
	line_set_address(m, 0x1000);
	line_u8(m, LINE_ADVANCE_LINE), line_sleb(m, 9);
	line_op(m, LINE_SET_COLUMN, 5);
	line_u8(m, LINE_COPY);
	line_special(m, 4, 2);
	line_op(m, LINE_SET_FILE, 2);
	line_u8(m, LINE_ADVANCE_LINE), line_sleb(m, -8);
	line_special(m, 1, -3);
	line_u8(m, LINE_CONST_ADD_PC);
	line_special(m, 0, 8);
	line_u8(m, LINE_FIXED_ADVANCE_PC);
	elf_put(&m->out, m->big_endian, 0x300, 2);
	line_u8(m, LINE_NEGATE_STMT);
	line_u8(m, LINE_SET_BASIC_BLOCK);
	line_special(m, 0, 1);
	line_op(m, LINE_ADVANCE_PC, 0x20);
	line_end_sequence(m);
}

static void check_common(struct line_maker *m)
{
	/* line_range 12: const_add_pc moves on by (255 - opcode_base) / 12 = 20. */
	check_rows(m, "1000 a.c:10:5 1004 a.c:12:5 1005 b.h:1:5 1019 b.h:9:5 1319 b.h:10:5 "
		      "1339 -");
}

static void programs_of_version_2_to_4_are_run(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		struct line_maker m = { .version = (uint16_t)(2 + i / 4), .big_endian = i & 1,
					.is_64 = i & 2 };

		line_begin(&m);
		line_old_tables(&m);
		put_common_program(&m);
		check_common(&m);
	}
}

enum { PATH = 1, DIRECTORY, TIME, SIZE, MD5 };
enum {
	BLOCK = 0x09,
	DATA1 = 0x0b,
	DATA2 = 0x05,
	DATA16 = 0x1e,
	LINE_STRP = 0x1f,
	STRING = 0x08,
	STRP = 0x0e,
	STRX = 0x1a,
	STRX1 = 0x25,
	UDATA = 0x0f,
};

static void put_formats(struct line_maker *m, unsigned count, const unsigned (*formats)[2])
{
	line_u8(m, count);
	for (unsigned i = 0; i < count; i++) {
		line_uleb(m, formats[i][0]);
		line_uleb(m, formats[i][1]);
	}
}

static void put_tables_of_5(struct line_maker *m)
{
	static const unsigned directory[][2] = { { PATH, STRING } };
	static const unsigned files[][2] = { { PATH, STRING }, { DIRECTORY, UDATA } };

	put_formats(m, 1, directory);
	line_uleb(m, 2);
	line_text(m, "/src");
	line_text(m, "/inc");
	put_formats(m, 2, files);
	line_uleb(m, 3);
	line_text(m, "a.c"), line_uleb(m, 0);
	line_text(m, "a.c"), line_uleb(m, 0);
	line_text(m, "b.h"), line_uleb(m, 1);
	line_end_tables(m);
}

static void programs_of_version_5_are_run(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct line_maker m = { .version = 5, .big_endian = i & 1, .is_64 = i & 2 };

		line_begin(&m);
		put_tables_of_5(&m);
		put_common_program(&m);
		check_common(&m);
	}
}

static const char texts[] = "\0first.c\0second.c";
static const char line_texts[] = "/made\0lib\0inc/x.h";

static void put_number(struct line_maker *m, uint64_t value, unsigned bytes)
{
	elf_put(&m->out, m->big_endian, value, bytes);
}

/* One file told in each form there is. */
static void put_every_form(struct line_maker *m)
{
	static const unsigned directory[][2] = { { PATH, LINE_STRP } };
	static const unsigned files[][2] = {
		{ DIRECTORY, DATA1 }, { PATH, STRP }, { MD5, DATA16 }, { TIME, BLOCK },
		{ SIZE, DATA2 } };

	put_formats(m, 1, directory);
	line_uleb(m, 2);
	line_offset(m, 0);
	line_offset(m, 6);
	put_formats(m, 5, files);
	line_uleb(m, 2);
	for (unsigned i = 0; i < 2; i++) {
		line_u8(m, i);
		line_offset(m, i == 0 ? 1 : 9);
		put_number(m, 0, 8), put_number(m, 0, 8);
		line_uleb(m, 3), put_number(m, 0, 3);
		put_number(m, 77, 2);
	}
	line_end_tables(m);
}

static void check_every_form(bool big_endian, bool is_64)
{
	struct line_maker m = { .version = 5, .big_endian = big_endian, .is_64 = is_64 };
	struct read r = { .input = { .str = wk_bytes_of(texts, sizeof(texts)),
				     .line_str = wk_bytes_of(line_texts, sizeof(line_texts)) } };

	line_begin(&m);
	put_every_form(&m);
	line_end(&m);
	assert_true(read_lines(&r, &m));
	assert_int_equal(r.lines.file_count, 2);
	assert_string_equal(file(&r, 0), "/made/first.c");
	assert_string_equal(file(&r, 1), "/src/lib/second.c");
	read_fini(&r);
	wk_buf_fini(&m.out);
}

static void texts_in_other_sections_and_blocks_are_read(void **state)
{
	(void)state;
	check_every_form(false, false);
	check_every_form(true, true);
}

static void texts_by_number_are_looked_up(void **state)
{
	static const unsigned path[][2] = { { PATH, STRX1 } }, path_uleb[][2] = { { PATH, STRX } };
	static const char offsets[] = "HEAD\1\0\0\0\11\0\0\0";
	struct line_maker m = { .version = 5 };
	struct read r = { .input = { .str = wk_bytes_of(texts, sizeof(texts)),
				     .str_offsets = wk_bytes_of(offsets, sizeof(offsets)),
				     .str_offsets_base = 4 } };

	(void)state;
	line_begin(&m);
	put_formats(&m, 1, path_uleb);
	line_uleb(&m, 1), line_uleb(&m, 0);
	put_formats(&m, 1, path);
	line_uleb(&m, 3), line_u8(&m, 0), line_u8(&m, 1), line_u8(&m, 200);
	line_end_tables(&m);
	line_end(&m);
	assert_true(read_lines(&r, &m));
	assert_string_equal(file(&r, 0), "first.c/first.c");
	assert_string_equal(file(&r, 1), "first.c/second.c");
	assert_int_equal(r.lines.files[2], 0);
	read_fini(&r);
	wk_buf_fini(&m.out);
}

static void paths_lose_dots_and_doubled_slashes(void **state)
{
	static const unsigned directory[][2] = { { PATH, STRING } };
	static const unsigned files[][2] = { { PATH, STRING }, { DIRECTORY, UDATA } };
	static const char *const names[] = { "./a.c", "..//b.c", "/x//y/./z.c", "./" };
	struct line_maker m = { .version = 5 };
	struct read r = { 0 };

	(void)state;
	line_begin(&m);
	put_formats(&m, 1, directory);
	line_uleb(&m, 2), line_text(&m, "./elf"), line_text(&m, ".");
	put_formats(&m, 2, files);
	line_uleb(&m, 8);
	for (unsigned i = 0; i < 8; i++)
		line_text(&m, names[i / 2]), line_uleb(&m, i & 1);
	line_end_tables(&m);
	line_end(&m);
	assert_true(read_lines(&r, &m));
	/* Directory 0 is where it was compiled, so nothing goes before it. */
	assert_string_equal(file(&r, 0), "./elf/a.c");
	assert_string_equal(file(&r, 1), "/src/a.c");
	assert_string_equal(file(&r, 2), "./elf/../b.c");
	assert_string_equal(file(&r, 3), "/src/../b.c");
	assert_string_equal(file(&r, 4), "/x/y/z.c");
	assert_string_equal(file(&r, 5), "/x/y/z.c");
	read_fini(&r);
	wk_buf_fini(&m.out);
}

static void several_operations_share_an_instruction(void **state)
{
	struct line_maker m = { .version = 4, .max_operations = 3, .min_instruction_bytes = 16 };

	(void)state;
	line_begin(&m);
	line_old_tables(&m);
	line_set_address(&m, 0x4000);
	line_u8(&m, LINE_COPY);
	line_special(&m, 2, 1);          /* operation 2 of 0x4000 */
	line_special(&m, 2, 1);          /* operation 1 of 0x4010 */
	line_op(&m, LINE_ADVANCE_PC, 5); /* operation 0 of 0x4030 */
	line_special(&m, 0, 1);
	line_op(&m, LINE_ADVANCE_PC, 3);
	line_end_sequence(&m);
	check_rows(&m, "4000 a.c:2 4010 a.c:3 4030 a.c:4 4040 -");
}

static void instructions_of_four_bytes_count_as_one(void **state)
{
	struct line_maker m = { .version = 3, .min_instruction_bytes = 4 };

	(void)state;
	line_begin(&m);
	line_old_tables(&m);
	line_set_address(&m, 0x4000);
	line_special(&m, 1, 1);
	line_op(&m, LINE_ADVANCE_PC, 2);
	line_end_sequence(&m);
	check_rows(&m, "4004 a.c:2 400c -");
}

static void opcodes_that_are_not_known_are_passed_over(void **state)
{
	struct line_maker m = { .version = 4, .opcode_base = 15 };

	(void)state;
	line_begin(&m);
	line_old_tables(&m);
	line_set_address(&m, 0x4000);
	line_u8(&m, 13), line_uleb(&m, 1000), line_uleb(&m, 2000);
	line_u8(&m, 14);
	line_op(&m, LINE_SET_ISA, 300);
	line_u8(&m, LINE_SET_PROLOGUE_END);
	line_u8(&m, LINE_SET_EPILOGUE_BEGIN);
	line_u8(&m, 0), line_uleb(&m, 2), line_u8(&m, 4), line_u8(&m, 77); /* a discriminator */
	line_u8(&m, 0), line_uleb(&m, 3), line_u8(&m, 0x80), line_u8(&m, 1), line_u8(&m, 1);
	line_u8(&m, LINE_COPY);
	line_special(&m, 3, 0);
	line_special(&m, 3, 4);
	line_end_sequence(&m);
	/* The second row only repeats the first; the last is where the sequence ends. */
	check_rows(&m, "4000 a.c:1 4006 -");
}

static void files_may_be_added_by_the_program(void **state)
{
	struct line_maker m = begin_old(3);

	(void)state;
	line_set_address(&m, 0x4000);
	line_u8(&m, 0), line_uleb(&m, 8), line_u8(&m, 3);
	line_text(&m, "d.h"), line_uleb(&m, 1), line_uleb(&m, 0), line_uleb(&m, 0);
	line_op(&m, LINE_SET_FILE, 4);
	line_u8(&m, LINE_COPY);
	line_op(&m, LINE_SET_FILE, 99);
	line_special(&m, 1, 0);
	line_op(&m, LINE_ADVANCE_PC, 1);
	line_end_sequence(&m);
	check_rows(&m, "4000 d.h:1 4001 :1 4002 -");
}

static void line_0_is_kept(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	line_set_address(&m, 0x4000);
	line_u8(&m, LINE_COPY);
	line_special(&m, 2, -1);
	line_special(&m, 2, 7);
	line_op(&m, LINE_ADVANCE_PC, 1);
	line_end_sequence(&m);
	check_rows(&m, "4000 a.c:1 4002 a.c:0 4004 a.c:7 4005 -");
}

static void the_last_of_several_rows_at_one_address_counts(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	line_set_address(&m, 0x4000);
	line_special(&m, 0, 1);
	line_special(&m, 0, 1);
	line_special(&m, 4, 1);
	line_special(&m, 0, 5);
	line_op(&m, LINE_ADVANCE_PC, 1);
	line_end_sequence(&m);
	check_rows(&m, "4000 a.c:3 4004 a.c:9 4005 -");
}

/* A function of `size` bytes with one line. */
static void put_function(struct line_maker *m, uint64_t address, unsigned line, unsigned size)
{
	line_set_address(m, address);
	line_u8(m, LINE_ADVANCE_LINE), line_sleb(m, (int64_t)line - 1);
	line_u8(m, LINE_COPY);
	line_op(m, LINE_ADVANCE_PC, size / 2);
	line_special(m, 0, 1);
	line_op(m, LINE_ADVANCE_PC, size - size / 2);
	line_end_sequence(m);
}

static void sequences_come_in_order_and_ends_only_before_gaps(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	put_function(&m, 0x3000, 30, 0x10);
	put_function(&m, 0x1000, 10, 0x10);
	put_function(&m, 0x1010, 20, 0x10);
	check_rows(&m, "1000 a.c:10 1008 a.c:11 1010 a.c:20 1018 a.c:21 1020 - "
		       "3000 a.c:30 3008 a.c:31 3010 -");
}

static void sequences_that_were_in_order_are_the_same(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	put_function(&m, 0x1000, 10, 0x10);
	put_function(&m, 0x1010, 20, 0x10);
	put_function(&m, 0x3000, 30, 0x10);
	check_rows(&m, "1000 a.c:10 1008 a.c:11 1010 a.c:20 1018 a.c:21 1020 - "
		       "3000 a.c:30 3008 a.c:31 3010 -");
}

static void where_sequences_overlap_the_first_to_begin_has_it(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	put_function(&m, 0x1000, 10, 0x10);
	put_function(&m, 0x1004, 20, 0x4);  /* inside */
	put_function(&m, 0x1004, 30, 0x20); /* its first line ends at 1014 */
	put_function(&m, 0x100a, 40, 0x4);
	check_rows(&m, "1000 a.c:10 1008 a.c:11 1010 a.c:30 1014 a.c:31 1024 -");
}

static void code_that_the_linker_dropped_has_no_lines(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	put_function(&m, 0, 10, 0x2000);
	put_function(&m, UINT64_MAX, 20, 0x10);
	put_function(&m, 0x1000, 30, 0x10);
	put_function(&m, UINT64_MAX - 1, 40, 0x10);
	put_function(&m, 0x2000, 50, 0);
	check_rows(&m, "1000 a.c:30 1008 a.c:31 1010 -");
}

static void a_step_back_begins_a_new_sequence(void **state)
{
	struct line_maker m = begin_old(4);

	(void)state;
	line_set_address(&m, 0x2000);
	line_special(&m, 0, 1);
	line_special(&m, 8, 1);
	line_set_address(&m, 0x1000);
	line_special(&m, 0, 1);
	line_op(&m, LINE_ADVANCE_PC, 4);
	line_end_sequence(&m);
	check_rows(&m, "1000 a.c:4 1004 - 2000 a.c:2 2008 -");
}

static void addresses_of_four_bytes_wrap(void **state)
{
	struct line_maker m = begin_old(2);
	struct read r = { .input = { .address_size = 4 } };

	(void)state;
	line_u8(&m, 0), line_uleb(&m, 5), line_u8(&m, 2), put_number(&m, 0x1000, 4);
	line_u8(&m, LINE_COPY);
	line_special(&m, 8, 1);
	line_op(&m, LINE_ADVANCE_PC, 0xfffffffc); /* back by 4 */
	line_special(&m, 0, 1);
	line_op(&m, LINE_ADVANCE_PC, 0x10);
	line_end_sequence(&m);
	line_end(&m);
	assert_true(read_lines(&r, &m));
	assert_string_equal(rows(&r), "1000 a.c:1 1008 a.c:3 1014 -");
	read_fini(&r);
	wk_buf_fini(&m.out);
}

static void the_files_alone_can_be_read(void **state)
{
	struct line_maker m = begin_old(4);
	struct read r = { .index = wk_code_index_new() };

	(void)state;
	put_common_program(&m);
	line_end(&m);
	r.input.section = wk_bytes_of(m.out.at, m.out.len);
	assert_true(wk_dwarf_lines_read(&r.input, false, r.index, &r.lines, &r.err));
	assert_int_equal(r.lines.file_count, 4);
	assert_int_equal(r.lines.row_count, 0);
	read_fini(&r);
	wk_buf_fini(&m.out);
}

/* Cut at every byte: no fault, and rows as far as they go. */
static void what_is_cut_gives_what_there_is(void **state)
{
	(void)state;
	for (uint16_t version = 4; version <= 5; version++) {
		struct line_maker m = { .version = version };
		size_t whole;

		line_begin(&m);
		if (version == 5)
			put_tables_of_5(&m);
		else
			line_old_tables(&m);
		put_common_program(&m);
		line_end(&m);
		whole = m.out.len;
		for (m.out.len = 0; m.out.len < whole; m.out.len++) {
			struct read r = { 0 };
			bool ok = read_lines(&r, &m);

			assert_true(ok || r.err.text[0] != '\0');
			assert_true(r.lines.row_count <= 6);
			read_fini(&r);
		}
		wk_buf_fini(&m.out);
	}
}

static void check_refused(struct line_maker *m, const char *says)
{
	struct read r = { 0 };

	assert_false(read_lines(&r, m));
	assert_non_null(strstr(r.err.text, says));
	read_fini(&r);
	wk_buf_fini(&m->out);
}

static void headers_that_make_no_sense_are_refused(void **state)
{
	struct line_maker m = { .version = 6 };

	(void)state;
	line_begin(&m), line_end_tables(&m), line_end(&m);
	check_refused(&m, "the line program is of version 6; 2 to 5 are known");
	m = begin_old(3);
	line_end(&m);
	m.out.at[13] = 0;
	check_refused(&m, "the line program's line_range is 0");
	m = begin_old(3);
	line_end(&m);
	m.out.at[14] = 0;
	check_refused(&m, "the line program's opcode_base is 0");
	m = begin_old(3);
	line_end(&m);
	m.out.at[9] = 127;
	check_refused(&m, "ends inside its header");
}

static void a_form_that_is_not_known_is_named(void **state)
{
	static const unsigned path[][2] = { { PATH, 0x7f } };
	struct line_maker m = { .version = 5 };

	(void)state;
	line_begin(&m);
	put_formats(&m, 1, path);
	line_uleb(&m, 1);
	line_end_tables(&m);
	line_end(&m);
	check_refused(&m, "in the unknown form 0x7f");
}

static void claimed_counts_end_with_the_bytes(void **state)
{
	static const unsigned path[][2] = { { PATH, STRING } };
	struct line_maker m = { .version = 5 };

	(void)state;
	line_begin(&m);
	put_formats(&m, 0, NULL);
	line_uleb(&m, UINT64_MAX);
	put_formats(&m, 1, path);
	line_uleb(&m, UINT64_MAX);
	line_text(&m, "a.c");
	line_end_tables(&m);
	line_end(&m);
	check_refused(&m, "ends inside its tables of files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_before_dwarf_5_are_counted_from_1),
		cmocka_unit_test(programs_of_version_2_to_4_are_run),
		cmocka_unit_test(programs_of_version_5_are_run),
		cmocka_unit_test(texts_in_other_sections_and_blocks_are_read),
		cmocka_unit_test(texts_by_number_are_looked_up),
		cmocka_unit_test(paths_lose_dots_and_doubled_slashes),
		cmocka_unit_test(several_operations_share_an_instruction),
		cmocka_unit_test(instructions_of_four_bytes_count_as_one),
		cmocka_unit_test(opcodes_that_are_not_known_are_passed_over),
		cmocka_unit_test(files_may_be_added_by_the_program),
		cmocka_unit_test(line_0_is_kept),
		cmocka_unit_test(the_last_of_several_rows_at_one_address_counts),
		cmocka_unit_test(sequences_come_in_order_and_ends_only_before_gaps),
		cmocka_unit_test(sequences_that_were_in_order_are_the_same),
		cmocka_unit_test(where_sequences_overlap_the_first_to_begin_has_it),
		cmocka_unit_test(code_that_the_linker_dropped_has_no_lines),
		cmocka_unit_test(a_step_back_begins_a_new_sequence),
		cmocka_unit_test(addresses_of_four_bytes_wrap),
		cmocka_unit_test(the_files_alone_can_be_read),
		cmocka_unit_test(what_is_cut_gives_what_there_is),
		cmocka_unit_test(headers_that_make_no_sense_are_refused),
		cmocka_unit_test(a_form_that_is_not_known_is_named),
		cmocka_unit_test(claimed_counts_end_with_the_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
