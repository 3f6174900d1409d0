/* What the reader makes of `perf script` text: one oddity of the format each, as events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "event/dump.h"
#include "formats/perf_script/internal.h"

#include "collapse_lines.h"

/* All events of a text, one a line. The caller frees the buffer. */
static struct wk_buf events_read(const char *text, size_t parts, bool sums_samples)
{
	struct wk_input input = { .bytes = wk_bytes_of(text, strlen(text)), .name = "test",
				  .options.sums_samples = sums_samples };
	struct wk_buf events = { 0 };
	struct wk_out out = wk_out_to_buf(&events);
	struct wk_sink sink = wk_dump_sink(&out);
	struct wk_err err = { 0 };

	if (!wk_script_read(&input, parts, &sink, &err))
		wk_out_fmt(&out, "error: %s\n", err.text);
	wk_out_end(&out);
	return events;
}

static struct wk_buf events_of_parts(const char *text, size_t parts)
{
	return events_read(text, parts, false);
}

static void assert_has(const char *text, const char *wanted)
{
	struct wk_buf events = events_of_parts(text, 1);

	if (!strstr(wk_buf_text(&events), wanted))
		fail_msg("expected: %s\ncame:\n%s", wanted, wk_buf_text(&events));
	wk_buf_fini(&events);
}

static void assert_lacks(const char *text, const char *unwanted)
{
	struct wk_buf events = events_of_parts(text, 1);

	if (strstr(wk_buf_text(&events), unwanted))
		fail_msg("not expected: %s\ncame:\n%s", unwanted, wk_buf_text(&events));
	wk_buf_fini(&events);
}

static size_t count_of(const char *text, const char *wanted)
{
	struct wk_buf events = events_of_parts(text, 1);
	size_t count = 0;

	for (const char *at = wk_buf_text(&events); (at = strstr(at, wanted)); at++)
		count++;
	wk_buf_fini(&events);
	return count;
}

static void a_first_line_tells_who_when_and_what(void **state)
{
	static const char text[] = "shop 12/34 [003]  5.25:   77 cycles:u: \n\t1 f (/a)\n\n";

	(void)state;
	assert_has(text, "process time=5250000000 pid=12 tid=12 change=seen name=\"shop\"\n");
	assert_has(text, "thread time=5250000000 pid=12 tid=34 change=seen name=\"shop\"\n");
	assert_has(text, "name=\"cycles:u\" unit=\"cycles\"\n");
	assert_has(text, "sample time=5250000000 pid=12 tid=34 cpu=3 source=1 weight=77 stack=1\n");
}

static void a_name_may_hold_blanks_and_numbers(void **state)
{
	(void)state;
	assert_has("V8 Worker 7 25607 [000] 1.5: cycles: \n\t1 f (/a)\n\n",
		   "pid=25607 tid=25607 change=seen name=\"V8 Worker 7\"\n");
	assert_has("           a b 2 33 1.5: 9 cycles:  1 f (/a)\n",
		   "pid=33 tid=33 change=seen name=\"a b 2\"\n");
}

static void without_a_period_each_sample_counts_one(void **state)
{
	static const char text[] = "shop 12 5.25: cpu-clock: \n\t1 f (/a)\n\n";

	(void)state;
	assert_has(text, "name=\"cpu-clock\" unit=\"samples\"\n");
	assert_has(text, "weight=1 stack=1\n");
}

static void without_a_time_two_numbers_are_thread_and_period(void **state)
{
	static const char text[] = "shop 12 500 cpu-clock: \n\t1 f (/a)\n\n";

	(void)state;
	assert_has(text, "pid=12 tid=12 change=seen name=\"shop\"\n");
	assert_has(text, "weight=500 stack=1\n");
	assert_has("node-v011 31912 cpu-clock: \n            dd7 f (/a)\n\n",
		   "pid=31912 tid=31912 change=seen name=\"node-v011\"\n");
}

static void what_a_tracepoint_tells_is_not_read_as_a_stack(void **state)
{
	static const char text[] = "a 1 [000] 2.5: sched:sched_switch: prev_comm=b ==> c (x)\n"
				   "\tffffffff821facd8 __schedule ([kernel.kallsyms])\n\n";

	(void)state;
	assert_has(text, "name=\"sched:sched_switch\" unit=\"samples\"\n");
	assert_has(text, "name=\"__schedule\" image=\"[kernel.kallsyms]\" kind=kernel\n");
	assert_lacks(text, "note");
}

static void the_first_frame_printed_is_the_innermost(void **state)
{
	static const char text[] = "a 1 2.5: 1 e: \n\t1 leaf (/a)\n\t2 main (/a)\n\n";

	(void)state;
	assert_has(text, "frame=1 name=\"main\"");
	assert_has(text, "stack time=0 stack=2 parent=1 frame=2\n");
}

