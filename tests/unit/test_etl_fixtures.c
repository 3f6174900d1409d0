/* The container of .etl on real traces, held to what was counted in them by others (the README
 * beside them, and an older tool's own expectations). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/packed/zip.h"
#include "base/text/utf16.h"
#include "formats/etl/file/file.h"
#include "formats/etl/packed/xpress.h"
#include "os/os.h"
#include "shared_path.h"

/* The bytes of a trace: a file, or a member of an archive. */
struct trace {
	struct wk_os_file file;
	struct wk_buf plain;
	struct wk_bytes bytes;
	bool is_there;
};

static void close_trace(struct trace *trace)
{
	if (trace->is_there)
		wk_os_close(&trace->file);
	wk_buf_fini(&trace->plain);
}

static void read_member(struct trace *trace, const char *path, const char *member)
{
	struct wk_zip zip;
	struct wk_err err = { 0 };

	if (!wk_zip_open(trace->bytes, &zip, &err))
		fail_msg("%s: %s", path, err.text);
	for (size_t i = 0; i < zip.count; i++) {
		struct wk_str name = zip.members[i].name;
		size_t len = strlen(member);

		if (name.len < len || memcmp(name.at + name.len - len, member, len) != 0)
			continue;
		if (!wk_zip_read(&zip.members[i], &trace->plain, &err))
			fail_msg("%s: %s: %s", path, member, err.text);
	}
	wk_zip_close(&zip);
	trace->bytes = wk_bytes_of(trace->plain.at, trace->plain.len);
}

/* Skips the test, in words, where the traces or zlib are not there. */
static void open_trace(struct trace *trace, const char *name, const char *member)
{
	const char *path = shared_path("fixtures/etl/%s", name);

	*trace = (struct trace){ 0 };
	trace->is_there = wk_os_open(path, &trace->file, NULL);
	if (!trace->is_there) {
		print_message("no traces here: %s cannot be opened\n", path);
		skip();
	}
	trace->bytes = wk_bytes_of(trace->file.at, trace->file.size_bytes);
	if (member)
		read_member(trace, path, member);
}

struct expected {
	const char *name, *member;
	unsigned buffers, events, events_lost, cpus, build;
};

static const struct expected traces[] = {
	{ "net.4.5.2.x64.etl.zip", ".etl", 360, 179474, 0, 8, 9200 },
	{ "TraceLoggingTester.etl.zip", ".etl", 41, 172714, 0, 20, 26100 },
	{ "diaghub-dotnetcore3.1-win-x64-diagsession.zip", "diaghub.kernel.1.etl", 59, 16335, 0, 4,
	  19041 },
	{ "diaghub-dotnetcore3.1-win-x64-diagsession.zip", "/diaghub.etl", 103, 62379, 0, 4,
	  19041 },
	{ "diaghub-dotnetcore3.1-win-x64-diagsession.zip", "diaghub.user_paged.1.etl", 139, 22035,
	  0, 4, 19041 },
	{ "diaghub-dotnetcore3.1-win-x64-diagsession.zip", "diaghub.user_injected.1.etl", 2, 4, 0,
	  4, 19041 },
	{ "gcevents.etl.zip", ".etl", 5, 71, 0, 8, 19045 },
	{ "gcrundownevents.etl.zip", ".etl", 2, 112, 0, 8, 19045 },
	{ "primitive-types.etl.zip", ".etl", 2, 7, 0, 8, 19043 },
	{ "msbuild-PerfViewData.etl.zip", ".etl", 30, 5870, 0, 8, 18363 },
	{ "monogame-PerfViewData.etl.zip", ".etl", 13, 103, 0, 20, 26200 },
	{ "SelfDescribingSingleEvent.etl", NULL, 3, 22, 0, 12, 22000 },
	{ "AMSITrace.etl", NULL, 6, 21, 3, 8, 18362 },
	{ "lxcore_kernel.etl", NULL, 3, 4, 0, 6, 19041 },
	{ "krabsetw-powershell.etl", NULL, 26, 114, 0, 32, 22623 },
	{ "hw3d-trace.etl", NULL, 2, 3, 0, 8, 22621 },
	{ "sawbuck/image_data_32_v0.etl", NULL, 3, 27, 0, 16, 7600 },
	{ "sawbuck/image_data_32_v1.etl", NULL, 3, 27, 0, 16, 7600 },
	{ "sawbuck/image_data_32_v2.etl", NULL, 2, 27, 0, 16, 7600 },
	{ "sawbuck/image_data_64_v0.etl", NULL, 3, 27, 0, 16, 7600 },
	{ "sawbuck/image_data_64_v1.etl", NULL, 3, 27, 0, 16, 7600 },
	{ "sawbuck/image_data_64_v2.etl", NULL, 3, 27, 0, 16, 7600 },
	{ "sawbuck/process_data_32_v1.etl", NULL, 2, 3, 0, 16, 7600 },
	{ "sawbuck/process_data_32_v2.etl", NULL, 3, 9, 0, 16, 7600 },
	{ "sawbuck/process_data_32_v3.etl", NULL, 3, 9, 0, 16, 7600 },
	{ "sawbuck/process_data_64_v2.etl", NULL, 3, 9, 0, 16, 7600 },
	{ "sawbuck/process_data_64_v3.etl", NULL, 2, 9, 0, 16, 7600 },
};

