/* Functions and inlined calls from debug information made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "dwarf_maker.h"

/* Abbreviations that most tests use. */
enum {
	UNIT = 1,
	FUNCTION,
	ABSTRACT,
	INLINED,
	BLOCK,
	CONCRETE,
	NAMESPACE,
	DECLARED,
	DEFINED,
	STRUCT
};

static void put_kinds(struct maker *m)
{
	unsigned high = m->version >= 4 ? DW_FORM_data4 : DW_FORM_addr;

	die_kind(m, UNIT, DW_TAG_compile_unit, true, DW_AT_name, DW_FORM_string, DW_AT_language,
		 DW_FORM_data1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, high, 0);
	die_kind(m, FUNCTION, DW_TAG_subprogram, true, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, high, 0);
	die_kind(m, ABSTRACT, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_strp, 0);
	die_kind(m, INLINED, DW_TAG_inlined_subroutine, true, DW_AT_abstract_origin, DW_FORM_ref4,
		 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, high, DW_AT_call_line, DW_FORM_udata,
		 0);
	die_kind(m, BLOCK, 0x0b, true, 0);
	die_kind(m, CONCRETE, DW_TAG_subprogram, true, DW_AT_abstract_origin, DW_FORM_ref4,
		 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, high, 0);
	die_kind(m, NAMESPACE, DW_TAG_namespace, true, DW_AT_name, DW_FORM_string, 0);
	die_kind(m, DECLARED, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, 0);
	die_kind(m, DEFINED, DW_TAG_subprogram, false, DW_AT_specification, DW_FORM_ref4,
		 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, high, 0);
	die_kind(m, STRUCT, DW_TAG_structure_type, true, DW_AT_name, DW_FORM_string, DW_AT_sibling,
		 DW_FORM_ref4, 0);
	put_uleb(m, S_ABBREV, 0);
}

static void put_code(struct maker *m, uint64_t low, uint64_t bytes)
{
	put_address(m, S_INFO, low);
	if (m->version >= 4)
		put(m, S_INFO, bytes, 4);
	else
		put_address(m, S_INFO, low + bytes);
}

static void begin_unit(struct maker *m, unsigned language, uint64_t low, uint64_t bytes)
{
	unit_begin(m, DW_UT_compile, 0, 0);
	put_uleb(m, S_INFO, UNIT);
	put_text(m, S_INFO, "a.c");
	put(m, S_INFO, language, 1);
	put_code(m, low, bytes);
}

static uint64_t put_abstract(struct maker *m, const char *name)
{
	uint64_t at = here(m);

	put_uleb(m, S_INFO, ABSTRACT);
	put_offset(m, S_INFO, str(m, name));
	return at;
}

static void put_function(struct maker *m, const char *name, uint64_t low, uint64_t bytes)
{
	put_uleb(m, S_INFO, FUNCTION);
	put_text(m, S_INFO, name);
	put_code(m, low, bytes);
}

static void put_call(struct maker *m, uint64_t origin, uint64_t low, uint64_t bytes, unsigned line)
{
	put_uleb(m, S_INFO, INLINED);
	put(m, S_INFO, origin, 4);
	put_code(m, low, bytes);
	put_uleb(m, S_INFO, line);
}

static void end_children(struct maker *m)
{
	put_uleb(m, S_INFO, 0);
}

/* top calls mid, which calls leaf inside a block; then leaf once more, directly. */
static void put_calls(struct maker *m)
{
	uint64_t leaf, mid;

	begin_unit(m, 0x0c, CODE_AT, 0x100);
	leaf = put_abstract(m, "leaf");
	mid = put_abstract(m, "mid");
	put_function(m, "top", CODE_AT, 0x40);
	put_call(m, mid, CODE_AT + 0x10, 0x10, 7);
	put_uleb(m, S_INFO, BLOCK);
	put_call(m, leaf, CODE_AT + 0x14, 4, 300);
	end_children(m); /* leaf */
	end_children(m); /* block */
	end_children(m); /* mid */
	put_call(m, leaf, CODE_AT + 0x30, 4, 9);
	end_children(m); /* leaf */
	end_children(m); /* top */
	put_function(m, "other", CODE_AT + 0x40, 0x10);
	end_children(m);
	end_children(m); /* unit */
	unit_end(m);
}

static void check_calls(struct maker *m)
{
	assert_string_equal(chain_at(m, CODE_AT), "top");
	assert_string_equal(chain_at(m, CODE_AT + 0x10), "mid top:7");
	assert_string_equal(chain_at(m, CODE_AT + 0x13), "mid top:7");
	assert_string_equal(chain_at(m, CODE_AT + 0x14), "leaf mid:300 top:7");
	assert_string_equal(chain_at(m, CODE_AT + 0x17), "leaf mid:300 top:7");
	assert_string_equal(chain_at(m, CODE_AT + 0x18), "mid top:7");
	assert_string_equal(chain_at(m, CODE_AT + 0x20), "top");
	assert_string_equal(chain_at(m, CODE_AT + 0x33), "leaf top:9");
	assert_string_equal(chain_at(m, CODE_AT + 0x34), "top");
	assert_string_equal(chain_at(m, CODE_AT + 0x4f), "other");
	assert_string_equal(chain_at(m, CODE_AT + 0x50), "-");
	assert_string_equal(chain_at(m, CODE_AT + 0x100), "-");
	assert_string_equal(chain_at(m, CODE_AT - 1), "-");
}