static void names_keep_what_is_in_them(void **state)
{
	(void)state;
	assert_has("a 1 2.5: 1 e: \n\t1 f(int, char (*)[4]) const+0x1f (/a b/c (deleted))\n\n",
		   "name=\"f(int, char (*)[4]) const\" image=\"/a b/c (deleted)\" kind=user\n");
	assert_has("a 1 2.5: 1 e: \n\t1 <[u8; 4] as x::Y>::z (/a)\n\n",
		   "name=\"<[u8; 4] as x::Y>::z\"");
	assert_has("a 1 2.5: 1 e: \n\t1 it::operator->()+0x4b (/a)\n\n",
		   "name=\"it::operator->()\"");
	assert_has("a 1 2.5: 1 e: \n\t1 f(int)\n\n", "name=\"f(int)\"\n");
}

static void what_has_no_name_goes_by_its_image(void **state)
{
	(void)state;
	assert_has("a 1 2.5: 1 e: \n\t1 [unknown] (/usr/lib/libx.so)\n\n",
		   "name=\"[libx.so]\" image=\"/usr/lib/libx.so\" kind=user unnamed=1\n");
	assert_has("a 1 2.5: 1 e: \n\t1 [unknown] ([unknown])\n\n",
		   "name=\"[unknown]\" unnamed=1\n");
	assert_has("a 1 2.5: 1 e: \n\t1  (/usr/lib/libx.so)\n\n", "name=\"[libx.so]\"");
}

static void kernel_code_is_known_by_image_or_address(void **state)
{
	(void)state;
	assert_has("a 1 2.5: 1 e: \n\t1 f (/build/vmlinux)\n\n", "kind=kernel");
	assert_has("a 1 2.5: 1 e: \n\t1 f (/lib/modules/6.1/x.ko.xz)\n\n", "kind=kernel");
	assert_has("a 1 2.5: 1 e: \n\t1 f ([nf_conntrack])\n\n", "kind=kernel");
	assert_has("a 1 2.5: 1 e: \n\tffffffffc09ace93 bpf_prog_1 (bpf_prog_1)\n\n", "kind=kernel");
	assert_has("a 1 2.5: 1 e: \n\t7ffc71ee9580 f ([vdso])\n\n", "kind=user");
	assert_lacks("a 1 2.5: 1 e: \n\t7ffc71ee9580 [unknown] ([stack])\n\n", "kind=");
}

static void code_made_at_run_time_is_known_by_its_image(void **state)
{
	(void)state;
	assert_has("a 1 2.5: 1 e: \n\t1 f (/tmp/perf-1.map)\n\n", "kind=jit");
	assert_has("a 1 2.5: 1 e: \n\t1 f (/tmp/jitted-31714-4145673320.so)\n\n", "kind=jit");
	assert_has("a 1 2.5: 1 e: \n\t1 f ([JIT] tid 77)\n\n", "kind=jit");
}

static void unfolded_names_of_java_are_several_frames(void **state)
{
	static const char text[] =
		"java 1 2.5: 1 e: \n\t1 La/B;::c->Ld/E;::f+0x4b (/tmp/perf-1.map)\n\n";

	(void)state;
	assert_has(text, "frame=1 name=\"La/B;::c\" image=\"/tmp/perf-1.map\" kind=jit\n");
	assert_has(text, "frame=2 name=\"Ld/E;::f\" image=\"/tmp/perf-1.map\" kind=jit "
			 "inlined=1\n");
}

static void inlined_frames_and_lines_of_source_are_read(void **state)
{
	static const char text[] = "a 1 2.5: 1 e: \n\t401136 inner\n  t.c:5 (inlined)\n"
				   "\t401136 outer+0x3 (/a)\n  t.c:9\n"
				   "\t401137 g (inlined)\n\t401137 h (/lib/libc.so)\n"
				   "  libc.so[27b25]\n\n";

	(void)state;
	assert_has(text, "name=\"inner\" file=\"t.c\" line=5 inlined=1\n");
	assert_has(text, "name=\"outer\" image=\"/a\" file=\"t.c\" line=9 kind=user\n");
	assert_has(text, "name=\"g\" inlined=1\n");
	assert_has(text, "name=\"h\" image=\"/lib/libc.so\" kind=user\n");
	assert_lacks(text, "note");
}

static void a_sample_may_be_one_line(void **state)
{
	static const char text[] =
		"      false 39 5.25:  1 cycles:u:  ffffffff9b201293 [unknown] ([unknown])\n"
		"       cafe 39 5.26:  1 cycles:    7fa68b1f2d84 _dl_start+0x4 (/usr/lib/ld.so)\n";

	(void)state;
	assert_int_equal(count_of(text, "\nsample "), 2);
	assert_has(text, "name=\"_dl_start\" image=\"/usr/lib/ld.so\"");
	assert_has(text, "change=name name=\"cafe\"\n");
}

