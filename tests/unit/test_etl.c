#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etl_events.h"
#include "etl_lines.h"

static const char *place_of(const struct wk_buf *text, const char *line)
{
	assert_line(text, line);
	return strstr(wk_buf_text((struct wk_buf *)text), line);
}

static void read_whole_trace(struct wk_buf *text)
{
	struct etl_maker m = { 0 };

	etl_whole_trace(&m);
	read_trace(&m, text);
}

static void what_is_told_at_the_end_was_there_from_the_begin(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_whole_trace(&text);
	assert_line(&text, "pid=100 tid=100 change=seen parent_pid=4 name=\"app.exe\"");
	assert_line(&text, "pid=100 tid=101 change=seen name=\"worker\"");
	assert_line(&text, "path=\"C:\\\\Windows\\\\app.exe\"");
	assert_line(&text, "path=\"C:\\\\Windows\\\\x.sys\"");
	assert_line(&text, "build_id=A3A2A1A0A5A4A7A6A8A9AAABACADAEAF3 "
			   "pdb=\"c:\\\\out\\\\app.pdb\" time_stamp=0x5f000001");
	assert_true(place_of(&text, "app.exe") < place_of(&text, "sample "));
	wk_buf_fini(&text);
}

static void a_process_that_starts_and_ends_has_its_times(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_whole_trace(&text);
	assert_line(&text,
		    "time=20000000 pid=200 tid=200 change=start parent_pid=100 name=\"child.exe\"");
	assert_line(&text, "time=26000000 pid=200 tid=200 change=exit name=\"child.exe\" "
			   "command_line=\"child.exe\" exit_code=7");
	assert_line(&text, "path=\"C:\\\\child.exe\"");
	assert_line(&text, "gone=1");
	wk_buf_fini(&text);
}

static void a_sample_has_both_halves_of_its_stack_whatever_they_are_told_by(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_whole_trace(&text);
	assert_line(&text, "time=10000000 pid=100 tid=101");
	assert_line(&text, "kernel=0xfffff80000000020 user=0x10010,0x10020");
	assert_line(&text, "user=0x20010\n"); /* the key's second meaning */
	wk_buf_fini(&text);
}

static void an_idle_processor_counts_apart_unless_a_device_asks(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	read_whole_trace(&text);
	assert_line(&text, "time=13000000 pid=0 tid=0 cpu=0 source=2");
	assert_line(&text, "time=14000000 pid=0 tid=0 cpu=0 source=1");
	wk_buf_fini(&text);
}

static void what_is_too_short_is_counted(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 }, nothing = { 0 };

	(void)state;
	etl_begin_file(&m);
	put(&nothing, 1, 4);
	etl_kernel(&m, 4, 0x0301, ETL_MS, &nothing);
	etl_kernel(&m, 3, 0x1404, ETL_MS, &nothing);
	end_trace(&m, &text);
	assert_line(&text, "2 records are too short");
	wk_buf_fini(&nothing);
	wk_buf_fini(&text);
}

/* What the tool that merges a trace writes at the time of an image's own record. */
static void came(struct etl_maker *m, uint64_t time, const char *name, uint32_t time_stamp,
		 bool has_pdb)
{
	static const uint8_t guid[16] = { 1 };

	etl_key_at(m, time, 7, 0x10000, 0x1000, time_stamp, name);
	if (has_pdb)
		etl_pdb_at(m, time, 7, 0x10000, guid, time_stamp, name);
	etl_image(m, 0x140a, time, 7, 0x10000, name);
}

static void images_that_come_to_one_place_have_each_its_own_pdb(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	etl_begin_file(&m);
	came(&m, 1, "a.dll", 1, true);
	etl_image(&m, 0x1402, 2, 7, 0x10000, "a.dll");
	came(&m, 3, "b.dll", 2, true);
	etl_image(&m, 0x1402, 4, 7, 0x10000, "b.dll");
	came(&m, 5, "c.dll", 3, false);
	end_trace(&m, &text);
	assert_line(&text, "path=\"a.dll\" build_id=000000011 "
			   "pdb=\"a.dll\" time_stamp=0x1");
	assert_line(&text, "path=\"b.dll\" build_id=000000012 "
			   "pdb=\"b.dll\" time_stamp=0x2");
	assert_line(&text, "path=\"c.dll\" time_stamp=0x3");
	wk_buf_fini(&text);
}

