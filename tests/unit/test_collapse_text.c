/* The lines that the older stackcollapse programs print for printed stacks. What is expected
 * here is what those programs print for the same input, unless a test says otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above first */
#include <cmocka.h>

#include "collapse_lines.h"
#include "base/mem.h"

static void expect(const struct wk_reader *reader, const char *text,
		   const struct wk_collapse *collapse, const char *lines)
{
	static const struct wk_collapse plain;
	char *came = collapse_lines(reader, text, strlen(text), collapse ? collapse : &plain);

	assert_string_equal(came, lines);
	wk_free(came);
}

static const char two_threads[] = "Full thread dump OpenJDK 64-Bit Server VM (17+0 mixed mode):\n\n"
				  "\"pool-3-thread-12\" #9 prio=5 tid=0x1 nid=0x2 runnable\n"
				  "   java.lang.Thread.State: RUNNABLE\n"
				  "\tat com.shop.Cart.add(Cart.java:7)\n"
				  "\tat java.lang.Thread.run(java.base@17/Thread.java:833)\n"
				  "\n"
				  "\"main\" #1 prio=5 tid=0x1 nid=0x2 waiting on condition\n"
				  "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
				  "\tat java.lang.Thread.sleep(Native Method)\n"
				  "\tat Main.main(Main.java:3)\n"
				  "\n";

static void jstack_shows_running_threads_below_their_name(void **state)
{
	static const struct wk_collapse named = { .with_thread_name = true };
	static const struct wk_collapse numbered = { .with_thread_name = true,
						     .with_thread_id = true };

	(void)state;
	expect(&wk_reader_jstack, two_threads, NULL, "java.lang.Thread.run;com.shop.Cart.add 1\n");
	expect(&wk_reader_jstack, two_threads, &named,
	       "pool-3-thread;java.lang.Thread.run;com.shop.Cart.add 1\n");
	expect(&wk_reader_jstack, two_threads, &numbered,
	       "pool-3-thread-12;java.lang.Thread.run;com.shop.Cart.add 1\n");
}

static void jstack_shortens_packages_and_keeps_what_has_none(void **state)
{
	static const struct wk_collapse shorter = { .short_packages = true, .keeps_idle = true };

	(void)state;
	expect(&wk_reader_jstack, two_threads, &shorter,
	       "Main.main;j.l.Thread.sleep 1\nj.l.Thread.run;c.s.Cart.add 1\n");
}

static void jstack_leaves_out_what_waits_in_the_kernel(void **state)
{
	static const char *const methods[] = {
		"sun.nio.ch.EPollArrayWrapper.epollWait", "java.net.PlainSocketImpl.socketAccept",
		"sun.nio.ch.ServerSocketChannelImpl.accept0",
		"java.net.SocketInputStream.socketRead0" };

	(void)state;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		char text[900];

		snprintf(text, sizeof(text),
			 "%s\"x\" #1\n   java.lang.Thread.State: RUNNABLE\n"
			 "\tat %s(Native Method)\n\n",
			 two_threads, methods[i]);
		expect(&wk_reader_jstack, text, NULL, "java.lang.Thread.run;com.shop.Cart.add 1\n");
	}
}

static void jstack_shows_a_running_thread_without_frames_as_its_name(void **state)
{
	static const struct wk_collapse named = { .with_thread_name = true };

	(void)state;
	expect(&wk_reader_jstack,
	       "\"Sweeper thread\" #9\n   java.lang.Thread.State: RUNNABLE\n\n"
	       "\"C2 CompilerThread0\" #7\n   java.lang.Thread.State: RUNNABLE\n\n",
	       &named, "Sweeper thread 1\n");
}

static void exceptions_are_counted_by_where_they_were_thrown(void **state)
{
	static const char text[] = "x.Bad: no\n\tat a.b.C.d(C.java:1)\n\tat Main.main(M.java:2)\n"
				   "Caused by: x.Worse\n\tat a.b.C.e(C.java:9)\n\t... 1 more\n"
				   "x.Bad: no\n\tat a.b.C.d(C.java:1)\n\tat Main.main(M.java:2)\n";
	static const struct wk_collapse bare = { .no_modules = true };

	(void)state;
	expect(&wk_reader_java_exceptions, text, NULL, "Main.main;a.b.C.d 2\na.b.C.e 1\n");
	expect(&wk_reader_java_exceptions, text, &bare, "C.e 1\nMain.main;C.d 2\n");
}

static void ljp_takes_the_first_number_as_the_count(void **state)
{
	(void)state;
	expect(&wk_reader_ljp,
	       "  42 2  a.B.f(B.java:5)\n        a.B.main(B.java:1)\n"
	       "7 1 a.B.main(B.java:1)\nTotal trace count: 49\nignored 1 2\n",
	       NULL, "a.B.main 7\na.B.main;a.B.f 42\n");
}

static const char eu_stack[] = "PID 5 - process\nTID 5:\n#0  0x00007f01 read - /lib/libc.so.6\n"
			       "    ../io/read.c:25:3\n#1  0x00000401\n#2  0x00000402 main\n"
			       "TID 6:\n#0  0x00000402 main\n";

