/* What the reader makes of the kernel's events of which no real trace is at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etl_kernel_events.h"
#include "etl_lines.h"

static void read_kernel_trace(struct wk_buf *text)
{
	struct etl_maker m = { 0 };

	etl_kernel_trace(&m);
	read_trace(&m, text);
}

static void a_switch_says_who_ran_why_it_stopped_and_where_the_new_one_waited(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "switch time=10000000 pid=100 tid=101 cpu=3 old_pid=0 old_tid=0 "
			   "old=ready\n");
	assert_line(&text, "switch time=20000000 pid=0 tid=0 cpu=3 old_pid=100 old_tid=101 "
			   "old=waits reason=\"UserRequest\" mode=\"user\"\n");
	assert_line(&text, "switch time=30000000 pid=100 tid=101 cpu=3 old_pid=0 old_tid=0 "
			   "old=ready kernel=0xfffff80000000010 user=0x10010\n");
	assert_line(&text, "switch time=32000000 pid=200 tid=201 cpu=3 old_pid=100 old_tid=101 "
			   "old=ready reason=\"WrPreempted\"\n");
	assert_line(&text, "switch time=33000000 pid=100 tid=101 cpu=3 old_pid=200 old_tid=201 "
			   "old=waits reason=\"WrTerminated\" mode=\"user\"\n");
	wk_buf_fini(&text);
}

static void who_makes_a_thread_ready_is_who_runs_on_that_processor(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "ready time=25000100 pid=0 tid=0 cpu=3 ready_pid=100 ready_tid=101 "
			   "interrupt=1\n");
	assert_line(&text, "ready time=31000000 pid=100 tid=101 cpu=3 ready_pid=200 ready_tid=201 "
			   "user=0x10030\n");
	wk_buf_fini(&text);
}

static void what_was_counted_for_a_process_is_told_of_it(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "process time=74000000 pid=200 tid=200 change=seen faults=1234 "
			   "handles=56 working_set=65542 commit=65543 peak_working_set=65537 "
			   "peak_commit=65538 peak_virtual=65536\n");
	assert_line(&text, "process time=77000000 pid=100 tid=100 change=seen faults=1234 "
			   "handles=56 working_set=131078 commit=131079 peak_working_set=131073 "
			   "peak_commit=131074 peak_virtual=131072\n");
	wk_buf_fini(&text);
}

static void memory_is_its_owners_and_its_stack_the_doers(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "memory time=34000000 pid=100 tid=100 change=reserve,commit,seen "
			   "start=0x500000 size=0x1000\n");
	assert_line(&text, "memory time=40000000 pid=100 tid=101 change=reserve start=0x600000 "
			   "size=0x10000\n");
	assert_line(&text, "memory time=41000000 pid=100 tid=101 change=commit start=0x600000 "
			   "size=0x4000 user=0x10050\n");
	assert_line(&text, "memory time=42000000 pid=100 tid=101 change=reserve,commit "
			   "start=0x800000 size=0x1000 owner=200\n");
	assert_line(&text, "memory time=43000000 pid=100 tid=101 change=decommit start=0x600000 "
			   "size=0x1000\n");
	assert_line(&text, "memory time=44000000 pid=100 tid=101 change=release start=0x600000 "
			   "size=0x0\n");
	assert_line(&text, "memory time=45000000 pid=200 tid=200 change=commit,seen start=0x800000 "
			   "size=0x1000\n");
	wk_buf_fini(&text);
}

/* An allocation over a placeholder has the bit that decommits elsewhere. */
static void the_same_bit_means_something_else_of_an_allocation(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_virtual(&m, 0x0262, 10, 0x600000, 0x1000, 100, 0x7000);
	etl_virtual(&m, 0x0263, 20, 0x600000, 0x1000, 100, 0xb000);
	etl_virtual(&m, 0x0262, 30, 0x700000, 0x1000, 100, 0x80000);
	etl_end_buffer(&m, 0);
	read_trace(&m, &text);
	assert_line(&text, "change=reserve,commit start=0x600000");
	assert_line(&text, "change=release start=0x600000");
	assert_no_line(&text, "start=0x700000");
	wk_buf_fini(&text);
}

