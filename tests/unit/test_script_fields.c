/* Registers and data sources of samples, as `perf script` prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/perf_script/internal.h"

static void source_is(uint64_t source, const char *expected)
{
	struct wk_perf_script script = { 0 };
	struct wk_buf text = { 0 };

	wk_script_add_data_source(&script, source, &text);
	assert_non_null(strchr(wk_buf_text(&text), '|'));
	assert_string_equal(strchr(wk_buf_text(&text), '|'), expected);
	wk_buf_fini(&text);
}

#define REST "|SNP N/A|TLB N/A|LCK No|BLK  N/A"

static void each_part_of_a_data_source_has_its_words(void **state)
{
	(void)state;
	source_is(0, "|OP No|LVL N/A" REST);
	source_is(1 << 0, "|OP N/A|LVL N/A" REST);
	source_is(1 << 1, "|OP LOAD|LVL N/A" REST);
	source_is(1 << 2, "|OP STORE|LVL N/A" REST);
	source_is(1 << 3, "|OP PFETCH|LVL N/A" REST);
	source_is(1 << 4, "|OP EXEC|LVL N/A" REST);
	source_is(1 << 19 | 1 << 21, "|OP No|LVL N/A|SNP N/A or Hit|TLB N/A|LCK No|BLK  N/A");
	source_is(UINT64_C(1) << 38 | 1 << 23,
		  "|OP No|LVL N/A|SNP HitM or Fwd|TLB N/A|LCK No|BLK  N/A");
	source_is(UINT64_C(1) << 39, "|OP No|LVL N/A|SNP Peer|TLB N/A|LCK No|BLK  N/A");
	source_is(1 << 24, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A");
	source_is(1 << 25, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK Yes|BLK  N/A");
	source_is(1 << 27 | 1 << 29 | UINT64_C(1) << 31,
		  "|OP No|LVL N/A|SNP N/A|TLB L1 or Walker hit|LCK No|BLK  N/A");
	source_is(UINT64_C(1) << 32 | 1 << 28,
		  "|OP No|LVL N/A|SNP N/A|TLB Fault miss|LCK No|BLK  N/A");
	source_is(UINT64_C(7) << 40, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A Data Addr");
	source_is(UINT64_C(2) << 40, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  Data");
	source_is(UINT64_C(4) << 40, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  Addr");
}

static void a_level_is_told_by_bits_number_and_hops(void **state)
{
	(void)state;
	source_is(1 << 6 | 1 << 8, "|OP No|LVL L1 hit" REST);
	source_is(1 << 7 | 1 << 10, "|OP No|LVL L2 miss" REST);
	source_is(1 << 9 | 1 << 18, "|OP No|LVL LFB/MAB or Uncached" REST);
	source_is(UINT64_C(1) << 33, "|OP No|LVL L1" REST);
	source_is(UINT64_C(9) << 33, "|OP No|LVL CXL" REST);
	source_is(UINT64_C(13) << 33 | UINT64_C(1) << 37, "|OP No|LVL Remote RAM" REST);
	source_is(UINT64_C(15) << 33 | 1 << 8, "|OP No|LVL L1 or N/A" REST);
	source_is(UINT64_C(11) << 33 | UINT64_C(1) << 43,
		  "|OP No|LVL core, same node Any cache" REST);
	source_is(UINT64_C(4) << 43 | UINT64_C(3) << 33 | 1 << 8, "|OP No|LVL board L3" REST);
	source_is(UINT64_C(5) << 43 | 1 << 8, "|OP No|LVL L1" REST);
}

static void data_sources_are_as_wide_as_the_widest_so_far(void **state)
{
	struct wk_perf_script script = { 0 };
	struct wk_buf text = { 0 };
	size_t wide;

	(void)state;
	wk_script_add_data_source(&script, 1 << 25, &text);
	wide = text.len;
	wk_script_add_data_source(&script, 0, &text);
	assert_int_equal(text.len, 2 * wide);
	assert_int_equal(text.at[text.len - 1], ' ');
	assert_string_equal(wk_buf_text(&text) + wide,
			    "               0 |OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A ");
	wk_buf_fini(&text);
}

static void registers_are(enum wk_machine machine, uint64_t sampled, const char *expected)
{
	struct wk_event_registers registers = { .machine = machine, .abi = 2, .sampled = sampled };
	struct wk_buf text = { 0 };

	for (unsigned i = 0; i < 64; i++)
		registers.value[i] = i;
	wk_script_add_registers(&registers, &text);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void registers_have_the_names_of_their_machine(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	registers_are(WK_MACHINE_X86_64, 1 << 0 | 1 << 6 | 1 << 8 | 1 << 23 | 1 << 24,
		      " ABI:2    AX:0x0    BP:0x6    IP:0x8   R15:0x17 unknown:0x18 ");
	registers_are(WK_MACHINE_X86, 1 << 7, " ABI:2    SP:0x7 ");
	registers_are(WK_MACHINE_AARCH64,
		      UINT64_C(1) << 29 | UINT64_C(1) << 32 | UINT64_C(1) << 33 |
			      UINT64_C(1) << 46 | UINT64_C(1) << 47,
		      " ABI:2   x29:0x1d    pc:0x20 unknown:0x21    vg:0x2e unknown:0x2f ");
	registers_are(WK_MACHINE_ARM, 1 << 0 | 1 << 15 | 1 << 16,
		      " ABI:2    r0:0x0    pc:0xf unknown:0x10 ");
	registers_are(WK_MACHINE_UNKNOWN, 1, " ABI:2 unknown:0x0 ");
	registers_are(WK_MACHINE_ARM, 0, " ABI:2 ");
	wk_script_add_registers(NULL, &text);
	assert_int_equal(text.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_of_a_data_source_has_its_words),
		cmocka_unit_test(a_level_is_told_by_bits_number_and_hops),
		cmocka_unit_test(data_sources_are_as_wide_as_the_widest_so_far),
		cmocka_unit_test(registers_have_the_names_of_their_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
