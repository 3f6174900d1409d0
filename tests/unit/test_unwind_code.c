#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/unwind/code.h"
#include "symbols/unwind/code_x86.h"
#include "symbols/unwind/rules.h"

enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, RIP = 16 };

/* What an offset in a function must give: CFA = reg + value, and where rbx and rbp are
 * (0: still in the register). A reg of 0 means that nothing may be told. */
struct place {
	uint64_t offset;
	uint8_t reg;
	int32_t value, rbx, rbp;
};

static void check(const uint8_t *code, size_t len, const struct place *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct place *p = &places[i];
		struct wk_cfi_state state;
		bool ok = wk_code_rules(wk_bytes_of(code, len), p->offset, &state);

		if (ok != (p->reg != 0))
			fail_msg("offset %d: %s", (int)p->offset, ok ? "told" : "not told");
		if (!ok)
			continue;
		if (state.cfa_register != p->reg || state.cfa_value != p->value)
			fail_msg("offset %d: CFA is r%d%+d", (int)p->offset, state.cfa_register,
				 state.cfa_value);
		assert_int_equal(state.kind[RBX] ? state.value[RBX] : 0, p->rbx);
		assert_int_equal(state.kind[RBP] ? state.value[RBP] : 0, p->rbp);
		assert_int_equal(state.kind[RIP], WK_RULE_AT);
		assert_int_equal(state.value[RIP], -8);
	}
}

#define CHECK(code, places) check(code, sizeof(code), places, sizeof(places) / sizeof(places[0]))

static void pushes_and_stack_space_are_counted(void **state)
{
	static const uint8_t code[] = {
		0x41, 0x54,                   /*  0 push %r12 */
		0x55,                         /*  2 push %rbp */
		0x53,                         /*  3 push %rbx */
		0x48, 0x83, 0xec, 0x20,       /*  4 sub $32, %rsp */
		0xe8, 0, 0, 0, 0,             /*  8 call */
		0x48, 0x81, 0xc4, 32, 0, 0, 0, /* 13 add $32, %rsp */
		0x5b,                         /* 20 pop %rbx */
		0x5d,                         /* 21 pop %rbp */
		0x41, 0x5c,                   /* 22 pop %r12 */
		0xc3,                         /* 24 ret */
	};
	static const struct place places[] = {
		{ 0, RSP, 8, 0, 0 },     { 2, RSP, 16, 0, 0 },    { 3, RSP, 24, 0, -24 },
		{ 4, RSP, 32, -32, -24 }, { 8, RSP, 64, -32, -24 }, { 12, RSP, 64, -32, -24 },
		{ 20, RSP, 32, -32, -24 }, { 21, RSP, 24, 0, -24 }, { 22, RSP, 16, 0, 0 },
		{ 24, RSP, 8, 0, 0 },    { 25, 0, 0, 0, 0 },
	};

	(void)state;
	CHECK(code, places);
}

static void a_frame_pointer_takes_over_where_the_stack_pointer_is_lost(void **state)
{
	static const uint8_t code[] = {
		0x55,                   /*  0 push %rbp */
		0x48, 0x89, 0xe5,       /*  1 mov %rsp, %rbp */
		0x53,                   /*  4 push %rbx */
		0x48, 0x83, 0xe4, 0xe0, /*  5 and $-32, %rsp */
		0x48, 0x29, 0xc4,       /*  9 sub %rax, %rsp */
		0x90,                   /* 12 nop */
		0x48, 0x8d, 0x65, 0xf8, /* 13 lea -8(%rbp), %rsp */
		0x5b,                   /* 17 pop %rbx */
		0xc9,                   /* 18 leave */
		0xc3,                   /* 19 ret */
	};
	static const struct place places[] = {
		{ 1, RSP, 16, 0, -16 },   { 5, RBP, 16, -24, -16 }, { 9, RBP, 16, -24, -16 },
		{ 12, RBP, 16, -24, -16 }, { 17, RBP, 16, -24, -16 }, { 18, RBP, 16, 0, -16 },
		{ 19, RSP, 8, 0, 0 },
	};

	(void)state;
	CHECK(code, places);
}

/* As V8 enters JavaScript: how many arguments there are, no one can tell from the code. */
static void a_frame_pointer_is_surer_than_a_stack_pointer_behind_a_loop_that_pushes(void **state)
{
	static const uint8_t code[] = {
		0x55,                   /*  0 push %rbp */
		0x48, 0x89, 0xe5,       /*  1 mov %rsp, %rbp */
		0xeb, 0x03,             /*  4 jmp 9 */
		0x41, 0xff, 0x32,       /*  6 push (%r10) */
		0x48, 0xff, 0xc9,       /*  9 dec %rcx */
		0x7d, 0xf8,             /* 12 jge 6 */
		0xe8, 0, 0, 0, 0,       /* 14 call */
		0x48, 0x8b, 0xe5,       /* 19 mov %rbp, %rsp */
		0x5d,                   /* 22 pop %rbp */
		0xc3,                   /* 23 ret */
	};
	static const struct place places[] = {
		{ 14, RBP, 16, 0, -16 }, { 18, RBP, 16, 0, -16 }, { 23, RSP, 8, 0, 0 },
	};

	(void)state;
	CHECK(code, places);
}