static void a_command_that_looks_like_an_address_is_none(void **state)
{
	static const char text[] = "    cafe 39 [001] 5.25: sched:sched_exit: comm=x\n"
				   "    cafe 39 [001] 5.26: sched:sched_exit: comm=x\n";

	(void)state;
	assert_int_equal(count_of(text, "\nsample "), 2);
	assert_lacks(text, "frame");
}

static void branches_are_no_frames(void **state)
{
	static const char one[] = "a 39 5.25: 1 cycles:  1 f (/x) 0x1(/x)/0x2(/x)/P/-/-/4/  "
				  "0x3/0x4/M/-/-/0\n";
	static const char many[] = "a 39 5.25: 1 cycles: \n\t1 f (/x)\n"
				   " 0x1/0x2/P/-/-/4  g+0x1/h+0x2/PN/-/-/0/COND/-\n"
				   "b 39 5.26: 1 cycles: \n\t1 f (/x)\n 0x1/0x2/P/-/-/4\n";

	(void)state;
	assert_has(one, "name=\"f\" image=\"/x\"");
	assert_int_equal(count_of(one, "frame time="), 1);
	assert_int_equal(count_of(many, "\nsample "), 2);
	assert_lacks(many, "note");
}

static void each_event_is_a_source(void **state)
{
	static const char text[] = "a 1 2.5: 7 cycles:u: \n\t1 f (/a)\n\n"
				   "a 1 2.6: 8 cpu_core/instructions/u: \n\t1 f (/a)\n\n"
				   "a 1 2.7: 9 task-clock:pppH: \n\t1 f (/a)\n\n";

	(void)state;
	assert_has(text, "source=1 name=\"cycles:u\" unit=\"cycles\"\n");
	assert_has(text, "source=2 name=\"cpu_core/instructions/u\" unit=\"events\"\n");
	assert_has(text, "source=3 name=\"task-clock:pppH\" unit=\"ns\"\n");
	assert_has(text, "source=2 weight=8 stack=1\n");
}

static void a_thread_that_takes_another_name_is_named_again(void **state)
{
	static const char text[] = "sh 5 1.5: 1 e: \n\t1 f (/a)\n\nls 5 1.6: 1 e: \n\t1 f (/a)\n\n"
				   "ls 5 1.7: 1 e: \n\t1 f (/a)\n\n";

	(void)state;
	assert_has(text, "thread time=1600000000 pid=5 tid=5 change=name name=\"ls\"\n");
	assert_int_equal(count_of(text, "change="), 2);
}

/* The samples of a text that is read in sums: "stack*times weight from-until", one a word. */
static bool note_sum(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)err;
	for (size_t i = 0; event->kind == WK_EVENT_SUMS && i < event->sums.count; i++) {
		const struct wk_event_sum *sum = &event->sums.at[i];

		wk_buf_add_fmt(context, "%u*%u %u %u-%u; ", (unsigned)sum->stack,
			       (unsigned)sum->times, (unsigned)sum->weight, (unsigned)sum->time_ns,
			       (unsigned)sum->until_ns);
	}
	return true;
}

static void assert_sums(const char *text, const char *expected)
{
	struct wk_input input = { .bytes = wk_bytes_of(text, strlen(text)), .name = "test",
				  .options.sums_samples = true };
	struct wk_buf sums = { 0 };
	struct wk_sink sink = { .take = note_sum, .context = &sums };
	struct wk_err err = { 0 };

	assert_true(wk_script_read(&input, 1, &sink, &err));
	assert_string_equal(wk_buf_text(&sums), expected);
	wk_buf_fini(&sums);
}

static void sums_tell_samples_of_one_stack_as_one(void **state)
{
	(void)state;
	assert_sums("a 1 0.000000100: 5 e: \n\t1 f (/a)\n\t2 m (/a)\n\n"
		    "a 1 0.000000200: 6 e: \n\t3 g (/a)\n\t2 m (/a)\n\n"
		    "a 1 0.000000300: 7 e: \n\t1 f (/a)\n\t2 m (/a)\n\n",
		    "2*2 12 100-300; 3*1 6 200-200; ");
}

static void sums_keep_threads_and_events_apart(void **state)
{
	(void)state;
	assert_sums("a 1/1 0.000000100: 1 e: \n\t1 f (/a)\n\n"
		    "a 1/2 0.000000200: 2 e: \n\t1 f (/a)\n\n"
		    "a 1/1 0.000000300: 4 d: \n\t1 f (/a)\n\n"
		    "a 1/2 0.000000400: 8 e: \n\t1 f (/a)\n\n",
		    "1*1 1 100-100; 1*2 10 200-400; 1*1 4 300-300; ");
}

