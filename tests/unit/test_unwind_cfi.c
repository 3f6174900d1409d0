#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cfi_maker.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/rules.h"

#define SECTION 0x900000
#define START   0x401000

static struct wk_cfi cfi_of(const struct maker *m)
{
	return (struct wk_cfi){
		.bytes = wk_bytes_of(m->out.at, m->out.len),
		.vaddr = m->vaddr,
		.address_size = 8,
		.is_debug = m->is_debug,
	};
}

struct wanted_row {
	uint64_t vaddr;
	struct wk_cfi_state found;
	bool is_found;
};

static void keep_row(void *context, uint64_t vaddr, const struct wk_cfi_state *state)
{
	struct wanted_row *row = context;

	if (vaddr > row->vaddr)
		return;
	row->found = *state;
	row->is_found = true;
}

/* The row at `vaddr`, as far as the entry that covers it says. */
static bool row_at(struct wk_cfi *cfi, uint64_t vaddr, struct wk_cfi_state *state)
{
	struct wanted_row row = { .vaddr = vaddr };
	struct wk_cfi_fde fde;

	if (!wk_cfi_find(cfi, vaddr, &fde) || !wk_cfi_run(cfi, &fde, keep_row, &row))
		return false;
	*state = row.found;
	return row.is_found;
}

/* One instruction sequence after the usual CIE, and what it makes of a register at the end. */
struct opcode_case {
	const char *name;
	uint8_t program[24];
	size_t len;
	uint8_t cfa_register;
	int32_t cfa_value;
	uint8_t reg, kind;
	int32_t value;
};

#define PROGRAM(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static const struct opcode_case opcodes[] = {
	{ "offset", PROGRAM(0x86, 2), 7, 8, 6, WK_RULE_AT, -16 },
	{ "offset_extended", PROGRAM(0x05, 12, 3), 7, 8, 12, WK_RULE_AT, -24 },
	{ "offset_extended_sf", PROGRAM(0x11, 12, 0x7e), 7, 8, 12, WK_RULE_AT, 16 },
	{ "negative_offset_extended", PROGRAM(0x2f, 12, 3), 7, 8, 12, WK_RULE_AT, 24 },
	{ "val_offset", PROGRAM(0x14, 7, 1), 7, 8, 7, WK_RULE_VALUE, -8 },
	{ "val_offset_sf", PROGRAM(0x15, 7, 0x7f), 7, 8, 7, WK_RULE_VALUE, 8 },
	{ "register", PROGRAM(0x09, 16, 5), 7, 8, 16, WK_RULE_REGISTER, 5 },
	{ "undefined", PROGRAM(0x07, 16), 7, 8, 16, WK_RULE_UNDEFINED, 0 },
	{ "same_value", PROGRAM(0x86, 2, 0x08, 6), 7, 8, 6, WK_RULE_SAME, 0 },
	{ "restore", PROGRAM(0x90, 5, 0xd0), 7, 8, 16, WK_RULE_AT, -8 },
	{ "restore_extended", PROGRAM(0x86, 5, 0x06, 6), 7, 8, 6, WK_RULE_SAME, 0 },
	{ "def_cfa", PROGRAM(0x0c, 6, 16), 6, 16, 16, WK_RULE_AT, -8 },
	{ "def_cfa_sf", PROGRAM(0x12, 6, 0x7e), 6, 16, 16, WK_RULE_AT, -8 },
	{ "def_cfa_register", PROGRAM(0x0d, 6), 6, 8, 16, WK_RULE_AT, -8 },
	{ "def_cfa_offset", PROGRAM(0x0e, 0x80, 1), 7, 128, 16, WK_RULE_AT, -8 },
	{ "def_cfa_offset_sf", PROGRAM(0x13, 0x7c), 7, 32, 16, WK_RULE_AT, -8 },
	{ "remember and restore", PROGRAM(0x0a, 0x0e, 64, 0x86, 2, 0x0b), 7, 8, 6, WK_RULE_SAME, 0 },
	{ "GNU_args_size", PROGRAM(0x2e, 16, 0x86, 2), 7, 8, 6, WK_RULE_AT, -16 },
	{ "negate_ra_state", PROGRAM(0x2d, 0x86, 2), 7, 8, 6, WK_RULE_AT, -16 },
	{ "negate_ra_state_with_pc", PROGRAM(0x2c, 0x86, 2), 7, 8, 6, WK_RULE_AT, -16 },
	{ "a vector register", PROGRAM(0x05, 40, 3, 0x86, 2), 7, 8, 6, WK_RULE_AT, -16 },
	{ "advance_loc", PROGRAM(0x41, 0x0e, 16), 7, 16, 16, WK_RULE_AT, -8 },
	{ "advance_loc1", PROGRAM(0x02, 1, 0x0e, 16), 7, 16, 16, WK_RULE_AT, -8 },
	{ "advance_loc2", PROGRAM(0x03, 1, 0, 0x0e, 16), 7, 16, 16, WK_RULE_AT, -8 },
	{ "advance_loc4", PROGRAM(0x04, 1, 0, 0, 0, 0x0e, 16), 7, 16, 16, WK_RULE_AT, -8 },
	{ "MIPS_advance_loc8", PROGRAM(0x1d, 1, 0, 0, 0, 0, 0, 0, 0, 0x0e, 16), 7, 16, 16,
	  WK_RULE_AT, -8 },
	{ "beyond the row", PROGRAM(0x42, 0x0e, 16), 7, 8, 16, WK_RULE_AT, -8 },
};