static void check(const char *name, const char *what, uint64_t got, uint64_t expected)
{
	if (got != expected)
		fail_msg("%s: %s is %llu, expected %llu", name, what, (unsigned long long)got,
			 (unsigned long long)expected);
}

/* Every record of a trace, twice the same, in order of time. */
static uint64_t count_records(const char *name, struct wk_etl_file *etl)
{
	struct wk_etl_record record;
	uint64_t count[2] = { 0 };

	for (int pass = 0; pass < 2; pass++) {
		uint64_t before = 0;

		while (wk_etl_next(etl, &record)) {
			check(name, "a time before the last", record.time < before, false);
			before = record.time;
			count[pass]++;
		}
		wk_etl_rewind(etl);
	}
	check(name, "the number of events of the second pass", count[1], count[0]);
	return count[0];
}

static void check_undamaged(const char *name, const struct wk_etl_damage *damage)
{
	uint64_t sum = damage->broken_buffers + damage->cut_buffers + damage->broken_records +
		       damage->backward_records + damage->unread_bytes;

	if (sum || damage->first_words[0])
		fail_msg("%s: %s", name, damage->first_words);
}

static void check_trace(const struct expected *expected, unsigned threads)
{
	struct wk_err err = { 0 };
	struct trace trace;
	struct wk_etl_file *etl;

	open_trace(&trace, expected->name, expected->member);
	etl = wk_etl_open(&trace.bytes, NULL, 1, threads, &err);
	if (!etl)
		fail_msg("%s: %s", expected->name, err.text);
	check(expected->name, "probe", (uint64_t)wk_etl_probe(trace.bytes), 95);
	check(expected->name, "buffers", wk_etl_buffer_count(etl), expected->buffers);
	check(expected->name, "events", count_records(expected->name, etl), expected->events);
	check(expected->name, "events lost", wk_etl_header(etl)->events_lost,
	      expected->events_lost);
	check(expected->name, "processors", wk_etl_header(etl)->processors, expected->cpus);
	check(expected->name, "build", wk_etl_header(etl)->os_build, expected->build);
	check_undamaged(expected->name, wk_etl_damage(etl));
	wk_etl_close(etl);
	close_trace(&trace);
}

static void every_record_of_every_trace_is_read_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++)
		check_trace(&traces[i], 1);
}

static void with_more_threads_the_same_records_come(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++)
		check_trace(&traces[i], 3);
}

static void the_kernel_events_of_a_profile_are_counted(void **state)
{
	static const struct {
		uint16_t hook;
		unsigned count;
	} expected[] = {
		{ 0x0f2e, 79528 }, { 0x0303, 32 },   { 0x0304, 32 },   { 0x0301, 1 },
		{ 0x0302, 1 },     { 0x0327, 2 },    { 0x0503, 670 },  { 0x0504, 664 },
		{ 0x0501, 9 },     { 0x0502, 15 },   { 0x1403, 1763 }, { 0x1404, 1766 },
		{ 0x030a, 35 },    { 0x1402, 32 },   { 0x0220, 153 },  { 0x010a, 1208 },
		{ 0x010c, 1208 },  { 0x1820, 252 },  { 0x1825, 2061 }, { 0x1826, 7046 },
		{ 0x1823, 1909 },  { 0x1824, 1012 }, { 0x0b0f, 157 },  { 0x0b16, 78 },
	};
	unsigned *counts = wk_alloc_zeroed(65536, sizeof(*counts));
	struct wk_etl_record r;
	struct wk_etl_file *etl;
	struct trace trace;
	char name[16];

	(void)state;
	open_trace(&trace, "net.4.5.2.x64.etl.zip", ".etl");
	etl = wk_etl_open(&trace.bytes, NULL, 1, 1, NULL);
	while (wk_etl_next(etl, &r))
		counts[r.hook] += r.kind == WK_ETL_KERNEL;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		snprintf(name, sizeof(name), "%04X", expected[i].hook);
		check(name, "the number of events", counts[expected[i].hook], expected[i].count);
	}
	wk_etl_close(etl);
	close_trace(&trace);
	wk_free(counts);
}

