/* Several .etl files of one session, given as files: which belong together, and that they are read
 * as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "etl_events.h"
#include "base/mem.h"
#include "formats/archive/session.h"

/* Writes what was made to a new file, whose path is for unlink and free. */
static char *write_made(struct etl_maker *m)
{
	char *path = wk_strdup("/tmp/wick-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, m->out.at, m->out.len), m->out.len);
	close(fd);
	wk_buf_fini(&m->out);
	wk_buf_fini(&m->records);
	return path;
}

static void drop(char *path)
{
	unlink(path);
	wk_free(path);
}

static char *write_trace(uint64_t frequency, uint32_t tid)
{
	struct etl_maker m = { .frequency = frequency };

	etl_begin_file(&m);
	etl_sampled(&m, 10, 0x1000, tid, 0);
	etl_end_buffer(&m, 0);
	return write_made(&m);
}

/* Ticks a second; another clock is another start of the machine. */
#define A_CLOCK       10000000u
#define ANOTHER_CLOCK 2337949u

static bool is_one(const char *a, const char *b)
{
	struct wk_session_part first = wk_session_part(a), other = wk_session_part(b);

	return wk_session_is_one(&first, &other);
}

static void traces_of_one_start_belong_together_and_others_do_not(void **state)
{
	char *kernel = write_trace(A_CLOCK, 1), *user = write_trace(A_CLOCK, 2);
	char *copy = write_trace(A_CLOCK, 1), *later = write_trace(ANOTHER_CLOCK, 1);
	char *text = wk_strdup("/tmp/wick-test-XXXXXX");

	(void)state;
	close(mkstemp(text));
	assert_true(is_one(kernel, user));
	assert_false(is_one(kernel, kernel));
	assert_false(is_one(kernel, copy));
	assert_false(is_one(kernel, later));
	assert_false(is_one(kernel, text));
	assert_false(is_one(text, text));
	assert_false(is_one(kernel, "/no/such/file"));
	drop(kernel);
	drop(user);
	drop(copy);
	drop(later);
	drop(text);
}

static bool count_sample(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)err;
	*(unsigned *)context += event->kind == WK_EVENT_SAMPLE;
	return true;
}

static void files_of_one_session_are_read_as_one(void **state)
{
	char *kernel = write_trace(A_CLOCK, 1), *user = write_trace(A_CLOCK, 2);
	const char *paths[] = { kernel, user };
	unsigned samples = 0;
	struct wk_sink sink = { .take = count_sample, .context = &samples };
	struct wk_err err = { 0 };
	struct wk_opened opened;

	(void)state;
	assert_true(wk_session_open(paths, 2, NULL, &opened, &err));
	assert_true(opened.reader->read(&opened.input, &sink, &err));
	assert_int_equal(samples, 2);
	wk_reader_close(&opened);
	drop(kernel);
	drop(user);
}

static void a_file_that_is_gone_is_named(void **state)
{
	char *kernel = write_trace(A_CLOCK, 1);
	const char *paths[] = { kernel, "/no/such/file" };
	struct wk_err err = { 0 };
	struct wk_opened opened;

	(void)state;
	assert_false(wk_session_open(paths, 2, NULL, &opened, &err));
	assert_non_null(strstr(err.text, "/no/such/file"));
	drop(kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_of_one_start_belong_together_and_others_do_not),
		cmocka_unit_test(files_of_one_session_are_read_as_one),
		cmocka_unit_test(a_file_that_is_gone_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