static void weights_that_outgrow_their_sum_stay_at_the_most(void **state)
{
	struct wk_buf events = events_read("a 1 0.1: 18446744073709551615 e: \n\t1 f (/a)\n\n"
					   "a 1 0.2: 18446744073709551615 e: \n\t1 f (/a)\n\n",
					   1, true);

	(void)state;
	assert_non_null(
		strstr(wk_buf_text(&events), "weight=18446744073709551615 times=2 stack=1\n"));
	wk_buf_fini(&events);
}

/* Where sums are told the order of samples is lost, but not what a thread is called at the end. */
static void a_thread_in_sums_ends_with_the_name_it_had_last(void **state)
{
	struct wk_buf events = events_read("a 1/2 0.1: 1 e: \n\t1 f (/a)\n\n"
					   "b 1/2 0.2: 1 e: \n\t1 f (/a)\n\n"
					   "a 1/2 0.3: 1 e: \n\t1 f (/a)\n\n",
					   1, true);
	const char *at = wk_buf_text(&events), *names[8];
	size_t count = 0;

	(void)state;
	while (count < 8 && (at = strstr(at, "\nthread ")) != NULL)
		names[count++] = at = strstr(at, "name=");
	assert_int_equal(count, 3);
	assert_memory_equal(names[0], "name=\"a\"\n", 9);
	assert_memory_equal(names[1], "name=\"b\"\n", 9);
	assert_memory_equal(names[2], "name=\"a\"\n", 9);
	wk_buf_fini(&events);
}

static void other_records_are_no_samples(void **state)
{
	static const char text[] =
		"a 1 [-01] 0.5: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 00:00 0 0]: r-xp /a\n"
		"a 1 [000] 0.6: PERF_RECORD_LOST lost 29\n"
		"a 1 [000] 0.7: 1 e: \n\t1 f (/a)\n\n";

	(void)state;
	assert_int_equal(count_of(text, "sample time="), 1);
	assert_has(text, "lost time=0 count=29 what=records\n");
	assert_lacks(text, "note");
}

static void the_header_tells_of_the_machine(void **state)
{
	static const char text[] = "# ========\n# hostname : vm\n# total memory : 8 kB\n"
				   "# cmdline : perf record x\n# ========\n#\n"
				   "a 1 2.5: 1 e: \n\t1 f (/a)\n\n";

	(void)state;
	assert_has(text, "key=\"host name\" value=\"vm\"\n");
	assert_has(text, "key=\"memory\" value=\"8192\"\n");
	assert_has(text, "key=\"command line\" value=\"perf record x\"\n");
}

static void lines_may_end_in_returns(void **state)
{
	static const char text[] = "a 1 2.5: 1 e: \r\n\t1 f (/a)\r\n\r\n"
				   "a 1 2.6: 1 e: \r\n\t2 g (/a)\r\n\r\n";

	(void)state;
	assert_int_equal(count_of(text, "\nsample "), 2);
	assert_has(text, "name=\"f\" image=\"/a\" kind=user\n");
	assert_lacks(text, "note");
}

static void the_last_sample_needs_no_blank_line(void **state)
{
	(void)state;
	assert_int_equal(
		count_of("a 1 2.5: 1 e: \n\t1 f (/a)\n\na 1 2.6: 1 e: \n\t1 f (/a)", "\nsample "),
		2);
}

static void samples_without_numbers_keep_their_command(void **state)
{
	(void)state;
	assert_has("comm \n\t1 f (/a)\n\n", "frame=1 name=\"comm\"\n");
	assert_has("\t1 f (/a)\n\t2 g (/a)\n\n", "name=\"g\"");
}

static void a_line_that_makes_no_sense_is_counted_and_the_rest_used(void **state)
{
	static const char text[] = "a 1 2.5: 1 e: \n\t1 f (/a)\n\twhat is this\n\n"
				   "a 1 2.6: 1 e: \n\t1 f (/a)\n\nnonsense\n";

	(void)state;
	assert_int_equal(count_of(text, "\nsample "), 2);
	assert_has(text, "2 lines cannot be parsed and were skipped, the first is line 3: "
			 "\\\"\\\\x09what is this\\\"");
}

static void a_chain_that_holds_nonsense_is_counted_each_time(void **state)
{
	static const char text[] = "a 1 2.5: 1 e: \n\t1 f (/a)\n\twhat\n\n"
				   "a 1 2.6: 1 e: \n\t1 f (/a)\n\twhat\n\n"
				   "a 1 2.7: 1 e: \n\t1 f (/a)\n\twhat\n\n";

	(void)state;
	assert_has(text, "3 lines cannot be parsed");
}

