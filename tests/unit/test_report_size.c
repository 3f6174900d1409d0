/* A page that would be too large has less exact times, and says so; a larger one is written with a
 * warning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/packed/unpack.h"
#include "own_folder.h"
#include "session/report.h"

#define SAMPLES 20000

/* At times that differ by a few us, which take more bytes the more exact they are. */
static const char *write_recording(void)
{
	const char *path = in_own_folder("times.txt");
	FILE *file = fopen(path, "w");
	uint32_t random = 1, time_us = 0;

	assert_non_null(file);
	for (int i = 0; i < SAMPLES; i++) {
		random = random * 1664525 + 1013904223;
		time_us += 50 + (random >> 24);
		fprintf(file,
			"app 1/1 [000] %u.%06u: 1000000 cpu-clock: \n\t1000 main+0x1 "
			"(/bin/app)\n\n",
			time_us / 1000000, time_us % 1000000);
	}
	fclose(file);
	return path;
}

static void add_line(void *context, const char *sentence)
{
	wk_buf_add_fmt(context, "%s\n", sentence);
}

struct written {
	struct wk_buf page, warnings;
};

static struct written write_page(uint64_t most_bytes)
{
	const char *const paths[] = { in_own_folder("times.txt"), NULL };
	const struct wk_filter_spec filter = { 0 };
	const struct wk_report_options how = { .filter = &filter, .most_bytes = most_bytes };
	const struct wk_open_options open =
		wk_report_open_options(&(struct wk_open_options){ 0 }, &how);
	struct written written = { 0 };
	const struct wk_messages messages = { .warn = add_line, .context = &written.warnings };
	struct wk_out out = wk_out_to_buf(&written.page);
	struct wk_err err = { 0 };
	struct wk_model *model = wk_open_paths(paths, &open, NULL, NULL, &err);

	if (!model || !wk_report_write(&(struct wk_report){ .model = model, .paths = paths }, &how,
				       &out, &messages, &err))
		fail_msg("%s", err.text);
	assert_true(wk_out_end(&out));
	wk_model_free(model);
	return written;
}

static void written_fini(struct written *written)
{
	WK_BUF_FINI_ALL(&written->page, &written->warnings);
}

/* The plain text of the block "head". */
static void read_head(struct wk_buf *page, struct wk_buf *head)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strstr(wk_buf_text(page), "data-block=\"head\""), *digit;
	struct wk_buf packed = { 0 };
	struct wk_err err = { 0 };
	uint32_t bits = 0;
	unsigned count = 0;

	assert_non_null(at);
	for (at = strchr(at, '>') + 1; (digit = strchr(digits, *at)) != NULL && *at; at++) {
		bits = bits << 6 | (uint32_t)(digit - digits);
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		wk_buf_add_char(&packed, (char)(bits >> count & 0xff));
	}
	if (!wk_unpack(wk_bytes_of(packed.at, packed.len), head, &err))
		fail_msg("%s", err.text);
	wk_buf_fini(&packed);
}

static void times_are_less_exact_where_that_makes_a_page_fit(void **state)
{
	struct written exact, thinned;
	struct wk_buf head = { 0 };

	(void)state;
	write_recording();
	exact = write_page(0);
	read_head(&exact.page, &head);
	assert_non_null(strstr(wk_buf_text(&head), "\"resolution\":10000,"));
	assert_null(strstr(wk_buf_text(&head), "exact times"));
	assert_null(strstr(wk_buf_text(&exact.warnings), "the page"));
	wk_buf_reset(&head);

	thinned = write_page(exact.page.len - 1);
	assert_true(thinned.page.len < exact.page.len);
	read_head(&thinned.page, &head);
	assert_non_null(strstr(wk_buf_text(&head), "\"resolution\":100000,"));
	assert_non_null(strstr(wk_buf_text(&head), "with exact times, which are rounded to 100 us; "
						   "`wick view "));
	assert_non_null(strstr(wk_buf_text(&thinned.warnings), "the page would be larger than "));
	assert_null(strstr(wk_buf_text(&thinned.warnings), "the page has "));
	wk_buf_fini(&head);
	written_fini(&thinned);

	thinned = write_page(exact.page.len);
	assert_int_equal(thinned.page.len, exact.page.len);
	assert_memory_equal(thinned.page.at, exact.page.at, exact.page.len);
	written_fini(&thinned);
	written_fini(&exact);
}

static void a_page_that_is_too_large_nevertheless_is_written_with_a_warning(void **state)
{
	struct written written;

	(void)state;
	write_recording();
	written = write_page(1000);
	assert_non_null(strstr(wk_buf_text(&written.page), "data-block=\"end\""));
	assert_non_null(strstr(wk_buf_text(&written.warnings), "the page would be larger than "));
	assert_non_null(strstr(wk_buf_text(&written.warnings), "the page has "));
	assert_non_null(strstr(wk_buf_text(&written.warnings), "times.txt` shows the recording"));
	written_fini(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(times_are_less_exact_where_that_makes_a_page_fit,
						make_own_folder, remove_own_folder),
		cmocka_unit_test_setup_teardown(
			a_page_that_is_too_large_nevertheless_is_written_with_a_warning,
			make_own_folder, remove_own_folder),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
