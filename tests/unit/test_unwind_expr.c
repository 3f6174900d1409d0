#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/unwind/expr.h"

static const uint8_t memory[16] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xff };

static struct wk_frame frame_of(void)
{
	struct wk_frame frame = { .bytes = memory, .base = 0x7000, .size_bytes = sizeof(memory),
				  .word_bytes = 8 };

	wk_frame_set(&frame, 0, 5);
	wk_frame_set(&frame, 7, 0x7000);
	wk_frame_set(&frame, 31, 6);
	wk_frame_set(&frame, 16, 0x40102b);
	return frame;
}

struct expression {
	const char *name;
	uint8_t code[16];
	size_t len;
	uint64_t value;
};

#define CODE(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static const struct expression good[] = {
	{ "lit0", CODE(0x30), 0 },
	{ "lit31", CODE(0x4f), 31 },
	{ "reg0", CODE(0x50), 5 },
	{ "reg31", CODE(0x6f), 6 },
	{ "breg0", CODE(0x70, 1), 6 },
	{ "breg31", CODE(0x8f, 1), 7 },
	{ "addr", CODE(0x03, 1, 0, 0, 0, 0, 0, 0, 0x80), 0x8000000000000001 },
	{ "const1s", CODE(0x09, 0xff), UINT64_MAX },
	{ "const2u", CODE(0x0a, 0xff, 0xff), 0xffff },
	{ "const2s", CODE(0x0b, 0xfe, 0xff), (uint64_t)-2 },
	{ "const4s", CODE(0x0d, 0xfe, 0xff, 0xff, 0xff), (uint64_t)-2 },
	{ "constu", CODE(0x10, 0x80, 1), 128 },
	{ "consts", CODE(0x11, 0x7f), UINT64_MAX },
	{ "breg7", CODE(0x77, 0x78), 0x7000 - 8 },
	{ "bregx", CODE(0x92, 7, 8), 0x7008 },
	{ "deref", CODE(0x77, 0, 0x06), 0x8877665544332211 },
	{ "deref_size", CODE(0x77, 2, 0x94, 2), 0x4433 },
	{ "dup plus", CODE(0x33, 0x12, 0x22), 6 },
	{ "drop", CODE(0x33, 0x34, 0x13), 3 },
	{ "over", CODE(0x33, 0x34, 0x14), 3 },
	{ "pick", CODE(0x33, 0x34, 0x35, 0x15, 2), 3 },
	{ "swap minus", CODE(0x33, 0x35, 0x16, 0x1c), 2 },
	{ "rot", CODE(0x31, 0x32, 0x33, 0x17), 2 },
	{ "abs", CODE(0x09, 0xf0, 0x19), 16 },
	{ "and", CODE(0x3c, 0x3a, 0x1a), 8 },
	{ "div", CODE(0x09, 0xf0, 0x33, 0x1b), (uint64_t)-5 },
	{ "mod", CODE(0x3e, 0x34, 0x1d), 2 },
	{ "mul", CODE(0x33, 0x34, 0x1e), 12 },
	{ "neg not", CODE(0x31, 0x1f, 0x20), 0 },
	{ "or", CODE(0x39, 0x36, 0x21), 15 },
	{ "plus_uconst", CODE(0x31, 0x23, 0x7f), 128 },
	{ "shl", CODE(0x31, 0x33, 0x24), 8 },
	{ "shl by more than there is", CODE(0x31, 0x08, 64, 0x24), 0 },
	{ "shr", CODE(0x09, 0xff, 0x08, 60, 0x25), 15 },
	{ "shra", CODE(0x09, 0xf0, 0x32, 0x26), (uint64_t)-4 },
	{ "shra by more than there is", CODE(0x09, 0xf0, 0x08, 200, 0x26), UINT64_MAX },
	{ "xor", CODE(0x3c, 0x3a, 0x27), 6 },
	{ "lt is signed", CODE(0x09, 0xff, 0x30, 0x2d), 1 },
	{ "ge is signed", CODE(0x09, 0xff, 0x30, 0x2a), 0 },
	{ "eq", CODE(0x33, 0x33, 0x29), 1 },
	{ "skip", CODE(0x31, 0x2f, 1, 0, 0x32, 0x96), 1 },
	{ "skip to the end", CODE(0x31, 0x2f, 0, 0), 1 },
	{ "bra taken", CODE(0x35, 0x31, 0x28, 1, 0, 0x13, 0x96), 5 },
	{ "bra not taken", CODE(0x34, 0x35, 0x30, 0x28, 1, 0, 0x13, 0x96), 4 },
	{ "the smallest number divided by -1",
	  CODE(0x03, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b), 0x8000000000000000 },
	{ "a PLT slot's late part",
	  CODE(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22), 0x7010 },
};

