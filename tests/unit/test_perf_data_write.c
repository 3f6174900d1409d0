/* Events through the writer and back through the reader: the same lines must come out. */
#define _GNU_SOURCE /* memmem */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/perf/wick_sections.h"
#include "base/mem.h"
#include "formats/perf/write.h"
#include "formats/perf/write_internal.h"
#include "perf_maker.h"

#define CHAIN(...) (const uint64_t[]){ __VA_ARGS__ }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A file without a name, so that nothing stays behind. */
static int new_file(void)
{
	char path[] = "/tmp/wick-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static struct wk_buf content_of(int fd)
{
	struct wk_buf bytes = { 0 };
	char block[4096];
	ssize_t got;

	for (off_t at = 0; (got = pread(fd, block, sizeof(block), at)) > 0; at += got)
		wk_buf_add(&bytes, block, (size_t)got);
	return bytes;
}

static struct wk_buf told_from_file(int fd)
{
	struct wk_buf bytes = content_of(fd), text = perf_told(&bytes);

	wk_buf_fini(&bytes);
	return text;
}

static size_t lines_with(const struct wk_buf *text, const char *what)
{
	size_t count = 0;

	for (const char *at = wk_buf_text(text); (at = strstr(at, what)); at++)
		count++;
	return count;
}

/* The only complaint about a file whose writer did not finish is that it did not. */
static void check_unfinished(const struct wk_buf *text)
{
	assert_int_equal(lines_with(text, "note time="), 1);
	assert_int_equal(lines_with(text, "the file is incomplete"), 1);
	assert_int_equal(lines_with(text, "error"), 0);
}

static void give(struct wk_perf_data_writer *writer, const struct wk_event *events, size_t count)
{
	struct wk_sink sink = wk_perf_data_writer_sink(writer);
	struct wk_err err = { 0 };

	for (size_t i = 0; i < count; i++)
		if (!wk_sink_emit(&sink, &events[i], &err))
			fail_msg("event %zu: %s", i, err.text);
}

static void finish(struct wk_perf_data_writer *writer)
{
	struct wk_err err = { 0 };

	if (!wk_perf_data_writer_finish(writer, &err))
		fail_msg("%s", err.text);
	wk_perf_data_writer_free(writer);
}

static struct wk_buf dump_of(const struct wk_event *events, size_t count)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	for (size_t i = 0; i < count; i++)
		wk_event_dump(&events[i], &out);
	wk_out_end(&out);
	return text;
}

static void check_text(struct wk_buf got, struct wk_buf expected)
{
	assert_string_equal(wk_buf_text(&got), wk_buf_text(&expected));
	wk_buf_fini(&got);
	wk_buf_fini(&expected);
}

#define SYSTEM(name, text)                                                                         \
	{ .kind = WK_EVENT_SYSTEM, .system = { .key = WK_STR(name), .value = WK_STR(text) } }
#define SOURCE(number, text, counts)                                                               \
	{ .kind = WK_EVENT_SOURCE, .source = { .source = number, .name = WK_STR(text), .unit = WK_STR(counts) } }
#define AT(time, process, thread) .time_ns = time, .pid = process, .tid = thread, .cpu = WK_NO_CPU

static const struct wk_jit_map_line made_lines[] = {
	{ 0x7000, 10, WK_STR("a.src") },
	{ 0x7008, 0, WK_STR("") },
	{ 0x7010, 12, WK_STR("a.src") },
	{ 0x7020, 3, WK_STR("b.src") },
};

