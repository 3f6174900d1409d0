/* The lines of `perf script --header` on BPF programs, from features made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/perf/internal.h"
#include "perf_maker.h"

#define INFO_BYTES 192

struct program {
	uint32_t id, functions, table;
	const char *name;
	bool lacks_arrays;
};

/* One program: its info, then the arrays that its fields say the places of. */
static void put_program(struct perf_maker *m, const struct program *p)
{
	uint32_t n = p->functions;
	size_t info = m->out.len + 16;

	put32(m, INFO_BYTES, n * (8 + 8 + 4 + 8));
	put64(m, p->lacks_arrays ? 0 : 1 << 3 | 1 << 4 | 1 << 5 | 1 << 8);
	for (size_t i = 0; i < INFO_BYTES; i++)
		put(m, 0, 1);
	for (uint32_t i = 0; i < n; i++)
		put64(m, 0xffffffffc0000000 + i);
	for (uint32_t i = 0; i < n; i++) {
		for (int j = 0; j < 8; j++)
			put(m, 0xa0 + i, 1);
	}
	for (uint32_t i = 0; i < n; i++)
		put(m, 20 + i, 4);
	for (uint32_t i = 0; i < n; i++)
		put32(m, 0, 3 + i);
	put_at(m, info + 4, p->id, 4);
	memcpy(m->out.at + info + 64, p->name, strlen(p->name));
	put_at(m, info + 104, n, 4);
	put_at(m, info + 108, n, 4);
	put_at(m, info + 120, 16 * n, 8);
	put_at(m, info + 128, p->table, 4);
	put_at(m, info + 132, 8, 4);
	put_at(m, info + 136, 20 * n, 8);
	put_at(m, info + 180, n, 4);
	put_at(m, info + 184, 8 * n, 8);
}

static void put_type(struct perf_maker *m, uint32_t name, uint32_t kind, uint32_t members)
{
	put32(m, name, kind << 24 | members);
	put(m, 0, 4);
}

/* A number, a struct of two, and the functions first and second as types 3 and 4. */
static void put_table(struct perf_maker *m, uint32_t id)
{
	static const char names[] = "\0first\0second";

	put32(m, id, 24 + 12 * 4 + 4 + 24 + sizeof(names));
	put(m, 0xeb9f, 2);
	put(m, 1, 2);
	put32(m, 24, 0);
	put32(m, 12 * 4 + 4 + 24, 12 * 4 + 4 + 24);
	put(m, sizeof(names), 4);
	put_type(m, 0, 1, 0);
	put(m, 0, 4);
	put_type(m, 0, 4, 2);
	for (int i = 0; i < 24; i++)
		put(m, 0, 1);
	put_type(m, 1, 12, 1);
	put_type(m, 7, 12, 0);
	wk_buf_add(&m->out, names, sizeof(names));
}

static struct wk_bytes bytes_of(const struct perf_maker *m)
{
	struct wk_bytes bytes = wk_bytes_of(m->out.at, m->out.len);

	bytes.big_endian = m->big_endian;
	return bytes;
}

/* The lines of both, which are freed. */
static void check(struct perf_maker *programs, struct perf_maker *tables, const char *expected)
{
	struct wk_buf out = { 0 };

	wk_perf_bpf_comments(bytes_of(programs), bytes_of(tables), &out);
	assert_string_equal(wk_buf_text(&out), expected);
	wk_buf_fini(&out);
	wk_buf_fini(&programs->out);
	wk_buf_fini(&tables->out);
}

static void a_program_of_one_function_has_a_line(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big }, none = { 0 };

		put(&m, 1, 4);
		put_program(&m, &(struct program){ 7, 1, 0, "filter", false });
		check(&m, &none,
		      "# bpf_prog_info 7: bpf_prog_a0a0a0a0a0a0a0a0_filter addr "
		      "0xffffffffc0000000 size 20\n");
	}
}

static void functions_have_the_names_of_their_types(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big }, tables = { .big_endian = big };

		put(&m, 1, 4);
		put_program(&m, &(struct program){ 7, 2, 5, "filter", false });
		put(&tables, 1, 4);
		put_table(&tables, 5);
		check(&m, &tables,
		      "# bpf_prog_info 7:\n"
		      "# \tsub_prog 0: bpf_prog_a0a0a0a0a0a0a0a0_first addr 0xffffffffc0000000 "
		      "size 20\n"
		      "# \tsub_prog 1: bpf_prog_a1a1a1a1a1a1a1a1_second addr 0xffffffffc0000001 "
		      "size 21\n"
		      "# btf info of id 5\n");
	}
}

static void several_functions_without_types_are_f(void **state)
{
	struct perf_maker m = { 0 }, none = { 0 };

	(void)state;
	put(&m, 1, 4);
	put_program(&m, &(struct program){ 7, 2, 5, "filter", false });
	check(&m, &none,
	      "# bpf_prog_info 7:\n"
	      "# \tsub_prog 0: bpf_prog_a0a0a0a0a0a0a0a0_F addr 0xffffffffc0000000 "
	      "size 20\n"
	      "# \tsub_prog 1: bpf_prog_a1a1a1a1a1a1a1a1_F addr 0xffffffffc0000001 "
	      "size 21\n");
}

static void programs_and_tables_come_by_their_number_and_once(void **state)
{
	struct perf_maker m = { 0 }, tables = { 0 };

	(void)state;
	put(&m, 3, 4);
	put_program(&m, &(struct program){ 9, 1, 0, "later", false });
	put_program(&m, &(struct program){ 7, 1, 0, "sooner", false });
	put_program(&m, &(struct program){ 7, 1, 0, "again", false });
	put(&tables, 3, 4);
	put_table(&tables, 3);
	put_table(&tables, 2);
	put_table(&tables, 3);
	check(&m, &tables,
	      "# bpf_prog_info 7: bpf_prog_a0a0a0a0a0a0a0a0_sooner addr 0xffffffffc0000000 "
	      "size 20\n"
	      "# bpf_prog_info 9: bpf_prog_a0a0a0a0a0a0a0a0_later addr 0xffffffffc0000000 "
	      "size 20\n"
	      "# btf info of id 2\n# btf info of id 3\n");
}

static void a_program_cut_short_ends_the_list(void **state)
{
	(void)state;
	for (size_t cut = 1; cut < 200; cut += 7) {
		struct perf_maker m = { 0 }, none = { 0 };

		put(&m, 2, 4);
		put_program(&m, &(struct program){ 7, 1, 0, "whole", false });
		put_program(&m, &(struct program){ 8, 1, 0, "cut", false });
		m.out.len -= cut;
		check(&m, &none,
		      "# bpf_prog_info 7: bpf_prog_a0a0a0a0a0a0a0a0_whole addr "
		      "0xffffffffc0000000 size 20\n");
	}
}

static void arrays_that_did_not_come_along_are_zero(void **state)
{
	struct perf_maker m = { 0 }, none = { 0 };

	(void)state;
	put(&m, 1, 4);
	put_program(&m, &(struct program){ 7, 1, 0, "x", true });
	check(&m, &none, "# bpf_prog_info 7: bpf_prog_0000000000000000_x addr 0x0 size 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_one_function_has_a_line),
		cmocka_unit_test(functions_have_the_names_of_their_types),
		cmocka_unit_test(several_functions_without_types_are_f),
		cmocka_unit_test(programs_and_tables_come_by_their_number_and_once),
		cmocka_unit_test(a_program_cut_short_ends_the_list),
		cmocka_unit_test(arrays_that_did_not_come_along_are_zero),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