static void calls_are_told_in_every_version_size_and_byte_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * 8; i++) {
		struct maker m;

		maker_init(&m, (uint8_t)(2 + i / 8));
		m.spec.big_endian = i & 1;
		m.address_size = i & 2 ? 4 : 8;
		m.offset_size = i & 4 ? 8 : 4;
		put_kinds(&m);
		put_calls(&m);
		assert_true(maker_open(&m));
		check_calls(&m);
		maker_fini(&m);
	}
}

static void a_unit_is_found_among_others(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	for (uint64_t i = 0; i < 3; i++) {
		begin_unit(&m, 0x0c, CODE_AT + 0x100 * i, 0x80);
		put_function(&m, i == 1 ? "second" : "else", CODE_AT + 0x100 * i, 0x80);
		end_children(&m);
		end_children(&m);
		unit_end(&m);
	}
	assert_true(maker_open(&m));
	assert_int_equal(m.dwarf->main->unit_count, 3);
	assert_int_equal(wk_code_index_unit_at(m.index, CODE_AT + 0x100), 1);
	assert_string_equal(chain_at(&m, CODE_AT + 0x17f), "second");
	assert_false(wk_code_index_has(m.index, 0));
	assert_string_equal(chain_at(&m, CODE_AT + 0x180), "-");
	maker_fini(&m);
}

static void what_a_linker_threw_away_is_no_code(void **state)
{
	static const uint64_t dead[] = { 0, 1, CODE_AT - 0x80, UINT64_MAX - 1, UINT64_MAX - 0x40,
					 CODE_AT + CODE_BYTES };
	struct maker m;

	(void)state;
	for (size_t i = 0; i < sizeof(dead) / sizeof(*dead); i++) {
		maker_init(&m, 4);
		put_kinds(&m);
		begin_unit(&m, 0x0c, CODE_AT, 0x100);
		/* Long enough to reach over the code, were it believed. */
		put_function(&m, "gone", dead[i], 0x10800);
		put_call(&m, here(&m), dead[i], 0x10800, 3);
		end_children(&m);
		end_children(&m);
		put_function(&m, "kept", CODE_AT + 0x10, 0x10);
		end_children(&m);
		end_children(&m);
		unit_end(&m);
		assert_true(maker_open(&m));
		assert_string_equal(chain_at(&m, CODE_AT + 0x10), "kept");
		assert_string_equal(chain_at(&m, CODE_AT), "-");
		assert_string_equal(chain_at(&m, CODE_AT + 0x20), "-");
		maker_fini(&m);
	}
}

static void of_functions_at_the_same_address_the_last_counts(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	begin_unit(&m, 0x0c, CODE_AT, 0x100);
	put_function(&m, "first", CODE_AT, 0x40);
	end_children(&m);
	put_function(&m, "last", CODE_AT + 0x10, 0x10);
	end_children(&m);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT + 0xf), "first");
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "last");
	assert_string_equal(chain_at(&m, CODE_AT + 0x20), "first");
	maker_fini(&m);
}

static void origins_in_a_circle_end(void **state)
{
	struct maker m;
	uint64_t at;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	begin_unit(&m, 0x0c, CODE_AT, 0x100);
	at = here(&m);
	put_uleb(&m, S_INFO, CONCRETE);
	put(&m, S_INFO, at, 4);
	put_code(&m, CODE_AT, 0x10);
	end_children(&m);
	put_function(&m, "next", CODE_AT + 0x10, 0x10);
	end_children(&m);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "");
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "next");
	maker_fini(&m);
}

/* A method that is declared in its struct and defined outside, without linkage names. */
static void put_method(struct maker *m, unsigned language)
{
	uint64_t declared, sibling;
	size_t hole;

	begin_unit(m, language, CODE_AT, 0x100);
	put_uleb(m, S_INFO, NAMESPACE);
	put_text(m, S_INFO, "");
	put_uleb(m, S_INFO, NAMESPACE);
	put_text(m, S_INFO, "ns");
	put_uleb(m, S_INFO, STRUCT);
	put_text(m, S_INFO, "Shape");
	hole = m->sections[S_INFO].len;
	put(m, S_INFO, 0, 4);
	declared = here(m);
	put_uleb(m, S_INFO, DECLARED);
	put_text(m, S_INFO, "area");
	end_children(m);
	sibling = here(m);
	overwrite(m, S_INFO, hole, sibling, 4);
	end_children(m); /* ns */
	put_function(m, "helper", CODE_AT + 0x10, 0x10);
	end_children(m);
	end_children(m); /* the namespace without a name */
	put_uleb(m, S_INFO, DEFINED);
	put(m, S_INFO, declared, 4);
	put_code(m, CODE_AT, 0x10);
	end_children(m);
	unit_end(m);
}

static void names_without_linkage_have_their_scopes_in_cxx(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	put_method(&m, DW_LANG_C_plus_plus);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "ns::Shape::area");
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "helper");
	maker_fini(&m);
}

static void names_have_no_scopes_in_c(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	put_method(&m, 0x0c);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "area");
	maker_fini(&m);
}

static void a_reference_to_no_entry_leaves_a_name_its_scopes(void **state)
{
	struct maker m;
	uint64_t end;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	m.sections[S_ABBREV].len--;
	die_kind(&m, STRUCT + 1, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string,
		 DW_AT_specification, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		 DW_FORM_data4, 0);
	put_uleb(&m, S_ABBREV, 0);
	begin_unit(&m, DW_LANG_C_plus_plus, CODE_AT, 0x100);
	put_uleb(&m, S_INFO, NAMESPACE);
	put_text(&m, S_INFO, "other");
	end = here(&m);
	end_children(&m);
	put_uleb(&m, S_INFO, NAMESPACE);
	put_text(&m, S_INFO, "ns");
	put_uleb(&m, S_INFO, STRUCT + 1);
	put_text(&m, S_INFO, "f");
	put(&m, S_INFO, end, 4);
	put_code(&m, CODE_AT, 0x10);
	end_children(&m);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "ns::f");
	maker_fini(&m);
}