static void a_trace_that_was_not_merged_has_no_map_of_volumes(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_image(&m, 0x1403, 1, 7, 0x10000, "\\??\\C:\\Windows\\a.sys");
	etl_image(&m, 0x1403, 1, 7, 0x20000, "\\Device\\HarddiskVolume1\\b.dll");
	end_trace(&m, &text);
	assert_line(&text, "path=\"C:\\\\Windows\\\\a.sys\"");
	assert_line(&text, "path=\"\\\\Device\\\\HarddiskVolume1\\\\b.dll\"");
	wk_buf_fini(&text);
}

/* Of a trace that was cut off before it tells of threads: nobody was idle there. */
static void a_thread_that_nobody_tells_of_is_not_the_idle_process(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_sampled(&m, 1 * ETL_MS, 0x10010, 77, 0);
	etl_sampled(&m, 2 * ETL_MS, 0x10010, 0, 1);
	end_trace(&m, &text);
	assert_line(&text, "time=1000000 pid=unknown tid=77");
	assert_line(&text, "time=2000000 pid=0 tid=0");
	wk_buf_fini(&text);
}

static void a_volume_of_a_long_name_is_none(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf text = { 0 };
	char name[400] = { 0 };

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	etl_begin_file(&m);
	etl_volume(&m, "\\Long\\", name);
	etl_volume(&m, "\\Short\\", "C:\\");
	etl_image(&m, 0x1403, 1, 7, 0x10000, "\\Long\\a.dll");
	etl_image(&m, 0x1403, 1, 7, 0x20000, "\\Short\\b.dll");
	end_trace(&m, &text);
	assert_non_null(strstr(wk_buf_text(&text), "path=\"\\\\Long\\\\a.dll\""));
	assert_non_null(strstr(wk_buf_text(&text), "path=\"C:\\\\b.dll\""));
	wk_buf_fini(&text);
}

static void a_trace_that_was_cut_off_says_so(void **state)
{
	struct etl_maker m = { .buffers_written = 5 };
	struct wk_buf text = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_sampled(&m, 10, 0x1000, 7, 0);
	end_trace(&m, &text);
	assert_non_null(strstr(wk_buf_text(&text), "the trace is truncated: 3 of its 5 buffers"));
	wk_buf_fini(&text);
}

static void lost_buffers_make_a_trace_incomplete(void **state)
{
	struct etl_maker lost = { .buffers_lost = 5 }, marked = { 0 },
			 counted = { .events_lost = 3 };
	struct etl_maker *const makers[] = { &lost, &marked, &counted };
	static const char *const notes[] = {
		"5 buffers were lost while recording",
		"1 buffer is marked: events were lost while recording", NULL };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wk_buf text = { 0 };
		const char *found;

		etl_begin_file(makers[i]);
		etl_sampled(makers[i], 10, 0x1000, 7, 0);
		etl_end_buffer(makers[i], 0);
		if (i > 0) /* "events lost" among the flags of a buffer */
			makers[i]->out.at[ETL_BUFFER_BYTES + 0x34] |= 2;
		read_trace(makers[i], &text);
		found = strstr(wk_buf_text(&text), " lost while recording");
		assert_true(notes[i] ? found && strstr(wk_buf_text(&text), notes[i]) : !found);
		wk_buf_fini(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_told_at_the_end_was_there_from_the_begin),
		cmocka_unit_test(a_process_that_starts_and_ends_has_its_times),
		cmocka_unit_test(a_sample_has_both_halves_of_its_stack_whatever_they_are_told_by),
		cmocka_unit_test(an_idle_processor_counts_apart_unless_a_device_asks),
		cmocka_unit_test(what_is_too_short_is_counted),
		cmocka_unit_test(images_that_come_to_one_place_have_each_its_own_pdb),
		cmocka_unit_test(a_trace_that_was_not_merged_has_no_map_of_volumes),
		cmocka_unit_test(a_thread_that_nobody_tells_of_is_not_the_idle_process),
		cmocka_unit_test(a_volume_of_a_long_name_is_none),
		cmocka_unit_test(a_trace_that_was_cut_off_says_so),
		cmocka_unit_test(lost_buffers_make_a_trace_incomplete),
	};

	return cmocka_run_group_tests_name("etl", tests, NULL, NULL);
}
