/* Lists of ranges that many share: work and memory stay in proportion to the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "counted_memory.h"
#include "dwarf_maker.h"

#define LIST_ENTRIES 4000 /* of a list that is shared: 20 KB of 5 bytes each */
#define OWN_ENTRIES  20

/* Entries of two bytes each from `start` on, a byte between them. */
static uint64_t put_list(struct maker *m, uint64_t start, unsigned entries)
{
	uint64_t at = m->sections[S_RNGLISTS].len;

	put(m, S_RNGLISTS, DW_RLE_base_address, 1);
	put_address(m, S_RNGLISTS, start);
	for (unsigned i = 0; i < entries; i++) {
		put(m, S_RNGLISTS, DW_RLE_offset_pair, 1);
		put_uleb(m, S_RNGLISTS, 3 * i);
		put_uleb(m, S_RNGLISTS, 3 * i + 2);
	}
	put(m, S_RNGLISTS, DW_RLE_end_of_list, 1);
	return at;
}

static void put_kinds(struct maker *m)
{
	die_kind(m, 1, DW_TAG_compile_unit, true, DW_AT_ranges, DW_FORM_sec_offset, 0);
	die_kind(m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_ranges,
		 DW_FORM_sec_offset, 0);
	put_uleb(m, S_ABBREV, 0);
}

static void put_unit(struct maker *m, uint64_t list, unsigned functions)
{
	unit_begin(m, DW_UT_compile, 0, 0);
	put_uleb(m, S_INFO, 1);
	put_offset(m, S_INFO, list);
	while (functions-- > 0) {
		put_uleb(m, S_INFO, 2);
		put_text(m, S_INFO, "f");
		put_offset(m, S_INFO, list);
	}
	put_uleb(m, S_INFO, 0);
	unit_end(m);
}

struct call {
	unsigned units, functions;
	bool is_cut;
};

static void read_first_unit(void *context)
{
	struct call *call = context;
	struct maker m;
	uint64_t list;

	maker_init(&m, 5);
	put_kinds(&m);
	list = put_list(&m, CODE_AT, LIST_ENTRIES);
	for (unsigned i = 0; i < call->units; i++)
		put_unit(&m, list, call->functions);
	assert_true(maker_open(&m));
	assert_true(wk_dwarf_load(m.dwarf, 0, m.index, NULL));
	call->is_cut = wk_dwarf_missing(m.dwarf).len > 0;
	maker_fini(&m);
}

/* Opens the file and loads its first unit; `is_cut` is whether lists were cut. */
static size_t read_bytes(unsigned units, unsigned functions, bool *is_cut)
{
	struct call call = { .units = units, .functions = functions };
	size_t bytes = most_bytes_of(read_first_unit, &call);

	*is_cut = call.is_cut;
	return bytes;
}

static void a_list_that_a_few_units_share_is_read_for_each(void **state)
{
	bool is_cut;

	(void)state;
	assert_true(read_bytes(4, 1, &is_cut) > 4 * LIST_ENTRIES * sizeof(struct wk_code_range));
	assert_false(is_cut);
}

static void units_that_share_one_long_list_take_no_more_than_some(void **state)
{
	bool is_cut;
	size_t some = read_bytes(100, 0, &is_cut), many;

	(void)state;
	assert_true(is_cut);
	many = read_bytes(2000, 0, &is_cut);
	assert_true(is_cut);
	assert_true(many < 2 * some);
}

static void functions_that_share_one_long_list_take_no_more_than_some(void **state)
{
	bool is_cut;
	size_t some = read_bytes(1, 100, &is_cut), many;

	(void)state;
	assert_true(is_cut);
	many = read_bytes(1, 2000, &is_cut);
	assert_true(is_cut);
	assert_true(many < 2 * some);
}

static void lists_that_nobody_shares_are_all_read(void **state)
{
	struct maker m;
	unsigned units = CODE_BYTES / (3 * OWN_ENTRIES);

	(void)state;
	maker_init(&m, 5);
	put_kinds(&m);
	for (unsigned i = 0; i < units; i++)
		put_unit(&m, put_list(&m, CODE_AT + 3 * OWN_ENTRIES * i, OWN_ENTRIES), 1);
	assert_true(maker_open(&m));
	for (unsigned i = 0; i < units * OWN_ENTRIES; i++) {
		assert_string_equal(chain_at(&m, CODE_AT + 3 * i + 1), "f");
		assert_string_equal(chain_at(&m, CODE_AT + 3 * i + 2), "-");
	}
	assert_int_equal(wk_dwarf_missing(m.dwarf).len, 0);
	maker_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_that_a_few_units_share_is_read_for_each),
		cmocka_unit_test(units_that_share_one_long_list_take_no_more_than_some),
		cmocka_unit_test(functions_that_share_one_long_list_take_no_more_than_some),
		cmocka_unit_test(lists_that_nobody_shares_are_all_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