static void a_namespace_without_a_name_is_called_anonymous(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	die_kind(&m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	die_kind(&m, 2, DW_TAG_namespace, true, 0);
	die_kind(&m, 3, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	put_uleb(&m, S_ABBREV, 0);
	unit_begin(&m, DW_UT_compile, 0, 0);
	put_uleb(&m, S_INFO, 1);
	put(&m, S_INFO, DW_LANG_C_plus_plus_14, 1);
	put_code(&m, CODE_AT, 0x10);
	put_uleb(&m, S_INFO, 2);
	put_uleb(&m, S_INFO, 3);
	put_text(&m, S_INFO, "f");
	put_code(&m, CODE_AT, 0x10);
	end_children(&m);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "(anonymous namespace)::f");
	maker_fini(&m);
}

static void a_struct_without_a_name_that_can_be_called_is_a_lambda(void **state)
{
	static const struct {
		const char *name, *expected;
		uint8_t line; /* 0: unknown */
	} cases[] = {
		{ "operator()", "f::{lambda:31}::operator() f:5", 31 },
		{ "operator()", "f::{lambda}::operator() f:5", 0 },
		{ "size", "f::(anonymous struct)::size f:5", 31 },
		{ "operator()<std::vector<A> >", "f::{lambda:9}::operator()<std::vector<A> > f:5",
		  9 },
	};
	struct maker m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t declared;

		maker_init(&m, 4);
		put_kinds(&m);
		m.sections[S_ABBREV].len--;
		die_kind(&m, 20, DW_TAG_structure_type, true, DW_AT_decl_line, DW_FORM_data1, 0);
		put_uleb(&m, S_ABBREV, 0);
		begin_unit(&m, DW_LANG_C_plus_plus_14, CODE_AT, 0x100);
		put_function(&m, "f", CODE_AT, 0x40);
		put_uleb(&m, S_INFO, 20);
		put(&m, S_INFO, cases[i].line, 1);
		declared = here(&m);
		put_uleb(&m, S_INFO, DECLARED);
		put_text(&m, S_INFO, cases[i].name);
		end_children(&m); /* struct */
		put_call(&m, declared, CODE_AT + 0x10, 0x10, 5);
		end_children(&m); /* call */
		end_children(&m); /* f */
		end_children(&m); /* unit */
		unit_end(&m);
		assert_true(maker_open(&m));
		assert_string_equal(chain_at(&m, CODE_AT + 0x10), cases[i].expected);
		maker_fini(&m);
	}
}

static uint64_t copy_at(struct maker *m, uint64_t address)
{
	struct wk_place places[4];

	chain_at(m, address);
	assert_true(wk_code_index_places(m->index, address, places, 4) > 0);
	return places[0].copy_at;
}

/* Two functions of one name, of which one has code of its own, in a language with other names for
 * linking, or without. */
static void check_copies(unsigned language, uint64_t expected)
{
	uint64_t inlined, only_inlined;
	struct maker m;

	maker_init(&m, 4);
	put_kinds(&m);
	begin_unit(&m, language, CODE_AT, 0x100);
	inlined = put_abstract(&m, "part");
	only_inlined = put_abstract(&m, "part");
	put_function(&m, "main", CODE_AT, 0x40);
	put_call(&m, inlined, CODE_AT + 0x10, 0x10, 5);
	end_children(&m); /* call */
	put_call(&m, only_inlined, CODE_AT + 0x20, 0x10, 6);
	end_children(&m); /* call */
	end_children(&m); /* main */
	put_uleb(&m, S_INFO, CONCRETE);
	put(&m, S_INFO, inlined, 4);
	put_code(&m, CODE_AT + 0x80, 0x10);
	end_children(&m); /* part */
	end_children(&m); /* unit */
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "part main:5");
	assert_int_equal(copy_at(&m, CODE_AT + 0x10), expected);
	assert_string_equal(chain_at(&m, CODE_AT + 0x20), "part main:6");
	assert_int_equal(copy_at(&m, CODE_AT + 0x20), 0);
	assert_int_equal(copy_at(&m, CODE_AT + 0x80), 0);
	maker_fini(&m);
}

static void an_inlined_call_tells_where_the_same_function_lies_by_itself(void **state)
{
	(void)state;
	check_copies(DW_LANG_C_plus_plus_14, CODE_AT + 0x80);
	check_copies(0x0c, 0);
}

#define SCOPE_VALUES 250

/* A scope that is slow to read and has no name. */
static void put_slow_kind(struct maker *m, unsigned code)
{
	put_uleb(m, S_ABBREV, code);
	put_uleb(m, S_ABBREV, DW_TAG_subprogram);
	put(m, S_ABBREV, 1, 1);
	for (unsigned i = 0; i < SCOPE_VALUES; i++) {
		put_uleb(m, S_ABBREV, 0x2200 + i);
		put_uleb(m, S_ABBREV, DW_FORM_udata);
	}
	put(m, S_ABBREV, 0, 2);
}

