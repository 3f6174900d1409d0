/* Records of perf.data besides samples: processes, mappings, symbols, losses. Small files made
 * here, one rule of the format each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_lines.h"

/* Longer than 64 KiB: simpleperf keeps the upper half of the size where others have flags. */
static void records_of_simpleperf_are_passed_over_whole(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		begin(&m);
		perf_record(&m, WK_PERF_ANDROID_TYPES + 1, 1); /* 1 << 16, and what is counted */
		for (size_t i = 0; i < (65536 + 16) / 8 - 1; i++)
			put64(&m, 9);
		put_at(&m, m.record_at + 6, 16, 2);
		add_sample(&m, 9, 0x400);
		check(&m, "sample time=9 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			  "address=0x400\n");
	}
}

static void symbols_that_simpleperf_found_are_told_by_their_place_in_the_file(void **state)
{
	struct perf_maker m = { 0 }, files = { 0 };

	(void)state;
	begin(&m);
	put(&files, 12 + 16 + 12 + 5 + 8, 4); /* size of the rest */
	wk_buf_add(&files.out, "/libgame.so", 12);
	put(&files, 2, 4); /* an ELF file */
	put64(&files, 0x2000);
	put(&files, 1, 4);
	put64(&files, 0x2345);
	put(&files, 0x20, 4);
	wk_buf_add(&files.out, "draw", 5);
	put64(&files, 0x1000);
	perf_end_with_feature(&m, WK_PERF_FEATURE_ANDROID_FILES, &files.out);
	check_without(&m, "source ",
		      "symbol time=0 pid=0 tid=0 start=0x1345 size=0x20 name=\"draw\" "
		      "path=\"/libgame.so\"\n");
	wk_buf_fini(&files.out);
}

static void records_that_no_view_uses_are_told_as_text(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		begin(&m);
		perf_record(&m, WK_PERF_SWITCH_CPU_WIDE, 0x6000);
		put32(&m, 5, 6);
		add_trailer(&m, 10, 11, 1);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_CGROUP, 0);
		put64(&m, 77);
		put_text(&m, "/user.slice");
		add_trailer(&m, 10, 11, 2);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_NAMESPACES, 0);
		put32(&m, 12, 13);
		put64(&m, 2);
		for (uint64_t i = 1; i <= 4; i++)
			put64(&m, i);
		add_trailer(&m, 10, 11, 3);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_KSYMBOL, 0);
		put64(&m, 0xf000);
		put(&m, 0x40, 4);
		put(&m, 1, 2);
		put(&m, 1, 2); /* it goes */
		put_text(&m, "bpf_prog_1");
		add_trailer(&m, 10, 11, 4);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_TEXT_POKE, 0);
		put64(&m, 0xf123);
		put(&m, 2, 2);
		put(&m, 1, 2);
		put(&m, 0x90, 1);
		put(&m, 0x91, 1);
		put(&m, 0xcc, 1);
		put(&m, 0, 1);
		add_trailer(&m, 10, 11, 5);
		perf_end_record(&m);
		check(&m, "other time=1 pid=10 tid=11 what=\"switch\" "
			  "text=\"out, preempted; next 5/6\"\n"
			  "other time=2 pid=10 tid=11 what=\"cgroup\" text=\"77 /user.slice\"\n"
			  "other time=3 pid=12 tid=13 what=\"namespaces\" "
			  "text=\"net=0x1:0x2 uts=0x3:0x4\"\n"
			  "other time=4 pid=kernel what=\"symbol gone\" "
			  "text=\"0xf000 0x40 bpf_prog_1\"\n"
			  "other time=5 pid=10 tid=11 what=\"text poke\" "
			  "text=\"0xf123: 9091 to cc\"\n");
	}
}

static void processes_and_threads_begin_are_named_and_end(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_task(&m, WK_PERF_FORK, 10, 1, 10, 0); /* already ran, with a name and a thread */
	add_comm(&m, 0, 10, 10, "shell", 0);
	add_task(&m, WK_PERF_FORK, 10, 10, 11, 0);
	add_comm(&m, 0, 20, 20, "alone", 0);
	add_task(&m, WK_PERF_FORK, 30, 10, 30, 100);
	add_comm(&m, WK_PERF_MISC_COMM_EXEC, 30, 30, "ls", 110);
	add_task(&m, WK_PERF_FORK, 30, 30, 31, 120);
	add_comm(&m, 0, 30, 31, "worker", 130);
	add_task(&m, WK_PERF_EXIT, 30, 30, 31, 140);
	add_task(&m, WK_PERF_EXIT, 30, 10, 30, 150);
	check(&m, "process time=0 pid=10 tid=10 change=seen parent_pid=1 name=\"shell\"\n"
		  "thread time=0 pid=10 tid=11 change=seen parent_tid=10\n"
		  "process time=0 pid=20 tid=20 change=seen name=\"alone\"\n"
		  "process time=100 pid=30 tid=30 change=fork parent_pid=10\n"
		  "process time=110 pid=30 tid=30 change=exec name=\"ls\"\n"
		  "thread time=120 pid=30 tid=31 change=start parent_tid=30\n"
		  "thread time=130 pid=30 tid=31 change=name name=\"worker\"\n"
		  "thread time=140 pid=30 tid=31 change=exit\n"
		  "process time=150 pid=30 tid=30 change=exit\n");
}

