/* Sections of chunks: what is written comes back, and what is no such thing is passed over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "formats/perf/wick_sections.h"

/* A section of rows, each one text that goes by number. */
static struct wk_section section_of(const char *const *texts)
{
	struct wk_section section = { .subject = WK_SECTION_CALLS };

	for (; *texts; texts++) {
		wk_section_add_known(&section, wk_str_c(*texts));
		wk_section_end_row(&section);
	}
	wk_section_close(&section);
	return section;
}

static struct wk_bytes bytes_of(const struct wk_buf *buf)
{
	return wk_bytes_of(buf->at, buf->len);
}

/* The only chunk of a section. */
static struct wk_section_chunk only_chunk(const struct wk_section *section)
{
	struct wk_bytes bytes = bytes_of(&section->done);
	struct wk_section_chunk chunk;
	uint64_t damaged = 0;

	assert_true(wk_section_next(&bytes, &chunk, &damaged));
	assert_int_equal(damaged, 0);
	assert_int_equal(wk_bytes_left(&bytes), 0);
	return chunk;
}

static void texts_come_back_as_they_were(void **state)
{
	struct wk_section section = { .subject = WK_SECTION_FACTS };
	struct wk_section_chunk chunk;

	(void)state;
	wk_section_add_text(&section, wk_str_c("key"));
	wk_section_add_text(&section, wk_str_of("a\0b", 3));
	wk_section_add_text(&section, wk_str_c(""));
	wk_section_end_row(&section);
	wk_section_close(&section);
	chunk = only_chunk(&section);
	assert_int_equal(chunk.subject, WK_SECTION_FACTS);
	assert_int_equal(chunk.version, WK_SECTION_VERSION);
	assert_int_equal(chunk.row_count, 1);
	assert_true(wk_str_is(wk_section_text(&chunk.rows), "key"));
	assert_true(wk_str_eq(wk_section_text(&chunk.rows), wk_str_of("a\0b", 3)));
	assert_int_equal(wk_section_text(&chunk.rows).len, 0);
	assert_int_equal(wk_bytes_left(&chunk.rows), 0);
	assert_false(chunk.rows.bad);
	wk_section_fini(&section);
}

static void a_text_that_is_too_long_is_cut_and_counted(void **state)
{
	static char text[WK_SECTION_TEXT + 1];
	struct wk_section section = { .subject = WK_SECTION_NOTES };
	struct wk_section_chunk chunk;

	(void)state;
	wk_section_add_text(&section, wk_str_of(text, sizeof(text)));
	wk_section_end_row(&section);
	wk_section_close(&section);
	assert_int_equal(section.cut_texts, 1);
	chunk = only_chunk(&section);
	assert_int_equal(wk_section_text(&chunk.rows).len, WK_SECTION_TEXT);
	wk_section_fini(&section);
}

static void known_texts_come_back_however_often_they_were_told(void **state)
{
	static const char *const texts[] = { "main", "work", "main", "", "work", "main", NULL };
	struct wk_section section = section_of(texts);
	struct wk_section_chunk chunk = only_chunk(&section);
	struct wk_section_known known = { 0 };

	(void)state;
	wk_section_known_begin(&known);
	for (size_t i = 0; texts[i]; i++)
		assert_true(wk_str_is(wk_section_known_text(&chunk.rows, &known), texts[i]));
	assert_int_equal(wk_bytes_left(&chunk.rows), 0);
	assert_false(chunk.rows.bad);
	wk_section_known_fini(&known);
	wk_section_fini(&section);
}

static void a_known_text_is_written_once_a_chunk(void **state)
{
	static char text[WK_SECTION_TEXT];
	struct wk_section section = { .subject = WK_SECTION_CALLS };

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < 100; i++) {
		wk_section_add_known(&section, wk_str_of(text, sizeof(text)));
		wk_section_end_row(&section);
	}
	wk_section_close(&section);
	assert_true(section.done.len < sizeof(text) + 1000);
	wk_section_fini(&section);
}

/* A chunk can be read without its neighbours: its numbers begin anew. */
static void every_chunk_tells_its_texts_itself(void **state)
{
	struct wk_section section = section_of((const char *const[]){ "one", "two", NULL });
	struct wk_section_known known = { 0 };
	struct wk_section_chunk chunk;
	struct wk_bytes bytes;
	uint64_t damaged = 0;

	(void)state;
	wk_section_add_known(&section, wk_str_c("two"));
	wk_section_end_row(&section);
	wk_section_close(&section);
	bytes = bytes_of(&section.done);
	assert_true(wk_section_next(&bytes, &chunk, &damaged));
	assert_true(wk_section_next(&bytes, &chunk, &damaged));
	wk_section_known_begin(&known);
	assert_true(wk_str_is(wk_section_known_text(&chunk.rows, &known), "two"));
	assert_false(chunk.rows.bad);
	wk_section_known_fini(&known);
	wk_section_fini(&section);
}