static void check_opcode(const struct opcode_case *c, bool is_debug, bool is_dwarf64)
{
	struct maker m = { .is_debug = is_debug, .is_dwarf64 = is_dwarf64, .vaddr = SECTION };
	struct wk_cfi_state state;
	struct wk_cfi cfi;

	maker_x86_cie(&m, is_debug ? "" : "zR");
	maker_fde(&m, START, 16, c->program, c->len);
	cfi = cfi_of(&m);
	if (!row_at(&cfi, START + 1, &state))
		fail_msg("%s: no row", c->name);
	if (state.cfa_kind != WK_CFA_REGISTER || state.cfa_register != c->cfa_register ||
	    state.cfa_value != c->cfa_value)
		fail_msg("%s: CFA is r%d%+d", c->name, state.cfa_register, state.cfa_value);
	if (state.kind[c->reg] != c->kind || (c->kind && state.value[c->reg] != c->value))
		fail_msg("%s: r%d has rule %d, %d", c->name, c->reg, state.kind[c->reg],
			 state.value[c->reg]);
	wk_cfi_fini(&cfi);
	wk_buf_fini(&m.out);
}

static void each_instruction_does_what_dwarf_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		for (int form = 0; form < 4; form++)
			check_opcode(&opcodes[i], form & 1, form & 2);
}

static const struct {
	const char *name;
	uint8_t program[8];
	size_t len;
} broken[] = {
	{ "an unknown instruction", PROGRAM(0x3f) },
	{ "an operand that is not there", PROGRAM(0x0c, 7, 0x80) },
	{ "restoring what was not remembered", PROGRAM(0x0b) },
	{ "a CFA offset beyond 32 bits", PROGRAM(0x0e, 0x80, 0x80, 0x80, 0x80, 0x10) },
	{ "an offset whose product is beyond 64 bits",
	  PROGRAM(0x11, 6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80) },
	{ "a CFA register that is none", PROGRAM(0x0c, 99, 8) },
	{ "an expression longer than the entry", PROGRAM(0x0f, 0x7f, 0x77) },
	{ "an offset for a CFA that has no register", PROGRAM(0x0f, 1, 0x30, 0x0e, 8) },
};