static const struct wk_event all_kinds[] = {
	SYSTEM("host name", "box"),
	SYSTEM("kernel", "6.1.0"),
	SYSTEM("recorder", "wick 9.9"),
	SYSTEM("machine", "x86_64"),
	SYSTEM("cpus configured", "4"),
	SYSTEM("cpus", "2"),
	SYSTEM("cpu", "A very fast one with a name that is longer than sixty-four characters"),
	SYSTEM("cpu id", "GenuineIntel,6"),
	SYSTEM("memory", "8589934592"),
	SYSTEM("command line", "wick record -- ls -l"),
	SYSTEM("clock", "CLOCK_MONOTONIC"),
	SYSTEM("clock pair", "1000 1795000000000000000"),
	SYSTEM("event", "cycles, 997 samples a second"),
	SYSTEM("event", "page-faults, one sample every 1"),
	SYSTEM("call graph", "dwarf"),
	SOURCE(0, "cycles:u", "cycles"),
	SOURCE(1, "cpu-clock", "ns"),
	SOURCE(2, "sched:sched_switch", "events"),
	{ .kind = WK_EVENT_SYMBOL, AT(0, WK_KERNEL_PID, 0),
	  .symbol = { .image_path = WK_STR("[kernel.kallsyms]"), .start = 0xffffffff81000000,
		      .size_bytes = 0x40, .name = WK_STR("_text") } },
	{ .kind = WK_EVENT_SYMBOL, AT(0, 7, 8),
	  .symbol = { .image_path = WK_STR("/gone (deleted)"), .build_id = { 2, { 0xab, 0xcd } },
		      .start = 0x10, .size_bytes = 3, .name = WK_STR("_ZN4core3fmtE") } },
	{ .kind = WK_EVENT_SYMBOL, AT(0, 7, 7),
	  .symbol = { .start = 0x7000, .size_bytes = 64, .name = WK_STR("made"),
		      .lines = made_lines, .line_count = COUNT(made_lines) } },
	{ .kind = WK_EVENT_IMAGE, AT(0, WK_KERNEL_PID, 0),
	  .image = { .start = 0xffffffff81000000, .size_bytes = 0x1000000,
		     .file_offset = 0xffffffff81000000, .path = WK_STR("[kernel.kallsyms]"),
		     .is_kernel = true, .build_id = { 4, { 1, 2, 3, 4 } } } },
	{ .kind = WK_EVENT_PROCESS, AT(0, 7, 7),
	  .process = { .change = WK_PROCESS_SEEN, .parent_pid = 1, .name = WK_STR("shell"), .command_line = WK_STR("/bin/sh -c x") } },
	{ .kind = WK_EVENT_THREAD, AT(0, 7, 8), .thread = { .change = WK_THREAD_SEEN, .parent_tid = 7, .name = WK_STR("helper") } },
	{ .kind = WK_EVENT_PROCESS, AT(0, 9, 9), .process = { .name = WK_STR("orphan") } },
	{ .kind = WK_EVENT_PROCESS, AT(0, 12, 12), .process = { .parent_pid = 7 } },
	{ .kind = WK_EVENT_IMAGE, AT(0, 7, 7),
	  .image = { .start = 0x400000, .size_bytes = 0x2000, .file_offset = 0x1000,
		     .path = WK_STR("/bin/sh"), .device_major = 8, .device_minor = 1, .inode = 77,
		     .build_id = { 20, { 9, 8, 7 } } } },
	{ .kind = WK_EVENT_IMAGE, AT(0, 7, 7),
	  .image = { .start = 0x500000, .size_bytes = 0x2000, .path = WK_STR("/lib/x.so"),
		     .device_major = 8, .device_minor = 1, .inode = 78 } },
	{ .kind = WK_EVENT_IMAGE, AT(0, 7, 7),
	  .image = { .start = 0x600000, .size_bytes = 0x1000, .path = WK_STR("//anon"),
		     .is_data = true } },
	{ .kind = WK_EVENT_PROCESS, AT(100, 10, 10),
	  .process = { WK_PROCESS_FORK, .parent_pid = 7 } },
	{ .kind = WK_EVENT_PROCESS, AT(110, 10, 10),
	  .process = { .change = WK_PROCESS_EXEC, .parent_pid = 0, .name = WK_STR("ls"), .command_line = WK_STR("ls -l \x01") } },
	{ .kind = WK_EVENT_THREAD, AT(120, 10, 11),
	  .thread = { WK_THREAD_START, .parent_tid = 10 } },
	{ .kind = WK_EVENT_THREAD, AT(130, 10, 11),
	  .thread = { WK_THREAD_NAME, .name = WK_STR("worker/0") } },
	{ .kind = WK_EVENT_SAMPLE, .time_ns = 140, .pid = 10, .tid = 11, .cpu = 1,
	  .sample = { .source = 0, .weight = 1003009, .address = 0xffffffff81000010,
		      .in_kernel = true,
		      .kernel_chain = CHAIN(0xffffffff81000010, 0xffffffff81000020),
		      .kernel_count = 2, .user_chain = CHAIN(0x400010, 0x400100),
		      .user_count = 2, .user_is_exact = true } },
	{ .kind = WK_EVENT_SAMPLE, .time_ns = 140, .pid = 10, .tid = 10, .cpu = WK_NO_CPU,
	  .sample = { .source = 2, .weight = 1, .address = 0x400010,
		      .user_chain = CHAIN(0x400010), .user_count = 1, .user_is_exact = true } },
	{ .kind = WK_EVENT_SAMPLE, .time_ns = 141, .pid = 0, .tid = 0, .cpu = 0,
	  .sample = { .source = 1, .weight = 5, .address = 0xffffffff81000030,
		      .in_kernel = true } },
	{ .kind = WK_EVENT_NOTE, .time_ns = 150, .note = { .offset = WK_NOWHERE, .text = WK_STR("a gap") } },
	{ .kind = WK_EVENT_LOST, .time_ns = 150, .cpu = 1, .lost = { .count = 17 } },
	{ .kind = WK_EVENT_LOST, .time_ns = 151, .cpu = 1, .lost = { .count = 18, .samples_only = true } },
	{ .kind = WK_EVENT_LOST, .time_ns = 152, .cpu = 1, .lost = { .count = 19, .samples_only = true, .has_source = true, .source = 2 } },
	{ .kind = WK_EVENT_PROCESS, AT(155, 20, 20),
	  .process = { .change = WK_PROCESS_SEEN, .parent_pid = 1, .name = WK_STR("late"), .command_line = WK_STR("late --comer") } },
	{ .kind = WK_EVENT_THREAD, AT(160, 10, 11), .thread = { .change = WK_THREAD_EXIT } },
	{ .kind = WK_EVENT_PROCESS, AT(170, 10, 10),
	  .process = { .change = WK_PROCESS_EXIT, .has_exit_code = true, .exit_code = -6 } },
	{ .kind = WK_EVENT_NOTE, .time_ns = 999, .note = { .offset = 0x40, .text = WK_STR("the end") } },
};

