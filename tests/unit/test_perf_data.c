/* perf.data as a file: order of records, attrs, features, and damage. Small files made here, one
 * rule of the format each. test_perf_fixtures.c holds the reader against files of real recorders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "channel/stream.h"
#include "formats/perf/wick_sections.h"
#include "perf_lines.h"

static void parts_of_a_folder_are_told_in_order_of_time(void **state)
{
	struct perf_maker m = { 0 }, first = { 0 }, second = { 0 };
	struct wk_part parts[2] = { 0 };
	struct wk_buf text;

	(void)state;
	begin(&m);
	add_comm(&m, 0, 10, 10, "app", 1);
	perf_record(&m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(&m);
	perf_record(&m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(&m);
	perf_end(&m);
	add_sample(&first, 20, 0x200);
	add_sample(&first, 40, 0x400);
	add_sample(&second, 10, 0x100);
	add_sample(&second, 30, 0x300);
	parts[0].bytes = wk_bytes_of(first.out.at, first.out.len);
	parts[1].bytes = wk_bytes_of(second.out.at, second.out.len);
	text = perf_told_with(&m.out, (struct wk_parts){ .at = parts, .count = 2 });
	assert_non_null(strstr(wk_buf_text(&text),
			       "thread time=1 pid=10 tid=10 change=name name=\"app\"\n"
			       "sample time=10 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x100\n"
			       "sample time=20 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x200\n"
			       "sample time=30 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x300\n"
			       "sample time=40 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x400\n"));
	assert_null(strstr(wk_buf_text(&text), "note"));
	wk_buf_fini(&text);
	wk_buf_fini(&m.out);
	wk_buf_fini(&first.out);
	wk_buf_fini(&second.out);
}

static void records_come_in_order_of_time_then_in_order_of_the_file(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 30, 1);
	add_sample(&m, 10, 2);
	add_sample(&m, 20, 3);
	add_sample(&m, 10, 4);
	add_sample(&m, 5, 5);
	check(&m, SAMPLE("5", "5") SAMPLE("10", "2") SAMPLE("10", "4") SAMPLE("20", "3")
			  SAMPLE("30", "1"));
}

static void end_round(struct perf_maker *m)
{
	perf_record(m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(m);
}

/* A record may belong before all of the round before it, and no further. */
static void a_round_settles_what_came_before_the_round_before(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	add_sample(&m, 30, 2);
	end_round(&m);
	add_sample(&m, 20, 3);
	add_sample(&m, 60, 4);
	end_round(&m);
	add_sample(&m, 50, 5);
	add_sample(&m, 55, 6);
	end_round(&m);
	add_sample(&m, 70, 7);
	check(&m, SAMPLE("10", "1") SAMPLE("20", "3") SAMPLE("30", "2") SAMPLE("50", "5")
			  SAMPLE("55", "6") SAMPLE("60", "4") SAMPLE("70", "7"));
}

static void a_record_behind_its_round_is_told_and_counted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 30, 1);
	end_round(&m);
	end_round(&m);
	add_sample(&m, 20, 2);
	check(&m, SAMPLE("30", "1") SAMPLE("20", "2") "note time=20 offset=0x138 text=\"1 record "
						      "came later than its round of the "
						      "file allows\"\n");
}

static void add_settled(struct perf_maker *m, uint64_t until_ns)
{
	struct wk_section section = { .subject = WK_SECTION_HEAP };
	struct wk_buf row = { 0 };

	wk_buf_add_char(&row, WK_HEAP_ROW_SETTLED);
	wk_buf_add_u64(&row, until_ns);
	wk_buf_add_u32(&section.rows, (uint32_t)row.len);
	wk_buf_add_str(&section.rows, wk_buf_str(&row));
	wk_section_end_row(&section);
	wk_section_close(&section);
	perf_record(m, WK_PERF_HEADER_EVENT_TYPE, 0);
	put64(m, WK_SECTION_HEAP);
	wk_buf_add_str(&m->out, wk_buf_str(&section.done));
	perf_end_record(m);
	wk_section_fini(&section);
	wk_buf_fini(&row);
}

