/* formats/pieces: a text that is read in pieces, from a file or a pipe, gives what it gives as a
 * whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/out.h"
#include "event/dump.h"
#include "formats/reader.h"

#include "own_folder.h"

static struct wk_buf read_all(const struct wk_reader *reader, const struct wk_input *input)
{
	struct wk_buf events = { 0 };
	struct wk_out out = wk_out_to_buf(&events);
	struct wk_sink sink = wk_dump_sink(&out);
	struct wk_err err = { 0 };

	if (!reader->read(input, &sink, &err))
		wk_out_fmt(&out, "error: %s\n", err.text);
	wk_out_end(&out);
	return events;
}

static struct wk_buf of_memory(const struct wk_buf *text, const char *format)
{
	struct wk_input input = { .bytes = wk_bytes_of(text->at, text->len), .name = "x" };

	return read_all(wk_reader_for(input.bytes, "x", format, NULL), &input);
}

static struct wk_buf of_file(const struct wk_buf *text, const char *format, unsigned threads)
{
	const char *path = in_own_folder("x");
	FILE *file = fopen(path, "w");
	struct wk_opened opened;
	struct wk_buf events;

	assert_non_null(file);
	assert_int_equal(fwrite(text->at, 1, text->len, file), text->len);
	assert_int_equal(fclose(file), 0);
	assert_true(wk_reader_open(path, format, &opened, NULL));
	assert_non_null(opened.input.rest);
	assert_true(opened.input.rest->is_file);
	opened.input.name = "x";
	opened.input.options.threads = threads;
	events = read_all(opened.reader, &opened.input);
	wk_reader_close(&opened);
	return events;
}

static struct wk_buf of_pipe(const struct wk_buf *text, const char *format)
{
	struct wk_opened opened;
	struct wk_buf events;
	char path[32];
	int ends[2], status;
	pid_t writer;

	assert_int_equal(pipe(ends), 0);
	writer = fork();
	if (writer == 0) {
		size_t done = 0;

		close(ends[0]);
		while (done < text->len) {
			ssize_t len = write(ends[1], text->at + done, text->len - done);

			if (len <= 0)
				_exit(1);
			done += (size_t)len;
		}
		_exit(0);
	}
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_true(wk_reader_open_once(path, format, &opened, NULL));
	assert_non_null(opened.input.rest);
	assert_false(opened.input.rest->is_file);
	opened.input.name = "x";
	events = read_all(opened.reader, &opened.input);
	wk_reader_close(&opened);
	close(ends[0]);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
	return events;
}

static void assert_same(struct wk_buf expected, struct wk_buf events)
{
	const char *a = wk_buf_text(&expected), *b = wk_buf_text(&events);
	size_t at = 0;

	while (a[at] && a[at] == b[at])
		at++;
	while (at > 0 && a[at - 1] != '\n')
		at--;
	if (a[at] || b[at])
		fail_msg("expected: %.200s\ncame: %.200s", a + at, b + at);
	wk_buf_fini(&events);
}

static void check(struct wk_buf text, const char *format)
{
	struct wk_buf expected = of_memory(&text, format);

	assert_in_range(expected.len, 100000, SIZE_MAX);
	assert_same(expected, of_file(&text, format, 1));
	assert_same(expected, of_file(&text, format, 3));
	if (strcmp(format, "perf-script") == 0)
		assert_same(expected, of_pipe(&text, format));
	WK_BUF_FINI_ALL(&text, &expected);
}

#define LONG_CHAIN 12000 /* longer than a piece */

static void samples_of_perf_script(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	wk_buf_add_text(&text, "# hostname : h\n");
	for (unsigned i = 0; i < 12000; i++) {
		unsigned frames = i == 7000 ? LONG_CHAIN : i % 7;

		wk_buf_add_fmt(&text, "task%u %u/%u [00%u] %u.5: %u cycles: \n", i % 3, i % 50 + 1,
			       i % 90 + 1, i % 4, i, i % 1000 + 1);
		for (unsigned k = 0; k < frames; k++)
			wk_buf_add_fmt(&text, "\t%16x function_%u+0x%x (/usr/bin/prog%u)\n",
				       4096 + k, (i * 7 + k) % 5000, k, i % 3);
		if (i == 9000)
			wk_buf_add_text(&text, "nonsense\n");
		wk_buf_add_text(&text, "\n");
	}
	assert_in_range(text.len, 2 << 20, SIZE_MAX);
	check(text, "perf-script");
}