static void all_that_events_say_comes_back_from_a_file(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);

	(void)state;
	give(writer, all_kinds, COUNT(all_kinds));
	finish(writer);
	check_text(told_from_file(fd), dump_of(all_kinds, COUNT(all_kinds)));
	close(fd);
}

static void a_first_thread_that_ends_does_not_end_its_process(void **state)
{
	static const struct wk_event events[] = {
		SOURCE(0, "cpu-clock", "ns"),
		{ .kind = WK_EVENT_PROCESS, AT(100, 10, 10),
		  .process = { WK_PROCESS_FORK, .parent_pid = 7 } },
		{ .kind = WK_EVENT_THREAD, AT(120, 10, 10),
		  .thread = { .change = WK_THREAD_EXIT } },
		{ .kind = WK_EVENT_PROCESS, AT(150, 10, 10),
		  .process = { .change = WK_PROCESS_EXIT } },
	};
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_buf text;

	(void)state;
	give(writer, events, COUNT(events));
	finish(writer);
	text = told_from_file(fd);
	assert_int_equal(lines_with(&text, "change=exit"), 1);
	assert_int_equal(lines_with(&text, "process time=150 pid=10 tid=10 change=exit"), 1);
	wk_buf_fini(&text);
	close(fd);
}

/* The bytes of a pipe or a file. */
static struct wk_buf written(const struct wk_event *events, size_t count, bool to_pipe)
{
	struct wk_perf_data_writer *writer;
	struct wk_buf bytes = { 0 };
	char block[65536];
	ssize_t got;
	int fds[2];

	if (!to_pipe) {
		int fd = new_file();

		writer = wk_perf_data_writer_new(fd, NULL);
		give(writer, events, count);
		finish(writer);
		bytes = content_of(fd);
		close(fd);
		return bytes;
	}
	assert_int_equal(pipe(fds), 0);
	writer = wk_perf_data_writer_new(fds[1], NULL);
	give(writer, events, count);
	finish(writer);
	close(fds[1]);
	while ((got = read(fds[0], block, sizeof(block))) > 0)
		wk_buf_add(&bytes, block, (size_t)got);
	close(fds[0]);
	return bytes;
}

static void and_from_a_pipe(void **state)
{
	struct wk_buf bytes = written(all_kinds, COUNT(all_kinds), true);

	(void)state;
	check_text(perf_told(&bytes), dump_of(all_kinds, COUNT(all_kinds)));
	wk_buf_fini(&bytes);
}

static const struct wk_event clock_source = SOURCE(5, "cpu-clock", "ns");

static struct wk_event sample_at(uint64_t time_ns)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = time_ns, .pid = 1, .tid = 1,
				  .sample = { .source = 5, .weight = 1, .address = 0x400 } };

	return event;
}

static size_t samples_in(const struct wk_buf *text)
{
	return lines_with(text, "sample time=");
}

/* Reading what is on disk while the writer is still at work is what a reader finds after the
 * recorder was killed. */
static void what_was_flushed_is_in_the_file_at_every_moment(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_err err = { 0 };

	(void)state;
	give(writer, &clock_source, 1);
	for (uint64_t i = 1; i <= 300; i++) {
		struct wk_event event = sample_at(i * 100000000); /* ten a second */
		struct wk_buf text;

		give(writer, &event, 1);
		text = told_from_file(fd);
		check_unfinished(&text);
		assert_true(samples_in(&text) + 10 >= i);
		assert_true(samples_in(&text) <= i);
		wk_buf_fini(&text);
	}
	assert_true(wk_perf_data_writer_flush(writer, &err));

	{
		struct wk_buf text = told_from_file(fd);

		assert_int_equal(samples_in(&text), 300);
		assert_non_null(strstr(wk_buf_text(&text), "name=\"cpu-clock\""));
		wk_buf_fini(&text);
	}
	wk_perf_data_writer_free(writer);
	close(fd);
}