/* So events of a heap need not wait in memory for the end of the recording. */
static void records_are_emitted_once_the_heap_says_that_all_of_their_time_are_there(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	add_sample(&m, 40, 2);
	add_sample(&m, 30, 3);
	add_settled(&m, 30);
	add_sample(&m, 35, 4);
	add_sample(&m, 20, 5);
	check(&m,
	      SAMPLE("10", "1") SAMPLE("30", "3") SAMPLE("20", "5") SAMPLE("35", "4") SAMPLE(
		      "40", "2") "note time=40 offset=0x1f0 text=\"1 record came later than its "
				 "round of the file allows\"\n");
}

static void unknown_records_are_counted_and_their_neighbours_read(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	for (uint32_t type = 200; type < 203; type++) {
		perf_record(&m, type, 0);
		put64(&m, 99);
		perf_end_record(&m);
	}
	add_sample(&m, 10, 1);
	check(&m, SAMPLE("10", "1") "note time=10 offset=0xf8 text=\"3 records of unknown types "
				    "were skipped\"\n");
}

static void bytes_behind_a_record_are_passed_over(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_AUXTRACE, 0);
	put64(&m, 24);
	perf_end_record(&m);
	for (int i = 0; i < 3; i++)
		put64(&m, 0);
	perf_record(&m, WK_PERF_HEADER_TRACING_DATA, 0);
	put32(&m, 13, 0);
	perf_end_record(&m);
	put64(&m, 0);
	put64(&m, 0);
	add_sample(&m, 10, 1);
	check(&m, SAMPLE("10", "1") "note time=10 offset=0xf8 text=\"1 block of a hardware trace "
				    "(Intel PT, CoreSight ...) was skipped\"\n");
}

static void a_record_below_its_header_ends_the_reading_where_it_stands(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	put(&m, WK_PERF_SAMPLE, 4);
	put(&m, 0, 2);
	put(&m, 3, 2);
	add_sample(&m, 20, 2);
	check(&m,
	      SAMPLE("10",
		     "1") "error: 0x128: perf.data: record size 3 is below the 8-byte header\n");
}

static void a_record_cut_off_at_the_end_is_noted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	add_sample(&m, 20, 2);
	m.out.len -= 8;
	check(&m,
	      SAMPLE("10",
		     "1") "note time=10 offset=0x128 text=\"1 record at the end is cut off\"\n");
}

static void a_sample_shorter_than_its_fields_is_noted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_SAMPLE, 0);
	put64(&m, 1);
	perf_end_record(&m);
	add_sample(&m, 10, 1);
	check(&m, SAMPLE("10", "1") "note time=10 offset=0xf8 text=\"1 record is shorter than its "
				    "fields\"\n");
}

/* What a recorder leaves that was killed: the size was never written. */
static void without_a_size_the_data_reaches_to_the_end(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	check_without(
		&m, "source ",
		SAMPLE("10", "1") "note time=10 text=\"the file is incomplete: its recorder was "
				  "killed or is still running; facts and names at its end are "
				  "missing\"\n");
}

static void old_files_without_trailers_keep_the_order_of_the_file(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.flags = 0;
	begin_with(&m, &attr);
	add_sample(&m, 10, 1);
	perf_record(&m, WK_PERF_COMM, 0);
	put32(&m, 10, 10);
	put_text(&m, "late");
	perf_end_record(&m);
	add_sample(&m, 20, 2);
	check(&m,
	      SAMPLE("10", "1") "thread time=10 pid=10 tid=10 change=name name=\"late\"\n" SAMPLE(
		      "20", "2"));
}

