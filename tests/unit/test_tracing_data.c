/* Descriptions of tracepoints, from a trace file system that is made here to the text of a sample.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "formats/tracepoint/format.h"
#include "own_folder.h"
#include "record/tracing_data.h"

static void make_file(const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s", in_own_folder(name));
	for (char *slash = strchr(path + strlen(own_folder) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make_event(const char *system, const char *point, unsigned id)
{
	char name[100], text[400];

	snprintf(name, sizeof(name), "events/%s/%s/format", system, point);
	snprintf(text, sizeof(text),
		 "name: %s\nID: %u\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		 "\tfield:int number;\toffset:4;\tsize:4;\tsigned:1;\n"
		 "\tfield:const char * text;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		 "print fmt: \"%s %%d %%s\", REC->number, REC->text\n",
		 point, id, point);
	make_file(name, text);
}

static void make_all(void)
{
	make_file("events/header_page", "a page\n");
	make_file("events/header_event", "an event\n");
	make_event("ships", "arrive", 41);
	make_event("ships", "leave", 42);
	make_event("birds", "sing", 43);
	make_file("printk_formats", "0xffffffff81000010 : \"far\"\n");
}

static const struct wk_perf_event events[] = {
	{ .name = "ships:leave", .is_tracepoint = true, .system = "ships", .point = "leave" },
	{ .name = "page-faults" },
	{ .name = "birds:sing", .is_tracepoint = true, .system = "birds", .point = "sing" },
	{ .name = "ships:arrive", .is_tracepoint = true, .system = "ships", .point = "arrive" },
	{ .name = "ships:leave:u", .is_tracepoint = true, .system = "ships", .point = "leave" },
};

#define COUNT (sizeof(events) / sizeof(events[0]))

static void check_format(struct wk_trace_formats *formats, uint32_t id, const char *system,
			 const char *name)
{
	const struct wk_trace_format *format = wk_trace_formats_find(formats, id);

	assert_non_null(format);
	assert_true(wk_str_is(format->system, system));
	assert_true(wk_str_is(format->name, name));
}

static void what_is_written_is_read_again(void **state)
{
	struct wk_buf content = { 0 };
	struct wk_trace_formats *formats;

	(void)state;
	make_all();
	wk_buf_add_text(&content, "before");
	assert_true(wk_tracing_data_add_at(own_folder, events, COUNT, &content, NULL));
	formats = wk_trace_formats_new(wk_bytes_of(content.at + 6, content.len - 6), NULL);
	assert_non_null(formats);
	assert_int_equal(wk_trace_formats_count(formats), 3); /* each once */
	check_format(formats, 41, "ships", "arrive");
	check_format(formats, 42, "ships", "leave");
	check_format(formats, 43, "birds", "sing");
	wk_trace_formats_free(formats);
	wk_buf_fini(&content);
}

static void texts_of_the_kernel_come_along(void **state)
{
	static const uint8_t raw[] = { 42, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x10, 0, 0, 0x81,
				       0xff, 0xff, 0xff, 0xff };
	struct wk_buf content = { 0 }, text = { 0 };
	struct wk_trace_formats *formats;

	(void)state;
	if (!wk_trace_has_library())
		skip();
	make_all();
	assert_true(wk_tracing_data_add_at(own_folder, events, COUNT, &content, NULL));
	formats = wk_trace_formats_new(wk_bytes_of(content.at, content.len), NULL);
	assert_non_null(formats);
	wk_trace_formats_print(formats, wk_bytes_of(raw, sizeof(raw)), &text);
	assert_string_equal(wk_buf_text(&text), "leave -2 far");
	wk_trace_formats_free(formats);
	WK_BUF_FINI_ALL(&content, &text);
}

/* As in a file of perf: nothing may be missing between its parts, and nothing follows them. */
static void the_layout_is_that_of_perf(void **state)
{
	struct wk_buf content = { 0 };
	struct wk_bytes in;

	(void)state;
	make_file("events/header_page", "a page\n");
	make_file("events/header_event", "an event\n");
	make_file("events/birds/sing/format", "short\n");
	assert_true(wk_tracing_data_add_at(own_folder, events + 2, 1, &content, NULL));
	in = wk_bytes_of(content.at, content.len);
	assert_memory_equal(in.at, "\x17\x08\x44tracing0.6", 14);
	wk_bytes_skip(&in, 14);
	assert_int_equal(wk_u8(&in), 0); /* little endian */
	assert_int_equal(wk_u8(&in), sizeof(long));
	assert_int_equal(wk_u32le(&in), sysconf(_SC_PAGESIZE));
	assert_true(wk_str_is(wk_bytes_text(&in), "header_page"));
	assert_int_equal(wk_u64le(&in), 7);
	wk_bytes_skip(&in, 7);
	assert_true(wk_str_is(wk_bytes_text(&in), "header_event"));
	assert_int_equal(wk_u64le(&in), 9);
	wk_bytes_skip(&in, 9);
	assert_int_equal(wk_u32le(&in), 0); /* of ftrace's own events */
	assert_int_equal(wk_u32le(&in), 1); /* system */
	assert_true(wk_str_is(wk_bytes_text(&in), "birds"));
	assert_int_equal(wk_u32le(&in), 1);
	assert_int_equal(wk_u64le(&in), 6);
	wk_bytes_skip(&in, 6);
	assert_int_equal(wk_u32le(&in), 0); /* functions */
	assert_int_equal(wk_u32le(&in), 0); /* texts: the file is missing */
	assert_int_equal(wk_u64le(&in), 0); /* names of threads */
	assert_false(in.bad);
	assert_int_equal(wk_bytes_left(&in), 0);
	wk_buf_fini(&content);
}

/* perf refuses a recording that describes only some of its tracepoints. */
static void one_that_cannot_be_read_leaves_nothing(void **state)
{
	struct wk_buf content = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	make_all();
	wk_buf_add_text(&content, "before");
	assert_int_equal(remove(in_own_folder("events/ships/arrive/format")), 0);
	assert_false(wk_tracing_data_add_at(own_folder, events, COUNT, &content, &err));
	assert_non_null(strstr(err.text, "events/ships/arrive/format cannot be read"));
	assert_int_equal(content.len, strlen("before"));
	wk_buf_fini(&content);
}

#define OWN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_own_folder, remove_own_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWN_FOLDER(what_is_written_is_read_again),
		OWN_FOLDER(texts_of_the_kernel_come_along),
		OWN_FOLDER(the_layout_is_that_of_perf),
		OWN_FOLDER(one_that_cannot_be_read_leaves_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