static void mappings_carry_an_inode_or_a_build_id(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_mapping(&m, WK_PERF_MISC_USER, 10, "/bin/ls", NULL);
	add_mapping(&m, WK_PERF_MISC_USER, 10, "/bin/ls", inode_field);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_BUILD_ID, 10, "/bin/ls",
		    build_id_field);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_DATA, 10, "/bin/ls", inode_field);
	check(&m, MAPPED "\n" MAPPED " device=8:1 inode=7\n" MAPPED
			 " build_id=abcd000000000000000000000000000000000000\n" MAPPED
			 " data=1 device=8:1 inode=7\n");
}

/* Some kernels set the mark on all records as soon as anybody asks for build ids. */
static void a_false_mark_of_a_build_id_is_seen_through(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_BUILD_ID, 10, "/bin/ls", inode_field);
	check(&m, MAPPED " device=8:1 inode=7\n");
	attr.flags |= WK_PERF_FLAG_BUILD_ID;
	begin_with(&m, &attr);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_BUILD_ID, 10, "/bin/ls", inode_field);
	check(&m, MAPPED " build_id=0100000007000000\n");
}

static void the_kernel_is_mapped_for_all(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_mapping(&m, WK_PERF_MISC_KERNEL, UINT32_MAX, "[kernel.kallsyms]_text", NULL);
	add_mapping(&m, WK_PERF_MISC_KERNEL, UINT32_MAX, "[nf_tables]", NULL);
	add_mapping(&m, WK_PERF_MISC_GUEST_KERNEL, UINT32_MAX, "[guest.kernel.kallsyms]", NULL);
	check(&m, "image time=50 pid=kernel start=0x400000 size=0x1000 offset=0x2000 "
		  "path=\"[kernel.kallsyms]\"\n"
		  "image time=50 pid=kernel start=0x400000 size=0x1000 offset=0x2000 "
		  "path=\"[nf_tables]\"\n");
}

static void losses_and_pauses_are_told(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_LOST, 0);
	put64(&m, 501);
	put64(&m, 17);
	add_trailer(&m, 10, 10, 100);
	perf_end_record(&m);
	perf_record(&m, WK_PERF_LOST_SAMPLES, 0);
	put64(&m, 4);
	add_trailer(&m, 10, 10, 200);
	perf_end_record(&m);
	for (int i = 0; i < 2; i++) {
		perf_record(&m, WK_PERF_THROTTLE, 0);
		put64(&m, 300);
		put64(&m, 501);
		put64(&m, 501);
		add_trailer(&m, 10, 10, 300);
		perf_end_record(&m);
	}
	check(&m, "lost time=100 count=17 what=records\n"
		  "lost time=200 count=4 what=samples source=0\n"
		  "other time=300 pid=10 tid=10 what=\"throttle\" text=\"0x1f5 0x1f5\"\n"
		  "other time=300 pid=10 tid=10 what=\"throttle\" text=\"0x1f5 0x1f5\"\n"
		  "note time=300 offset=0x150 text=\"2 times the kernel paused sampling, since it "
		  "took too much time\"\n");
}

static void add_lost(struct perf_maker *m, uint32_t type, uint32_t misc, uint64_t count,
		     uint64_t time_ns)
{
	uint32_t tid = time_ns ? 10 : 0;

	perf_record(m, type, misc);
	if (type == WK_PERF_LOST)
		put64(m, 501);
	put64(m, count);
	add_trailer(m, tid, tid, time_ns);
	perf_end_record(m);
}