static void elfutils_takes_all_behind_the_address_as_the_name(void **state)
{
	static const struct wk_collapse ids = { .with_pid = true, .with_tid = true };

	(void)state;
	expect(&wk_reader_elfutils, eu_stack, NULL,
	       "main 1\nmain;[unknown];read - /lib/libc.so.6 1\n");
	expect(&wk_reader_elfutils, eu_stack, &ids,
	       "PID=5;TID=5;main;[unknown];read - /lib/libc.so.6 1\nPID=5;TID=6;main 1\n");
}

static void gdb_takes_the_third_word_behind_an_address_and_else_the_first(void **state)
{
	(void)state;
	expect(&wk_reader_gdb,
	       "Thread 1 (LWP 3):\n#0  0x0000 in a::b<int> (x=1) at a.c:1\n"
	       "#1  main () at a.c:9\n\n",
	       NULL, "main;a::b<int> 1\n");
}

static void gdb_writes_nothing_for_a_frame_of_too_few_words(void **state)
{
	(void)state;
	expect(&wk_reader_gdb,
	       "#0  0x1 in kill () from c\n#1  <signal handler called>\n"
	       "#2  0x3 in main () from c\n",
	       NULL, "main;;kill 1\n");
}

static void pmcstat_counts_each_outermost_caller(void **state)
{
	(void)state;
	expect(&wk_reader_pmcstat,
	       "@ cycles [20 samples]\n\n"
	       "80.00%  [16]       unlock @ /boot/kernel/kernel\n"
	       " 75.00%  [12]        free\n"
	       "  100.0%  [12]         sys_poll\n"
	       " 12.50%  [2]         close\n"
	       "20.00%  [4]        bcopy\n",
	       NULL, "bcopy 4\nclose;unlock 2\nsys_poll;free;unlock 12\n");
}

static void stap_drops_offsets_and_adds_up(void **state)
{
	(void)state;
	expect(&wk_reader_stap,
	       " 0x1 : halt+0xb/0x10 [kernel]\n 0x2 : idle+0x5/0x9 [kernel]\n\t5\n"
	       "\n 0x3 : halt+0x1/0x10 [kernel]\n 0x2 : idle+0x5/0x9\n\t2\n"
	       " 0x9\n +1\n\t1\n",
	       NULL, "-;0x9 1\nidle;halt 7\n");
}

static void aix_begins_with_the_command_and_drops_arguments(void **state)
{
	(void)state;
	expect(&wk_reader_aix,
	       "12: /usr/bin/ksh -l\n---------- tid# 7 (pthread ID: 1) ---\n"
	       "0xd01b  waitpid(0x1, 0x2) + 0x60\n0x1000  [unknown] + 0x4 x\n"
	       "0x1001  main() + 0x4\n---------- tid# 8 ---\n0x1001  main() + 0x4\n",
	       NULL, "/usr/bin/ksh;main 1\n/usr/bin/ksh;main;0x1000;waitpid 1\n");
}

static const char wcp[] = "1: early   (at x.c:1)\nFull stacks:\n\n75.0% == (3 samples)\n"
			  "   1: poll  (at a b.c:4)\n   2: nowhere\n   3: main (at m.c:9)\n\n";

static void wcp_begins_at_full_stacks_and_wants_places(void **state)
{
	static const struct wk_collapse lines = { .with_source_line = true };

	(void)state;
	expect(&wk_reader_wcp, wcp, NULL, "main;poll  3\n");
	expect(&wk_reader_wcp, wcp, &lines, "main (at m.c:9);nowhere;poll  (at a b.c:4) 3\n");
}

static void faulthandler_puts_file_and_line_in_front(void **state)
{
	(void)state;
	expect(&wk_reader_faulthandler,
	       "Thread 0x7f (most recent call first):\n  File \"a.py\", line 2 in wait\n"
	       "  File \"a.py\", line 9 in <module>\n\n"
	       "Current thread 0x7e (most recent call first):\n  File \"b.py\", line 1 in f\n",
	       NULL, "a.py:9:<module>;a.py:2:wait 1\nb.py:1:f 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jstack_shows_running_threads_below_their_name),
		cmocka_unit_test(jstack_shortens_packages_and_keeps_what_has_none),
		cmocka_unit_test(jstack_leaves_out_what_waits_in_the_kernel),
		cmocka_unit_test(jstack_shows_a_running_thread_without_frames_as_its_name),
		cmocka_unit_test(exceptions_are_counted_by_where_they_were_thrown),
		cmocka_unit_test(ljp_takes_the_first_number_as_the_count),
		cmocka_unit_test(elfutils_takes_all_behind_the_address_as_the_name),
		cmocka_unit_test(gdb_takes_the_third_word_behind_an_address_and_else_the_first),
		cmocka_unit_test(gdb_writes_nothing_for_a_frame_of_too_few_words),
		cmocka_unit_test(pmcstat_counts_each_outermost_caller),
		cmocka_unit_test(stap_drops_offsets_and_adds_up),
		cmocka_unit_test(aix_begins_with_the_command_and_drops_arguments),
		cmocka_unit_test(wcp_begins_at_full_stacks_and_wants_places),
		cmocka_unit_test(faulthandler_puts_file_and_line_in_front),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