/* Nobody ran before the first switch; the stack, made on the same processor, knows who it was. */
static void without_switches_the_stack_says_who_did_it(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_thread(&m, 0x0503, 0, 100, 101, "");
	etl_thread(&m, 0x0503, 0, 200, 201, "");
	etl_virtual(&m, 0x0262, 10, 0x600000, 0x1000, 100, 0x1000);
	etl_stack_of(&m, 11, 10, 100, 101, 0x10010);
	etl_virtual(&m, 0x0262, 20, 0x700000, 0x1000, 100, 0x1000);
	etl_end_buffer(&m, 0);
	etl_stack_of(&m, 12, 10, 200, 201, 0x20010);
	etl_end_buffer(&m, 1);
	read_trace(&m, &text);
	assert_line(&text, "pid=100 tid=101 change=commit start=0x600000 size=0x1000 "
			   "user=0x10010\n");
	assert_line(&text, "pid=100 tid=100 change=commit start=0x700000 size=0x1000\n");
	wk_buf_fini(&text);
}

static void faults_are_a_source_for_each_kind(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "source=5 name=\"demand zero fault\" unit=\"events\"");
	assert_line(&text, "sample time=50000000 pid=100 tid=101 cpu=3 source=5 weight=1 mode=user "
			   "address=0x10060 data_address=0x500010\n");
	assert_line(&text, "source=4 name=\"transition fault\"");
	assert_line(&text, "source=6 name=\"copy on write fault\"");
	assert_line(&text, "source=7 name=\"guard page fault\"");
	assert_line(&text, "source=8 name=\"hard page fault\"");
	assert_line(&text, "source=9 name=\"access violation\"");
	assert_line(&text, "source=9 weight=1 mode=kernel address=0xfffff80000000050 "
			   "data_address=0x500060\n");
	assert_line(&text, "source=3 name=\"hard fault\" unit=\"events\"");
	assert_line(&text, "source=3 weight=1 mode=user address=0x10070 user=0x10070 "
			   "data_address=0x500070 data_weight=0x8000\n");
	wk_buf_fini(&text);
}

static void interrupts_take_time_in_whoever_ran(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "source=11 name=\"ISR\" unit=\"ns\"");
	assert_line(&text, "sample time=24000000 pid=0 tid=0 cpu=3 source=11 weight=30000 "
			   "mode=kernel address=0xfffff80000000040\n");
	assert_line(&text, "source=10 name=\"DPC\" unit=\"ns\"");
	assert_line(&text, "source=10 weight=50000 mode=kernel address=0xfffff80000000044\n");
	wk_buf_fini(&text);
}

static void without_switches_nobody_knows_whom_an_interrupt_stopped(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_interrupt(&m, 0x0f44, 9 * ETL_MS, 2 * ETL_MS, ETL_KERNEL_BASE + 0x50);
	etl_fault(&m, 0x020b, 10 * ETL_MS, 0x30000, 0x10010);
	etl_end_buffer(&m, 0);
	read_trace(&m, &text);
	assert_line(&text, "sample time=9000000 pid=unknown tid=0 cpu=0 source=10 weight=2000000");
	assert_line(&text, "sample time=10000000 pid=unknown tid=0");
	wk_buf_fini(&text);
}

static void a_counter_has_its_name_and_its_samples_their_interval(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "source=12 name=\"TotalCycles\" unit=\"events\"");
	assert_line(&text, "source=12 weight=65536 mode=user address=0x10090\n");
	assert_line(&text, "source=13 name=\"counter 7\"");
	assert_line(&text, "source=13 weight=1 mode=user address=0x10091\n");
	wk_buf_fini(&text);
}

/* And what was before the first change is told by that change; how it was left is of no matter. */
static void an_interval_holds_until_it_is_changed(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_sampled(&m, 1 * ETL_MS, 0x1001, 101, 0);
	etl_counted(&m, 2 * ETL_MS, 0x2001, 101, 5);
	etl_interval_change(&m, 0x0f48, 3 * ETL_MS, 0, 20000, 5000, "Timer");
	etl_interval_change(&m, 0x0f48, 3 * ETL_MS, 5, 70, 60, "Misses");
	etl_sampled(&m, 4 * ETL_MS, 0x1002, 101, 0);
	etl_counted(&m, 5 * ETL_MS, 0x2002, 101, 5);
	etl_interval_change(&m, 0x0f49, 6 * ETL_MS, 0, 1000, 20000, "Timer");
	etl_sampled(&m, 7 * ETL_MS, 0x1003, 101, 0);
	etl_interval_change(&m, 0x0f4a, 8 * ETL_MS, 0, 10000, 1000, "Timer");
	etl_end_buffer(&m, 0);
	read_trace(&m, &text);
	assert_line(&text, "weight=500000 mode=user address=0x1001\n");
	assert_line(&text, "weight=60 mode=user address=0x2001\n");
	assert_line(&text, "weight=2000000 mode=user address=0x1002\n");
	assert_line(&text, "weight=70 mode=user address=0x2002\n");
	assert_line(&text, "weight=100000 mode=user address=0x1003\n");
	wk_buf_fini(&text);
}