/* Seconds that 20,000 functions in as many scopes take. */
static double seconds_in_scopes(unsigned scopes)
{
	struct maker m;
	clock_t began;
	double seconds;

	maker_init(&m, 4);
	put_kinds(&m);
	m.sections[S_ABBREV].len--;
	put_slow_kind(&m, 20);
	put_uleb(&m, S_ABBREV, 0);
	begin_unit(&m, DW_LANG_C_plus_plus_14, CODE_AT, 0x100);
	for (unsigned i = 0; i < scopes; i++) {
		put_uleb(&m, S_INFO, 20);
		for (unsigned j = 0; j < SCOPE_VALUES; j++)
			put_uleb(&m, S_INFO, j);
	}
	for (unsigned i = 0; i < 20000; i++) {
		put_function(&m, "f", CODE_AT, 0x10);
		end_children(&m);
	}
	for (unsigned i = 0; i < scopes; i++)
		end_children(&m);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	began = clock();
	assert_string_equal(chain_at(&m, CODE_AT), "f");
	seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
	maker_fini(&m);
	return seconds;
}

/* Reading the scopes again for each takes 30 times as long as reading one. */
static void scopes_that_many_functions_share_are_read_once(void **state)
{
	double one = seconds_in_scopes(1), many = seconds_in_scopes(32);

	(void)state;
	if (many > 8 * one + 0.02)
		fail_msg("in one scope %.3f s, in 32 %.3f s", one, many);
}

static void a_linkage_name_goes_before_a_written_one(void **state)
{
	static const unsigned attributes[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	struct maker m;

	(void)state;
	for (int i = 0; i < 2; i++) {
		maker_init(&m, 4);
		die_kind(&m, 1, DW_TAG_compile_unit, true, DW_AT_low_pc, DW_FORM_addr,
			 DW_AT_high_pc, DW_FORM_data4, 0);
		die_kind(&m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, attributes[i],
			 DW_FORM_strp, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
		put_uleb(&m, S_ABBREV, 0);
		unit_begin(&m, DW_UT_compile, 0, 0);
		put_uleb(&m, S_INFO, 1);
		put_code(&m, CODE_AT, 0x10);
		put_uleb(&m, S_INFO, 2);
		put_text(&m, S_INFO, "f");
		put_offset(&m, S_INFO, str(&m, "_Z1fi"));
		put_code(&m, CODE_AT, 0x10);
		end_children(&m);
		unit_end(&m);
		assert_true(maker_open(&m));
		assert_string_equal(chain_at(&m, CODE_AT), "_Z1fi");
		maker_fini(&m);
	}
}

/* Pairs before DWARF 5, with a base that changes and one that is dead. */
static void old_ranges_are_read_with_their_bases(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 3);
	die_kind(&m, 1, DW_TAG_compile_unit, true, DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges,
		 DW_FORM_data4, 0);
	die_kind(&m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_ranges,
		 DW_FORM_data4, 0);
	put_uleb(&m, S_ABBREV, 0);
	put_address(&m, S_RANGES, 0x10);
	put_address(&m, S_RANGES, 0x20);
	put_address(&m, S_RANGES, UINT64_MAX);
	put_address(&m, S_RANGES, CODE_AT + 0x1000);
	put_address(&m, S_RANGES, 0);
	put_address(&m, S_RANGES, 8);
	put_address(&m, S_RANGES, UINT64_MAX);
	put_address(&m, S_RANGES, UINT64_MAX - 1);
	put_address(&m, S_RANGES, CODE_AT + 0x42);
	put_address(&m, S_RANGES, CODE_AT + 0x52);
	put_address(&m, S_RANGES, 0);
	put_address(&m, S_RANGES, 0);
	unit_begin(&m, DW_UT_compile, 0, 0);
	put_uleb(&m, S_INFO, 1);
	put_address(&m, S_INFO, CODE_AT);
	put(&m, S_INFO, 0, 4);
	put_uleb(&m, S_INFO, 2);
	put_text(&m, S_INFO, "parts");
	put(&m, S_INFO, 0, 4);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT + 0x0f), "-");
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "parts");
	assert_string_equal(chain_at(&m, CODE_AT + 0x20), "-");
	assert_string_equal(chain_at(&m, CODE_AT + 0x40), "-");
	assert_string_equal(chain_at(&m, CODE_AT + 0x1000), "parts");
	assert_string_equal(chain_at(&m, CODE_AT + 0x1008), "-");
	maker_fini(&m);
}

/* Every kind of entry, each for eight bytes of its own. */
static void put_every_range(struct maker *m)
{
	put(m, S_RNGLISTS, DW_RLE_offset_pair, 1);
	put_uleb(m, S_RNGLISTS, 0);
	put_uleb(m, S_RNGLISTS, 8);
	put(m, S_RNGLISTS, DW_RLE_base_addressx, 1);
	put_uleb(m, S_RNGLISTS, 0);
	put(m, S_RNGLISTS, DW_RLE_offset_pair, 1);
	put_uleb(m, S_RNGLISTS, 0);
	put_uleb(m, S_RNGLISTS, 8);
	put(m, S_RNGLISTS, DW_RLE_startx_endx, 1);
	put_uleb(m, S_RNGLISTS, 1);
	put_uleb(m, S_RNGLISTS, 2);
	put(m, S_RNGLISTS, DW_RLE_startx_length, 1);
	put_uleb(m, S_RNGLISTS, 3);
	put_uleb(m, S_RNGLISTS, 8);
	put(m, S_RNGLISTS, DW_RLE_base_address, 1);
	put_address(m, S_RNGLISTS, CODE_AT + 0x400);
	put(m, S_RNGLISTS, DW_RLE_offset_pair, 1);
	put_uleb(m, S_RNGLISTS, 0x80);
	put_uleb(m, S_RNGLISTS, 0x88);
	put(m, S_RNGLISTS, DW_RLE_start_end, 1);
	put_address(m, S_RNGLISTS, CODE_AT + 0x500);
	put_address(m, S_RNGLISTS, CODE_AT + 0x508);
	put(m, S_RNGLISTS, DW_RLE_start_length, 1);
	put_address(m, S_RNGLISTS, CODE_AT + 0x600);
	put_uleb(m, S_RNGLISTS, 8);
	put(m, S_RNGLISTS, DW_RLE_end_of_list, 1);
}