static void assert_utf16(struct wk_bytes text, const char *expected)
{
	struct wk_buf plain = { 0 };

	wk_utf16_add(&plain, text, false);
	assert_string_equal(wk_buf_text(&plain), expected);
	wk_buf_fini(&plain);
}

static void a_header_says_what_an_older_tool_says(void **state)
{
	const struct wk_etl_header *h;
	struct wk_etl_file *etl;
	struct trace trace;

	(void)state;
	open_trace(&trace, "net.4.5.2.x64.etl.zip", ".etl");
	etl = wk_etl_open(&trace.bytes, NULL, 1, 1, NULL);
	h = wk_etl_header(etl);
	assert_utf16(h->session, "Relogger");
	assert_utf16(h->file, "[multiple files]");
	/* 2020-07-29 00:03:46 and 00:07:00.6236167 UTC, in 100 ns since 1601 */
	assert_true(h->boot_time / 10000000 == 11644473600 + 1595981026);
	assert_true(h->start_time == (11644473600ull + 1595981220) * 10000000 + 6236167);
	assert_int_equal(h->ticks_per_second, 10000000);
	assert_int_equal(h->clock, WK_ETL_QPC);
	assert_int_equal(h->cpu_mhz, 3592);
	assert_int_equal(h->processors, 8);
	assert_int_equal(h->pointer_bytes, 8);
	assert_int_equal(h->os_major * 100 + h->os_minor, 602);
	assert_int_equal(h->layout_major, 2);
	assert_int_equal(h->events_lost + h->buffers_lost, 0);
	assert_int_equal(h->time_zone_minutes, 480);
	assert_true(h->is_packed && h->is_merged && !h->is_circular);
	wk_etl_close(etl);
	close_trace(&trace);
}

/* The header's pointers are as wide as its own record says, the events' as theirs do. */
static void a_header_of_32_bits_stands_before_events_of_both(void **state)
{
	struct wk_etl_record r;
	struct wk_etl_file *etl;
	struct trace trace;
	unsigned count = 0, wide = 0;

	(void)state;
	open_trace(&trace, "msbuild-PerfViewData.etl.zip", ".etl");
	etl = wk_etl_open(&trace.bytes, NULL, 1, 1, NULL);
	assert_int_equal(wk_etl_header(etl)->pointer_bytes, 4);
	assert_utf16(wk_etl_header(etl)->session, "Relogger");
	for (; wk_etl_next(etl, &r); count++)
		wide += r.pointer_bytes == 8;
	assert_true(wide > 0 && wide < count);
	wk_etl_close(etl);
	close_trace(&trace);
}

/* Two sessions of one recording, one of which knows the start of the other. */
static void sessions_of_one_recording_are_merged(void **state)
{
	static const char archive[] = "diaghub-dotnetcore3.1-win-x64-diagsession.zip";
	struct trace kernel, user;
	struct wk_bytes files[2];
	struct wk_etl_file *etl;
	struct wk_etl_record r;
	uint64_t before = 0, count[2] = { 0 };
	bool is_ordered = true;

	(void)state;
	open_trace(&user, archive, "diaghub.user_paged.1.etl");
	open_trace(&kernel, archive, "diaghub.kernel.1.etl");
	files[0] = user.bytes;
	files[1] = kernel.bytes;
	etl = wk_etl_open(files, NULL, 2, 1, NULL);
	assert_non_null(etl);
	assert_int_equal(wk_etl_header(etl)->first_tick, 13764840754);
	while (wk_etl_next(etl, &r)) {
		is_ordered = is_ordered && r.time >= before;
		before = r.time;
		count[r.file]++;
	}
	assert_true(is_ordered);
	assert_int_equal(count[0], 22035);
	assert_int_equal(count[1], 16335);
	wk_etl_close(etl);
	close_trace(&user);
	close_trace(&kernel);
}

