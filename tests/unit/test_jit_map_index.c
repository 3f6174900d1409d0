/* Perf maps that are asked many times: by each child of the program that wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stages/jit/map_index.h"
#include "base/mem.h"

#define LINES 10000
#define CODE  0x1000

static uint64_t rows_left = 1 << 20;

/* 16 bytes each; then a few that lie over all of it, and over single ones. */
static void put_map(struct wk_buf *text)
{
	wk_buf_add_text(text, "1000 100000 all\nnot a line\n");
	for (unsigned i = 0; i < LINES; i++)
		wk_buf_add_fmt(text, "%x 10 f%u\n", CODE + 16 * i, i);
	wk_buf_add_text(text, "1040 20 younger\n");
	for (unsigned i = 0; i < LINES; i++)
		wk_buf_add_fmt(text, "%x 10 g%u\n", 0x1000000 + 16 * i, i);
}

static struct wk_jit_names names_of(const struct wk_buf *text, uint64_t modified_ns)
{
	struct wk_jit_names names = { .identity = { 1, 2, text->len, modified_ns } };

	names.file.at = (const uint8_t *)text->at;
	names.file.size_bytes = text->len;
	names.map = wk_perf_map_of(text->at, text->len);
	return names;
}

/* The names of pieces that are hit, in the order in which they come; how many came at all is in
 * `given`. */
static const char *hit_names(struct wk_jit_map_index *index, const struct wk_buf *text,
			     uint64_t modified_ns, uint64_t *at, size_t count, size_t *given)
{
	static struct wk_buf told;
	struct wk_jit_hits hits = { at, count };
	struct wk_jit_names names = names_of(text, modified_ns);
	struct wk_jit_code piece;

	wk_buf_reset(&told);
	*given = 0;
	wk_jit_map_index_pick(index, &hits, &rows_left, &names);
	for (; wk_jit_next(&names, &piece); ++*given)
		if (wk_jit_is_hit(&hits, piece.start, piece.start + piece.size_bytes))
			wk_buf_add_fmt(&told, "%.*s ", WK_STR_ARG(piece.name));
	wk_free(names.picked);
	return wk_buf_text(&told);
}

static void a_map_that_is_asked_again_is_not_read_again(void **state)
{
	struct wk_jit_map_index *index = wk_jit_map_index_new();
	uint64_t at[] = { 0x1045, 0x1065, 0x1000008 };
	struct wk_buf text = { 0 };
	size_t given;

	(void)state;
	put_map(&text);
	for (int i = 0; i < 5; i++) {
		assert_string_equal(hit_names(index, &text, 7, at, 3, &given),
				    "all f4 f6 younger g0 ");
		if (i == 0)
			assert_int_equal(given, 2 * LINES + 2);
		else
			assert_in_range(given, 5, 200);
	}
	assert_string_equal(hit_names(index, &text, 7, at, 0, &given), "");
	assert_int_equal(given, 0);
	wk_jit_map_index_free(index);
	wk_buf_fini(&text);
}

static void a_map_that_was_written_to_is_read_anew(void **state)
{
	struct wk_jit_map_index *index = wk_jit_map_index_new();
	uint64_t at[] = { 0x2000008 }, left = rows_left;
	struct wk_buf text = { 0 };
	size_t given;

	(void)state;
	put_map(&text);
	for (int i = 0; i < 3; i++)
		assert_string_equal(hit_names(index, &text, 7, at, 1, &given), "");
	assert_int_equal(left - rows_left, 2 * LINES + 2);
	wk_buf_add_text(&text, "2000000 10 new\n");
	for (int i = 0; i < 3; i++)
		assert_string_equal(hit_names(index, &text, 8, at, 1, &given), "new ");
	assert_int_equal(left - rows_left, 2 * LINES + 3);
	wk_jit_map_index_free(index);
	wk_buf_fini(&text);
}

static void a_map_with_more_lines_than_may_be_kept_is_read_as_it_is(void **state)
{
	struct wk_jit_map_index *index = wk_jit_map_index_new();
	uint64_t at[] = { 0x1045 }, left = rows_left;
	struct wk_buf text = { 0 };
	size_t given;

	(void)state;
	put_map(&text);
	rows_left = LINES;
	for (int i = 0; i < 3; i++) {
		assert_string_equal(hit_names(index, &text, 7, at, 1, &given), "all f4 younger ");
		assert_int_equal(given, 2 * LINES + 2);
	}
	assert_int_equal(rows_left, LINES);
	rows_left = left;
	wk_jit_map_index_free(index);
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_that_is_asked_again_is_not_read_again),
		cmocka_unit_test(a_map_that_was_written_to_is_read_anew),
		cmocka_unit_test(a_map_with_more_lines_than_may_be_kept_is_read_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