/* The attr's size decides what is meaningful, the table's stride where the next one lies. */
static void attrs_of_any_size_are_read(void **state)
{
	static const size_t sizes[] = { 48, 64, 80, 96, 112, 120, 136, 200 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_maker m = { 0 };

		perf_begin_file(&m, sizes[i] + 16, 1);
		put_attr(&m, &usual, sizes[i]);
		put64(&m, 0);
		put64(&m, 0);
		perf_begin_data(&m);
		add_sample(&m, 10, 1);
		check(&m, SAMPLE("10", "1"));
	}
}

static void a_pipe_tells_events_and_their_names_among_its_records(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		perf_begin_pipe(&m);
		perf_record(&m, WK_PERF_HEADER_ATTR, 0);
		put_attr(&m, &usual, 112);
		put64(&m, 501);
		perf_end_record(&m);
		add_sample(&m, 10, 1);
		perf_record(&m, WK_PERF_EVENT_UPDATE, 0);
		put64(&m, WK_PERF_EVENT_UPDATE_NAME);
		put64(&m, 501);
		put_text(&m, "my:event");
		perf_end_record(&m);
		perf_record(&m, WK_PERF_HEADER_FEATURE, 0);
		put64(&m, WK_PERF_FEATURE_HOSTNAME);
		put(&m, 8, 4);
		put_text(&m, "box");
		put(&m, 0, 4);
		perf_end_record(&m);
		check_without(
			&m, "-",
			"system time=0 key=\"host name\" value=\"box\"\n"
			"source time=0 source=0 name=\"my:event\" unit=\"ns\"\n" SAMPLE("10", "1"));
	}
}

static void begin_pipe(struct perf_maker *m)
{
	perf_begin_pipe(m);
	perf_record(m, WK_PERF_HEADER_ATTR, 0);
	put_attr(m, &usual, 112);
	put64(m, 501);
	perf_end_record(m);
}

static void text_among_the_records_of_a_pipe_is_skipped_and_noted(void **state)
{
	static const char *const texts[] = { "Hello from the program\n", "ok\n", "Gr\xc3\xbc\xc3\x9f Gott\n",
					     "\t\n\t\n\t\n\t\n" };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(texts) / sizeof(*texts); i++) {
		struct perf_maker m = { .big_endian = i % 2 };
		const char *text = texts[i / 2];
		struct wk_buf told;

		begin_pipe(&m);
		add_sample(&m, 10, 1);
		if (strlen(text) >= 8)
			wk_buf_add_text(&m.out, text);
		add_sample(&m, 20, 2);
		wk_buf_add_text(&m.out, text);
		told = perf_told(&m.out);
		assert_non_null(strstr(wk_buf_text(&told), SAMPLE("10", "1") SAMPLE("20", "2")));
		assert_non_null(strstr(wk_buf_text(&told),
				       strlen(text) >= 8
					       ? "text=\"2 pieces of text among the records were"
					       : "text=\"1 piece of text among the records was"));
		assert_null(strstr(wk_buf_text(&told), "error"));
		wk_buf_fini(&told);
		wk_buf_fini(&m.out);
	}
}

static void samples_without_any_event_are_noted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	perf_begin_pipe(&m);
	add_sample(&m, 10, 1);
	check_without(&m, "-",
		      "note time=0 offset=0x10 text=\"1 sample without a description of "
		      "its layout\"\n");
}

static void what_can_not_be_read_is_refused_by_name(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} rows[] = {
		{ "PERFFILEand more", 16,
		  "error: perf.data: written by perf before 2010 (version 1 of the format), which "
		  "is too old to be read\n" },
		{ "PERFILE2\x11\0\0\0\0\0\0\0", 16,
		  "error: 0x8: perf.data: header of 17 bytes, "
		  "expected 104 (file) or 16 (pipe)\n" },
		{ "PERFILE2\x68\0\0\0\0\0\0\0", 16,
		  "error: 0x0: perf.data: the file ends inside its 104-byte header\n" },
		{ "something", 9, "error: perf.data: expected the file to begin with PERFILE2\n" },
	};
	struct perf_maker m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wk_buf_add(&m.out, rows[i].bytes, rows[i].len);
		check_without(&m, "-", rows[i].says);
	}
}

