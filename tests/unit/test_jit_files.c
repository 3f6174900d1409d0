#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "jitdump_maker.h"
#include "base/mem.h"
#include "symbols/jit/jitdump.h"
#include "symbols/jit/perf_map.h"
#include "symbols/unwind/table.h"

/* Rows as "START+SIZE name;" in hex. */
static void expect_map(const char *text, const char *rows, uint64_t bad_lines)
{
	struct wk_perf_map map = wk_perf_map_of(text, strlen(text));
	struct wk_perf_map_row row;
	struct wk_buf out = { 0 };

	while (wk_perf_map_next(&map, &row))
		wk_buf_add_fmt(&out, "%llx+%llx %.*s;", (unsigned long long)row.start,
			       (unsigned long long)row.size_bytes, WK_STR_ARG(row.name));
	assert_string_equal(wk_buf_text(&out), rows);
	assert_int_equal(map.bad_lines, bad_lines);
	wk_buf_fini(&out);
}

static void names_may_hold_blanks_and_numbers_may_begin_with_0x(void **state)
{
	(void)state;
	expect_map("7f00 20 JS:*f /a b.js:1:2\n0X7f20  0x10\tg\r\n",
		   "7f00+20 JS:*f /a b.js:1:2;7f20+10 g;", 0);
}

static void lines_that_make_no_sense_are_counted_and_passed_over(void **state)
{
	(void)state;
	expect_map("7f00 20\nnot a line\n\n7f00 0 empty\nffffffffffffffff 2 wraps\n1 1 ok\n"
		   "11111111111111111 1 too long\n",
		   "1+1 ok;", 4);
}

static void a_last_line_without_an_end_is_not_used(void **state)
{
	(void)state;
	expect_map("10 10 whole\n20 10 to", "10+10 whole;", 0);
	expect_map("", "", 0);
}

static void nothing_behind_a_hole_is_read(void **state)
{
	static const char text[] = "10 10 whole\n20 10 to\0\n30 10 behind\n";
	struct wk_perf_map map = wk_perf_map_of(text, sizeof(text) - 1);
	struct wk_perf_map_row row;

	(void)state;
	assert_true(wk_perf_map_next(&map, &row));
	assert_true(wk_str_is(row.name, "whole"));
	assert_false(wk_perf_map_next(&map, &row));
}

static struct wk_jitdump *open_dump(const struct jitdump_maker *m)
{
	struct wk_err err = { 0 };
	struct wk_jitdump *dump = wk_jitdump_open(m->out.at, m->out.len, &err);

	if (!dump)
		fail_msg("%s", err.text);
	return dump;
}

static void add_lines(struct wk_buf *out, struct wk_jit_code code)
{
	struct wk_jit_line line;

	while (wk_jit_code_next_line(&code, &line))
		wk_buf_add_fmt(out, " %llx=%.*s:%u", (unsigned long long)line.offset,
			       WK_STR_ARG(line.file), line.line);
}

/* Pieces as "TIME START+SIZE name OFFSET=FILE:LINE...;". */
static void expect_dump(struct jitdump_maker *m, const char *pieces, uint64_t bad_records)
{
	struct wk_jitdump *dump = open_dump(m);
	struct wk_buf out = { 0 };
	struct wk_jit_code code;

	while (wk_jitdump_next(dump, &code)) {
		wk_buf_add_fmt(&out, "%llu %llx+%llx %.*s%s", (unsigned long long)code.time_ns,
			       (unsigned long long)code.start, (unsigned long long)code.size_bytes,
			       WK_STR_ARG(code.name), code.is_moved ? " moved" : "");
		add_lines(&out, code);
		wk_buf_add_char(&out, ';');
	}
	assert_string_equal(wk_buf_text(&out), pieces);
	assert_int_equal(wk_jitdump_bad(dump).count, bad_records);
	wk_buf_fini(&out);
	wk_jitdump_free(dump);
	wk_buf_fini(&m->out);
}