/* Rows of 32-bit numbers, as a hostile file has them. */
static struct wk_str known_text_of(const uint32_t *numbers, size_t count, bool *is_bad)
{
	struct wk_section_known known = { 0 };
	struct wk_buf rows = { 0 };
	struct wk_str text = { 0 };
	struct wk_bytes bytes;

	for (size_t i = 0; i < count; i++)
		wk_buf_add_u32(&rows, numbers[i]);
	bytes = bytes_of(&rows);
	wk_section_known_begin(&known);
	while (wk_bytes_left(&bytes) > 0 && !bytes.bad)
		text = wk_section_known_text(&bytes, &known);
	*is_bad = bytes.bad;
	text.at = NULL; /* its bytes go away */
	wk_section_known_fini(&known);
	wk_buf_fini(&rows);
	return text;
}

static void a_number_that_no_text_has_is_refused(void **state)
{
	bool is_bad;

	(void)state;
	assert_int_equal(known_text_of((const uint32_t[]){ 1 }, 1, &is_bad).len, 0);
	assert_false(is_bad); /* the empty text is always there */
	assert_int_equal(known_text_of((const uint32_t[]){ 2 }, 1, &is_bad).len, 0);
	assert_true(is_bad);
	assert_int_equal(known_text_of((const uint32_t[]){ UINT32_MAX }, 1, &is_bad).len, 0);
	assert_true(is_bad);
	/* A new, empty text is number 2; there is no 3. */
	known_text_of((const uint32_t[]){ 0, 0, 2 }, 3, &is_bad);
	assert_false(is_bad);
	known_text_of((const uint32_t[]){ 0, 0, 3 }, 3, &is_bad);
	assert_true(is_bad);
}

/* It is used again and again, each time for four bytes of the file. */
static void a_known_text_longer_than_any_that_is_written_is_refused(void **state)
{
	uint32_t *words = wk_alloc_zeroed(2 + WK_SECTION_TEXT / 4 + 1, sizeof(*words));
	bool is_bad;

	(void)state;
	words[1] = WK_SECTION_TEXT;
	known_text_of(words, 2 + WK_SECTION_TEXT / 4, &is_bad);
	assert_false(is_bad);
	words[1] = WK_SECTION_TEXT + 4;
	known_text_of(words, 2 + WK_SECTION_TEXT / 4 + 1, &is_bad);
	assert_true(is_bad);
	wk_free(words);
}

static void a_length_beyond_the_rows_is_refused(void **state)
{
	bool is_bad;

	(void)state;
	assert_int_equal(known_text_of((const uint32_t[]){ 0, UINT32_MAX }, 2, &is_bad).len, 0);
	assert_true(is_bad);
	known_text_of((const uint32_t[]){ 0 }, 1, &is_bad);
	assert_true(is_bad);
}

static void a_build_id_longer_than_any_is_refused(void **state)
{
	static const uint8_t bytes[64] = { 21 };
	struct wk_bytes rows = wk_bytes_of(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(wk_section_build_id(&rows).size, 0);
	assert_true(rows.bad);
}

static void a_damaged_chunk_costs_only_its_own_rows(void **state)
{
	struct wk_section section = section_of((const char *const[]){ "one", NULL });
	struct wk_section_chunk chunk;
	struct wk_bytes bytes;
	uint64_t damaged = 0;

	(void)state;
	wk_section_add_known(&section, wk_str_c("two"));
	wk_section_end_row(&section);
	wk_section_close(&section);
	section.done.at[24 + 8] ^= 1; /* a row, behind the head and two numbers, */
	bytes = bytes_of(&section.done);
	assert_true(wk_section_next(&bytes, &chunk, &damaged));
	assert_int_equal(damaged, 1);
	assert_int_equal(chunk.row_count, 1);
	section.done.at[8] ^= 1; /* and then the head, which says where the next chunk is */
	bytes = bytes_of(&section.done);
	damaged = 0;
	assert_true(wk_section_next(&bytes, &chunk, &damaged));
	assert_int_equal(damaged, 1);
	assert_int_equal(chunk.row_count, 1);
	assert_false(wk_section_next(&bytes, &chunk, &damaged));
	wk_section_fini(&section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_come_back_as_they_were),
		cmocka_unit_test(a_text_that_is_too_long_is_cut_and_counted),
		cmocka_unit_test(known_texts_come_back_however_often_they_were_told),
		cmocka_unit_test(a_known_text_longer_than_any_that_is_written_is_refused),
		cmocka_unit_test(a_known_text_is_written_once_a_chunk),
		cmocka_unit_test(every_chunk_tells_its_texts_itself),
		cmocka_unit_test(a_number_that_no_text_has_is_refused),
		cmocka_unit_test(a_length_beyond_the_rows_is_refused),
		cmocka_unit_test(a_build_id_longer_than_any_is_refused),
		cmocka_unit_test(a_damaged_chunk_costs_only_its_own_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