static void broken_programs_are_refused(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct maker m = { .vaddr = SECTION };
		struct wk_cfi_state state;
		struct wk_cfi cfi;

		maker_x86_cie(&m, "zR");
		maker_fde(&m, START, 16, broken[i].program, broken[i].len);
		/* Without padding behind it, so that nothing completes a cut operand. */
		m.out.len = m.length_at + 13 + broken[i].len;
		m.out.at[m.length_at - 4] = (char)(13 + broken[i].len);
		cfi = cfi_of(&m);
		if (row_at(&cfi, START + 1, &state))
			fail_msg("accepted: %s", broken[i].name);
		wk_cfi_fini(&cfi);
		wk_buf_fini(&m.out);
	}
}

static void states_nest_to_a_bound(void **unused)
{
	uint8_t program[200];

	(void)unused;
	memset(program, 0x0a, sizeof(program));
	for (size_t depth = 1; depth < 200; depth += 9) {
		struct maker m = { .vaddr = SECTION };
		struct wk_cfi_state state;
		struct wk_cfi cfi;

		maker_x86_cie(&m, "zR");
		maker_fde(&m, START, 16, program, depth);
		cfi = cfi_of(&m);
		assert_int_equal(row_at(&cfi, START, &state), depth <= 32);
		wk_cfi_fini(&cfi);
		wk_buf_fini(&m.out);
	}
}

static void rows_change_where_the_program_says(void **unused)
{
	static const uint8_t program[] = { 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6,
					   0x4a, 0x0c, 7,  8 };
	struct maker m = { .vaddr = SECTION };
	struct wk_cfi cfi;
	struct wk_cfi_state state;

	(void)unused;
	maker_x86_cie(&m, "zR");
	maker_fde(&m, START, 15, program, sizeof(program));
	cfi = cfi_of(&m);
	for (uint64_t at = 0; at < 15; at++) {
		assert_true(row_at(&cfi, START + at, &state));
		assert_int_equal(state.cfa_register, at >= 4 && at < 14 ? 6 : 7);
		assert_int_equal(state.cfa_value, at >= 1 && at < 14 ? 16 : 8);
		assert_int_equal(state.kind[6], at >= 1 ? WK_RULE_AT : WK_RULE_SAME);
	}
	assert_false(row_at(&cfi, START + 15, &state));
	assert_false(row_at(&cfi, START - 1, &state));
	wk_cfi_fini(&cfi);
	wk_buf_fini(&m.out);
}

static const struct {
	uint8_t encoding;
	uint8_t bytes;
	uint64_t base; /* what the value counts from; 1 stands for its own place */
	bool is_good;
} encodings[] = {
	{ 0x00, 8, 0, true },  { 0x04, 8, 0, true },     { 0x0c, 8, 0, true },
	{ 0x03, 4, 0, true },  { 0x0b, 4, 0, true },     { 0x1b, 4, 1, true },
	{ 0x13, 4, 1, true },  { 0x1c, 8, 1, true },     { 0x12, 2, 1, true },
	{ 0x1a, 2, 1, true },  { 0x23, 4, START, true }, { 0x3b, 4, 0x600000, true },
	{ 0x01, 3, 0, true },  { 0x80, 8, 0, false },    { 0x9b, 4, 1, false },
	{ 0x45, 4, 0, false }, { 0x0f, 4, 0, false },    { 0xff, 4, 0, false },
};

static void add_encoded(struct maker *m, uint8_t encoding, uint8_t bytes, uint64_t value)
{
	if ((encoding & 0x0f) == 0x01)
		maker_uleb(m, value);
	else
		maker_bytes(m, &value, bytes);
}

static void addresses_come_in_every_encoding(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		struct maker m = { .vaddr = START - 0x2000 };
		struct wk_cfi_state state;
		struct wk_cfi cfi;
		uint64_t base = encodings[i].base;

		maker_cie_head(&m, 1, "zR", encodings[i].encoding, -8, 16);
		maker_bytes(&m, (uint8_t[]){ 0x0c, 7, 8 }, 3);
		maker_end(&m);
		maker_fde_head(&m);
		if (base == 1)
			base = m.vaddr + m.out.len;
		add_encoded(&m, encodings[i].encoding, encodings[i].bytes, START - base);
		add_encoded(&m, encodings[i].encoding, encodings[i].bytes, 16);
		maker_uleb(&m, 0);
		maker_end(&m);
		cfi = cfi_of(&m);
		cfi.text_vaddr = START;
		cfi.data_vaddr = 0x600000;
		if (row_at(&cfi, START + 15, &state) != encodings[i].is_good)
			fail_msg("encoding %#x", encodings[i].encoding);
		assert_false(row_at(&cfi, START + 16, &state));
		wk_cfi_fini(&cfi);
		wk_buf_fini(&m.out);
	}
}

