#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/strtab.h"
#include "base/text/utf8.h"

#define TWINS 10

/* Pairs of words that differ in their highest bits meet behind any odd factor, if only the low
 * half of a product counts: two such choices for each pair make 1,024 texts with one hash. */
static void texts_made_to_meet_do_not_meet(void **state)
{
	uint64_t hashes[1 << TWINS];
	size_t met = 0;

	(void)state;
	for (unsigned text = 0; text < 1 << TWINS; text++) {
		uint64_t words[2 * TWINS] = { 0 };

		for (unsigned i = 0; i < TWINS; i++) {
			words[2 * i] = (uint64_t)(text >> i & 1) << 63;
			words[2 * i + 1] = words[2 * i] | words[2 * i] >> 32;
		}
		hashes[text] = wk_hash_bytes(words, sizeof(words));
		for (unsigned other = 0; other < text; other++)
			met += (uint32_t)hashes[other] == (uint32_t)hashes[text];
	}
	assert_true(met <= 2); /* of 2^32, by chance */
}

static void hashes_are_those_of_a_secret_and_fixed_ones_are_not(void **state)
{
	const uint64_t random[2] = { 0x0123456789abcdefu, 0xfedcba9876543210u };
	uint64_t kept[2] = { wk_hash_secret[0], wk_hash_secret[1] };
	uint64_t text = wk_hash_bytes("main", 4), number = wk_hash_u64(7);
	uint64_t fixed = wk_hash_fixed("main", 4), sum = wk_checksum("main", 4);

	(void)state;
	wk_hash_seed(random);
	assert_true(wk_hash_bytes("main", 4) != text);
	assert_true(wk_hash_u64(7) != number);
	assert_true(wk_hash_fixed("main", 4) == fixed);
	assert_true(wk_checksum("main", 4) == sum);
	wk_hash_secret[0] = kept[0];
	wk_hash_secret[1] = kept[1];
}

/* The sum is that of the first version of saved files. */
static void a_checksum_is_the_same_in_pieces(void **state)
{
	uint8_t bytes[1000];
	struct wk_checksum sum;
	uint64_t whole;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i + 7 * i);
	whole = wk_checksum(bytes, sizeof(bytes));
	assert_true(whole == UINT64_C(0x8d101f7b5a72d1f9));
	for (size_t piece = WK_CHECKSUM_PIECE; piece < sizeof(bytes); piece += WK_CHECKSUM_PIECE) {
		wk_checksum_begin(&sum);
		for (size_t at = 0; at < sizeof(bytes); at += piece)
			wk_checksum_add(&sum, bytes + at,
					sizeof(bytes) - at < piece ? sizeof(bytes) - at : piece);
		assert_true(wk_checksum_end(&sum) == whole);
	}
	bytes[999] ^= 1;
	assert_true(wk_checksum(bytes, sizeof(bytes)) != whole);
}

static void the_same_text_gets_the_same_id(void **state)
{
	struct wk_strtab *tab = wk_strtab_new();
	uint32_t main_id = wk_strtab_add_str(tab, wk_str_of("main", 4));

	(void)state;
	assert_int_equal(wk_strtab_add_str(tab, wk_str_of("mainly", 4)), main_id);
	assert_int_not_equal(wk_strtab_add_str(tab, wk_str_of("mainly", 6)), main_id);
	assert_int_equal(wk_strtab_add_str(tab, wk_str_of("", 0)), 0);
	assert_int_equal(wk_strtab_find(tab, wk_str_c("main")), main_id);
	assert_int_equal(wk_strtab_find(tab, wk_str_c("maint")), 0);
	assert_string_equal(wk_strtab_get(tab, main_id), "main");
	assert_string_equal(wk_strtab_get(tab, 4711), "");
	wk_strtab_free(tab);
}