static void names_of_events_survive_a_killed_recorder(void **state)
{
	static const struct wk_event source = SOURCE(5, "sched:sched_switch", "events");
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_event sample = sample_at(10);
	struct wk_buf text;

	(void)state;
	give(writer, &source, 1);
	give(writer, &sample, 1);
	assert_true(wk_perf_data_writer_flush(writer, NULL));
	wk_perf_data_writer_free(writer);
	text = told_from_file(fd);
	assert_non_null(strstr(wk_buf_text(&text), "name=\"sched:sched_switch\""));
	wk_buf_fini(&text);
	close(fd);
}

/* Return addresses lie behind their calls; stored chains lie in them. */
static void raw_user_chains_are_stored_as_exact_ones(void **state)
{
	struct wk_event events[] = { clock_source, sample_at(10), sample_at(10) };
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);

	(void)state;
	events[1].sample.user_chain = CHAIN(0x400, 0x500, 0x600, 0);
	events[1].sample.user_count = 4;
	events[1].cpu = 0;
	give(writer, events, 2);
	finish(writer);
	events[2].sample.user_chain = CHAIN(0x400, 0x4ff, 0x5ff, 0);
	events[2].sample.user_count = 4;
	events[2].sample.user_is_exact = true;
	events[2].sample.source = 0; /* a file numbers its sources anew */
	{
		struct wk_buf got = told_from_file(fd), expected = dump_of(&events[2], 1);

		assert_non_null(strstr(wk_buf_text(&got), wk_buf_text(&expected)));
		wk_buf_fini(&got);
		wk_buf_fini(&expected);
	}
	close(fd);
}

static uint64_t number_at(const struct wk_buf *bytes, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes->at + at, size);
	return value;
}

static void sources_have_the_type_and_number_that_perf_knows_them_by(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} rows[] = {
		{ "cycles", WK_PERF_TYPE_HARDWARE, 0 },
		{ "cpu-clock", WK_PERF_TYPE_SOFTWARE, 0 },
		{ "page-faults", WK_PERF_TYPE_SOFTWARE, 2 },
		{ "r01c4", WK_PERF_TYPE_RAW, 0x1c4 },
		{ "r", WK_PERF_TYPE_RAW, 0 },
		{ "x01c4", WK_PERF_TYPE_RAW, 0 },
		{ "raw:x", WK_PERF_TYPE_RAW, 0 },
		{ "sched:sched_switch", WK_PERF_TYPE_RAW, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_event source = { .kind = WK_EVENT_SOURCE,
					   .source = { .source = 1, .name = wk_str_c(rows[i].name),
						       .unit = WK_STR("events") } };
		struct wk_event sample = sample_at(10);
		int fd = new_file();
		struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
		struct wk_buf bytes;
		size_t attr;

		sample.sample.source = 1;
		give(writer, &source, 1);
		give(writer, &sample, 1);
		finish(writer);
		bytes = content_of(fd);
		attr = (size_t)number_at(&bytes, 24, 8); /* where the header says */
		assert_int_equal(number_at(&bytes, attr, 4), rows[i].type);
		assert_int_equal(number_at(&bytes, attr + 8, 8), rows[i].config);
		wk_buf_fini(&bytes);
		close(fd);
	}
}

#define THING                                                                                      \
	"name: thing\nID: 7\nformat:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"                   \
	"\tfield:int number;\toffset:4;\tsize:4;\tsigned:1;\n\n"                                   \
	"print fmt: \"number is %d\", REC->number\n"

static void add_tracing_data(struct wk_buf *out)
{
	wk_buf_add(out, "\x17\x08\x44tracing0.6\0\0\x08", 16);
	wk_buf_add_u32(out, 4096);
	wk_buf_add(out, "header_page", 12);
	wk_buf_add_u64(out, 0);
	wk_buf_add(out, "header_event", 13);
	wk_buf_add_u64(out, 0);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u32(out, 1);
	wk_buf_add(out, "part", 5);
	wk_buf_add_u32(out, 1);
	wk_buf_add_u64(out, strlen(THING));
	wk_buf_add_text(out, THING);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u64(out, 0);
}

/* A tracepoint with fields, an event without, and a sample of each. */
struct traced {
	struct wk_buf tracing_data;
	struct wk_event_details details;
	struct wk_event events[4];
};