static void samples_of_one_line(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	for (unsigned i = 0; i < 30000; i++)
		wk_buf_add_fmt(&text, "task %u %u.5: %u cycles: %16x function_%u (/bin/p)\n",
			       i % 90 + 1, i, i % 1000 + 1, 4096 + i, i % 4000);
	assert_in_range(text.len, 1 << 20, SIZE_MAX);
	check(text, "perf-script");
}

enum counts { WHOLE, FRACTION, TWO, COUNTS };

static void add_folded(struct wk_buf *text, enum counts counts, const char *line_end)
{
	for (unsigned i = 0; i < 30000; i++) {
		unsigned frames = i == 20000 ? LONG_CHAIN * 2 : i % 5 + 1;

		for (unsigned k = 0; k < frames; k++)
			wk_buf_add_fmt(text, "%sfunction_%u_[k]", k ? ";" : "",
				       (i * 7 + k * 31) % 5000);
		if (i == 25000)
			wk_buf_add_text(text, " nonsense");
		else
			wk_buf_add_fmt(text, " %u", i % 17 + 1);
		if (counts != WHOLE)
			wk_buf_add_fmt(text, "%c%u", counts == TWO ? ' ' : '.', i % 3);
		wk_buf_add_text(text, line_end);
	}
	assert_in_range(text->len, 1 << 20, SIZE_MAX);
}

static void folded_stacks(void **state)
{
	(void)state;
	for (enum counts counts = 0; counts < COUNTS; counts++) {
		struct wk_buf text = { 0 };

		add_folded(&text, counts, counts == WHOLE ? "\r\n" : "\n");
		check(text, "folded");
	}
}

static void two_counts_after_long_lines(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	for (unsigned i = 0; i < 800; i++) {
		for (unsigned k = 0; k < 200; k++)
			wk_buf_add_fmt(&text, "%sfunction_%u", k ? ";" : "", (i * 7 + k) % 900);
		wk_buf_add_fmt(&text, " %u %u\n", i % 17 + 1, 123456789);
	}
	assert_in_range(text.len, 1 << 20, SIZE_MAX);
	check(text, "folded");
}

static void what_has_no_samples_is_an_error(void **state)
{
	static const char *const formats[] = { "folded", "perf-script" };

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct wk_buf text = { 0 }, expected;

		while (text.len < 2 << 20)
			wk_buf_add_text(&text, "neither a stack nor a sample\n");
		expected = of_memory(&text, formats[i]);
		assert_non_null(strstr(wk_buf_text(&expected), "error: "));
		assert_same(expected, of_file(&text, formats[i], 1));
		WK_BUF_FINI_ALL(&text, &expected);
	}
}

static void a_file_that_becomes_shorter_is_an_error(void **state)
{
	static const char *const lines[] = { "a;b 1\n", "a 1 1.5: cycles: 1 f (/a)\n" };
	static const char *const formats[] = { "folded", "perf-script" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *path = in_own_folder("x");
		FILE *file = fopen(path, "w");
		struct wk_opened opened;
		struct wk_buf events;

		assert_non_null(file);
		for (size_t written = 0; written < 2 << 20; written += strlen(lines[i]))
			fputs(lines[i], file);
		assert_int_equal(fclose(file), 0);
		assert_true(wk_reader_open(path, formats[i], &opened, NULL));
		assert_int_equal(truncate(path, 1 << 20), 0);
		events = read_all(opened.reader, &opened.input);
		assert_non_null(strstr(wk_buf_text(&events), "error: the file became shorter"));
		wk_buf_fini(&events);
		wk_reader_close(&opened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_perf_script),
		cmocka_unit_test(samples_of_one_line),
		cmocka_unit_test(folded_stacks),
		cmocka_unit_test(two_counts_after_long_lines),
		cmocka_unit_test(what_has_no_samples_is_an_error),
		cmocka_unit_test(a_file_that_becomes_shorter_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