static void check_every_range(struct maker *m)
{
	static const uint64_t starts[] = { 0, 0x100, 0x200, 0x300, 0x480, 0x500, 0x600 };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		assert_string_equal(chain_at(m, CODE_AT + starts[i]), "parts");
		assert_string_equal(chain_at(m, CODE_AT + starts[i] + 7), "parts");
		assert_string_equal(chain_at(m, CODE_AT + starts[i] + 8), "-");
	}
}

static void new_ranges_of_every_kind_are_read(void **state)
{
	struct maker m;

	(void)state;
	for (unsigned is_64 = 0; is_64 < 2; is_64++) {
		maker_init(&m, 5);
		m.offset_size = is_64 ? 8 : 4;
		die_kind(&m, 1, DW_TAG_compile_unit, true, DW_AT_ranges, DW_FORM_rnglistx,
			 DW_AT_low_pc, DW_FORM_addr, DW_AT_rnglists_base, DW_FORM_sec_offset,
			 DW_AT_addr_base, DW_FORM_sec_offset, 0);
		die_kind(&m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_ranges,
			 DW_FORM_rnglistx, 0);
		put_uleb(&m, S_ABBREV, 0);
		put(&m, S_ADDR, 0, 8);
		put_address(&m, S_ADDR, CODE_AT + 0x100);
		put_address(&m, S_ADDR, CODE_AT + 0x200);
		put_address(&m, S_ADDR, CODE_AT + 0x208);
		put_address(&m, S_ADDR, CODE_AT + 0x300);
		put(&m, S_RNGLISTS, 0, 12);
		put_offset(&m, S_RNGLISTS, 0xffff);
		put_offset(&m, S_RNGLISTS, 2 * m.offset_size);
		put_every_range(&m);
		unit_begin(&m, DW_UT_compile, 0, 0);
		put_uleb(&m, S_INFO, 1);
		put_uleb(&m, S_INFO, 1);
		put_address(&m, S_INFO, CODE_AT);
		put_offset(&m, S_INFO, 12);
		put_offset(&m, S_INFO, 8);
		put_uleb(&m, S_INFO, 2);
		put_text(&m, S_INFO, "parts");
		put_uleb(&m, S_INFO, 1);
		end_children(&m);
		unit_end(&m);
		assert_true(maker_open(&m));
		check_every_range(&m);
		maker_fini(&m);
	}
}