static void a_long_text_that_lasts_is_read_once_from_its_place(void **state)
{
	struct wk_strtab *tab = wk_strtab_new();
	char text[1001];
	struct wk_str whole = wk_str_of(text, 1000);
	uint32_t id, part;

	(void)state;
	memset(text, 'x', sizeof(text));
	id = wk_strtab_add_lasting(tab, whole);
	part = wk_strtab_add_lasting(tab, wk_str_of(text, 999));
	assert_int_equal(wk_strtab_add_str(tab, whole), id);
	assert_int_not_equal(part, id);
	text[500] = 'y'; /* against the agreement: it shows that nobody looks */
	assert_int_equal(wk_strtab_add_lasting(tab, whole), id);
	wk_strtab_forget_places(tab);
	assert_int_not_equal(wk_strtab_add_lasting(tab, whole), id);
	wk_strtab_free(tab);
}

static void a_hundred_thousand_texts_are_all_found_again(void **state)
{
	struct wk_strtab *tab = wk_strtab_new();
	char text[32];

	(void)state;
	for (uint32_t i = 1; i <= 100000; i++) {
		int len = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(wk_strtab_add_str(tab, wk_str_of(text, (size_t)len)), i);
	}
	for (uint32_t i = 1; i <= 100000; i += 97) {
		snprintf(text, sizeof(text), "name %u", i);
		assert_int_equal(wk_strtab_find(tab, wk_str_c(text)), i);
	}
	wk_strtab_free(tab);
}

static void a_map_keeps_every_key_even_the_largest(void **state)
{
	struct wk_map map = { 0 };

	(void)state;
	assert_int_equal(wk_map_find(&map, 5), 0);
	for (uint64_t key = 0; key < 50000; key++)
		wk_map_set(&map, key * 4096, (uint32_t)key + 1);
	wk_map_set(&map, UINT64_MAX, 77);
	for (uint64_t key = 0; key < 50000; key++)
		assert_int_equal(wk_map_find(&map, key * 4096), key + 1);
	assert_int_equal(wk_map_find(&map, UINT64_MAX), 77);
	wk_map_set(&map, 4096, 0);
	assert_int_equal(wk_map_find(&map, 4096), 0);
	assert_int_equal(wk_map_find(&map, 8192), 3);
	wk_map_fini(&map);
}