static void samples_that_were_gathered_are_told_one_by_one(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "source=1 weight=6000000 mode=user address=0x10092\n");
	assert_line(&text, "source=1 weight=8000000 mode=user address=0x10093\n");
	assert_no_line(&text, "name=\"idle\"");
	wk_buf_fini(&text);
}

static void blocks_of_a_heap_are_told_with_their_stacks(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "heap time=60000000 pid=100 tid=101 change=create heap=0x900000\n");
	assert_line(&text, "heap time=61000000 pid=100 tid=101 change=allocate heap=0x900000 "
			   "address=0x900100 size=0x40 made_by=\"low fragmentation heap\" "
			   "user=0x10080\n");
	assert_line(&text, "change=reallocate heap=0x900000 address=0x900200 size=0x80 "
			   "old_address=0x900100 old_size=0x40 made_by=\"segment heap\"\n");
	assert_line(&text, "change=free heap=0x900000 address=0x900200");
	assert_line(&text, "change=destroy heap=0x900000\n");
	wk_buf_fini(&text);
}

static void a_mark_is_a_moment_with_a_name(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "mark time=74000000 pid=66 tid=77 label=\"half way\"\n");
	wk_buf_fini(&text);
}

static void every_kind_of_record_is_counted(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_kernel_trace(&text);
	assert_line(&text, "count=5 provider=\"Windows Kernel\" name=\"Thread/CSwitch\"\n");
	assert_line(&text, "count=3 provider=\"Windows Kernel\" name=\"VirtualMem/Alloc\"\n");
	assert_line(&text, "count=1 provider=\"Windows Kernel\" name=\"PerfInfo/Mark\"\n");
	assert_line(&text, "count=1 provider=\"Windows Kernel\" name=\"Thread/CompCS\" used=0\n");
	assert_line(&text, "count=1 provider=\"Windows Kernel\" name=\"Registry/0x0999\" used=0\n");
	assert_line(&text, "1 record of context switches is packed in an unknown way");
	wk_buf_fini(&text);
}

/* Each with one byte less than the least that it must have. */
static void records_that_are_too_short_are_counted(void **state)
{
	static const struct {
		uint16_t hook;
		unsigned least;
	} kinds[] = {
		{ 0x0524, 15 }, { 0x0532, 7 },  { 0x0262, 24 }, { 0x0263, 24 },
		{ 0x0281, 24 }, { 0x020b, 16 }, { 0x0220, 40 }, { 0x0f43, 16 },
		{ 0x0f44, 16 }, { 0x0f2f, 14 }, { 0x0f47, 15 }, { 0x1020, 8 },
		{ 0x1021, 28 }, { 0x1022, 44 }, { 0x1024, 16 }, { 0x0548, 8 },
	};
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct wk_buf p = { 0 };

		put(&p, 0, kinds[i].least - 1);
		etl_by(&m, kinds[i].hook, i, 100, 101, &p);
		put(&p, 0, 1);
		etl_by(&m, kinds[i].hook, i, 100, 101, &p);
		wk_buf_fini(&p);
	}
	etl_end_buffer(&m, 0);
	read_trace(&m, &text);
	assert_line(&text, "16 records are too short for their fields");
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_switch_says_who_ran_why_it_stopped_and_where_the_new_one_waited),
		cmocka_unit_test(what_was_counted_for_a_process_is_told_of_it),
		cmocka_unit_test(who_makes_a_thread_ready_is_who_runs_on_that_processor),
		cmocka_unit_test(memory_is_its_owners_and_its_stack_the_doers),
		cmocka_unit_test(the_same_bit_means_something_else_of_an_allocation),
		cmocka_unit_test(without_switches_the_stack_says_who_did_it),
		cmocka_unit_test(faults_are_a_source_for_each_kind),
		cmocka_unit_test(interrupts_take_time_in_whoever_ran),
		cmocka_unit_test(without_switches_nobody_knows_whom_an_interrupt_stopped),
		cmocka_unit_test(a_counter_has_its_name_and_its_samples_their_interval),
		cmocka_unit_test(an_interval_holds_until_it_is_changed),
		cmocka_unit_test(samples_that_were_gathered_are_told_one_by_one),
		cmocka_unit_test(blocks_of_a_heap_are_told_with_their_stacks),
		cmocka_unit_test(a_mark_is_a_moment_with_a_name),
		cmocka_unit_test(every_kind_of_record_is_counted),
		cmocka_unit_test(records_that_are_too_short_are_counted),
	};

	return cmocka_run_group_tests_name("etl_kernel", tests, NULL, NULL);
}