static void names_come_through_other_units_and_the_shared_file(void **state)
{
	struct maker m, shared;
	uint64_t at;

	(void)state;
	maker_init(&shared, 4);
	put_kinds(&shared);
	begin_unit(&shared, 0x0c, 0, 0);
	at = put_abstract(&shared, "shared");
	end_children(&shared);
	unit_end(&shared);

	maker_init(&m, 4);
	die_kind(&m, 1, DW_TAG_compile_unit, true, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		 DW_FORM_data4, 0);
	die_kind(&m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_GNU_strp_alt, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	die_kind(&m, 3, DW_TAG_subprogram, false, DW_AT_abstract_origin, DW_FORM_GNU_ref_alt,
		 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	die_kind(&m, 4, DW_TAG_subprogram, false, DW_AT_abstract_origin, DW_FORM_ref_addr,
		 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	die_kind(&m, 5, DW_TAG_partial_unit, true, 0);
	die_kind(&m, 6, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, 0);
	put_uleb(&m, S_ABBREV, 0);
	unit_begin(&m, DW_UT_compile, 0, 0);
	put_uleb(&m, S_INFO, 1);
	put_code(&m, CODE_AT, 0x30);
	put_uleb(&m, S_INFO, 2);
	put_offset(&m, S_INFO, 1); /* the first text behind the empty one */
	put_code(&m, CODE_AT, 0x10);
	put_uleb(&m, S_INFO, 3);
	put_offset(&m, S_INFO, at);
	put_code(&m, CODE_AT + 0x10, 0x10);
	put_uleb(&m, S_INFO, 4);
	put_offset(&m, S_INFO, m.sections[S_INFO].len + 4 + 12 + 1 + 11 + 1);
	put_code(&m, CODE_AT + 0x20, 0x10);
	end_children(&m);
	unit_end(&m);
	unit_begin(&m, DW_UT_partial, 0, 0);
	put_uleb(&m, S_INFO, 5);
	put_uleb(&m, S_INFO, 6);
	put_text(&m, S_INFO, "partial");
	end_children(&m);
	unit_end(&m);

	m.input.alternate = maker_file(&shared);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "shared");
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "shared");
	assert_string_equal(chain_at(&m, CODE_AT + 0x20), "partial");
	assert_int_equal(wk_dwarf_missing(m.dwarf).len, 0);

	/* And without it. */
	wk_dwarf_free(m.dwarf);
	wk_code_index_free(m.index);
	m.input.alternate = NULL;
	m.index = wk_code_index_new();
	m.dwarf = wk_dwarf_new(&m.input, &m.err);
	wk_dwarf_fill(m.dwarf, m.index);
	assert_string_equal(chain_at(&m, CODE_AT), "");
	assert_string_equal(chain_at(&m, CODE_AT + 0x20), "partial");
	assert_string_equal(wk_dwarf_missing(m.dwarf).at,
			    "the file that .gnu_debugaltlink names is missing");
	maker_fini(&m);
	maker_fini(&shared);
}

/* One unit's abbreviations and numbers for a code of 200 and forms that carry themselves. */
static void odd_codes_and_forms_are_read(void **state)
{
	struct maker m;
	uint64_t odd;

	(void)state;
	maker_init(&m, 5);
	die_kind(&m, 200, DW_TAG_compile_unit, true, DW_AT_low_pc, DW_FORM_indirect, DW_AT_high_pc,
		 DW_FORM_indirect, 0);
	die_kind(&m, 7, DW_TAG_subprogram, true, DW_AT_name, DW_FORM_strx3, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_udata, 0x2345, DW_FORM_data16, 0x2346,
		 DW_FORM_block1, 0x2347, DW_FORM_exprloc, 0x2348, DW_FORM_sdata, 0x2349,
		 DW_FORM_flag_present, 0);
	die_kind(&m, 1, DW_TAG_inlined_subroutine, false, DW_AT_abstract_origin, DW_FORM_ref_udata,
		 DW_AT_call_line, DW_FORM_implicit_const, 42, DW_AT_call_column, DW_FORM_data1,
		 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data1, 0);
	put_uleb(&m, S_ABBREV, 0);
	put(&m, S_STR_OFFSETS, 0, 8);
	put(&m, S_STR_OFFSETS, 0, 4);
	put(&m, S_STR_OFFSETS, str(&m, "odd"), 4);
	unit_begin(&m, DW_UT_compile, 0, 0);
	put_uleb(&m, S_INFO, 200);
	put_uleb(&m, S_INFO, DW_FORM_addr);
	put_address(&m, S_INFO, CODE_AT);
	put_uleb(&m, S_INFO, DW_FORM_udata);
	put_uleb(&m, S_INFO, 0x100);
	odd = here(&m);
	put_uleb(&m, S_INFO, 7);
	put(&m, S_INFO, 1, 3);
	put_address(&m, S_INFO, CODE_AT);
	put_uleb(&m, S_INFO, 0x80);
	put(&m, S_INFO, 0, 8);
	put(&m, S_INFO, 0, 8);
	put(&m, S_INFO, 2, 1);
	put(&m, S_INFO, 0x0707, 2);
	put_uleb(&m, S_INFO, 1);
	put(&m, S_INFO, 0x07, 1);
	put(&m, S_INFO, 0x7f, 1);
	put_uleb(&m, S_INFO, 1);
	put_uleb(&m, S_INFO, odd);
	put(&m, S_INFO, 3, 1);
	put_address(&m, S_INFO, CODE_AT + 0x20);
	put(&m, S_INFO, 0x10, 1);
	end_children(&m);
	end_children(&m);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "odd");
	assert_string_equal(chain_at(&m, CODE_AT + 0x20), "odd odd:42:3");
	assert_string_equal(chain_at(&m, CODE_AT + 0x7f), "odd");
	maker_fini(&m);
}

/* A unit whose root says nothing, with a function in it. */
static void put_silent(struct maker *m, uint64_t low)
{
	unit_begin(m, DW_UT_compile, 0, 0);
	put_uleb(m, S_INFO, 1);
	put_uleb(m, S_INFO, 2);
	put_text(m, S_INFO, "f");
	put_code(m, low, 0x20);
	end_children(m);
	unit_end(m);
}

static void put_silent_kinds(struct maker *m)
{
	die_kind(m, 1, DW_TAG_compile_unit, true, 0);
	die_kind(m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	put_uleb(m, S_ABBREV, 0);
}

static void a_unit_that_says_nothing_is_looked_up_in_the_table_of_addresses(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_silent_kinds(&m);
	put_silent(&m, CODE_AT);
	put(&m, S_ARANGES, 12 + 32, 4);
	put(&m, S_ARANGES, 2, 2);
	put(&m, S_ARANGES, 0, 4);
	put(&m, S_ARANGES, 8, 1);
	put(&m, S_ARANGES, 0, 1);
	put(&m, S_ARANGES, 0, 4);
	put(&m, S_ARANGES, CODE_AT, 8);
	put(&m, S_ARANGES, 0x10, 8); /* less than the function, to see who was asked */
	put(&m, S_ARANGES, 0, 8);
	put(&m, S_ARANGES, 0, 8);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT + 0xf), "f");
	assert_int_equal(wk_code_index_unit_at(m.index, CODE_AT + 0x10), WK_NO_UNIT);
	maker_fini(&m);
}

static void a_unit_of_which_nobody_says_anything_is_read(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_silent_kinds(&m);
	put_silent(&m, CODE_AT + 0x100);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT + 0x11f), "f");
	assert_string_equal(chain_at(&m, CODE_AT + 0x120), "-");
	maker_fini(&m);
}

static void what_comes_before_a_fault_is_kept(void **state)
{
	struct maker m;
	struct wk_err err = { 0 };

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	begin_unit(&m, 0x0c, CODE_AT, 0x100);
	put_function(&m, "whole", CODE_AT, 0x10);
	end_children(&m);
	put_uleb(&m, S_INFO, 99); /* no such abbreviation */
	put_function(&m, "behind", CODE_AT + 0x10, 0x10);
	unit_end(&m);
	begin_unit(&m, 0x0c, CODE_AT + 0x100, 0x100);
	put_uleb(&m, S_INFO, 99);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "whole");
	assert_string_equal(chain_at(&m, CODE_AT + 0x10), "-");
	assert_false(wk_dwarf_load(m.dwarf, 1, m.index, &err));
	assert_string_equal(err.text, "an entry cannot be read");
	assert_true(wk_code_index_has(m.index, 1));
	maker_fini(&m);
}