static void a_window_read_past_its_end_is_bad_and_yields_zero(void **state)
{
	static const uint8_t raw[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct wk_bytes bytes = wk_bytes_of(raw, sizeof(raw));

	(void)state;
	assert_true(wk_u32le(&bytes) == 0x04030201);
	assert_false(bytes.bad);
	assert_true(wk_u64le(&bytes) == 0);
	assert_true(bytes.bad);
	assert_int_equal(wk_u8(&bytes), 0);
	assert_int_equal(wk_bytes_left(&bytes), 0);
	bytes = wk_bytes_of(raw, sizeof(raw));
	bytes.big_endian = true;
	assert_int_equal(wk_u16(&bytes), 0x0102);
	assert_true(wk_bytes_at(&bytes, 8, UINT64_MAX).bad);
	assert_int_equal(wk_bytes_left(&(struct wk_bytes){ 0 }), 0);
}

static void leb_numbers_are_as_the_dwarf_standard_shows(void **state)
{
	static const uint8_t raw[] = { 0xe5, 0x8e, 0x26, 0x80, 0x7f, 0x7f, 0x80 };
	struct wk_bytes bytes = wk_bytes_of(raw, sizeof(raw));

	(void)state;
	assert_int_equal(wk_uleb(&bytes), 624485);
	assert_int_equal(wk_sleb(&bytes), -128);
	assert_int_equal(wk_sleb(&bytes), -1);
	assert_false(bytes.bad);
	wk_uleb(&bytes);
	assert_true(bytes.bad);
}

static const char *escaped(void (*escape)(struct wk_out *, struct wk_str), struct wk_str text)
{
	static char copy[256];
	struct wk_buf buf = { 0 };
	struct wk_out out = wk_out_to_buf(&buf);

	escape(&out, text);
	assert_true(wk_out_end(&out));
	snprintf(copy, sizeof(copy), "%s", wk_buf_text(&buf));
	wk_buf_fini(&buf);
	return copy;
}

static void names_are_escaped_for_where_they_go(void **state)
{
	struct wk_str hostile = WK_STR("a<b>&\"\x1b[2J\n");

	(void)state;
	assert_string_equal(escaped(wk_out_xml, hostile),
			    "a&lt;b&gt;&amp;&quot;\xef\xbf\xbd[2J\xef\xbf\xbd");
	assert_string_equal(escaped(wk_out_json, wk_str_c("</script>\"\\\n")),
			    "\\u003c/script\\u003e\\\"\\\\\\n");
	assert_string_equal(escaped(wk_out_term, hostile), "a<b>&\"\\x1b[2J\\x0a");
	assert_string_equal(escaped(wk_out_term, wk_str_c("\xe2\x80\xaeR\xff")), "\\u{202e}R\\xff");
	assert_string_equal(escaped(wk_out_csv, wk_str_c("a,\"b\"")), "\"a,\"\"b\"\"\"");
	assert_string_equal(escaped(wk_out_csv, wk_str_c("=1+2")), "\"'=1+2\"");
	assert_string_equal(escaped(wk_out_csv, wk_str_c("plain")), "plain");
}

static bool refuse(void *context, const char *bytes, size_t len)
{
	(void)context;
	(void)bytes;
	(void)len;
	errno = ENOSPC;
	return false;
}

static void a_failed_write_is_told_at_the_end(void **state)
{
	struct wk_out out = { .write = refuse };

	(void)state;
	wk_out_text(&out, "hello");
	wk_out_flush(&out);
	wk_out_text(&out, "more");
	assert_false(wk_out_end(&out));
	assert_int_equal(out.error_number, ENOSPC);
}

static void what_is_written_in_place_stands_between_the_rest(void **state)
{
	struct wk_buf buf = { 0 };
	struct wk_out out = wk_out_to_buf(&buf);
	char *at;

	(void)state;
	wk_out_text(&out, "one ");
	at = wk_out_reserve(&out, 100);
	memset(at, 'x', 100);
	memcpy(at, "two ", 4);
	wk_out_took(&out, at + 4);
	wk_out_text(&out, "three");
	assert_true(wk_out_end(&out));
	assert_string_equal(wk_buf_text(&buf), "one two three");
	wk_buf_fini(&buf);
}

static void broken_utf8_is_taken_byte_by_byte(void **state)
{
	struct wk_str text = WK_STR("\xc0\x80\xe4\xbd\xa0\xed\xa0\x80");

	(void)state;
	assert_int_equal(wk_utf8_next(&text), WK_UTF8_BROKEN);
	assert_int_equal(wk_utf8_next(&text), WK_UTF8_BROKEN);
	assert_int_equal(wk_utf8_next(&text), 0x4f60);
	assert_int_equal(wk_utf8_next(&text), WK_UTF8_BROKEN);
	assert_int_equal(text.len, 2);
}

static void numbers_are_read_strictly(void **state)
{
	uint64_t value;

	(void)state;
	assert_true(wk_num_u64(wk_str_c("18446744073709551615"), &value));
	assert_true(value == UINT64_MAX);
	assert_false(wk_num_u64(wk_str_c("18446744073709551616"), &value));
	assert_false(wk_num_u64(wk_str_c("12a"), &value));
	assert_false(wk_num_u64(wk_str_c(""), &value));
	assert_true(wk_num_hex(wk_str_c("fFff"), &value) && value == 0xffff);
	assert_true(wk_num_hex(wk_str_c("0123456789"), &value) && value == 0x123456789);
	assert_true(wk_num_hex(wk_str_c("0abcdefABCDEF"), &value) && value == 0xabcdefabcdef);
	assert_true(wk_num_hex(wk_str_c("00ffffffffffffffff"), &value) && value == UINT64_MAX);
	assert_false(wk_num_hex(wk_str_c("10000000000000000"), &value));
	for (int c = 0; c < 256; c++)
		assert_int_equal(wk_num_hex(wk_str_of((char[]){ '1', (char)c }, 2), &value),
				 c && strchr("0123456789abcdefABCDEF", c) != NULL);
	assert_true(wk_num_duration(wk_str_c("1.5"), &value) && value == 1500000000);
	assert_true(wk_num_duration(wk_str_c("250ms"), &value) && value == 250000000);
	assert_false(wk_num_duration(wk_str_c("1.x"), &value));
	assert_true(wk_num_size(wk_str_c("64K"), &value) && value == 65536);
	assert_false(wk_num_size(wk_str_c("99999999999999G"), &value));
}

static void numbers_are_written_for_people(void **state)
{
	struct wk_buf buf = { 0 };

	(void)state;
	wk_num_add_grouped(&buf, 1141100);
	wk_buf_add_char(&buf, ' ');
	wk_num_add_grouped(&buf, 999);
	wk_buf_add_char(&buf, ' ');
	wk_num_add_bytes(&buf, 4509715660);
	wk_buf_add_char(&buf, ' ');
	wk_num_add_duration(&buf, 685660000000);
	wk_buf_add_char(&buf, ' ');
	wk_num_add_duration(&buf, 830000);
	assert_string_equal(wk_buf_text(&buf), "1,141,100 999 4.2 GiB 685.660 s 830 us");
	wk_buf_reset(&buf);
	wk_num_add_thousandths(&buf, 1234500);
	wk_buf_add_char(&buf, ' ');
	wk_num_add_thousandths(&buf, 20);
	wk_buf_add_char(&buf, ' ');
	wk_num_add_thousandths(&buf, 10000);
	assert_string_equal(wk_buf_text(&buf), "1,234.5 0.02 10");
	wk_buf_fini(&buf);
}

static void one_of_a_thing_is_called_otherwise_than_several(void **state)
{
	struct wk_buf buf = { 0 };

	(void)state;
	wk_num_add_counted(&buf, 0, " page, ", " pages, ");
	wk_num_add_counted(&buf, 1, " page, ", " pages, ");
	wk_num_add_counted(&buf, 1200, " page", " pages");
	assert_string_equal(wk_buf_text(&buf), "0 pages, 1 page, 1,200 pages");
	wk_buf_fini(&buf);
}

static void an_argument_is_quoted_as_a_shell_reads_it(void **state)
{
	static const char *const texts[][2] = {
		{ "a/b.data", "a/b.data" },	{ "", "''" },
		{ "it's $1", "'it'\\''s $1'" }, { "a\nb", "$'a\\012b'" },
		{ "it's\t\\", "$'it\\'s\\011\\\\'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct wk_buf quoted = { 0 };

		wk_buf_add_shell(&quoted, wk_str_c(texts[i][0]));
		assert_string_equal(wk_buf_text(&quoted), texts[i][1]);
		wk_buf_fini(&quoted);
	}
}

static void a_full_buffer_drops_and_says_so(void **state)
{
	struct wk_buf buf = { .limit = 5 };

	(void)state;
	wk_buf_add_text(&buf, "abc");
	assert_false(buf.full);
	wk_buf_add_text(&buf, "def");
	wk_buf_add_text(&buf, "g");
	assert_true(buf.full);
	assert_string_equal(wk_buf_text(&buf), "abc");
	wk_buf_fini(&buf);
}

static void the_first_fault_wins_and_the_file_comes_in_front(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	assert_false(wk_fail(&err, WK_ECORRUPT, 0x1f40, "event size %d is below 8", 3));
	wk_fail(&err, WK_EIO, WK_NOWHERE, "later");
	wk_err_in(&err, "x.data");
	assert_string_equal(err.text, "x.data: 0x1f40: event size 3 is below 8");
	assert_int_equal(err.code, WK_ECORRUPT);
}

static void the_crc_is_that_of_zlib(void **state)
{
	(void)state;
	assert_true(wk_crc32(0, "123456789", 9) == 0xcbf43926);
	assert_true(wk_crc32(wk_crc32(0, "1234", 4), "56789", 5) == 0xcbf43926);
}

static void the_crc_of_many_bytes_is_that_of_few_after_few(void **state)
{
	enum { BYTES = 100003, PIECE = 1001 };
	uint8_t *bytes = wk_alloc(BYTES);
	uint32_t crc = 0, random = 1;

	(void)state;
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)((random = random * 1103515245 + 12345) >> 16);
	for (size_t i = 0; i < BYTES; i += PIECE)
		crc = wk_crc32(crc, bytes + i, BYTES - i < PIECE ? BYTES - i : PIECE);
	assert_true(wk_crc32(0, bytes, BYTES) == crc);
	wk_free(bytes);
}

static void an_arena_serves_small_and_large_and_starts_again(void **state)
{
	struct wk_arena arena = { 0 };

	(void)state;
	for (size_t size = 1; size < 300000; size *= 3) {
		char *at = wk_arena_alloc_zeroed(&arena, size);

		assert_int_equal((uintptr_t)at % 16, 0);
		assert_int_equal(at[size - 1], 0);
		memset(at, 0xff, size);
	}
	wk_arena_reset(&arena);
	assert_string_equal(wk_arena_copy(&arena, wk_str_c("again")).at, "again");
	wk_arena_fini(&arena);
}

struct numbers {
	uint32_t of[64]; /* by id */
};

static bool same_number(const void *table, uint32_t id, const void *key)
{
	return ((const struct numbers *)table)->of[id] == *(const uint32_t *)key;
}

/* Few distinct hashes, so that chains overlap and wrap around the end. */
static void an_index_finds_each_row_from_when_it_was_added(void **state)
{
	struct numbers numbers = { 0 };
	struct wk_index index = { 0 };

	(void)state;
	for (uint32_t id = 1; id < 64; id++)
		numbers.of[id] = id;
	for (uint32_t last = 1; last < 64; last++) {
		wk_index_add(&index, (120 + last % 11) << 7, last);
		for (uint32_t id = 1; id < 64; id++)
			assert_int_equal(wk_index_find(&index, (120 + id % 11) << 7, same_number,
						       &numbers, &id),
					 id <= last ? id : 0);
	}
	assert_true(index.cap <= 128);
	wk_index_fini(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_checksum_is_the_same_in_pieces),
		cmocka_unit_test(the_same_text_gets_the_same_id),
		cmocka_unit_test(a_long_text_that_lasts_is_read_once_from_its_place),
		cmocka_unit_test(a_hundred_thousand_texts_are_all_found_again),
		cmocka_unit_test(a_map_keeps_every_key_even_the_largest),
		cmocka_unit_test(an_index_finds_each_row_from_when_it_was_added),
		cmocka_unit_test(a_window_read_past_its_end_is_bad_and_yields_zero),
		cmocka_unit_test(leb_numbers_are_as_the_dwarf_standard_shows),
		cmocka_unit_test(names_are_escaped_for_where_they_go),
		cmocka_unit_test(a_failed_write_is_told_at_the_end),
		cmocka_unit_test(what_is_written_in_place_stands_between_the_rest),
		cmocka_unit_test(broken_utf8_is_taken_byte_by_byte),
		cmocka_unit_test(numbers_are_read_strictly),
		cmocka_unit_test(numbers_are_written_for_people),
		cmocka_unit_test(one_of_a_thing_is_called_otherwise_than_several),
		cmocka_unit_test(an_argument_is_quoted_as_a_shell_reads_it),
		cmocka_unit_test(a_full_buffer_drops_and_says_so),
		cmocka_unit_test(texts_made_to_meet_do_not_meet),
		cmocka_unit_test(hashes_are_those_of_a_secret_and_fixed_ones_are_not),
		cmocka_unit_test(the_first_fault_wins_and_the_file_comes_in_front),
		cmocka_unit_test(the_crc_is_that_of_zlib),
		cmocka_unit_test(the_crc_of_many_bytes_is_that_of_few_after_few),
		cmocka_unit_test(an_arena_serves_small_and_large_and_starts_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