static void fill_with_a_load_and_its_move(struct jitdump_maker *m)
{
	jit_begin(m, 7, 100, 0);
	jit_lines(m, 110, 0x1000, 3);
	jit_line(m, 0x1000, 10, "a.src");
	jit_line(m, 0x1004, 11, "\xff");
	jit_line(m, 0x1008, 5, "b.src");
	jit_end(m);
	jit_load(m, 110, 0x1000, 16, 1, "first");
	jit_load(m, 120, 0x2000, 8, 2, "second");
	jit_move(m, 130, 0x1000, 0x3000, 16, 1);
	jit_record(m, 3, 140);
	jit_end(m);
	jit_load(m, 150, 0x4000, 8, 3, "behind the close");
}

static const char load_and_move[] =
	"110 1000+10 first 0=a.src:10 4=a.src:11 8=b.src:5;120 2000+8 second;"
	"130 3000+10 first moved 0=a.src:10 4=a.src:11 8=b.src:5;";

static void code_moves_with_its_name_and_lines_until_the_dump_is_closed(void **state)
{
	struct jitdump_maker m = { 0 };

	(void)state;
	fill_with_a_load_and_its_move(&m);
	expect_dump(&m, load_and_move, 0);
}

static void either_byte_order_is_read(void **state)
{
	struct jitdump_maker m = { .big_endian = true };

	(void)state;
	fill_with_a_load_and_its_move(&m);
	expect_dump(&m, load_and_move, 0);
}

static void moves_of_what_is_not_there_are_passed_over(void **state)
{
	struct jitdump_maker m = { 0 };

	(void)state;
	jit_begin(&m, 7, 100, 0);
	jit_load(&m, 110, 0x1000, 16, 0, "one");
	jit_load(&m, 110, 0x2000, 16, 0, "two"); /* a program that does not count */
	jit_move(&m, 120, 0x1000, 0x5000, 16, 0);
	jit_move(&m, 130, 0x9000, 0xa000, 16, 0);
	jit_move(&m, 140, 0x1000, 0xb000, 16, 0); /* it moved away already */
	expect_dump(&m, "110 1000+10 one;110 2000+10 two;120 5000+10 one moved;", 2);
}

static void sizes_that_lie_end_the_reading_or_their_record(void **state)
{
	struct jitdump_maker m = { 0 };

	(void)state;
	jit_begin(&m, 7, 100, 0);
	jit_load(&m, 110, 0x1000, 0, 1, "of no size");
	jit_load(&m, 110, UINT64_MAX - 1, 16, 1, "wraps");
	jit_lines(&m, 110, 0x2000, UINT64_MAX);
	jit_line(&m, 0x2000, 1, "a.src");
	jit_end(&m);
	jit_load(&m, 120, 0x2000, 16, 2, "good");
	jit_record(&m, 9, 120);
	jit_text(&m, "of a later version");
	jit_end(&m);
	jit_load(&m, 130, 0x3000, 16, 3, "good too");
	jit_load(&m, 140, 0x4000, 16, 4, "cut");
	m.out.len -= 8;
	expect_dump(&m, "120 2000+10 good;130 3000+10 good too;", 3);
}

static void add_unwind(struct jitdump_maker *m, const char *text)
{
	jit_record(m, 4, 1);
	jit_put(m, strlen(text) + 1, 8);
	jit_put(m, 1, 8);
	jit_put(m, 0, 8);
	jit_text(m, text);
	jit_end(m);
}