static void set_loc_moves_to_an_address(void **unused)
{
	struct maker m = { .vaddr = SECTION };
	uint8_t program[] = { 0x01, 0, 0, 0, 0, 0x0e, 32 };
	int32_t distance;
	struct wk_cfi_state state;
	struct wk_cfi cfi;

	(void)unused;
	maker_x86_cie(&m, "zR");
	distance = (int32_t)(START + 4 - (SECTION + m.out.len + 4 + 4 + 8 + 1 + 1));
	memcpy(program + 1, &distance, 4);
	maker_fde(&m, START, 16, program, sizeof(program));
	cfi = cfi_of(&m);
	assert_true(row_at(&cfi, START + 3, &state));
	assert_int_equal(state.cfa_value, 8);
	assert_true(row_at(&cfi, START + 4, &state));
	assert_int_equal(state.cfa_value, 32);
	wk_cfi_fini(&cfi);
	wk_buf_fini(&m.out);
}

static void augmentations_are_understood_or_passed_over(void **unused)
{
	/* Letters, the data they bring, whether the entry is usable, whether it is a signal's. */
	static const struct {
		const char *letters;
		uint8_t data[8];
		uint8_t len;
		bool is_good, is_signal;
	} cases[] = {
		{ "zRS", { 0x1b }, 1, true, true },
		{ "zPLR", { 0x9b, 1, 2, 3, 4, 0x1b, 0x1b }, 7, true, false },
		{ "zLR", { 0x1b, 0x1b }, 2, true, false },
		{ "zRB", { 0x1b }, 1, true, false },
		{ "zR!", { 0x1b, 9, 9, 9 }, 4, true, false },
		{ "zRS", { 0 }, 0, false, true },
		{ "armcc+", { 0 }, 0, false, false },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct maker m = { .vaddr = SECTION };
		struct wk_cfi_fde fde;
		struct wk_cfi cfi;

		m.cie_at = maker_begin(&m);
		maker_id(&m, 0);
		maker_u8(&m, 1);
		maker_bytes(&m, cases[i].letters, strlen(cases[i].letters) + 1);
		maker_uleb(&m, 1);
		maker_sleb(&m, -8);
		maker_u8(&m, 16);
		if (cases[i].letters[0] == 'z') {
			maker_uleb(&m, cases[i].len);
			maker_bytes(&m, cases[i].data, cases[i].len);
		}
		maker_bytes(&m, (uint8_t[]){ 0x0c, 7, 8 }, 3);
		maker_end(&m);
		maker_fde(&m, START, 16, "", 0);
		cfi = cfi_of(&m);
		if (wk_cfi_find(&cfi, START, &fde) != cases[i].is_good)
			fail_msg("augmentation \"%s\"", cases[i].letters);
		if (cases[i].is_good)
			assert_int_equal(fde.cie->is_signal, cases[i].is_signal);
		wk_cfi_fini(&cfi);
		wk_buf_fini(&m.out);
	}
}

static void a_terminator_in_the_middle_does_not_end_the_section(void **unused)
{
	struct maker m = { .vaddr = SECTION };
	struct wk_cfi_state state;
	struct wk_cfi cfi;

	(void)unused;
	maker_x86_cie(&m, "zR");
	maker_fde(&m, START, 16, "", 0);
	wk_buf_add_u32(&m.out, 0);
	maker_x86_cie(&m, "zR");
	maker_fde(&m, START + 0x100, 16, (uint8_t[]){ 0x0e, 40 }, 2);
	cfi = cfi_of(&m);
	assert_true(row_at(&cfi, START, &state));
	assert_true(row_at(&cfi, START + 0x100, &state));
	assert_int_equal(state.cfa_value, 40);
	wk_cfi_fini(&cfi);
	wk_buf_fini(&m.out);
}