static void units_of_types_and_unknown_units_are_passed_over(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 5);
	put_kinds(&m);
	unit_begin(&m, DW_UT_type, 0, 0);
	put(&m, S_INFO, 0, 24);
	unit_end(&m);
	unit_begin(&m, 0x77, 0, 0);
	put(&m, S_INFO, 0, 24);
	unit_end(&m);
	m.version = 9;
	unit_begin(&m, DW_UT_compile, 0, 0);
	unit_end(&m);
	m.version = 5;
	put_calls(&m);
	assert_true(maker_open(&m));
	assert_int_equal(m.dwarf->main->unit_count, 4);
	check_calls(&m);
	maker_fini(&m);
}

static void a_file_without_debug_information_says_so(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	assert_false(maker_open(&m));
	assert_string_equal(m.err.text, "it has no debug information (.debug_info)");
	maker_fini(&m);
}

/* A skeleton with its addresses, of either kind, and its split unit. */
struct halves {
	struct maker skeleton, split;
	unsigned asked;
};

#define SPLIT_ID 0x1122334455667788

static void put_skeleton(struct maker *m)
{
	bool is_new = m->version >= 5;

	die_kind(m, 1, is_new ? DW_TAG_skeleton_unit : DW_TAG_compile_unit, false, DW_AT_comp_dir,
		 DW_FORM_string, is_new ? DW_AT_dwo_name : DW_AT_GNU_dwo_name, DW_FORM_string,
		 is_new ? DW_AT_addr_base : DW_AT_GNU_addr_base, DW_FORM_sec_offset, DW_AT_low_pc,
		 DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
		 is_new ? 0u : (unsigned)DW_AT_GNU_dwo_id, DW_FORM_data8, 0);
	put_uleb(m, S_ABBREV, 0);
	put(m, S_ADDR, 0, 8);
	put_address(m, S_ADDR, 0);
	put_address(m, S_ADDR, CODE_AT + 0x20);
	unit_begin(m, DW_UT_skeleton, 0, SPLIT_ID);
	put_uleb(m, S_INFO, 1);
	put_text(m, S_INFO, "/src");
	put_text(m, S_INFO, "a.dwo");
	put_offset(m, S_INFO, 8);
	put_address(m, S_INFO, CODE_AT);
	put(m, S_INFO, 0x100, 4);
	if (!is_new)
		put(m, S_INFO, SPLIT_ID, 8);
	unit_end(m);
}

static void put_split(struct maker *m)
{
	bool is_new = m->version >= 5;

	m->is_split = true;
	die_kind(m, 1, DW_TAG_compile_unit, true, DW_AT_name, DW_FORM_string,
		 is_new ? 0u : (unsigned)DW_AT_GNU_dwo_id, DW_FORM_data8, 0);
	die_kind(m, 2, DW_TAG_subprogram, false, DW_AT_name,
		 is_new ? DW_FORM_strx1 : DW_FORM_GNU_str_index, DW_AT_low_pc,
		 is_new ? DW_FORM_addrx : DW_FORM_GNU_addr_index, DW_AT_high_pc, DW_FORM_data4, 0);
	put_uleb(m, S_ABBREV, 0);
	if (is_new)
		put(m, S_STR_OFFSETS, 0, 8);
	put(m, S_STR_OFFSETS, 0, 4);
	put(m, S_STR_OFFSETS, str(m, "apart"), 4);
	unit_begin(m, DW_UT_split_compile, 0, SPLIT_ID);
	put_uleb(m, S_INFO, 1);
	put_text(m, S_INFO, "a.c");
	if (!is_new)
		put(m, S_INFO, SPLIT_ID, 8);
	put_uleb(m, S_INFO, 2);
	put_uleb(m, S_INFO, 1);
	put_uleb(m, S_INFO, 1);
	put(m, S_INFO, 0x10, 4);
	end_children(m);
	unit_end(m);
}

static const struct wk_obj *give_split(void *context, struct wk_str directory, struct wk_str name,
				       uint64_t id)
{
	struct halves *h = context;

	assert_true(wk_str_is(directory, "/src"));
	assert_true(wk_str_is(name, "a.dwo"));
	assert_true(id == SPLIT_ID);
	h->asked++;
	return h->split.obj;
}

static void halves_init(struct halves *h, uint8_t version)
{
	maker_init(&h->skeleton, version);
	maker_init(&h->split, version);
	h->asked = 0;
	put_skeleton(&h->skeleton);
	put_split(&h->split);
}

static void halves_fini(struct halves *h)
{
	maker_fini(&h->skeleton);
	maker_fini(&h->split);
}

static void split_units_are_read_with_their_skeletons_addresses(void **state)
{
	(void)state;
	for (uint8_t version = 4; version <= 5; version++) {
		struct halves h;

		halves_init(&h, version);
		assert_non_null(maker_file(&h.split));
		h.skeleton.input.open_split = give_split;
		h.skeleton.input.context = &h;
		assert_true(maker_open(&h.skeleton));
		assert_int_equal(h.asked, 0);
		assert_string_equal(chain_at(&h.skeleton, CODE_AT + 0x20), "apart");
		assert_string_equal(chain_at(&h.skeleton, CODE_AT + 0x30), "-");
		assert_int_equal(h.asked, 1);
		assert_int_equal(wk_dwarf_missing(h.skeleton.dwarf).len, 0);
		halves_fini(&h);
	}
}