static void ways_are_followed_past_early_returns(void **state)
{
	static const uint8_t code[] = {
		0x85, 0xff,       /*  0 test %edi, %edi */
		0x74, 0x09,       /*  2 je 13 */
		0x53,             /*  4 push %rbx */
		0xeb, 0x02,       /*  5 jmp 9 */
		0x0f, 0x0b,       /*  7 ud2 */
		0x90,             /*  9 nop */
		0x75, 0xfd,       /* 10 jne 9 */
		0x5b,             /* 12 pop %rbx */
		0x90,             /* 13 nop */
		0xc3,             /* 14 ret */
		0x90,             /* 15 never reached */
	};
	static const struct place places[] = {
		{ 4, RSP, 8, 0, 0 },  { 9, RSP, 16, -16, 0 }, { 12, RSP, 16, -16, 0 },
		{ 13, RSP, 8, 0, 0 }, { 7, 0, 0, 0, 0 },      { 15, 0, 0, 0, 0 },
	};

	(void)state;
	CHECK(code, places);
}

static void what_a_jump_table_leads_to_has_the_stack_of_the_jump(void **state)
{
	static const uint8_t code[] = {
		0x48, 0x83, 0xec, 0x18, /*  0 sub $24, %rsp */
		0xff, 0xe0,             /*  4 jmp *%rax */
		0x90, 0x90,             /*  6 case 1 */
		0x48, 0x83, 0xc4, 0x18, /*  8 add $24, %rsp */
		0xc3,                   /* 12 ret */
		0x90,                   /* 13 case 2 */
		0xeb, 0xf8,             /* 14 jmp 8 */
	};
	static const struct place places[] = {
		{ 4, RSP, 32, 0, 0 }, { 7, RSP, 32, 0, 0 }, { 12, RSP, 8, 0, 0 }, { 13, RSP, 32, 0, 0 },
	};

	(void)state;
	CHECK(code, places);
}

static void what_can_not_be_followed_is_refused(void **state)
{
	static const uint8_t lost[] = { 0x48, 0x89, 0xc4, 0x90, 0xc3 }; /* mov %rax, %rsp; nop */
	static const uint8_t exchanged[] = { 0x48, 0x87, 0xe0, 0x90 };  /* xchg %rsp, %rax; nop */
	static const uint8_t switched[] = { 0x5c, 0x90 };               /* pop %rsp; nop */
	static const uint8_t invalid[] = { 0x06, 0x90 };
	static const uint8_t popped[] = { 0x58, 0x58, 0x90 }; /* the return address too */
	static const struct place at3[] = { { 3, 0, 0, 0, 0 } }, at1[] = { { 1, 0, 0, 0, 0 } };
	static const struct place at2[] = { { 2, 0, 0, 0, 0 } };

	(void)state;
	CHECK(lost, at3);
	CHECK(exchanged, at3);
	CHECK(switched, at1);
	CHECK(invalid, at1);
	CHECK(popped, at2);
}