/* A section of `count` functions of 16 bytes, 32 apart, each with its number in its CFA, and
 * the search table for it. */
static void make_searched(struct maker *m, struct maker *header, unsigned count)
{
	static const uint8_t head[] = { 1, 0x1b, 0x03, 0x3b };

	header->vaddr = SECTION - 0x10000;
	maker_bytes(header, head, sizeof(head));
	wk_buf_add_u32(&header->out, (uint32_t)(m->vaddr - (header->vaddr + 4)));
	wk_buf_add_u32(&header->out, count);
	maker_x86_cie(m, "zR");
	for (unsigned i = 0; i < count; i++) {
		uint8_t program[] = { 0x0e, (uint8_t)(8 + i) };
		size_t offset = maker_fde(m, START + i * 32, 16, program, 2);

		wk_buf_add_u32(&header->out, (uint32_t)(START + i * 32 - header->vaddr));
		wk_buf_add_u32(&header->out, (uint32_t)(m->vaddr + offset - header->vaddr));
	}
}

static void the_search_table_finds_every_function_and_no_gap(void **unused)
{
	(void)unused;
	for (unsigned count = 1; count < 20; count++) {
		struct maker m = { .vaddr = SECTION }, header = { 0 };
		struct wk_cfi_state state;
		struct wk_cfi cfi;

		make_searched(&m, &header, count);
		cfi = cfi_of(&m);
		assert_true(wk_cfi_read_header(wk_bytes_of(header.out.at, header.out.len),
					       header.vaddr, 8, &cfi.header));
		assert_int_equal(cfi.header.eh_frame_vaddr, SECTION);
		assert_int_equal(cfi.header.count, count);
		for (unsigned i = 0; i < count; i++) {
			assert_true(row_at(&cfi, START + i * 32, &state));
			assert_int_equal(state.cfa_value, 8 + i);
			assert_true(row_at(&cfi, START + i * 32 + 15, &state));
			assert_false(row_at(&cfi, START + i * 32 + 16, &state));
		}
		assert_false(row_at(&cfi, START - 1, &state));
		assert_false(cfi.is_indexed);
		wk_cfi_fini(&cfi);
		wk_buf_fini(&m.out);
		wk_buf_fini(&header.out);
	}
}

static void a_search_table_that_lies_about_its_size_is_not_used(void **unused)
{
	struct maker m = { .vaddr = SECTION }, header = { 0 };
	struct wk_cfi_state state;
	struct wk_cfi cfi;

	(void)unused;
	make_searched(&m, &header, 4);
	header.out.at[8] = 5;
	cfi = cfi_of(&m);
	assert_true(wk_cfi_read_header(wk_bytes_of(header.out.at, header.out.len), header.vaddr, 8,
				       &cfi.header));
	assert_int_equal(cfi.header.count, 0);
	assert_true(row_at(&cfi, START + 32, &state));
	assert_int_equal(state.cfa_value, 9);
	assert_true(cfi.is_indexed);
	wk_cfi_fini(&cfi);
	wk_buf_fini(&m.out);
	wk_buf_fini(&header.out);
}

static void entries_out_of_order_are_found_by_the_index(void **unused)
{
	struct maker m = { .vaddr = SECTION };
	struct wk_cfi_state state;
	struct wk_cfi cfi;

	(void)unused;
	maker_x86_cie(&m, "zR");
	for (unsigned i = 0; i < 100; i++) {
		unsigned place = i * 37 % 100;

		maker_fde(&m, START + place * 32, 32, (uint8_t[]){ 0x0e, (uint8_t)(place + 8) }, 2);
		maker_fde(&m, START + place * 32, 0, "", 0);
	}
	cfi = cfi_of(&m);
	for (unsigned place = 0; place < 100; place++) {
		assert_true(row_at(&cfi, START + place * 32 + 31, &state));
		assert_int_equal(state.cfa_value & 0x7f, (place + 8) & 0x7f);
	}
	wk_cfi_fini(&cfi);
	wk_buf_fini(&m.out);
}