static void a_split_file_that_is_not_there_is_told(void **state)
{
	struct halves h;

	(void)state;
	halves_init(&h, 5);
	assert_true(maker_open(&h.skeleton));
	assert_string_equal(chain_at(&h.skeleton, CODE_AT + 0x20), "-");
	assert_string_equal(wk_dwarf_missing(h.skeleton.dwarf).at,
			    "the split file /src/a.dwo is missing");
	halves_fini(&h);
}

/* Its parts lie behind some bytes of another unit's. */
static void put_package_index(struct maker *m, uint64_t abbrevs, uint64_t offsets)
{
	bool is_new = m->version >= 5;

	put(m, S_INDEX, is_new ? 5 : 2, is_new ? 2 : 4);
	if (is_new)
		put(m, S_INDEX, 0, 2);
	put(m, S_INDEX, 3, 4);
	put(m, S_INDEX, 1, 4);
	put(m, S_INDEX, 2, 4);
	put(m, S_INDEX, 0, 8);
	put(m, S_INDEX, SPLIT_ID, 8);
	put(m, S_INDEX, 0, 4);
	put(m, S_INDEX, 1, 4);
	put(m, S_INDEX, DW_SECT_INFO, 4);
	put(m, S_INDEX, DW_SECT_ABBREV, 4);
	put(m, S_INDEX, DW_SECT_STR_OFFSETS, 4);
	put(m, S_INDEX, 0, 4);
	put(m, S_INDEX, abbrevs, 4);
	put(m, S_INDEX, offsets, 4);
	put(m, S_INDEX, 0, 12);
}

static void packages_of_both_layouts_are_read(void **state)
{
	(void)state;
	for (uint8_t version = 4; version <= 5; version++) {
		struct halves h;

		maker_init(&h.skeleton, version);
		maker_init(&h.split, version);
		h.asked = 0;
		put_skeleton(&h.skeleton);
		put(&h.split, S_ABBREV, 0, 5);
		put(&h.split, S_STR_OFFSETS, 0, 6);
		put_split(&h.split);
		put_package_index(&h.split, 5, 6);
		h.skeleton.input.package = maker_file(&h.split);
		assert_true(maker_open(&h.skeleton));
		assert_string_equal(chain_at(&h.skeleton, CODE_AT + 0x20), "apart");
		assert_int_equal(wk_dwarf_missing(h.skeleton.dwarf).len, 0);
		halves_fini(&h);
	}
}

/* Thousands of units that share one table by overlapping, each a byte further. */
static void tables_that_overlap_do_not_take_time_without_bounds(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	for (unsigned code = 1; code < 20000; code++)
		die_kind(&m, code, DW_TAG_compile_unit, true, DW_AT_name, DW_FORM_string, 0);
	for (unsigned i = 0; i < 20000; i++) {
		unit_begin(&m, DW_UT_compile, i, 0);
		put_uleb(&m, S_INFO, 19999);
		unit_end(&m);
	}
	assert_true(maker_open(&m));
	assert_int_equal(m.dwarf->main->unit_count, 20000);
	maker_fini(&m);
}

static void deep_nesting_does_not_overflow(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m, 4);
	put_kinds(&m);
	begin_unit(&m, DW_LANG_C_plus_plus, CODE_AT, 0x100);
	for (int i = 0; i < 200000; i++)
		put_uleb(&m, S_INFO, BLOCK);
	put_function(&m, "deep", CODE_AT, 0x10);
	unit_end(&m);
	assert_true(maker_open(&m));
	assert_string_equal(chain_at(&m, CODE_AT), "deep");
	maker_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_told_in_every_version_size_and_byte_order),
		cmocka_unit_test(a_unit_is_found_among_others),
		cmocka_unit_test(what_a_linker_threw_away_is_no_code),
		cmocka_unit_test(of_functions_at_the_same_address_the_last_counts),
		cmocka_unit_test(origins_in_a_circle_end),
		cmocka_unit_test(names_without_linkage_have_their_scopes_in_cxx),
		cmocka_unit_test(names_have_no_scopes_in_c),
		cmocka_unit_test(a_reference_to_no_entry_leaves_a_name_its_scopes),
		cmocka_unit_test(a_namespace_without_a_name_is_called_anonymous),
		cmocka_unit_test(an_inlined_call_tells_where_the_same_function_lies_by_itself),
		cmocka_unit_test(scopes_that_many_functions_share_are_read_once),
		cmocka_unit_test(a_struct_without_a_name_that_can_be_called_is_a_lambda),
		cmocka_unit_test(a_linkage_name_goes_before_a_written_one),
		cmocka_unit_test(old_ranges_are_read_with_their_bases),
		cmocka_unit_test(new_ranges_of_every_kind_are_read),
		cmocka_unit_test(names_come_through_other_units_and_the_shared_file),
		cmocka_unit_test(odd_codes_and_forms_are_read),
		cmocka_unit_test(
			a_unit_that_says_nothing_is_looked_up_in_the_table_of_addresses),
		cmocka_unit_test(a_unit_of_which_nobody_says_anything_is_read),
		cmocka_unit_test(what_comes_before_a_fault_is_kept),
		cmocka_unit_test(units_of_types_and_unknown_units_are_passed_over),
		cmocka_unit_test(a_file_without_debug_information_says_so),
		cmocka_unit_test(split_units_are_read_with_their_skeletons_addresses),
		cmocka_unit_test(a_split_file_that_is_not_there_is_told),
		cmocka_unit_test(packages_of_both_layouts_are_read),
		cmocka_unit_test(tables_that_overlap_do_not_take_time_without_bounds),
		cmocka_unit_test(deep_nesting_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
