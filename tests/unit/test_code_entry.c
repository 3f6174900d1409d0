#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/unwind/code_entry.h"

#define JUMP 0xe9

static struct wk_patch_code entry;
static const char *why;

static bool reads(const uint8_t *code, size_t len, uint64_t size)
{
	return wk_code_entry_read(wk_bytes_of(code, len), size, &entry, &why);
}

#define READS(...)                                                                                 \
	reads((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }),          \
	      sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void assert_bytes(unsigned at, const void *bytes, size_t count)
{
	assert_true(at + count <= entry.byte_count);
	assert_memory_equal(entry.bytes + at, bytes, count);
}

#define ASSERT_BYTES(at, ...)                                                                      \
	assert_bytes(at, (const uint8_t[]){ __VA_ARGS__ },                                         \
		     sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void assert_fix(unsigned i, unsigned at, int64_t target, bool is_absolute)
{
	assert_true(i < entry.fix_count);
	assert_int_equal(entry.fixes[i].at, at);
	assert_int_equal(entry.fixes[i].target, target);
	assert_int_equal(entry.fixes[i].is_absolute, is_absolute);
}

static void assert_refused(bool ok, const char *reason)
{
	assert_false(ok);
	assert_string_equal(why, reason);
}

static void whole_instructions_are_moved_and_a_jump_goes_on_behind_them(void **state)
{
	(void)state;
	assert_true(READS(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x54, 0x55, 0x53, 0xc3));
	assert_int_equal(entry.taken, 6);
	assert_int_equal(entry.first, 4);
	assert_int_equal(entry.byte_count, 11);
	assert_memory_equal(entry.expected, entry.bytes, 6);
	ASSERT_BYTES(6, JUMP);
	assert_fix(0, 7, 6, false);
	assert_int_equal(entry.fix_count, 1);
}

static void an_operand_near_the_code_gets_a_fix_to_where_it_is(void **state)
{
	(void)state;
	/* cmpl $7, 0x100(%rip): relative to the end, behind the immediate byte */
	assert_true(READS(0x83, 0x3d, 0, 1, 0, 0, 7, 0xc3));
	assert_int_equal(entry.taken, 7);
	assert_int_equal(entry.first, 7);
	assert_fix(0, 2, 0x107 - 1, false);
	assert_fix(1, 8, 7, false);
	/* vmovdqu 0x10(%rip), %ymm0 */
	assert_true(READS(0xc5, 0xfe, 0x6f, 0x05, 0x10, 0, 0, 0, 0xc3));
	assert_fix(0, 4, 0x18, false);
}

static void short_branches_become_long(void **state)
{
	(void)state;
	/* test; je to 3 + 2 + 0x10; mov */
	assert_true(READS(0x48, 0x85, 0xff, 0x74, 0x10, 0x89, 0xf8, 0xc3));
	ASSERT_BYTES(3, 0x0f, 0x84, 0, 0, 0, 0, JUMP);
	assert_fix(0, 5, 0x15, false);
	assert_fix(1, 10, 5, false);
}

static void a_call_returns_to_the_function_itself(void **state)
{
	(void)state;
	/* sub $8, %rsp; call to 9 + 0x20 */
	assert_true(READS(0x48, 0x83, 0xec, 8, 0xe8, 0x20, 0, 0, 0, 0xc3));
	assert_int_equal(entry.taken, 9);
	ASSERT_BYTES(4, 0xff, 0x35, 5, 0, 0, 0, JUMP);
	assert_fix(0, 11, 0x29, false);
	assert_fix(1, 15, 9, true);
	assert_int_equal(entry.byte_count, 23);
	/* call *0x20(%rip) */
	assert_true(READS(0xff, 0x15, 0x20, 0, 0, 0, 0xc3));
	ASSERT_BYTES(0, 0xff, 0x35, 6, 0, 0, 0, 0xff, 0x25);
	assert_fix(0, 8, 0x26, false);
	assert_fix(1, 12, 6, true);
}

static void what_follows_the_end_may_be_replaced_if_it_only_fills(void **state)
{
	static const uint8_t filled[] = { 0x31, 0xc0, 0xc3, 0x0f, 0x1f, 0x00 };
	static const uint8_t used[] = { 0x31, 0xc0, 0xc3, 0x53, 0x5b, 0xc3 };
	static const uint8_t jump[] = { 0xeb, 0x40, 0x66, 0x90, 0xcc, 0x53 };

	(void)state;
	assert_true(reads(filled, sizeof(filled), 3));
	assert_int_equal(entry.taken, 6);
	assert_int_equal(entry.byte_count, 3);
	assert_int_equal(entry.fix_count, 0);
	assert_refused(reads(used, sizeof(used), 3), "is too short");
	assert_refused(reads(used, sizeof(used), 0), "is too short");
	assert_true(reads(jump, sizeof(jump), 2));
	assert_int_equal(entry.byte_count, 5);
	assert_fix(0, 1, 0x42, false);
}

static void what_cannot_be_moved_is_refused(void **state)
{
	static const uint8_t pushes[] = { 0x53, 0x55, 0x41, 0x54, 0x50 };

	(void)state;
	assert_refused(READS(0xff, 0xd0, 0x90, 0x90, 0x90, 0xc3),
		       "begins with a call through a register");
	assert_refused(READS(0xe3, 0x10, 0x90, 0x90, 0x90, 0xc3), "begins with a loop");
	assert_refused(READS(0x06, 0x90, 0x90, 0x90, 0x90, 0xc3),
		       "begins with an instruction that wick does not know");
	/* one that goes on behind the function's end */
	assert_refused(reads(pushes, sizeof(pushes), 3), "is too short");
	assert_refused(reads(pushes, 4, 0), "begins with an instruction that wick does not know");
}

static void a_branch_into_what_is_replaced_is_found(void **state)
{
	static const char *const reason = "has a branch into its first instructions";
	uint8_t far[300];

	(void)state;
	/* push %rbx; 1: mov %rdi, %rbx; mov; jmp 1b */
	assert_refused(READS(0x53, 0x48, 0x89, 0xfb, 0x89, 0xf8, 0xeb, 0xf9), reason);
	/* to the start is no branch into it */
	assert_true(READS(0x53, 0x48, 0x89, 0xfb, 0x89, 0xf8, 0xeb, 0xf8));
	/* among what is replaced */
	assert_refused(READS(0x90, 0x90, 0x75, 0xfd, 0x90, 0xc3), reason);
	memset(far, 0x90, sizeof(far));
	far[299] = 0xc3;
	far[120] = 0x75;
	far[121] = (uint8_t)-120; /* to 2 */
	assert_refused(reads(far, sizeof(far), sizeof(far)), reason);
}

static void branches_from_far_away_are_found(void **state)
{
	uint8_t code[64];
	struct wk_entry_range ranges[] = { { 0x2000, 6, false }, { 0x2010, 5, false } };

	(void)state;
	memset(code, 0x90, sizeof(code));
	code[8] = 0xe9; /* at 0x1008, to 0x2000 */
	code[9] = 0xf3, code[10] = 0x0f, code[11] = code[12] = 0;
	code[20] = 0x0f; /* at 0x1014, to 0x2013 */
	code[21] = 0x85, code[22] = 0xf9, code[23] = 0x0f, code[24] = code[25] = 0;
	wk_entry_ranges_reached(wk_bytes_of(code, sizeof(code)), 0x1000, ranges, 2);
	assert_false(ranges[0].is_reached);
	assert_true(ranges[1].is_reached);
}

static void what_a_function_calls_is_followed(void **state)
{
	static const uint8_t code[] = {
		0xc3,                            /* 0 ret */
		0x74, 2, 0x90, 0xc3,             /* 1: je 5 */
		0xe8, 1, 0, 0, 0, 0xc3,          /* 5: call 11 */
		0xeb, 0xfe,                      /* 11: jmp 11 */
		0xe8, 1, 0, 0, 0, 0xc3,          /* 13: call 19 */
		0xff, 0x25, 0, 0, 0, 0,          /* 19: jmp *(%rip), as in a PLT */
		0xff, 0xe0,                      /* 25: jmp *%rax, as for a switch */
		0x41, 0xff, 0xd4, 0xc3,          /* 27: call *%r12 */
	};
	struct wk_bytes bytes = wk_bytes_of(code, sizeof(code));

	(void)state;
	assert_false(wk_entry_calls_others(bytes, 0));
	assert_false(wk_entry_calls_others(bytes, 1));
	assert_true(wk_entry_calls_others(bytes, 13));
	assert_true(wk_entry_calls_others(bytes, 19));
	assert_false(wk_entry_calls_others(bytes, 25));
	assert_true(wk_entry_calls_others(bytes, 27));
	assert_false(wk_entry_calls_others(bytes, sizeof(code)));
}

/* Whatever the bytes are. */
static void a_result_is_within_its_bounds(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint8_t *code;
		size_t size;

		random = random * 1664525u + 1013904223u;
		size = (random >> 24) % 40;
		code = malloc(size + 1);
		assert_non_null(code);
		for (size_t k = 0; k < size; k++) {
			random = random * 1664525u + 1013904223u;
			code[k] = (uint8_t)(random >> 24);
		}
		if (reads(code, size, i % 3 ? size : 0)) {
			assert_true(entry.taken >= WK_PATCH_JUMP_BYTES && entry.taken <= size);
			assert_true(entry.taken <= WK_PATCH_TAKEN_BYTES);
			for (unsigned k = 0; k < entry.fix_count; k++)
				assert_true(entry.fixes[k].at +
						    (entry.fixes[k].is_absolute ? 8u : 4u) <=
					    entry.byte_count);
		} else {
			assert_non_null(why);
		}
		free(code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_instructions_are_moved_and_a_jump_goes_on_behind_them),
		cmocka_unit_test(an_operand_near_the_code_gets_a_fix_to_where_it_is),
		cmocka_unit_test(short_branches_become_long),
		cmocka_unit_test(a_call_returns_to_the_function_itself),
		cmocka_unit_test(what_follows_the_end_may_be_replaced_if_it_only_fills),
		cmocka_unit_test(what_cannot_be_moved_is_refused),
		cmocka_unit_test(a_branch_into_what_is_replaced_is_found),
		cmocka_unit_test(branches_from_far_away_are_found),
		cmocka_unit_test(what_a_function_calls_is_followed),
		cmocka_unit_test(a_result_is_within_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