static void text_without_samples_is_an_error(void **state)
{
	(void)state;
	assert_has("some words\n", "error: no stacks in it: 1 line, the first \"some words\"");
}

/* Many samples over few chains, so that texts are remembered and found again. */
static void add_many(struct wk_buf *text)
{
	for (unsigned i = 0; i < 400; i++) {
		wk_buf_add_fmt(text, "c%u %u/%u [%03u] %u.%06u: %u %s: \n", i % 3, i % 3 + 10,
			       i % 5, i % 4, i, i, i % 7 + 1, i % 9 ? "cycles:u" : "faults");
		if (i % 3 == 0)
			wk_buf_add_fmt(text, "\t%x leaf%u (/a)\n", i, i % 11);
		for (unsigned k = i % 8; k < 12; k++)
			wk_buf_add_fmt(text, "\t%x frame%u (/b)\n", k, k);
		wk_buf_add_text(text, i % 50 == 0 ? "nonsense\n\n" : "\n");
	}
}

static void parts_tell_what_the_whole_tells(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	add_many(&text);
	for (size_t parts = 2; parts < 6; parts++) {
		struct wk_buf whole = events_of_parts(wk_buf_text(&text), 1);
		struct wk_buf several = events_of_parts(wk_buf_text(&text), parts);

		assert_string_equal(wk_buf_text(&several), wk_buf_text(&whole));
		wk_buf_fini(&whole);
		wk_buf_fini(&several);
	}
	wk_buf_fini(&text);
}

static void remembered_chains_are_what_reading_them_gives(void **state)
{
	struct wk_buf text = { 0 }, events;

	(void)state;
	for (int i = 0; i < 4; i++)
		wk_buf_add_text(&text, "a 1 2.5: 1 e: \n\t1 f (/a)\n\t2 g (/a)\n\n"
				       "a 1 2.5: 1 e: \n\t1 h (/a)\n\t2 g (/a)\n\n"
				       "a 1 2.5: 1 e: \n\t2 g (/a)\n\n");
	events = events_of_parts(wk_buf_text(&text), 1);
	assert_int_equal(count_of(wk_buf_text(&text), "stack=2\n"), 4);
	assert_int_equal(count_of(wk_buf_text(&text), "stack=3\n"), 4);
	assert_int_equal(count_of(wk_buf_text(&text), "weight=1 stack=1\n"), 4);
	wk_buf_fini(&events);
	wk_buf_fini(&text);
}

/* Each line in a sample of its own: with the address in 16 columns and, which is not the usual
 * form, in 17. */
static struct wk_buf samples_of(const char *const *lines, const char *indent)
{
	struct wk_buf text = { 0 };

	for (size_t i = 0; lines[i]; i++)
		wk_buf_add_fmt(&text, "shop 1/1 [000] 1.5: 1 cycles: \n\t%s%s\n\n", indent,
			       lines[i]);
	return text;
}

static void lines_of_the_usual_form_give_what_others_give(void **state)
{
	static const char *const lines[] = {
		"    7f5c0a1b2c3d f+0x1f (/a)", "    7f5c0a1b2c3d f+0x2f (/a)",
		"    7f5c0a1b2c3d f (/a)", "    7f5c0a1b2c3d f+0x1F (/a)",
		"    7f5c0a1b2c3d f+0x (/a)", "    7f5c0a1b2c3d +0x1f (/a)",
		"    7f5c0a1b2c3d f+0x1f (/b (deleted))", "    7f5c0a1b2c3d f+0x1f (/a+0x12)",
		"    7f5c0a1b2c3d g(int)+0x1f (/a)", "    7f5c0a1b2c3d g(int) (/a)",
		"    7f5c0a1b2c3d h(/a)", "    7f5c0a1b2c3d h  (/a)", "    7f5c0a1b2c3d (/a)",
		"    7f5c0a1b2c3d  (/a)", "    7f5c0a1b2c3d k+0x1f (inlined)", "    7f5c0a1b2c3d k ()",
		"    7f5c0a1b2c3d [unknown] (/a)", "    7f5c0a1b2c3d [unknown] ([unknown])",
		"ffffffff81000130 k+0x1f ([kernel.kallsyms])", "ffffffff81000130 k+0x1f (/a)",
		"    ffff81000130 k+0x1f (/a)", "               0 m+0x1f (/a)",
		"    7f5c 0a1b2c3d m (/a)", "    7F5C0A1B2C3D m (/a)",
		"    7f5c0a1b2c3d n", "    7f5c0a1b2c3d", 
		"    7f5c0a1b2c3d Lq;::a->Lr;::b (/tmp/perf-1.map)", NULL,
	};
	struct wk_buf usual = samples_of(lines, ""), other = samples_of(lines, " ");
	struct wk_buf from_usual = events_of_parts(wk_buf_text(&usual), 1);
	struct wk_buf from_other = events_of_parts(wk_buf_text(&other), 1);
	struct wk_script_usual_line line;
	const char *at = "\t    7f5c0a1b2c3d f+0x1f (/a)\n";

	(void)state;
	assert_true(wk_script_usual_line(at, at + strlen(at), &line));
	assert_true(wk_str_is(line.name, "f"));
	assert_true(wk_str_is(line.image, "(/a)"));
	assert_ptr_equal(line.next, at + strlen(at));
	at = "\t     7f5c0a1b2c3d f+0x1f (/a)\n";
	assert_false(wk_script_usual_line(at, at + strlen(at), &line));
	assert_string_equal(wk_buf_text(&from_usual), wk_buf_text(&from_other));
	WK_BUF_FINI_ALL(&usual, &other, &from_usual, &from_other);
}