/* Also of one whose bytes come by and by, and are then read twice. */
static void the_first_bad_record_is_told_by_its_place(void **state)
{
	struct jitdump_maker m = { 0 };
	struct wk_err err = { 0 };
	struct wk_jitdump_bad bad;
	struct wk_jitdump *dump;
	struct wk_jit_code code;
	size_t at, used = 0;

	(void)state;
	jit_begin(&m, 7, 100, 0);
	jit_load(&m, 110, 0x1000, 16, 1, "good");
	add_unwind(&m, "of what comes");
	at = m.out.len;
	jit_lines(&m, 110, 0x2000, UINT64_MAX);
	jit_end(&m);
	jit_move(&m, 130, 0x9000, 0xa000, 16, 0);
	dump = wk_jitdump_open(m.out.at, at, &err);
	for (int times = 0; times < 3; times++) {
		while (wk_jitdump_next(dump, &code))
			;
		used += wk_jitdump_used(dump);
		wk_jitdump_go_on(dump, m.out.at + used, m.out.len - used);
	}
	bad = wk_jitdump_bad(dump);
	assert_int_equal(bad.count, 2);
	assert_int_equal(bad.offset, at);
	assert_string_equal(bad.what, "source lines");
	wk_jitdump_free(dump);
	wk_buf_fini(&m.out);
}

static void what_is_no_jitdump_is_refused_in_a_sentence(void **state)
{
	struct jitdump_maker m = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	jit_begin(&m, 7, 100, 0);
	m.out.at[4] = 2;
	assert_null(wk_jitdump_open(m.out.at, m.out.len, &err));
	assert_string_equal(err.text, "jitdump of version 2; version 1 is known");
	err = (struct wk_err){ 0 };
	assert_null(wk_jitdump_open("JiTD", 4, &err));
	assert_int_equal(err.code, WK_EFORMAT);
	wk_buf_fini(&m.out);
}

static void a_processor_counter_is_told_from_a_clock(void **state)
{
	struct jitdump_maker m = { 0 };
	struct wk_jitdump *dump;

	(void)state;
	jit_begin(&m, 7, 100, 1);
	dump = open_dump(&m);
	assert_true(wk_jitdump_has_own_times(dump));
	assert_int_equal(wk_jitdump_begin_ns(dump), 100);
	wk_jitdump_free(dump);
	wk_buf_fini(&m.out);
}

static void the_shift_of_v8s_lines_is_undone(void **state)
{
	struct jitdump_maker m = { 0 };

	(void)state;
	jit_begin(&m, 7, 100, 0);
	jit_lines(&m, 110, 0x1000, 2);
	jit_line(&m, 0x1044, 3, "f.js");
	jit_line(&m, 0x104c, 4, "f.js");
	jit_end(&m);
	jit_load(&m, 110, 0x1000, 16, 1, "JS:*f f.js:3:1");
	expect_dump(&m, "110 1000+10 JS:*f f.js:3:1 4=f.js:3 c=f.js:4;", 0);
}

/* Pieces as "START name UNWIND;", and nothing of what moved but its number. */
static void add_piece(struct wk_buf *out, const struct wk_jit_code *code)
{
	wk_buf_add_fmt(out, "%llx %.*s %.*s %u;", (unsigned long long)code->start,
		       WK_STR_ARG(code->name),
		       (int)wk_bytes_left(&code->unwind) - (int)code->unwind_head_bytes,
		       (const char *)code->unwind.at, (unsigned)code->number);
}

static void a_dump_that_grows_byte_by_byte_is_read_on(void **state)
{
	struct jitdump_maker m = { 0 };
	struct wk_jitdump *dump;
	struct wk_buf out = { 0 };
	struct wk_err err = { 0 };
	struct wk_jit_code code;
	size_t from = 0;

	(void)state;
	jit_begin(&m, 7, 100, 0);
	add_unwind(&m, "given up");
	add_unwind(&m, "of one");
	jit_lines(&m, 110, 0x1000, 1);
	jit_line(&m, 0x1000, 10, "a.src");
	jit_end(&m);
	jit_load(&m, 110, 0x1000, 16, 1, "one");
	jit_load(&m, 120, 0x2000, 16, 2, "two");
	jit_move(&m, 130, 0x1000, 0x3000, 16, 1);
	dump = wk_jitdump_open(m.out.at, 40, &err);
	for (size_t to = 41; to <= m.out.len; to++) {
		char *copy = wk_alloc(to);

		from += wk_jitdump_used(dump);
		memcpy(copy, m.out.at + from, to - from);
		wk_jitdump_go_on(dump, copy, to - from);
		while (wk_jitdump_next(dump, &code))
			add_piece(&out, &code);
		from += wk_jitdump_used(dump);
		wk_jitdump_go_on(dump, m.out.at + from, 0);
		wk_free(copy);
	}
	assert_string_equal(wk_buf_text(&out), "1000 one of one 1;2000 two  2;3000   1;");
	wk_jitdump_free(dump);
	wk_buf_fini(&out);
	wk_buf_fini(&m.out);
}