/* The kernel's own LOST_SAMPLES have a time. */
static void losses_that_perf_adds_up_count_once(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.read_format = WK_PERF_READ_LOST;
	begin_with(&m, &attr);
	add_lost(&m, WK_PERF_LOST, 0, 17, 100);
	add_lost(&m, WK_PERF_LOST_SAMPLES, 0, 4, 200);
	add_lost(&m, WK_PERF_LOST, 0, 3, 300);
	add_lost(&m, WK_PERF_LOST_SAMPLES, 0, 19, 0);
	add_lost(&m, WK_PERF_LOST_SAMPLES, WK_PERF_MISC_LOST_BPF, 1000, 0);
	check(&m, "lost time=0 count=19 what=samples source=0\n"
		  "lost time=200 count=4 what=samples source=0\n"
		  "lost time=300 count=1 what=samples\n");
}

static void end_round(struct perf_maker *m)
{
	perf_record(m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(m);
}

/* perf writes the totals at the end, when earlier rounds were read already. */
static void totals_say_later_of_which_event_samples_were_lost(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.read_format = WK_PERF_READ_LOST;
	begin_with(&m, &attr);
	add_lost(&m, WK_PERF_LOST, 0, 17, 100);
	add_lost(&m, WK_PERF_LOST, 0, 3, 300);
	end_round(&m);
	end_round(&m);
	add_lost(&m, WK_PERF_LOST_SAMPLES, 0, 18, 0);
	add_lost(&m, WK_PERF_LOST_SAMPLES, 0, 5, 0);
	check(&m, "lost time=100 count=17 what=samples\n"
		  "lost time=300 count=3 what=samples\n"
		  "lost time=0 count=0 what=samples source=0 count_before=18\n"
		  "lost time=0 count=3 what=samples source=0 count_before=2\n");
}

/* Only the end of a round comes again, and only in the next one. */
static void what_perf_wrote_twice_counts_once(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_lost(&m, WK_PERF_LOST, 0, 1, 100);
	add_lost(&m, WK_PERF_LOST, 0, 2, 200);
	add_lost(&m, WK_PERF_LOST, 0, 3, 200);
	end_round(&m);
	add_lost(&m, WK_PERF_LOST, 0, 2, 200);
	add_lost(&m, WK_PERF_LOST, 0, 3, 200);
	add_lost(&m, WK_PERF_LOST, 0, 4, 200); /* new */
	add_lost(&m, WK_PERF_LOST, 0, 5, 300);
	add_lost(&m, WK_PERF_LOST, 0, 5, 300); /* at the same time, in the same round */
	end_round(&m);
	add_lost(&m, WK_PERF_LOST, 0, 6, 400);
	check(&m,
	      "lost time=100 count=1 what=records\n"
	      "lost time=200 count=2 what=records\n"
	      "lost time=200 count=3 what=records\n"
	      "lost time=200 count=4 what=records\n"
	      "lost time=300 count=5 what=records\n"
	      "lost time=300 count=5 what=records\n"
	      "lost time=400 count=6 what=records\n"
	      "note time=400 offset=0x190 text=\"2 records that perf wrote twice count once\"\n");
}

static void a_kernel_symbol_is_told_when_it_comes_not_when_it_goes(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	for (uint16_t gone = 0; gone < 2; gone++) {
		perf_record(&m, WK_PERF_KSYMBOL, 0);
		put64(&m, 0xffffffffc0001000);
		put(&m, 0x80, 4);
		put(&m, 1, 2);
		put(&m, gone, 2);
		put_text(&m, "bpf_prog_6deef7357e7b4530");
		add_trailer(&m, 0, 0, 100u + gone);
		perf_end_record(&m);
	}
	check(&m, "symbol time=100 pid=kernel start=0xffffffffc0001000 size=0x80 "
		  "name=\"bpf_prog_6deef7357e7b4530\"\n"
		  "other time=101 pid=kernel what=\"symbol gone\" text=\"0xffffffffc0001000 0x80 "
		  "bpf_prog_6deef7357e7b4530\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_and_threads_begin_are_named_and_end),
		cmocka_unit_test(mappings_carry_an_inode_or_a_build_id),
		cmocka_unit_test(a_false_mark_of_a_build_id_is_seen_through),
		cmocka_unit_test(the_kernel_is_mapped_for_all),
		cmocka_unit_test(losses_and_pauses_are_told),
		cmocka_unit_test(losses_that_perf_adds_up_count_once),
		cmocka_unit_test(totals_say_later_of_which_event_samples_were_lost),
		cmocka_unit_test(what_perf_wrote_twice_counts_once),
		cmocka_unit_test(a_kernel_symbol_is_told_when_it_comes_not_when_it_goes),
		cmocka_unit_test(records_of_simpleperf_are_passed_over_whole),
		cmocka_unit_test(symbols_that_simpleperf_found_are_told_by_their_place_in_the_file),
		cmocka_unit_test(records_that_no_view_uses_are_told_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