/* The events of a text of which all but the first `len` bytes come from a pipe. */
static struct wk_buf events_streamed(const char *text, size_t len,
				     const struct wk_collapse *collapse)
{
	int ends[2];
	struct wk_os_stream rest = { .is_open = true };
	struct wk_input input = { .bytes = wk_bytes_of(text, len), .name = "test", .rest = &rest,
				  .options.collapse = collapse };
	struct wk_buf events = { 0 };
	struct wk_out out = wk_out_to_buf(&events);
	struct wk_sink sink = wk_dump_sink(&out);
	struct wk_err err = { 0 };

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text + len, strlen(text) - len), strlen(text) - len);
	close(ends[1]);
	rest.fd = ends[0];
	if (!wk_script_read(&input, 1, &sink, &err))
		wk_out_fmt(&out, "error: %s\n", err.text);
	close(ends[0]);
	wk_out_end(&out);
	return events;
}

static void a_pipe_gives_what_a_file_gives(void **state)
{
	static const char *const texts[] = {
		"# hostname : h\na 1/2 [000] 1.5: 7 cycles: \n\t1 f+0x1 (/a)\n\t2 g (/b)\n\n"
		"b 3/4 [001] 2.5: 8 faults: \n\t1 f+0x2 (/a)\nnonsense\n\t3 h (/c)\n\n"
		"more nonsense\nb 3/4 [001] 3.5: 8 faults: \n\t1 f+0x3 (/a)\n  f.c:12\n\n",
		"a 1 1.5: cycles: 1 f (/a)\nb 1 2.5: cycles: 2 g (/a)\n",
		"a 1 1.5: cycles: \r\n\t1 f (/a)\r\n\r\nb 1 2.5: cycles: \r\n\t2 g (/b)\r\n\r\n",
		"a 1 1.5: cycles: \n\t1 f (/a)\n\na 1 2.5: cycles: \n\t1 f (/a)", "no samples\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct wk_buf whole = events_of_parts(texts[i], 1);

		for (size_t len = 0; len <= strlen(texts[i]); len += 7) {
			struct wk_buf streamed = events_streamed(texts[i], len, NULL);

			/* Only the first bytes decide about the header and what the text is. */
			if (len > 20)
				assert_string_equal(wk_buf_text(&streamed), wk_buf_text(&whole));
			wk_buf_fini(&streamed);
		}
		wk_buf_fini(&whole);
	}
}

static void the_probe_knows_all_forms(void **state)
{
	static const char *const known[] = {
		"a 1 2.5: 1 e: \n\t1 f (/a)\n\n",
		"# ========\n# captured on: today\n",
		"# x\n\nnode 31912 cpu-clock: \n            dd7 f (/a)\n",
		"  false 39 5.25:  1 cycles:u:  ffffffff9b201293 [unknown] ([unknown])\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_true(wk_reader_perf_script.probe(wk_bytes_of(known[i], strlen(known[i]))) >=
			    80);
	assert_int_equal(wk_reader_perf_script.probe(wk_bytes_of("a;b;c 3\n", 8)), 0);
	assert_int_equal(wk_reader_perf_script.probe(wk_bytes_of("", 0)), 0);
	assert_int_equal(wk_reader_perf_script.probe(wk_bytes_of("heap 1 2 words:\n", 16)), 0);
}

/* As the older tools do. */

static void assert_folds_to(const char *text, struct wk_collapse collapse, const char *wanted)
{
	char *lines = collapse_lines(&wk_reader_perf_script, text, strlen(text), &collapse);

	assert_string_equal(lines, wanted);
	wk_free(lines);
}