/* Both forms of section, with several entries of every kind. */
static void make_varied(struct maker *m)
{
	maker_x86_cie(m, m->is_debug ? "" : "zR");
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		maker_fde(m, START + i * 16, 16, opcodes[i].program, opcodes[i].len);
}

static void ask_everywhere(struct wk_cfi *cfi)
{
	struct wk_cfi_state state;

	for (uint64_t at = 0; at < 32 * 16; at += 5)
		row_at(cfi, START + at, &state);
	wk_cfi_fini(cfi);
}

static void sections_cut_at_any_byte_do_no_harm(void **unused)
{
	(void)unused;
	for (int form = 0; form < 4; form++) {
		struct maker m = { .is_debug = form & 1, .is_dwarf64 = form & 2, .vaddr = SECTION };

		make_varied(&m);
		for (size_t len = 0; len < m.out.len; len++) {
			uint8_t *exact = test_malloc(len ? len : 1);
			struct wk_cfi cfi = cfi_of(&m);

			memcpy(exact, m.out.at, len);
			cfi.bytes = wk_bytes_of(exact, len);
			ask_everywhere(&cfi);
			test_free(exact);
		}
		wk_buf_fini(&m.out);
	}
}

static void any_byte_may_lie(void **unused)
{
	static const uint8_t lies[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

	(void)unused;
	for (int form = 0; form < 4; form++) {
		struct maker m = { .is_debug = form & 1, .is_dwarf64 = form & 2, .vaddr = SECTION };

		make_varied(&m);
		for (size_t at = 0; at < m.out.len; at++) {
			char truth = m.out.at[at];

			for (size_t i = 0; i < sizeof(lies); i++) {
				struct wk_cfi cfi;

				m.out.at[at] = (char)lies[i];
				cfi = cfi_of(&m);
				ask_everywhere(&cfi);
			}
			m.out.at[at] = truth;
		}
		wk_buf_fini(&m.out);
	}
}

static void headers_cut_or_lying_do_no_harm(void **unused)
{
	struct maker m = { .vaddr = SECTION }, header = { 0 };

	(void)unused;
	make_searched(&m, &header, 6);
	for (size_t at = 0; at < header.out.len; at++) {
		char truth = header.out.at[at];

		for (int lie = -1; lie < 256; lie += 17) {
			struct wk_cfi cfi = cfi_of(&m);
			size_t len = lie < 0 ? at : header.out.len;

			header.out.at[at] = lie < 0 ? truth : (char)lie;
			wk_cfi_read_header(wk_bytes_of(header.out.at, len), header.vaddr, 8,
					   &cfi.header);
			ask_everywhere(&cfi);
		}
		header.out.at[at] = truth;
	}
	wk_buf_fini(&m.out);
	wk_buf_fini(&header.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_does_what_dwarf_says),
		cmocka_unit_test(broken_programs_are_refused),
		cmocka_unit_test(states_nest_to_a_bound),
		cmocka_unit_test(rows_change_where_the_program_says),
		cmocka_unit_test(addresses_come_in_every_encoding),
		cmocka_unit_test(set_loc_moves_to_an_address),
		cmocka_unit_test(augmentations_are_understood_or_passed_over),
		cmocka_unit_test(a_terminator_in_the_middle_does_not_end_the_section),
		cmocka_unit_test(the_search_table_finds_every_function_and_no_gap),
		cmocka_unit_test(a_search_table_that_lies_about_its_size_is_not_used),
		cmocka_unit_test(entries_out_of_order_are_found_by_the_index),
		cmocka_unit_test(sections_cut_at_any_byte_do_no_harm),
		cmocka_unit_test(any_byte_may_lie),
		cmocka_unit_test(headers_cut_or_lying_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