static void traces_of_two_machines_are_not_merged(void **state)
{
	struct wk_err err = { 0 };
	struct trace one, other;
	struct wk_bytes files[2];

	(void)state;
	open_trace(&one, "AMSITrace.etl", NULL);
	open_trace(&other, "lxcore_kernel.etl", NULL);
	files[0] = one.bytes;
	files[1] = other.bytes;
	assert_null(wk_etl_open(files, NULL, 2, 1, &err));
	assert_non_null(strstr(err.text, "file 2 was recorded after another boot"));
	close_trace(&one);
	close_trace(&other);
}

/* What Windows knows of its machine stands in records as a size and XML, packed with LZNT1. */
static unsigned unpack_winsat(struct wk_etl_file *etl)
{
	struct wk_etl_record r;
	unsigned count = 0;

	while (wk_etl_next(etl, &r)) {
		uint32_t size;
		uint8_t *plain;
		size_t made;

		if (r.kind != WK_ETL_CLASSIC || r.provider.a != 0xed54dff8 || r.opcode < 33)
			continue;
		wk_u32le(&r.payload);
		size = wk_u32le(&r.payload);
		assert_true(size > 100 && size < 1000000);
		plain = wk_alloc(size);
		assert_true(wk_lznt1(r.payload, plain, size, &made));
		while (size > 2 && plain[size - 2] != '>')
			size -= 2;
		assert_memory_equal(plain, "<\0", 2);
		assert_memory_equal(plain + size - 2, ">\0", 2);
		assert_null(memchr(plain, 0xff, size));
		wk_free(plain);
		count++;
	}
	return count;
}

static void records_that_windows_packed_with_lznt1_unpack(void **state)
{
	static const char *const names[][2] = {
		{ "SelfDescribingSingleEvent.etl", NULL },
		{ "monogame-PerfViewData.etl.zip", ".etl" },
		{ "TraceLoggingTester.etl.zip", ".etl" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace trace;
		struct wk_etl_file *etl;

		open_trace(&trace, names[i][0], names[i][1]);
		etl = wk_etl_open(&trace.bytes, NULL, 1, 1, NULL);
		check(names[i][0], "packed records", unpack_winsat(etl), 3);
		wk_etl_close(etl);
		close_trace(&trace);
	}
}

/* Real bytes, cut at every tenth place of what lies about the ends of buffers. */
static void a_real_trace_cut_anywhere_gives_what_there_is(void **state)
{
	struct trace trace;
	uint64_t last = 0;

	(void)state;
	open_trace(&trace, "SelfDescribingSingleEvent.etl", NULL);
	for (size_t len = 0; len <= wk_bytes_left(&trace.bytes); len += 10) {
		uint8_t *exact = wk_alloc(len + 1);
		struct wk_bytes bytes = wk_bytes_of(exact, len);
		struct wk_err err = { 0 };
		struct wk_etl_record r;
		struct wk_etl_file *etl;
		uint64_t count = 0;

		memcpy(exact, trace.bytes.at, len);
		etl = wk_etl_open(&bytes, NULL, 1, 1, &err);
		assert_true(etl || err.text[0]);
		while (etl && wk_etl_next(etl, &r))
			count++;
		assert_true(count >= last && count <= 22);
		last = count;
		wk_etl_close(etl);
		wk_free(exact);
	}
	assert_true(last >= 21);
	close_trace(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_of_every_trace_is_read_in_order),
		cmocka_unit_test(with_more_threads_the_same_records_come),
		cmocka_unit_test(the_kernel_events_of_a_profile_are_counted),
		cmocka_unit_test(a_header_says_what_an_older_tool_says),
		cmocka_unit_test(a_header_of_32_bits_stands_before_events_of_both),
		cmocka_unit_test(sessions_of_one_recording_are_merged),
		cmocka_unit_test(traces_of_two_machines_are_not_merged),
		cmocka_unit_test(records_that_windows_packed_with_lznt1_unpack),
		cmocka_unit_test(a_real_trace_cut_anywhere_gives_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
