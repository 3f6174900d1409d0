/* Which reader a file gets, and what is said when it gets none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "read_file.h"

static const struct wk_reader *reader_for(const void *bytes, size_t len, const char *format,
					  struct wk_err *err)
{
	*err = (struct wk_err){ 0 };
	return wk_reader_for(wk_bytes_of(bytes, len), "file", format, err);
}

static void every_reader_has_a_name_a_summary_and_its_functions(void **state)
{
	(void)state;
	for (const struct wk_reader *const *reader = wk_readers(); *reader; reader++) {
		struct wk_err err;

		assert_true((*reader)->name[0] != '\0');
		assert_true((*reader)->summary[0] != '\0');
		assert_true(((*reader)->probe == NULL) != ((*reader)->signs == NULL));
		assert_non_null((*reader)->read);
		assert_ptr_equal(reader_for("", 0, (*reader)->name, &err), *reader);
	}
}

static void perf_data_is_known_by_its_first_bytes(void **state)
{
	struct wk_err err;

	(void)state;
	assert_ptr_equal(reader_for("PERFILE2....", 12, NULL, &err), &wk_reader_perf_data);
	assert_ptr_equal(reader_for("2ELIFREP....", 12, NULL, &err), &wk_reader_perf_data);
	assert_ptr_equal(reader_for("PERFFILE....", 12, NULL, &err), &wk_reader_perf_data);
	assert_null(reader_for("PERFILE", 7, NULL, &err));
}

static void a_named_format_overrules_the_bytes(void **state)
{
	struct wk_err err;

	(void)state;
	assert_ptr_equal(reader_for("something else", 14, "perf.data", &err), &wk_reader_perf_data);
	assert_null(reader_for("PERFILE2", 8, "perf.dta", &err));
	assert_int_equal(err.code, WK_EUSAGE);
	assert_non_null(strstr(err.text, "no format \"perf.dta\"; did you mean \"perf.data\"?"));
}

static void what_is_not_known_is_described(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} rows[] = {
		{ "", 0, "the file is empty" },
		{ "#!/bin/sh\necho\n", 15,
		  "it begins with the text \"#!/bin/sh\"; `wick formats` lists" },
		{ "[]", 2, "it begins with the text \"[]\"" },
		{ "{}\n", 3, "it begins with the text \"{}\"" },
		{ "\x01\x02\xff", 3, "it begins with the bytes 01 02 ff; `wick formats` lists" },
		{ "\x1f\x8b\x08", 3, "with gzip" },
		{ "\x28\xb5\x2f\xfd", 4, "with zstd" },
		{ "\x7f"
		  "ELF\x02\x01",
		  6, "this is a program or library (ELF)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_err err;

		assert_null(reader_for(rows[i].bytes, rows[i].len, NULL, &err));
		assert_int_equal(err.code, WK_EFORMAT);
		if (!strstr(err.text, rows[i].says))
			fail_msg("expected \"%s\" in \"%s\"", rows[i].says, err.text);
	}
}

static void a_picture_is_known_by_its_first_kilobyte(void **state)
{
	char text[1100];
	struct wk_err err;

	(void)state;
	for (size_t at = 0; at < 1030; at++) {
		memset(text, 'x', sizeof(text));
		memcpy(text + at, "<svg", 4);
		assert_null(reader_for(text, sizeof(text), NULL, &err));
		assert_true(!strstr(err.text, "this is a flame graph (SVG)") == (at >= 1024));
	}
	assert_null(reader_for("xxx <sv", 7, NULL, &err));
	assert_null(strstr(err.text, "picture"));
}

static bool take_all(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)context;
	(void)event;
	(void)err;
	return true;
}

static void errors_name_the_file(void **state)
{
	struct wk_sink sink = { .take = take_all };
	char path[] = "/tmp/wick-test-XXXXXX", expected[256];
	struct wk_err err = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "PERFILE2", 8), 8);
	assert_false(read_file(path, &sink, &err));
	snprintf(expected, sizeof(expected), "%s: ", path);
	assert_memory_equal(err.text, expected, strlen(expected));
	close(fd);
	unlink(path);
	err = (struct wk_err){ 0 };
	assert_false(read_file(path, &sink, &err));
	assert_int_equal(err.code, WK_ENOTFOUND);
	assert_non_null(strstr(err.text, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reader_has_a_name_a_summary_and_its_functions),
		cmocka_unit_test(perf_data_is_known_by_its_first_bytes),
		cmocka_unit_test(a_named_format_overrules_the_bytes),
		cmocka_unit_test(what_is_not_known_is_described),
		cmocka_unit_test(a_picture_is_known_by_its_first_kilobyte),
		cmocka_unit_test(errors_name_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
