/* How units are told apart in .debug_info: heads of every form, and those that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dwarf_maker.h"

static void begin(struct maker *m, uint8_t version)
{
	maker_init(m, version);
	die_kind(m, 1, DW_TAG_compile_unit, true, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		 DW_FORM_data4, 0);
	die_kind(m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	put_uleb(m, S_ABBREV, 0);
}

/* A unit with one function, both at CODE_AT + `at`. */
static void put_entries(struct maker *m, uint64_t at, const char *name)
{
	put_uleb(m, S_INFO, 1);
	put_address(m, S_INFO, CODE_AT + at);
	put(m, S_INFO, 0x10, 4);
	put_uleb(m, S_INFO, 2);
	put_text(m, S_INFO, name);
	put_address(m, S_INFO, CODE_AT + at);
	put(m, S_INFO, 0x10, 4);
	put_uleb(m, S_INFO, 0);
}

static void put_unit(struct maker *m, uint64_t at, const char *name)
{
	unit_begin(m, DW_UT_compile, 0, 0);
	put_entries(m, at, name);
	unit_end(m);
}

/* Function names at the starts of the first four units. */
static void functions_are(struct maker *m, const char *expected)
{
	struct wk_buf names = { 0 };

	assert_true(maker_open(m));
	for (uint64_t at = 0; at < 0x400; at += 0x100)
		wk_buf_add_fmt(&names, "%s ", chain_at(m, CODE_AT + at));
	assert_string_equal(wk_buf_text(&names), expected);
	wk_buf_fini(&names);
	maker_fini(m);
}

static void every_version_and_offset_size_is_read(void **state)
{
	(void)state;
	for (uint8_t version = 2; version <= 5; version++)
		for (uint8_t size = 4; size <= 8; size += 4) {
			struct maker m;

			begin(&m, version);
			m.offset_size = size;
			put_unit(&m, 0, "a");
			put_unit(&m, 0x100, "b");
			functions_are(&m, "a b - - ");
		}
}

static void units_of_other_versions_are_passed_over(void **state)
{
	static const uint8_t versions[] = { 0, 1, 6, 255 };

	(void)state;
	for (size_t i = 0; i < sizeof(versions); i++) {
		struct maker m;

		begin(&m, 4);
		put_unit(&m, 0, "a");
		m.version = versions[i];
		put_unit(&m, 0x100, "b");
		m.version = 4;
		put_unit(&m, 0x200, "c");
		functions_are(&m, "a - c - ");
	}
}

static void only_units_with_code_are_used(void **state)
{
	static const uint8_t types[] = { DW_UT_type, DW_UT_split_type, 0, 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(types); i++) {
		struct maker m;

		begin(&m, 5);
		unit_begin(&m, types[i], 0, 0);
		put_entries(&m, 0, "a");
		unit_end(&m);
		put_unit(&m, 0x100, "b");
		functions_are(&m, "- b - - ");
	}
}

static void addresses_of_unknown_size_are_passed_over(void **state)
{
	static const uint8_t sizes[] = { 0, 1, 3, 7, 9, 16 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes); i++) {
		struct maker m;
		size_t at;

		begin(&m, 4);
		at = unit_begin(&m, DW_UT_compile, 0, 0);
		put_entries(&m, 0, "a");
		unit_end(&m);
		overwrite(&m, S_INFO, at + 10, sizes[i], 1);
		put_unit(&m, 0x100, "b");
		functions_are(&m, "- b - - ");
	}
}

/* Linkers fill up with zeros, which read as units of no bytes. */
static void padding_between_units_is_passed_over(void **state)
{
	struct maker m;

	(void)state;
	begin(&m, 4);
	put(&m, S_INFO, 0, 4);
	put_unit(&m, 0, "a");
	put(&m, S_INFO, 0, 8);
	put(&m, S_INFO, 0, 4);
	put_unit(&m, 0x100, "b");
	put(&m, S_INFO, 0, 3); /* less than a length */
	functions_are(&m, "a b - - ");
}

static void a_unit_that_claims_to_be_longer_ends_with_the_section(void **state)
{
	static const uint64_t lengths[] = { 0xfffffff0, 0x1000 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct maker m;

		begin(&m, 4);
		put_unit(&m, 0, "a");
		put_unit(&m, 0x100, "b");
		overwrite(&m, S_INFO, m.unit_at, lengths[i], 4);
		functions_are(&m, "a b - - ");
	}
}

static void a_unit_shorter_than_its_head_is_passed_over(void **state)
{
	(void)state;
	for (uint64_t len = 1; len < 7; len++) {
		struct maker m;

		begin(&m, 4);
		put(&m, S_INFO, len, 4);
		put(&m, S_INFO, 4, 2);
		if (len > 2)
			put(&m, S_INFO, 0, (unsigned)len - 2);
		else
			m.sections[S_INFO].len -= 2 - len;
		put_unit(&m, 0x100, "b");
		functions_are(&m, "- b - - ");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_and_offset_size_is_read),
		cmocka_unit_test(units_of_other_versions_are_passed_over),
		cmocka_unit_test(only_units_with_code_are_used),
		cmocka_unit_test(addresses_of_unknown_size_are_passed_over),
		cmocka_unit_test(padding_between_units_is_passed_over),
		cmocka_unit_test(a_unit_that_claims_to_be_longer_ends_with_the_section),
		cmocka_unit_test(a_unit_shorter_than_its_head_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