#define PERL    .dialect = WK_COLLAPSE_PERL
#define INFERNO .dialect = WK_COLLAPSE_INFERNO

static void the_command_is_the_outermost_frame(void **state)
{
	static const char text[] = "V8 Worker 12/34 [003] 5.25: 77 e: \n\t1 f (/a)\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL }, "V8_Worker;f 77\n");
	assert_folds_to(text, (struct wk_collapse){ PERL, .with_pid = true },
			"V8_Worker-12;f 77\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO, .with_tid = true },
			"V8_Worker-12/34;f 77\n");
	assert_folds_to("a b 34 5.25: 77 e: \n\t1 f (/a)\n\n",
			(struct wk_collapse){ INFERNO, .with_pid = true, .with_tid = true },
			"a_b-?/34;f 77\n");
}

static void each_tool_tidies_names_its_own_way(void **state)
{
	static const char text[] =
		"a 1 5.25: 1 e: \n\t1 std::function<void (int)>::operator()(int)+0x4 (/a)\n"
		"\t1 net/http.(*Client).Do (/a)\n\t1 it's;(anonymous namespace)::x (/a)\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL },
			"a;its:(anonymous namespace)::x;net/http.(*Client).Do;"
			"std::function<void  1\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO },
			"a;it's:(anonymous namespace)::x;net/http.(*Client).Do;"
			"std::function<void (int)>::operator 1\n");
}

static void java_loses_its_letter_in_java_only(void **state)
{
	static const char frames[] = "\t1 La/B;::c->Ld/E;::f+0x4b (/tmp/perf-1.map)\n\n";
	struct wk_buf text = { 0 };

	(void)state;
	wk_buf_add_fmt(&text, "java 1 5.25: 1 e: \n%sjavb 1 5.26: 1 e: \n%s", frames, frames);
	assert_folds_to(wk_buf_text(&text), (struct wk_collapse){ PERL, .marks_jit = true },
			"java;a/B:::c_[j];d/E:::f_[i] 1\njavb;La/B:::c_[j];Ld/E:::f_[i] 1\n");
	wk_buf_fini(&text);
}

static void what_is_unknown_goes_by_its_image_and_address(void **state)
{
	static const char text[] = "a 1 5.25: 1 e: \n\t1f [unknown] (/usr/lib/x.so)\n"
				   "\t2f [unknown] ([unknown])\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL }, "a;[unknown];[x.so] 1\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO, .with_addresses = true },
			"a;[unknown <2f>];[x.so <1f>] 1\n");
}

static void the_tools_disagree_what_the_kernel_is(void **state)
{
	static const char text[] = "a 1 5.25: 1 e: \n\t1 f (/x/vmlinux-5.4)\n\t1 g ([m])\n"
				   "\t1 h (/x/m.ko)\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL, .marks_kernel = true },
			"a;h;g_[k];f 1\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO, .marks_kernel = true },
			"a;h_[k];g_[k];f_[k] 1\n");
}

static void only_one_event_is_taken(void **state)
{
	static const char text[] = "a 1 5.25: 7 cycles:u: \n\t1 f (/a)\n\n"
				   "a 1 5.26: 8 faults:u: \n\t1 f (/a)\n\n"
				   "a 1 5.27: 9 cycles:u: \n\t1 f (/a)\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL }, "a;f 16\n");
	assert_folds_to(text, (struct wk_collapse){ PERL, .event = "faults:u" }, "a;f 8\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO, .event = "faults" }, "a;f 8\n");
}

static void a_line_may_begin_with_the_time(void **state)
{
	(void)state;
	assert_folds_to("a 1 [000] 1.0: 7 e:\n\t1 f (/a)\n\n5: 7 e:\n\t1 g (/a)\n\n",
			(struct wk_collapse){ INFERNO }, "a;f 7\n");
	assert_folds_to("a 1 [000] 1.0: 7 e:\n\t1 f (/a)\n\n2.0: 7 e:\n\t1 g (/a)\n\n",
			(struct wk_collapse){ INFERNO }, "a;f 7\n");
}

static void callers_are_dropped_after_a_function(void **state)
{
	static const char *const after[] = { "main", NULL };
	static const char text[] = "a 1 5.25: 7 e: \n\t1 f (/a)\n\t2 main (/a)\n\t3 start (/a)\n\n"
				   "a 1 5.26: 7 e: \n\t1 f (/a)\n\t3 start (/a)\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ INFERNO, .skip_after = after },
			"a;start;f 7\nmain;f 7\n");
}