static void names_of_events_are_told_by_a_feature(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big }, names = { .big_endian = big };

		begin(&m);
		put32(&names, 1, 64);
		for (int i = 0; i < 8; i++)
			put64(&names, 0);
		put32(&names, 1, 16);
		put_text(&names, "cycles:ppp");
		put64(&names, 501);
		perf_end_with_feature(&m, WK_PERF_FEATURE_EVENT_DESC, &names.out);
		check_without(&m, "-", "source time=0 source=0 name=\"cycles:ppp\" unit=\"ns\"\n");
		wk_buf_fini(&names.out);
	}
}

/* Old recorders leave the size out; then it is 20. */
/* Two events in the file without ids of their own. */
static void ids_of_events_are_told_by_a_feature(void **state)
{
	static const uint64_t ids[] = { 601, 501, 602 };
	struct perf_maker m = { 0 }, names = { 0 };

	(void)state;
	perf_begin_file(&m, STRIDE, 2);
	for (uint64_t i = 0; i < 2; i++) {
		struct perf_attr_fields attr = usual;

		attr.config = i ? 2 : 0;
		attr.sample_type = WK_PERF_SAMPLE_IDENTIFIER | WK_PERF_SAMPLE_TIME;
		put_attr(&m, &attr, STRIDE - 16);
		put64(&m, 0);
		put64(&m, 0);
	}
	perf_begin_data(&m);
	for (size_t i = 0; i < 3; i++) {
		perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
		put64(&m, ids[i]);
		put64(&m, 10 * (i + 1));
		perf_end_record(&m);
	}
	put32(&names, 2, 64);
	for (uint32_t event = 0; event < 2; event++) {
		for (int i = 0; i < 8; i++)
			put64(&names, 0);
		put32(&names, event ? 2 : 1, 8);
		put_text(&names, event ? "faults" : "clock");
		put64(&names, event ? 601 : 501);
		if (event)
			put64(&names, 602);
	}
	perf_end_with_feature(&m, WK_PERF_FEATURE_EVENT_DESC, &names.out);
	check_without(&m, "-",
		      "source time=0 source=0 name=\"clock\" unit=\"ns\"\n"
		      "source time=0 source=1 name=\"faults\" unit=\"events\"\n"
		      "sample time=10 pid=0 tid=0 source=1 weight=1 mode=user address=0x0\n"
		      "sample time=20 pid=0 tid=0 source=0 weight=1 mode=user address=0x0\n"
		      "sample time=30 pid=0 tid=0 source=1 weight=1 mode=user address=0x0\n");
	wk_buf_fini(&names.out);
}

