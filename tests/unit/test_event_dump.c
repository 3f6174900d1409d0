/* Events as lines of text: every field that is set is printed, the others are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/dump.h"

#define PRINTS(expected, ...) prints(&(struct wk_event){ __VA_ARGS__ }, expected)

static void prints(const struct wk_event *event, const char *expected)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	wk_event_dump(event, &out);
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void a_process_shows_what_is_known_of_it(void **state)
{
	(void)state;
	PRINTS("process time=5 pid=1 tid=2 change=seen\n", .kind = WK_EVENT_PROCESS, .time_ns = 5,
	       .pid = 1, .tid = 2);
	PRINTS("process time=0 pid=1 tid=1 change=fork parent_pid=7 name=\"a \\\"b\\\\\" "
	       "command_line=\"a b\" exit_code=-3 user=\"me\" package=\"p\" services=\"s\" "
	       "session=0 "
	       "32bit=1 protected=1 packaged=1\n",
	       .kind = WK_EVENT_PROCESS, .pid = 1, .tid = 1,
	       .process = { .change = WK_PROCESS_FORK,
			    .parent_pid = 7,
			    .name = WK_STR("a \"b\\"),
			    .command_line = WK_STR("a b"),
			    .has_exit_code = true,
			    .exit_code = -3,
			    .user = WK_STR("me"),
			    .package = WK_STR("p"),
			    .services = WK_STR("s"),
			    .has_session = true,
			    .traits = 7 });
	PRINTS("process time=0 pid=1 tid=1 change=exit 32bit=1\n", .kind = WK_EVENT_PROCESS,
	       .pid = 1, .tid = 1,
	       .process = { .change = WK_PROCESS_EXIT, .parent_pid = 7, .traits = 1 });
	PRINTS("process time=0 pid=1 tid=1 change=exec protected=1\n", .kind = WK_EVENT_PROCESS,
	       .pid = 1, .tid = 1, .process = { .change = WK_PROCESS_EXEC, .traits = 2 });
	PRINTS("process time=0 pid=1 tid=1 change=start packaged=1 faults=1 handles=2 "
	       "working_set=6 commit=7 peak_working_set=3 peak_commit=4 peak_virtual=5 "
	       "swap=8 share=9 huge=10 huge_tlb=11 anonymous=12 file=13 shared=14 heap=15 "
	       "stack=16\n",
	       .kind = WK_EVENT_PROCESS, .pid = 1, .tid = 1,
	       .process = {
		       .change = WK_PROCESS_START,
		       .traits = 4,
		       .use = { true, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } });
}

static void a_thread_shows_its_parent_until_it_ends(void **state)
{
	(void)state;
	PRINTS("thread time=0 pid=1 tid=2 change=start parent_tid=3 name=\"w\"\n",
	       .kind = WK_EVENT_THREAD, .pid = 1, .tid = 2,
	       .thread = { WK_THREAD_START, 3, WK_STR("w"), 0 });
	PRINTS("thread time=0 pid=1 tid=2 change=exit\n", .kind = WK_EVENT_THREAD, .pid = 1,
	       .tid = 2, .thread = { .change = WK_THREAD_EXIT, .parent_tid = 3 });
	PRINTS("thread time=0 pid=1 tid=2 change=name\n", .kind = WK_EVENT_THREAD, .pid = 1,
	       .tid = 2, .thread = { .change = WK_THREAD_NAME });
	PRINTS("thread time=0 pid=unknown tid=2 change=seen\n", .kind = WK_EVENT_THREAD,
	       .pid = WK_UNKNOWN_PID, .tid = 2);
}

static void an_image_shows_file_and_identity(void **state)
{
	(void)state;
	PRINTS("image time=0 pid=kernel start=0x10 size=0x20 offset=0x30 path=\"[k]\"\n",
	       .kind = WK_EVENT_IMAGE, .pid = WK_KERNEL_PID,
	       .image = { .start = 0x10,
			  .size_bytes = 0x20,
			  .file_offset = 0x30,
			  .path = WK_STR("[k]") });
	PRINTS("image time=0 pid=1 tid=0 start=0x0 size=0x0 offset=0x0 data=1 gone=1 device=8:1 "
	       "inode=9 build_id=0102 time_stamp=0xab\n",
	       .kind = WK_EVENT_IMAGE, .pid = 1,
	       .image = { .is_data = true,
			  .is_gone = true,
			  .device_major = 8,
			  .device_minor = 1,
			  .inode = 9,
			  .build_id = { 2, { 1, 2 } },
			  .time_stamp = 0xab });
}

static void the_file_of_lines_is_printed_when_it_changes(void **state)
{
	static const struct wk_jit_map_line lines[] = {
		{ 0x100, 1, WK_STR("a.js") }, { 0x108, 2, WK_STR("a.js") },
		{ 0x110, 3, WK_STR("b.js") }, { 0x118, 4, WK_STR("a.js") },
	};

	(void)state;
	PRINTS("symbol time=0 pid=1 tid=0 start=0x100 size=0x20 name=\"f\" path=\"x\" build_id=07 "
	       "kind=jit file=\"a.js\" line+0x0=1 line+0x8=2 file=\"b.js\" line+0x10=3 "
	       "file=\"a.js\" line+0x18=4\n",
	       .kind = WK_EVENT_SYMBOL, .pid = 1,
	       .symbol = { .start = 0x100,
			   .size_bytes = 0x20,
			   .name = WK_STR("f"),
			   .image_path = WK_STR("x"),
			   .build_id = { 1, { 7 } },
			   .lines = lines,
			   .line_count = 4,
			   .kind = WK_FRAME_JIT });
}

static void calls_show_functions_and_lines_that_are_known(void **state)
{
	static const struct wk_event_call calls[] = {
		{ WK_STR("f"), WK_STR("a.c"), 3 }, { WK_STR("g"), WK_STR("a.c"), 0 } };

	(void)state;
	PRINTS("calls time=0 pid=1 tid=0 address=0x40 function=\"f\" file=\"a.c\" line=3 "
	       "function=\"g\" file=\"a.c\" path=\"x\" build_id=07\n",
	       .kind = WK_EVENT_CALLS, .pid = 1,
	       .calls = { WK_STR("x"), { 1, { 7 } }, 0x40, calls, 2 });
	PRINTS("bounds time=0 pid=1 tid=0 start=0x40 size=0x8 root path=\"x\"\n",
	       .kind = WK_EVENT_BOUNDS, .pid = 1,
	       .bounds = { .image_path = WK_STR("x"),
			   .start = 0x40,
			   .size_bytes = 8,
			   .is_root = true });
	PRINTS("bounds time=0 pid=1 tid=0 start=0x40 size=0x8 path=\"x\"\n",
	       .kind = WK_EVENT_BOUNDS, .pid = 1,
	       .bounds = { .image_path = WK_STR("x"), .start = 0x40, .size_bytes = 8 });
}

static void a_sample_shows_chains_and_details(void **state)
{
	static const uint64_t kernel[] = { 1, 2 }, user[] = { 3, 4 };
	static const struct wk_event_branch branches[] = { { 1, 2, 3 }, { 4, 5, 6 } };
	static const struct wk_event_stack stack = { .size_bytes = 99 };
	static const struct wk_event_details details = {
		.data_address = 1, .physical_address = 2, .weight = 3, .data_source = 4,
		.transaction = 5, .cgroup = 6, .data_page_bytes = 7, .code_page_bytes = 8,
		.branches = branches, .branch_count = 2, .trace = WK_STR("t=1") };

	(void)state;
	PRINTS("sample time=0 pid=1 tid=2 cpu=0 source=1 weight=9 mode=kernel address=0x1 "
	       "kernel=0x1,0x2 user=0x3,0x4 exact=1 stack_bytes=99 side=before data_address=0x1 "
	       "physical_address=0x2 data_weight=0x3 data_source=0x4 transaction=0x5 cgroup=0x6 "
	       "data_page=0x7 code_page=0x8 branches=0x1>0x2:0x3,0x4>0x5:0x6 trace=\"t=1\"\n",
	       .kind = WK_EVENT_SAMPLE, .pid = 1, .tid = 2,
	       .sample = { .source = 1,
			   .weight = 9,
			   .address = 1,
			   .in_kernel = true,
			   .kernel_chain = kernel,
			   .kernel_count = 2,
			   .user_chain = user,
			   .user_count = 2,
			   .user_is_exact = true,
			   .stack = &stack,
			   .is_before = true,
			   .details = &details });
	PRINTS("sample time=0 pid=1 tid=2 source=1 weight=9 stack=4\n", .kind = WK_EVENT_SAMPLE,
	       .pid = 1, .tid = 2, .cpu = WK_NO_CPU,
	       .sample = { .source = 1, .weight = 9, .named_stack = 4, .user_is_exact = true });
	PRINTS("sample time=0 pid=1 tid=2 cpu=3 source=1 weight=9 mode=user address=0x5 stack=4\n",
	       .kind = WK_EVENT_SAMPLE, .pid = 1, .tid = 2, .cpu = 3,
	       .sample = { .source = 1, .weight = 9, .named_stack = 4, .address = 5 });
}

static void stacks_and_sums_have_a_line_each(void **state)
{
	static const struct wk_trie_entry entries[] = { { 0, 5 }, { 1, 6 } };
	static const struct wk_event_whose whose[] = { { 1, 2, 3 }, { WK_NO_PID, 0, 4 } };
	static const struct wk_event_sum sums[] = { { 1, 2, 30, 4, 5, 0, 0 },
						    { 6, 7, 8, 9, 0, 1, 0 } };

	(void)state;
	PRINTS("stack time=8 stack=3 parent=0 frame=5\nstack time=8 stack=4 parent=1 frame=6\n",
	       .kind = WK_EVENT_STACKS, .time_ns = 8, .stacks = { 3, 2, entries, 0, 0 });
	PRINTS("sums time=0 count=2 side=before\n"
	       "sum time=1 until=2 pid=1 tid=2 source=3 weight=30 times=4 stack=5\n"
	       "sum time=6 until=7 source=4 weight=8 times=9 stack=0\n",
	       .kind = WK_EVENT_SUMS, .sums = { sums, 2, whose, 2, true });
}

static void memory_and_heaps_show_what_changes(void **state)
{
	(void)state;
	PRINTS("memory time=0 pid=1 tid=0 change=reserve,commit start=0x1000 size=0x2000\n",
	       .kind = WK_EVENT_MEMORY, .pid = 1,
	       .memory = { .changes = 3, .owner_pid = 1, .start = 0x1000, .size_bytes = 0x2000 });
	PRINTS("memory time=0 pid=1 tid=0 change=decommit,release,seen start=0x0 size=0x0 "
	       "owner=2\n",
	       .kind = WK_EVENT_MEMORY, .pid = 1, .memory = { .changes = 28, .owner_pid = 2 });
	PRINTS("heap time=0 pid=1 tid=0 change=destroy heap=0x7\n", .kind = WK_EVENT_HEAP, .pid = 1,
	       .heap = { .change = WK_HEAP_DESTROY, .heap = 7, .address = 8 });
	PRINTS("heap time=0 pid=1 tid=0 change=seen heap=0x0\n", .kind = WK_EVENT_HEAP, .pid = 1,
	       .heap = { .change = WK_HEAP_SEEN });
	PRINTS("heap time=0 pid=1 tid=0 change=reallocate heap=0x7 address=0x8 size=0x9 "
	       "old_address=0xa old_size=0xb made_by=\"m\"\n",
	       .kind = WK_EVENT_HEAP, .pid = 1,
	       .heap = { .change = WK_HEAP_REALLOCATE,
			 .heap = 7,
			 .address = 8,
			 .size_bytes = 9,
			 .old_address = 10,
			 .old_size_bytes = 11,
			 .made_by = WK_STR("m") });
	PRINTS("heap time=0 pid=1 tid=0 change=allocate heap=0x0 address=0x8 size=0x9\n",
	       .kind = WK_EVENT_HEAP, .pid = 1,
	       .heap = { .change = WK_HEAP_ALLOCATE, .address = 8, .size_bytes = 9 });
}

static void sums_of_blocks_show_the_parts_they_have(void **state)
{
	static const uint64_t user[] = { 3, 4 };

	(void)state;
	PRINTS("heap-sum time=5 pid=1 tid=0 allocated=300/2 freed=100/1 temporary=50/3 peak=0/4 "
	       "user=0x3,0x4\n",
	       .kind = WK_EVENT_HEAP_SUM, .time_ns = 5, .pid = 1,
	       .heap_sum = {
		       300, 2, 100, 1, 50, 3, 0, 4, { .user_chain = user, .user_count = 2 } });
	PRINTS("heap-sum time=0 allocated=300/2 stack=7\n", .kind = WK_EVENT_HEAP_SUM,
	       .pid = WK_NO_PID,
	       .heap_sum = { .allocated_bytes = 300,
			     .allocated_blocks = 2,
			     .sample = { .named_stack = 7 } });
}

static void a_snapshot_shows_its_cause_and_label(void **state)
{
	(void)state;
	PRINTS("snapshot time=9 pid=1 tid=2 cause=program label=\"after \\\"load\\\"\"\n",
	       .kind = WK_EVENT_SNAPSHOT, .time_ns = 9, .pid = 1, .tid = 2,
	       .snapshot = { WK_STR("after \"load\""), WK_SNAPSHOT_PROGRAM });
	PRINTS("snapshot-request time=0 at_exit=1 at_peak=1 over=5000\n",
	       .kind = WK_EVENT_SNAPSHOT_REQUEST, .snapshot_request = { true, true, 5000 });
	PRINTS("snapshot time=9 cause=exit\n", .kind = WK_EVENT_SNAPSHOT, .time_ns = 9,
	       .pid = WK_NO_PID, .snapshot = { .cause = WK_SNAPSHOT_EXIT });
}

static void switches_show_who_ran_and_why_no_more(void **state)
{
	(void)state;
	PRINTS("switch time=0 pid=1 tid=2 cpu=3 old_pid=4 old_tid=5 old=waits reason=\"r\" "
	       "mode=\"kernel\"\n",
	       .kind = WK_EVENT_SWITCH, .pid = 1, .tid = 2, .cpu = 3,
	       .switched = { .old_pid = 4,
			     .old_tid = 5,
			     .old_waits = true,
			     .wait_mode = WK_WAIT_KERNEL,
			     .wait_reason = WK_STR("r") });
	PRINTS("switch time=0 pid=1 tid=2 cpu=3 old_pid=unknown old_tid=5 old=ready "
	       "mode=\"user\"\n",
	       .kind = WK_EVENT_SWITCH, .pid = 1, .tid = 2, .cpu = 3,
	       .switched = { .old_pid = WK_UNKNOWN_PID, .old_tid = 5, .wait_mode = WK_WAIT_USER });
	PRINTS("ready time=0 pid=1 tid=2 cpu=3 ready_pid=4 ready_tid=5 interrupt=1\n",
	       .kind = WK_EVENT_READY, .pid = 1, .tid = 2, .cpu = 3,
	       .ready = { 4, 5, true, { 0 } });
}

static void what_is_about_the_whole_recording_has_no_process(void **state)
{
	(void)state;
	PRINTS("count time=0 count=3 provider=\"p\" name=\"n\" used=0\n", .kind = WK_EVENT_COUNT,
	       .count = { .provider = WK_STR("p"), .name = WK_STR("n"), .count = 3 });
	PRINTS("lost time=0 count=3 what=samples\n", .kind = WK_EVENT_LOST,
	       .lost = { .count = 3, .samples_only = true });
	PRINTS("lost time=0 count=3 what=samples source=0\n", .kind = WK_EVENT_LOST,
	       .lost = { .count = 3, .samples_only = true, .has_source = true });
	PRINTS("lost time=0 pid=4 tid=0 count=3 what=records\n", .kind = WK_EVENT_LOST, .pid = 4,
	       .lost = { .count = 3 });
	PRINTS("mark time=0 pid=0 tid=0 label=\"l\" provider=\"p\"\n", .kind = WK_EVENT_MARK,
	       .mark = { WK_STR("l"), WK_STR("p") });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_shows_what_is_known_of_it),
		cmocka_unit_test(a_thread_shows_its_parent_until_it_ends),
		cmocka_unit_test(an_image_shows_file_and_identity),
		cmocka_unit_test(the_file_of_lines_is_printed_when_it_changes),
		cmocka_unit_test(calls_show_functions_and_lines_that_are_known),
		cmocka_unit_test(a_sample_shows_chains_and_details),
		cmocka_unit_test(stacks_and_sums_have_a_line_each),
		cmocka_unit_test(memory_and_heaps_show_what_changes),
		cmocka_unit_test(sums_of_blocks_show_the_parts_they_have),
		cmocka_unit_test(a_snapshot_shows_its_cause_and_label),
		cmocka_unit_test(switches_show_who_ran_and_why_no_more),
		cmocka_unit_test(what_is_about_the_whole_recording_has_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