static void begin_traced(struct traced *traced, size_t raw_bytes)
{
	static uint8_t raw[65536] = { 7, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff };
	static const struct wk_event point = SOURCE(5, "part:thing", "events");
	static const struct wk_event faults = SOURCE(6, "page-faults", "events");

	memset(traced, 0, sizeof(*traced));
	add_tracing_data(&traced->tracing_data);
	traced->details.trace_raw = wk_str_of((const char *)raw, raw_bytes);
	traced->events[0] = point;
	traced->events[0].source.tracing_data = wk_buf_str(&traced->tracing_data);
	traced->events[0].source.trace_id = 7;
	traced->events[1] = faults;
	traced->events[2] = sample_at(10);
	traced->events[2].sample.details = &traced->details;
	traced->events[3] = sample_at(11);
	traced->events[3].sample.source = 6;
}

static void the_fields_of_tracepoints_come_back(void **state)
{
	for (int to_pipe = 0; to_pipe < 2; to_pipe++) {
		struct traced traced;
		struct wk_buf bytes, text;

		(void)state;
		begin_traced(&traced, 8);
		bytes = written(traced.events, COUNT(traced.events), to_pipe);
		text = perf_told(&bytes);
		assert_int_equal(lines_with(&text, "trace=\"number is -5\""), 1);
		assert_int_equal(lines_with(&text, "trace="), 1);
		assert_int_equal(samples_in(&text), 2);
		assert_int_equal(lines_with(&text, "note time="), 0);
		wk_buf_fini(&traced.tracing_data);
		WK_BUF_FINI_ALL(&bytes, &text);
	}
}

/* perf refuses a file that has a tracepoint and does not describe it. */
static void tracepoints_have_their_type_when_they_are_described(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct traced traced;
	struct wk_buf bytes, text;
	size_t attr;

	(void)state;
	begin_traced(&traced, 8);
	give(writer, traced.events, COUNT(traced.events));
	assert_true(wk_perf_data_writer_flush(writer, NULL));
	bytes = content_of(fd);
	attr = (size_t)number_at(&bytes, 24, 8);
	assert_int_equal(number_at(&bytes, attr, 4), WK_PERF_TYPE_RAW);
	wk_buf_fini(&bytes);
	text = told_from_file(fd);
	check_unfinished(&text);
	assert_int_equal(samples_in(&text), 2);
	wk_buf_fini(&text);
	finish(writer);
	bytes = content_of(fd);
	assert_int_equal(number_at(&bytes, attr, 4), WK_PERF_TYPE_TRACEPOINT);
	assert_int_equal(number_at(&bytes, attr + 8, 8), 7);
	assert_int_equal(number_at(&bytes, attr + (size_t)number_at(&bytes, 16, 8), 4),
			 WK_PERF_TYPE_SOFTWARE);
	assert_true(number_at(&bytes, attr + 24, 8) & WK_PERF_SAMPLE_RAW);
	wk_buf_fini(&bytes);
	wk_buf_fini(&traced.tracing_data);
	close(fd);
}

/* Fields that no kernel writes take part in no record; of a long chain, they cost the end. */
static void fields_and_a_long_chain_fit_into_a_record(void **state)
{
	static uint64_t chain[20000];

	(void)state;
	for (size_t i = 0; i < COUNT(chain); i++)
		chain[i] = 0x100000 + i;
	for (size_t raw_bytes = 0; raw_bytes < 65536; raw_bytes += 8191) {
		struct traced traced;
		struct wk_buf bytes, text;
		bool fits = raw_bytes > 0 && raw_bytes <= 32764;

		begin_traced(&traced, raw_bytes);
		for (int in_kernel = 0; in_kernel < 2; in_kernel++) {
			struct wk_event_sample *sample = &traced.events[2].sample;

			sample->user_chain = sample->kernel_chain = chain;
			sample->user_count = COUNT(chain);
			sample->kernel_count = in_kernel ? COUNT(chain) : 0;
			sample->user_is_exact = true;
			bytes = written(traced.events, COUNT(traced.events), false);
			text = perf_told(&bytes);
			assert_int_equal(samples_in(&text), 2);
			assert_int_equal(lines_with(&text, "number is -5"), fits);
			assert_int_equal(lines_with(&text, "1 call chain was too long"), 1);
			assert_int_equal(lines_with(&text, "note time="), 1);
			WK_BUF_FINI_ALL(&bytes, &text);
		}
		wk_buf_fini(&traced.tracing_data);
	}
}

static void sources_are_known_before_the_first_record(void **state)
{
	static const struct wk_event late = SOURCE(6, "page-faults", "events");
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_sink sink = wk_perf_data_writer_sink(writer);
	struct wk_event sample = sample_at(10), stray = sample_at(11);
	struct wk_err err = { 0 };

	(void)state;
	give(writer, &clock_source, 1);
	give(writer, &sample, 1);
	assert_false(wk_sink_emit(&sink, &late, &err));
	assert_string_equal(err.text, "source 6 (page-faults) came after the first record");
	err = (struct wk_err){ 0 };
	stray.sample.source = 6;
	assert_false(wk_sink_emit(&sink, &stray, &err));
	assert_string_equal(err.text, "a sample of source 6, which was not announced");
	finish(writer);
	close(fd);
}

