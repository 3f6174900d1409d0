/* LZX: small streams with each kind of block (a packer of tests/oracle/lzx.py made them, and
 * cabextract reads what that makes), and what becomes of broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/packed/lzx.h"

#define TEXT "main;work 12\nmain;work 12\nmain;work 12\n"

static const char verbatim[] =
	"\x00\x10\x74\x02\x00\x00\x00\x00\x00\x00\x00\x14\x0c\x32\x2d\xc8\x45\x86\x37\x16"
	"\x77\x38\x7d\x30\xf3\xfb\x00\x80\x00\x00\x00\x00\x08\x00\x84\x00\xe2\x1f\xf7\x7d"
	"\x00\xc3\x00\x00\x00\x00\x00\x00\x22\x00\xbc\x10\x7d\x9f\xc7\xf7\xad\xc9\xdf\x81"
	"\xce\x6a\x80\x87";
static const char aligned[] =
	"\x00\x20\x76\x02\x6d\xdb\x00\xb4\x00\x00\x00\x00\x14\x00\x32\x00\xc8\x0c\x86\x2d"
	"\x16\x45\x38\x37\x30\x77\xfb\x7d\x80\xf3\x00\x00\x00\x00\x00\x00\x00\x08\x1f\x84"
	"\x7d\xe2\xc3\xf7\x00\x00\x00\x00\x00\x00\x00\x00\x10\x22\x9f\xbc\xf7\x7d\xc9\xc7"
	"\x81\xad\x6a\xdf\x87\xce\x00\x80";
static const char uncompressed[] =
	"\x00\x30\x70\x02\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x6d\x61\x69\x6e"
	"\x3b\x77\x6f\x72\x6b\x20\x31\x32\x0a\x6d\x61\x69\x6e\x3b\x77\x6f\x72\x6b\x20\x31"
	"\x32\x0a\x6d\x61\x69\x6e\x3b\x77\x6f\x72\x6b\x20\x31\x32\x0a\x00";

/* Four calls of the same function, in a whole of 1,000 bytes. */
static const char calls[] =
	"\x00\x80\xf4\x01\x00\x10\x20\x02\x00\x00\x00\x00\x00\x00\x20\x02\x0d\x01\x25\xf7"
	"\xd0\xf7\x00\x83\x00\x00\x00\x00\x00\x00\x02\x20\xee\x10\x7d\x2e\xd3\xf7\x00\x20"
	"\x00\x00\x00\x00\x00\x00\x10\x20\xad\xae\xdf\xf7\x25\x7d\x0f\xb0\x00\xb8";
static const char called[] = "\x90\x90\xe8\x62\0\0\0\xe8\x5d\0\0\0\xe8\x58\0\0\0\xe8\x53\0\0\0"
			     "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90";

static const struct {
	const char *packed;
	size_t packed_bytes;
	const char *plain;
	size_t size_bytes;
} streams[] = {
	{ verbatim, sizeof(verbatim) - 1, TEXT, sizeof(TEXT) - 1 },
	{ aligned, sizeof(aligned) - 1, TEXT, sizeof(TEXT) - 1 },
	{ uncompressed, sizeof(uncompressed) - 1, TEXT, sizeof(TEXT) - 1 },
	{ calls, sizeof(calls) - 1, called, sizeof(called) - 1 },
};

#define STREAMS (sizeof(streams) / sizeof(streams[0]))

static bool read_block(struct wk_bytes packed, size_t size_bytes, struct wk_buf *plain,
		       struct wk_err *err)
{
	struct wk_lzx *lzx = wk_lzx_new(15);
	bool ok = wk_lzx_block(lzx, packed, size_bytes, plain, err);

	wk_lzx_free(lzx);
	return ok;
}

static void every_kind_of_block_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < STREAMS; i++) {
		struct wk_buf plain = { 0 };
		struct wk_err err = { 0 };

		assert_true(read_block(wk_bytes_of(streams[i].packed, streams[i].packed_bytes),
				       streams[i].size_bytes, &plain, &err));
		assert_int_equal(plain.len, streams[i].size_bytes);
		assert_memory_equal(plain.at, streams[i].plain, plain.len);
		wk_buf_fini(&plain);
	}
}

/* All but the byte that fills up the last block's odd number of them. */
static void a_cut_stream_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < STREAMS; i++)
		for (size_t len = 0; len + 2 < streams[i].packed_bytes; len++) {
			struct wk_buf plain = { 0 };
			struct wk_err err = { 0 };

			assert_false(read_block(wk_bytes_of(streams[i].packed, len),
						streams[i].size_bytes, &plain, &err));
			assert_string_equal(err.text, "the LZX data is broken");
			assert_int_equal(plain.len, 0);
		}
}

/* A block goes on in the cabinet's next one; there is none here. */
static void more_than_there_is_cannot_be_had(void **state)
{
	(void)state;
	for (size_t i = 0; i < STREAMS; i++) {
		struct wk_bytes packed = wk_bytes_of(streams[i].packed, streams[i].packed_bytes);
		struct wk_buf plain = { 0 };
		struct wk_err err = { 0 };

		assert_false(read_block(packed, streams[i].size_bytes + 1, &plain, &err));
		assert_false(read_block(packed, WK_LZX_MOST_BLOCK + 1, &plain, &err));
		assert_int_equal(plain.len, 0);
	}
}

static void a_flipped_bit_gives_an_answer_or_a_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < STREAMS; i++)
		for (size_t bit = 0; bit < 8 * streams[i].packed_bytes; bit++) {
			struct wk_buf packed = { 0 }, plain = { 0 };
			struct wk_err err = { 0 };

			wk_buf_add(&packed, streams[i].packed, streams[i].packed_bytes);
			packed.at[bit / 8] ^= (char)(1 << bit % 8);
			if (read_block(wk_bytes_of(packed.at, packed.len), streams[i].size_bytes,
				       &plain, &err))
				assert_int_equal(plain.len, streams[i].size_bytes);
			else
				assert_true(err.text[0] != '\0' && plain.len == 0);
			wk_buf_fini(&packed);
			wk_buf_fini(&plain);
		}
}

static void after_a_fault_there_is_no_more(void **state)
{
	struct wk_lzx *lzx = wk_lzx_new(15);
	struct wk_buf plain = { 0 };

	(void)state;
	assert_false(wk_lzx_block(lzx, wk_bytes_of("\xff\x7f", 2), 1, &plain, NULL));
	assert_false(wk_lzx_block(lzx, wk_bytes_of(uncompressed, sizeof(uncompressed) - 1), 39,
				  &plain, NULL));
	wk_lzx_free(lzx);
}

static void windows_are_of_32_kib_to_2_mib(void **state)
{
	(void)state;
	assert_null(wk_lzx_new(0));
	assert_null(wk_lzx_new(14));
	assert_null(wk_lzx_new(22));
	for (unsigned bits = 15; bits <= 21; bits++) {
		struct wk_lzx *lzx = wk_lzx_new(bits);

		assert_non_null(lzx);
		wk_lzx_free(lzx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_block_is_read),
		cmocka_unit_test(a_cut_stream_is_refused),
		cmocka_unit_test(more_than_there_is_cannot_be_had),
		cmocka_unit_test(a_flipped_bit_gives_an_answer_or_a_sentence),
		cmocka_unit_test(after_a_fault_there_is_no_more),
		cmocka_unit_test(windows_are_of_32_kib_to_2_mib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