/* A CIE (rsp + 8), and an FDE of 16 bytes at `pc` whose stack is 64 bytes deep from the first
 * instruction on. */
static size_t make_frames(uint8_t *to, int32_t pc)
{
	static const uint8_t frames[] = {
		20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
		0x0c, 7, 8, 0x90, 1, 0, 0,
		20, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0,
		0x41, 0x0e, 64, 0, 0, 0, 0,
	};

	memcpy(to, frames, sizeof(frames));
	pc -= 32;
	memcpy(to + 32, &pc, sizeof(pc));
	return sizeof(frames);
}

static void expect_cfa(struct wk_unwind_table *table, uint64_t vaddr, int cfa)
{
	const struct wk_rules *rules = wk_unwind_table_rules(table, vaddr);

	assert_int_equal(rules ? rules->cfa_value : -1, cfa);
}

static void tables_of_code_made_at_run_time_hold_for_that_code_alone(void **state)
{
	struct wk_unwind_table *table = wk_unwind_table_new_jit();
	uint8_t frames[64];
	size_t len = make_frames(frames, -16);

	(void)state;
	wk_unwind_table_add_jit(table, wk_bytes_of(frames, len), 0x1010, 0x1000, 16);
	/* What reaches out of its piece is cut, and what lies outside of it left out. */
	wk_unwind_table_add_jit(table, wk_bytes_of(frames, len), 0x2010, 0x2000, 4);
	wk_unwind_table_add_jit(table, wk_bytes_of(frames, len), 0x3020, 0x3000, 16);
	wk_unwind_table_add_jit(table, wk_bytes_of(frames, 30), 0x4010, 0x4000, 16);
	expect_cfa(table, 0xfff, -1);
	expect_cfa(table, 0x1000, 8);
	expect_cfa(table, 0x1001, 64);
	expect_cfa(table, 0x100f, 64);
	expect_cfa(table, 0x1010, -1);
	expect_cfa(table, 0x2003, 64);
	expect_cfa(table, 0x2004, -1);
	expect_cfa(table, 0x3000, -1);
	expect_cfa(table, 0x3010, -1);
	expect_cfa(table, 0x4000, -1);
	wk_unwind_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_may_hold_blanks_and_numbers_may_begin_with_0x),
		cmocka_unit_test(lines_that_make_no_sense_are_counted_and_passed_over),
		cmocka_unit_test(a_last_line_without_an_end_is_not_used),
		cmocka_unit_test(nothing_behind_a_hole_is_read),
		cmocka_unit_test(code_moves_with_its_name_and_lines_until_the_dump_is_closed),
		cmocka_unit_test(either_byte_order_is_read),
		cmocka_unit_test(moves_of_what_is_not_there_are_passed_over),
		cmocka_unit_test(sizes_that_lie_end_the_reading_or_their_record),
		cmocka_unit_test(the_first_bad_record_is_told_by_its_place),
		cmocka_unit_test(what_is_no_jitdump_is_refused_in_a_sentence),
		cmocka_unit_test(a_processor_counter_is_told_from_a_clock),
		cmocka_unit_test(the_shift_of_v8s_lines_is_undone),
		cmocka_unit_test(a_dump_that_grows_byte_by_byte_is_read_on),
		cmocka_unit_test(tables_of_code_made_at_run_time_hold_for_that_code_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