static void give_symbols(struct wk_perf_data_writer *writer, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		char name[32];
		struct wk_event event = { .kind = WK_EVENT_SYMBOL, .pid = 1, .tid = 1,
					  .symbol = { .start = i * 16, .size_bytes = 16 } };

		snprintf(name, sizeof(name), "function_%llu", (unsigned long long)i);
		event.symbol.name = wk_str_c(name);
		give(writer, &event, 1);
	}
}

/* A limit on the size of files does what a full disk does, for this process alone. */
struct full_disk {
	struct rlimit old;
	int fd;
	struct wk_perf_data_writer *writer;
	struct wk_err err;
	uint64_t given; /* samples, the one that was refused included */
};

static void fill_disk(struct full_disk *disk, rlim_t bytes, size_t buffer_bytes)
{
	const struct wk_perf_data_write_options options = { .size = sizeof(options),
							    .buffer_bytes = buffer_bytes };
	struct rlimit tight;
	struct wk_sink sink;
	bool ok = true;

	*disk = (struct full_disk){ .fd = new_file() };
	disk->writer = wk_perf_data_writer_new(disk->fd, &options);
	sink = wk_perf_data_writer_sink(disk->writer);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &disk->old), 0);
	tight = disk->old;
	tight.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	give(disk->writer, &clock_source, 1);
	while (ok && disk->given < 10000) {
		struct wk_event sample = sample_at(++disk->given * 1000);

		ok = wk_sink_emit(&sink, &sample, &disk->err);
	}
	assert_false(ok);
	assert_string_equal(disk->err.text, "writing the recording: File too large");
}

static struct wk_buf end_full_disk(struct full_disk *disk)
{
	struct wk_err again = { 0 };
	struct wk_buf text;
	uint64_t kept;

	assert_false(wk_perf_data_writer_finish(disk->writer, &again));
	assert_string_equal(again.text, disk->err.text);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &disk->old), 0);
	kept = wk_perf_data_writer_samples(disk->writer);
	text = told_from_file(disk->fd);
	assert_int_equal(samples_in(&text), kept);
	assert_true(kept < disk->given);
	assert_int_equal(lines_with(&text, "error"), 0);
	wk_perf_data_writer_free(disk->writer);
	close(disk->fd);
	return text;
}

#define BROKE_OFF "the recording broke off: writing the recording: File too large"

/* A sample takes 96 bytes here, and the first flush comes only with the 2,700th. */
static void a_full_disk_has_as_many_samples_as_fit(void **state)
{
	struct full_disk disk;
	struct wk_buf text;

	(void)state;
	fill_disk(&disk, 20000, 0);
	text = end_full_disk(&disk);
	assert_true(samples_in(&text) > 150);
	assert_int_equal(lines_with(&text, BROKE_OFF), 1);
	wk_buf_fini(&text);
}

static void names_told_after_the_disk_was_full_take_the_place_of_the_last_samples(void **state)
{
	struct full_disk disk;
	struct wk_buf text;
	uint64_t before;

	(void)state;
	fill_disk(&disk, 200000, 4000);
	before = wk_perf_data_writer_samples(disk.writer);
	assert_true(wk_perf_data_writer_add_names(disk.writer));
	give_symbols(disk.writer, 300);
	text = end_full_disk(&disk);
	assert_true(samples_in(&text) < before);
	assert_true(samples_in(&text) > before / 2);
	assert_int_equal(lines_with(&text, "symbol "), 300);
	assert_int_equal(lines_with(&text, BROKE_OFF), 1);
	wk_buf_fini(&text);
}

static void names_that_would_take_half_of_a_full_disk_are_left_out(void **state)
{
	struct full_disk disk;
	struct wk_buf text;
	uint64_t before;

	(void)state;
	fill_disk(&disk, 20000, 4000);
	before = wk_perf_data_writer_samples(disk.writer);
	assert_true(wk_perf_data_writer_add_names(disk.writer));
	give_symbols(disk.writer, 1000);
	text = end_full_disk(&disk);
	assert_int_equal(lines_with(&text, "symbol "), 0);
	assert_int_equal(lines_with(&text, BROKE_OFF), 1);
	assert_int_equal(lines_with(&text, "names that only the machine of the recording knows"),
			 1);
	assert_true(samples_in(&text) > before / 2);
	wk_buf_fini(&text);
}