static void expressions_compute_what_dwarf_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct wk_frame frame = frame_of();
		uint64_t value = 0;

		if (!wk_expr_run(wk_bytes_of(good[i].code, good[i].len), &frame, NULL, &value))
			fail_msg("%s: refused", good[i].name);
		if (value != good[i].value)
			fail_msg("%s: %llx", good[i].name, (unsigned long long)value);
	}
}

static void an_expression_may_jump_to_its_beginning(void **state)
{
	/* minus 1, again unless it is 0 */
	static const uint8_t code[] = { 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff };
	struct wk_frame frame = frame_of();
	uint64_t value = 99, begin = 5;

	(void)state;
	assert_true(wk_expr_run(wk_bytes_of(code, sizeof(code)), &frame, &begin, &value));
	assert_int_equal(value, 0);
}

static const struct expression bad[] = {
	{ "nothing on the stack", CODE(0x96), 0 },
	{ "too little on the stack", CODE(0x31, 0x22), 0 },
	{ "an operation that is none", CODE(0xff), 0 },
	{ "call_frame_cfa", CODE(0x9c), 0 },
	{ "a register that is not known", CODE(0x73, 0), 0 },
	{ "a register that is none", CODE(0x92, 0x80, 1, 0), 0 },
	{ "division by zero", CODE(0x31, 0x30, 0x1b), 0 },
	{ "remainder by zero", CODE(0x31, 0x30, 0x1d), 0 },
	{ "memory below the copy", CODE(0x77, 0x7f, 0x06), 0 },
	{ "memory across the copy's end", CODE(0x77, 9, 0x06), 0 },
	{ "a size of nothing", CODE(0x77, 0, 0x94, 0), 0 },
	{ "a size beyond a word", CODE(0x77, 0, 0x94, 9), 0 },
	{ "an operand that is not there", CODE(0x0c, 1, 2), 0 },
	{ "a jump before the beginning", CODE(0x31, 0x2f, 0xfb, 0xff), 0 },
	{ "a jump past the end", CODE(0x31, 0x2f, 1, 0), 0 },
	{ "a loop without end", CODE(0x31, 0x2f, 0xfd, 0xff), 0 },
	{ "a loop that fills the stack", CODE(0x31, 0x2f, 0xfc, 0xff), 0 },
	{ "pick beyond the stack", CODE(0x31, 0x15, 9), 0 },
};

static void broken_expressions_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wk_frame frame = frame_of();
		uint64_t value;

		if (wk_expr_run(wk_bytes_of(bad[i].code, bad[i].len), &frame, NULL, &value))
			fail_msg("accepted: %s", bad[i].name);
	}
}

static void loads_tell_on_which_side_of_the_copy_they_missed(void **state)
{
	static const uint8_t above[] = { 0x77, 16, 0x06 }, below[] = { 0x77, 0x70, 0x06 };
	struct wk_frame frame = frame_of();
	uint64_t value;

	(void)state;
	assert_false(wk_expr_run(wk_bytes_of(above, sizeof(above)), &frame, NULL, &value));
	assert_true(frame.missed_above);
	assert_false(wk_expr_run(wk_bytes_of(below, sizeof(below)), &frame, NULL, &value));
	assert_false(frame.missed_above);
}

static void the_initial_value_is_pushed_first(void **state)
{
	static const uint8_t code[] = { 0x23, 8 };
	struct wk_frame frame = frame_of();
	uint64_t cfa = 0x7100, value = 0;

	(void)state;
	assert_true(wk_expr_run(wk_bytes_of(code, sizeof(code)), &frame, &cfa, &value));
	assert_int_equal(value, 0x7108);
	assert_true(wk_expr_run(wk_bytes_of(code, 0), &frame, &cfa, &value));
	assert_int_equal(value, 0x7100);
}

static void the_linkers_plt_pattern_is_known(void **state)
{
	static const uint8_t code[] = {
		0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	};
	struct wk_expr_plt plt;

	(void)state;
	assert_true(wk_expr_is_plt(wk_bytes_of(code, sizeof(code)), &plt));
	assert_int_equal(plt.base, 8);
	assert_int_equal(plt.mask, 15);
	assert_int_equal(plt.threshold, 11);
	assert_int_equal(plt.extra, 8);
	for (size_t len = 0; len < sizeof(code); len++)
		assert_false(wk_expr_is_plt(wk_bytes_of(code, len), &plt));
	for (size_t at = 0; at < sizeof(code); at++) {
		uint8_t other[sizeof(code)];

		memcpy(other, code, sizeof(code));
		other[at] = 0x96;
		assert_false(wk_expr_is_plt(wk_bytes_of(other, sizeof(other)), &plt));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_compute_what_dwarf_says),
		cmocka_unit_test(an_expression_may_jump_to_its_beginning),
		cmocka_unit_test(broken_expressions_are_refused),
		cmocka_unit_test(loads_tell_on_which_side_of_the_copy_they_missed),
		cmocka_unit_test(the_initial_value_is_pushed_first),
		cmocka_unit_test(the_linkers_plt_pattern_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