static void instructions_have_their_lengths(void **state)
{
	static const struct {
		uint8_t bytes[16];
		uint8_t len;
	} cases[] = {
		{ { 0x90 }, 1 },
		{ { 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }, 9 },
		{ { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, 10 },
		{ { 0x66, 0xb8, 1, 2 }, 4 },
		{ { 0xb8, 1, 2, 3, 4 }, 5 },
		{ { 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0 }, 8 },
		{ { 0x48, 0x8d, 0x05, 1, 2, 3, 4 }, 7 },
		{ { 0xc5, 0xf8, 0x77 }, 3 },
		{ { 0xc5, 0xf9, 0x70, 0xc0, 0x1b }, 5 },
		{ { 0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01 }, 6 },
		{ { 0x62, 0xf1, 0x7c, 0x48, 0x11, 0x47, 0x01 }, 7 },
		{ { 0xf6, 0x44, 0x24, 0x08, 0x01 }, 5 },
		{ { 0xf7, 0xd8 }, 2 },
		{ { 0xf7, 0xc7, 7, 0, 0, 0 }, 6 },
		{ { 0xc8, 16, 0, 0 }, 4 },
		{ { 0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08 }, 6 },
		{ { 0xa1, 1, 2, 3, 4, 5, 6, 7, 8 }, 9 },
		{ { 0x69, 0xc0, 1, 2, 3, 4 }, 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (uint8_t len = 0; len <= cases[i].len; len++) {
			struct wk_bytes code = wk_bytes_of(cases[i].bytes, len);
			struct wk_x86 ins;

			assert_int_equal(wk_x86_read(&code, &ins), len == cases[i].len);
		}
	}
}

/* The lengths of all opcodes behind the same prefixes and before the same operands, as objdump has
 * them: a digit for each opcode, 'a' for 10, 0 for what is no instruction, '.' if that is left
 * open. */
static void every_opcode_has_its_length(void **state)
{
	static const struct {
		uint8_t prefixes[2], count, modrm;
		const char *lengths;
	} rows[] = {
		{ { 0 },
		  0,
		  0xc1,
		  "2222250022222507222225002222250022222580222225802222258022222580"
		  "8888888888888888111111111111111100.28888562311112222222222222222"
		  "3603222222222.22111111111101111199991111251111112222222255555555"
		  "3331..3641311201222200012222222222222222550211118188113611111122" },
		{ { 0 },
		  0,
		  0x04,
		  "777725007777250.777725007777250077772530777725307777253077772530"
		  "3333333333333333111111111111111100.733335b2811112222222222222222"
		  "8b08777777777777111111111101111199991111251111112222222255555555"
		  "8831..8b41311201777700017777777722222222550211113133118b11111177" },
		{ { 0 },
		  0,
		  0x05,
		  "6666250066662502666625006666250066662560666625606666256066662560"
		  "6666666666666666111111111111111100.666465a2711112222222222222222"
		  "7a07666666666666111111111101111199991111251111112222222255555555"
		  "7731..7a41311201666600016666666622222222550211116166117a11111166" },
		{ { 0x66 },
		  1,
		  0x41,
		  "4444340044443408444434004444340044443460444434604444346044443460"
		  "................222222222222222200.46666463522223333333333333333"
		  "56054444444444442222222222022222aaaa2222342222223333333344444444"
		  "5542..5652422302444400024444444433333333..0322226266225622222244" },
		{ { 0x48 },
		  1,
		  0x81,
		  "77773600777736077777360077773600777736.0777736.0777736.0777736.0"
		  "................222222222222222200.7....6b3822223333333333333333"
		  "8b0877777777777722222222220.2222aaaa22223622222233333333aaaaaaaa"
		  "8842..8b5242230277770002777777773333333366032222.2..228b22222277" },
		{ { 0x67 },
		  1,
		  0x44,
		  "5555360055553608555536005555360055553680555536805555368055553680"
		  "................222222222222222200.58868693622223333333333333333"
		  "6906555555555555222222222202222266662222362222223333333366666666"
		  "6642..6952422302555500025555555533333333660322228288226922222255" },
		{ { 0x0f },
		  1,
		  0x41,
		  "4444.22222.2.4..4444444444444444........44444444222222.2........"
		  "4444444444444444.444444444444444444444444444..445...444244....44"
		  "66666666666666664444444444444444222454..2224544444444444.4.44444"
		  "44545.5.22222222.44444..44444444444444.444444444.444444.44444444" },
		{ { 0x66, 0x0f },
		  2,
		  0x84,
		  "9999.3333..3.9..9999999999999999........99999999333333.3........"
		  "9999999999999999.9..9999999999999999999999999999a...999.....9999"
		  "................99999999999999993339a9..3339a99999999999.9.99999"
		  "99a.a.a.333333339999999.999999999999999999999999.999999.99999999" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned op = 0; op < 256; op++) {
			uint8_t bytes[20] = { rows[i].prefixes[0], rows[i].prefixes[1] };
			uint8_t at = rows[i].count;
			char wanted = rows[i].lengths[op];
			struct wk_bytes code;
			struct wk_x86 ins;
			unsigned len;

			if (wanted == '.')
				continue;
			bytes[at] = (uint8_t)op;
			bytes[at + 1] = rows[i].modrm;
			memset(bytes + at + 2, 0x25, sizeof(bytes) - at - 2);
			code = wk_bytes_of(bytes, sizeof(bytes));
			len = wk_x86_read(&code, &ins) ? (unsigned)wk_bytes_offset(&code) : 0;
			if ("0123456789abcdef"[len] != wanted)
				fail_msg("row %zu, opcode %02x: length %u instead of %c", i, op,
					 len, wanted);
		}
}

static void fourteen_prefixes_are_followed_and_no_more(void **state)
{
	static const uint8_t prefixes[] = { 0x66, 0x67, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0xf0,
					    0xf2, 0xf3 };
	uint8_t bytes[16];

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes); i++)
		for (unsigned count = 0; count < sizeof(bytes); count++) {
			struct wk_bytes code = wk_bytes_of(bytes, sizeof(bytes));
			struct wk_x86 ins;

			memset(bytes, 0x90, sizeof(bytes));
			memset(bytes, prefixes[i], count);
			assert_int_equal(wk_x86_read(&code, &ins), count < 14);
			if (count < 14)
				assert_int_equal(wk_bytes_offset(&code), count + 1);
		}
}

static void work_is_bounded_on_code_that_branches_everywhere(void **state)
{
	size_t len = 1 << 20;
	uint8_t *code = test_malloc(len);
	struct wk_cfi_state found;

	(void)state;
	for (size_t i = 0; i < len; i += 2) {
		code[i] = 0x75;
		code[i + 1] = (uint8_t)(i % 251);
	}
	wk_code_rules(wk_bytes_of(code, len), len - 1, &found);
	wk_code_rules(wk_bytes_of(code, len), 65535, &found);
	memset(code, 0x53, len);
	assert_true(wk_code_rules(wk_bytes_of(code, len), 60000, &found));
	assert_int_equal(found.cfa_value, 8 + 8 * 60000);
	test_free(code);
}

/* Four functions, 16 bytes apart: the first calls the second, takes the address of the third
 * and jumps to the fourth in the last place. */
static void functions_begin_where_code_leads(void **state)
{
	static const uint8_t code[] = {
		0xe8, 0x1b, 0, 0, 0, 0x48, 0x8d, 0x05, 0x24, 0, 0, 0, 0xeb, 0x32, 0xcc, 0xcc,
		0x53, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
		0x53, 0xeb, 0x01, 0x06, 0x90, 0x90, 0x90, 0x90, 0x5b, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
		0x53, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
		0x53, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x5b, 0xc3,
	};
	struct wk_code_starts starts = { 0 };
	uint64_t start, size;

	(void)state;
	wk_code_starts_read(&starts, wk_bytes_of(code, sizeof(code)), 0x1000);
	assert_int_equal(starts.count, 3);
	assert_false(wk_code_starts_find(&starts, 0x101f, &start, &size));
	assert_true(wk_code_starts_find(&starts, 0x102f, &start, &size));
	assert_int_equal(start, 0x1020);
	assert_int_equal(size, 0x10);
	assert_true(wk_code_starts_find(&starts, 0x1030, &start, &size));
	assert_int_equal(start, 0x1030);
	assert_true(wk_code_starts_find(&starts, 0x1049, &start, &size));
	assert_int_equal(start, 0x1040);
	assert_int_equal(size, 10);
	assert_false(wk_code_starts_find(&starts, 0x104a, &start, &size));
	assert_false(wk_code_starts_find(&starts, 0xfff, &start, &size));
	wk_code_starts_fini(&starts);
}

static void known_places_are_recognised_by_their_code(void **state)
{
	static const uint8_t sigreturn[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t aarch64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	static const uint8_t exit_thread[] = { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05 };

	(void)state;
	assert_true(wk_code_is_sigreturn(wk_bytes_of(sigreturn, 9), WK_MACHINE_X86_64));
	assert_false(wk_code_is_sigreturn(wk_bytes_of(sigreturn, 8), WK_MACHINE_X86_64));
	assert_false(wk_code_is_sigreturn(wk_bytes_of(sigreturn, 9), WK_MACHINE_AARCH64));
	assert_true(wk_code_is_sigreturn(wk_bytes_of(aarch64, 8), WK_MACHINE_AARCH64));
	assert_true(wk_code_ends_thread(wk_bytes_of(exit_thread, 8)));
	assert_false(wk_code_ends_thread(wk_bytes_of(exit_thread + 1, 7)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_and_stack_space_are_counted),
		cmocka_unit_test(a_frame_pointer_takes_over_where_the_stack_pointer_is_lost),
		cmocka_unit_test(
			a_frame_pointer_is_surer_than_a_stack_pointer_behind_a_loop_that_pushes),
		cmocka_unit_test(ways_are_followed_past_early_returns),
		cmocka_unit_test(what_a_jump_table_leads_to_has_the_stack_of_the_jump),
		cmocka_unit_test(what_can_not_be_followed_is_refused),
		cmocka_unit_test(instructions_have_their_lengths),
		cmocka_unit_test(every_opcode_has_its_length),
		cmocka_unit_test(fourteen_prefixes_are_followed_and_no_more),
		cmocka_unit_test(work_is_bounded_on_code_that_branches_everywhere),
		cmocka_unit_test(functions_begin_where_code_leads),
		cmocka_unit_test(known_places_are_recognised_by_their_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