static void a_chain_longer_than_a_record_loses_its_outermost_frames(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_event sample = sample_at(10);
	static uint64_t chain[20000];
	struct wk_buf text;

	(void)state;
	for (size_t i = 0; i < 20000; i++)
		chain[i] = 0x100000 + i;
	sample.sample.user_chain = chain;
	sample.sample.user_count = 20000;
	sample.sample.user_is_exact = true;
	give(writer, &clock_source, 1);
	give(writer, &sample, 1);
	finish(writer);
	text = told_from_file(fd);
	assert_non_null(strstr(wk_buf_text(&text), "user=0x100000,0x100001,0x100002,"));
	assert_non_null(strstr(wk_buf_text(&text), ",0x101ff0,"));
	assert_non_null(strstr(wk_buf_text(&text), "text=\"1 call chain was too long for a record "
						   "and lost its outermost frames\""));
	wk_buf_fini(&text);
	close(fd);
}

/* Told as many: the dump of them has "line+OFFSET=NUMBER" for each. */
static void the_lines_of_code_made_at_run_time_come_back_however_many(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_jit_map_line *lines = wk_alloc_zeroed(20000, sizeof(*lines));
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .pid = 1, .tid = 1,
				  .symbol = { .start = 0x1000, .size_bytes = 20000,
					      .name = WK_STR("long"), .lines = lines } };
	struct wk_event later = event;
	struct wk_buf text;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++)
		lines[i] = (struct wk_jit_map_line){ 0x1000 + i, i + 1, WK_STR("made.src") };
	event.symbol.line_count = 20000;
	later.time_ns = 10;
	later.symbol.line_count = 1;
	give(writer, &clock_source, 1);
	give(writer, &event, 1);
	give(writer, &later, 1);
	finish(writer);
	text = told_from_file(fd);
	assert_int_equal(lines_with(&text, " line+"), 20001);
	assert_int_equal(lines_with(&text, "file=\"made.src\""), 2);
	assert_non_null(strstr(wk_buf_text(&text), " line+0x4e1f=20000\nsymbol time=10 "));
	wk_free(lines);
	wk_buf_fini(&text);
	close(fd);
}

/* Of a file that may be gone later, and of a recording that was not whole when it was packed. */
static void where_functions_lie_and_what_was_missing_come_back(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	const struct wk_event bounds = {
		.kind = WK_EVENT_BOUNDS, .cpu = WK_NO_CPU,
		.bounds = { .image_path = WK_STR("/gone"), .build_id = { 2, { 0xab, 0xcd } },
			    .start = 0x1000, .size_bytes = 0x20, .is_root = true } };
	const struct wk_event missing = {
		.kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU,
		.note = { .offset = WK_NOWHERE, .text = WK_STR("half of it"),
			  .severity = WK_NOTE_INCOMPLETE } };
	struct wk_buf text;

	(void)state;
	give(writer, &clock_source, 1);
	give(writer, &bounds, 1);
	give(writer, &missing, 1);
	finish(writer);
	text = told_from_file(fd);
	assert_int_equal(lines_with(&text, " start=0x1000 size=0x20 root path=\"/gone\" "
					   "build_id=abcd\n"),
			 1);
	assert_int_equal(lines_with(&text, "note time=0 text=\"half of it\"\n"), 1);
	wk_buf_fini(&text);
	close(fd);
}

static bool count_note(void *context, const struct wk_event *event, struct wk_err *err)
{
	unsigned *notes = context;

	(void)err;
	if (event->kind == WK_EVENT_NOTE)
		notes[event->note.severity]++;
	return true;
}

static void what_was_not_used_is_not_taken_for_what_is_missing(void **state)
{
	static const enum wk_note_severity given[] = { WK_NOTE_FAULT, WK_NOTE_INCOMPLETE,
						       WK_NOTE_FAULT };
	unsigned notes[WK_NOTE_INCOMPLETE + 1] = { 0 };
	struct wk_sink sink = { .take = count_note, .context = notes };
	struct wk_input input = { .name = "test" };
	struct wk_err err = { 0 };
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_buf bytes;

	(void)state;
	give(writer, &clock_source, 1);
	for (size_t i = 0; i < COUNT(given); i++) {
		const struct wk_event note = {
			.kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU,
			.note = { .offset = WK_NOWHERE, .text = WK_STR("some"),
				  .severity = given[i] } };

		give(writer, &note, 1);
	}
	finish(writer);
	bytes = content_of(fd);
	input.bytes = wk_bytes_of(bytes.at, bytes.len);
	assert_true(wk_reader_perf_data.read(&input, &sink, &err));
	assert_int_equal(notes[WK_NOTE_FAULT], 2);
	assert_int_equal(notes[WK_NOTE_INCOMPLETE], 1);
	wk_buf_fini(&bytes);
	close(fd);
}