static void lines_of_source_stand_behind_names(void **state)
{
	static const char text[] = "a 1 5.25: 7 e: \n\t1 f+0x4 (/a)\n  t.c:5\n\t2 g (/lib/c.so)\n"
				   "  c.so[27b25]\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL, .with_source_line = true },
			"a;g:c.so;f:t.c:5 7\n");
	assert_folds_to(text, (struct wk_collapse){ PERL }, "a;g;f 7\n");
}

static void half_mangled_rust_is_mended_by_inferno(void **state)
{
	static const char text[] =
		"a 1 5.25: 7 e: \n\t1 _$LT$a..B$GT$::run::h0123456789abcdef (/a)\n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ INFERNO }, "a;<a::B>::run 7\n");
	assert_folds_to(text, (struct wk_collapse){ PERL },
			"a;_$LT$a..B$GT$::run::h0123456789abcdef 7\n");
}

static void perl_wants_a_blank_line_behind_the_last_sample(void **state)
{
	static const char text[] = "a 1 5.25: 7 e: \n\t1 f (/a)\n\na 1 5.26: 7 e: \n\t1 f (/a)\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL }, "a;f 7\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO }, "a;f 14\n");
}

static void perl_counts_samples_without_a_stack(void **state)
{
	static const char text[] = "a 1 5.25: 7 e: \n\n";

	(void)state;
	assert_folds_to(text, (struct wk_collapse){ PERL }, "a 7\n");
	assert_folds_to(text, (struct wk_collapse){ INFERNO }, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_line_tells_who_when_and_what),
		cmocka_unit_test(a_name_may_hold_blanks_and_numbers),
		cmocka_unit_test(without_a_period_each_sample_counts_one),
		cmocka_unit_test(without_a_time_two_numbers_are_thread_and_period),
		cmocka_unit_test(what_a_tracepoint_tells_is_not_read_as_a_stack),
		cmocka_unit_test(the_first_frame_printed_is_the_innermost),
		cmocka_unit_test(names_keep_what_is_in_them),
		cmocka_unit_test(what_has_no_name_goes_by_its_image),
		cmocka_unit_test(kernel_code_is_known_by_image_or_address),
		cmocka_unit_test(code_made_at_run_time_is_known_by_its_image),
		cmocka_unit_test(unfolded_names_of_java_are_several_frames),
		cmocka_unit_test(inlined_frames_and_lines_of_source_are_read),
		cmocka_unit_test(a_sample_may_be_one_line),
		cmocka_unit_test(a_command_that_looks_like_an_address_is_none),
		cmocka_unit_test(branches_are_no_frames),
		cmocka_unit_test(each_event_is_a_source),
		cmocka_unit_test(a_thread_that_takes_another_name_is_named_again),
		cmocka_unit_test(sums_tell_samples_of_one_stack_as_one),
		cmocka_unit_test(sums_keep_threads_and_events_apart),
		cmocka_unit_test(weights_that_outgrow_their_sum_stay_at_the_most),
		cmocka_unit_test(a_thread_in_sums_ends_with_the_name_it_had_last),
		cmocka_unit_test(other_records_are_no_samples),
		cmocka_unit_test(the_header_tells_of_the_machine),
		cmocka_unit_test(lines_may_end_in_returns),
		cmocka_unit_test(the_last_sample_needs_no_blank_line),
		cmocka_unit_test(samples_without_numbers_keep_their_command),
		cmocka_unit_test(a_line_that_makes_no_sense_is_counted_and_the_rest_used),
		cmocka_unit_test(a_chain_that_holds_nonsense_is_counted_each_time),
		cmocka_unit_test(text_without_samples_is_an_error),
		cmocka_unit_test(parts_tell_what_the_whole_tells),
		cmocka_unit_test(remembered_chains_are_what_reading_them_gives),
		cmocka_unit_test(lines_of_the_usual_form_give_what_others_give),
		cmocka_unit_test(a_pipe_gives_what_a_file_gives),
		cmocka_unit_test(the_probe_knows_all_forms),
		cmocka_unit_test(the_command_is_the_outermost_frame),
		cmocka_unit_test(each_tool_tidies_names_its_own_way),
		cmocka_unit_test(java_loses_its_letter_in_java_only),
		cmocka_unit_test(what_is_unknown_goes_by_its_image_and_address),
		cmocka_unit_test(the_tools_disagree_what_the_kernel_is),
		cmocka_unit_test(only_one_event_is_taken),
		cmocka_unit_test(a_line_may_begin_with_the_time),
		cmocka_unit_test(callers_are_dropped_after_a_function),
		cmocka_unit_test(lines_of_source_stand_behind_names),
		cmocka_unit_test(half_mangled_rust_is_mended_by_inferno),
		cmocka_unit_test(perl_wants_a_blank_line_behind_the_last_sample),
		cmocka_unit_test(perl_counts_samples_without_a_stack),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