static void build_ids_of_a_feature_are_given_to_images(void **state)
{
	(void)state;
	for (uint32_t misc = 2; misc < 0x9000; misc += 0x8000) {
		struct perf_maker m = { 0 }, ids = { 0 };

		begin(&m);
		add_mapping(&m, WK_PERF_MISC_USER, 10, "/bin/ls", inode_field);
		perf_record(&ids, 0, misc);
		put(&ids, UINT32_MAX, 4);
		wk_buf_add(&ids.out, "\xab\xcd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
		put(&ids, misc & 0x8000 ? 2 : 0, 4);
		put_text(&ids, "/bin/ls");
		perf_end_record(&ids);
		perf_end_with_feature(&m, WK_PERF_FEATURE_BUILD_ID, &ids.out);
		check_without(&m, "source ",
			      misc & 0x8000 ? MAPPED " device=8:1 inode=7 build_id=abcd\n"
					    : MAPPED " device=8:1 inode=7 build_id="
						     "abcd000000000000000000000000000000000000\n");
		wk_buf_fini(&ids.out);
	}
}

/* Groups of events that are not there would cost their number times that of the events. */
static void a_group_of_more_events_than_there_are_is_damage(void **state)
{
	(void)state;
	for (uint32_t leader = 0; leader < 2; leader++) {
		struct perf_maker m = { 0 }, groups = { 0 };

		begin(&m);
		add_sample(&m, 10, 1);
		put32(&groups, 1, 12);
		wk_buf_add(&groups.out, "{anon_group}", 12);
		put32(&groups, leader, 1);
		perf_end_with_feature(&m, WK_PERF_FEATURE_GROUP_DESC, &groups.out);
		check_without(&m, "source ",
			      leader ? SAMPLE("10", "1") "note time=10 offset=0x138 text=\"1 "
							 "feature section is damaged or cut off\"\n"
				     : SAMPLE("10", "1"));
		wk_buf_fini(&groups.out);
	}
}

static void a_damaged_feature_is_noted_and_the_rest_is_read(void **state)
{
	struct perf_maker m = { 0 }, text = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	put(&text, 1000, 4); /* longer than its section */
	put_text(&text, "box");
	perf_end_with_feature(&m, WK_PERF_FEATURE_HOSTNAME, &text.out);
	check_without(
		&m, "source ",
		SAMPLE("10",
		       "1") "note time=10 offset=0x138 text=\"1 feature section is damaged or cut "
			    "off\"\n");
	wk_buf_fini(&text.out);
}

static bool refuse_samples(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)context;
	return event->kind != WK_EVENT_SAMPLE || wk_fail(err, WK_EIO, WK_NOWHERE, "enough");
}

static void a_sink_that_takes_no_more_ends_the_reading(void **state)
{
	struct perf_maker m = { 0 };
	struct wk_sink sink = { .take = refuse_samples };
	struct wk_input input = { .name = "test" };
	struct wk_err err = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	perf_end(&m);
	input.bytes = wk_bytes_of(m.out.at, m.out.len);
	assert_false(wk_reader_perf_data.read(&input, &sink, &err));
	assert_string_equal(err.text, "enough");
	wk_buf_fini(&m.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_in_order_of_time_then_in_order_of_the_file),
		cmocka_unit_test(a_round_settles_what_came_before_the_round_before),
		cmocka_unit_test(a_record_behind_its_round_is_told_and_counted),
		cmocka_unit_test(
			records_are_emitted_once_the_heap_says_that_all_of_their_time_are_there),
		cmocka_unit_test(unknown_records_are_counted_and_their_neighbours_read),
		cmocka_unit_test(bytes_behind_a_record_are_passed_over),
		cmocka_unit_test(a_record_below_its_header_ends_the_reading_where_it_stands),
		cmocka_unit_test(a_record_cut_off_at_the_end_is_noted),
		cmocka_unit_test(a_sample_shorter_than_its_fields_is_noted),
		cmocka_unit_test(without_a_size_the_data_reaches_to_the_end),
		cmocka_unit_test(old_files_without_trailers_keep_the_order_of_the_file),
		cmocka_unit_test(attrs_of_any_size_are_read),
		cmocka_unit_test(a_pipe_tells_events_and_their_names_among_its_records),
		cmocka_unit_test(text_among_the_records_of_a_pipe_is_skipped_and_noted),
		cmocka_unit_test(samples_without_any_event_are_noted),
		cmocka_unit_test(a_group_of_more_events_than_there_are_is_damage),
		cmocka_unit_test(names_of_events_are_told_by_a_feature),
		cmocka_unit_test(ids_of_events_are_told_by_a_feature),
		cmocka_unit_test(build_ids_of_a_feature_are_given_to_images),
		cmocka_unit_test(a_damaged_feature_is_noted_and_the_rest_is_read),
		cmocka_unit_test(parts_of_a_folder_are_told_in_order_of_time),
		cmocka_unit_test(what_can_not_be_read_is_refused_by_name),
		cmocka_unit_test(a_sink_that_takes_no_more_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