static void a_damaged_chunk_takes_only_its_own_rows_along(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_buf bytes, text;
	char *hit;

	(void)state;
	give(writer, &clock_source, 1);
	give_symbols(writer, 5000);
	finish(writer);
	bytes = content_of(fd);
	text = perf_told(&bytes);
	assert_int_equal(lines_with(&text, "symbol time="), 5000);
	assert_int_equal(lines_with(&text, "note"), 0);
	wk_buf_fini(&text);
	hit = memmem(bytes.at, bytes.len, "function_2500", 13);
	assert_non_null(hit);
	*hit ^= 1;
	text = perf_told(&bytes);
	assert_in_range(lines_with(&text, "symbol time="), 4000, 4999);
	assert_non_null(strstr(wk_buf_text(&text), "\"function_0\""));
	assert_non_null(strstr(wk_buf_text(&text), "\"function_4999\""));
	assert_non_null(strstr(wk_buf_text(&text), "1 section of wick's own is damaged"));
	wk_buf_fini(&text);
	wk_buf_fini(&bytes);
	close(fd);
}

static void texts_too_long_for_a_section_are_cut_and_told(void **state)
{
	int fd = new_file();
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_event event = { .kind = WK_EVENT_SYMBOL };
	struct wk_buf name = { 0 }, text;

	(void)state;
	while (name.len < 100000)
		wk_buf_add_text(&name, "abcdefghij");
	event.symbol.name = wk_buf_str(&name);
	give(writer, &clock_source, 1);
	give(writer, &event, 1);
	finish(writer);
	text = told_from_file(fd);
	assert_int_equal(lines_with(&text, "abcdefghij"), WK_SECTION_TEXT / 10);
	assert_non_null(strstr(wk_buf_text(&text), "1 name was too long for a record"));
	wk_buf_fini(&text);
	wk_buf_fini(&name);
	close(fd);
}

/* Records of 1000 bytes, whose last writes were at the marks: the space for the end of the file is
 * between two of them. */
static void a_full_file_is_cut_between_two_writes(void **state)
{
	struct wk_perf_data_writer writer = {
		.fd = new_file(), .data_offset = 256, .data_bytes = 20000, .data_samples = 20,
		.quota_bytes = 20256, .is_full = true, .mark_count = 2,
		.marks = { { .data_bytes = 2000, .samples = 2 },
			   { .data_bytes = 20000, .samples = 20 } } };
	struct wk_buf records = { 0 };

	(void)state;
	wk_perf_write_zeros(&records, 256);
	for (int i = 0; i < 20; i++) {
		size_t start = wk_perf_write_record_begin(&records, WK_PERF_SAMPLE, 0);

		wk_perf_write_zeros(&records, 992);
		wk_perf_write_record_end(&records, start);
	}
	assert_int_equal(pwrite(writer.fd, records.at, records.len, 0), records.len);
	assert_false(wk_perf_write_reserve(&writer, 10001)); /* more than half */
	assert_int_equal(writer.data_bytes, 20000);
	assert_true(wk_perf_write_reserve(&writer, 2500));
	assert_int_equal(writer.data_bytes, 17000);
	assert_int_equal(writer.data_samples, 17);

	assert_int_equal(ftruncate(writer.fd, 10000), 0); /* not to be read back */
	assert_false(wk_perf_write_reserve(&writer, 4000));
	assert_int_equal(writer.data_bytes, 17000);
	wk_buf_fini(&records);
	close(writer.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_events_say_comes_back_from_a_file),
		cmocka_unit_test(and_from_a_pipe),
		cmocka_unit_test(a_first_thread_that_ends_does_not_end_its_process),
		cmocka_unit_test(what_was_flushed_is_in_the_file_at_every_moment),
		cmocka_unit_test(names_of_events_survive_a_killed_recorder),
		cmocka_unit_test(raw_user_chains_are_stored_as_exact_ones),
		cmocka_unit_test(sources_have_the_type_and_number_that_perf_knows_them_by),
		cmocka_unit_test(the_fields_of_tracepoints_come_back),
		cmocka_unit_test(tracepoints_have_their_type_when_they_are_described),
		cmocka_unit_test(fields_and_a_long_chain_fit_into_a_record),
		cmocka_unit_test(sources_are_known_before_the_first_record),
		cmocka_unit_test(a_full_disk_has_as_many_samples_as_fit),
		cmocka_unit_test(names_told_after_the_disk_was_full_take_the_place_of_the_last_samples),
		cmocka_unit_test(names_that_would_take_half_of_a_full_disk_are_left_out),
		cmocka_unit_test(a_full_file_is_cut_between_two_writes),
		cmocka_unit_test(a_chain_longer_than_a_record_loses_its_outermost_frames),
		cmocka_unit_test(the_lines_of_code_made_at_run_time_come_back_however_many),
		cmocka_unit_test(where_functions_lie_and_what_was_missing_come_back),
		cmocka_unit_test(what_was_not_used_is_not_taken_for_what_is_missing),
		cmocka_unit_test(a_damaged_chunk_takes_only_its_own_rows_along),
		cmocka_unit_test(texts_too_long_for_a_section_are_cut_and_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
