/* Packed bytes: what comes out, where it stops, and what a bomb gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/packed/pack.h"
#include "base/packed/unpack.h"

#define PLAIN "main;work 12\nmain;work 12\nmain;work 12\n"

static const char gzipped[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x4d\xcc\xcc\xb3\x2e\xcf\x2f\xca\x56\x30\x34"
	"\xe2\xca\xc5\xc9\x01\x00\xa5\x72\xc8\x50\x27\x00\x00\x00";
static const char zstd_packed[] =
	"\x28\xb5\x2f\xfd\x04\x68\x9d\x00\x00\x68\x6d\x61\x69\x6e\x3b\x77\x6f\x72\x6b\x20\x31\x32"
	"\x0a\x01\x00\x60\xcf\x2f\xa5\xca\xba\xe2";

static const char xz_packed[] =
	"\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x1c\x00\x00\x00\x10\xcf"
	"\x58\xcc\xe0\x00\x26\x00\x14\x5d\x00\x36\x98\x49\x72\x85\x92\x64\x9c\x04\x8a\x44\x61\xe2"
	"\x4b\x00\xc1\xf5\xf6\xc0\x00\x00\xa5\x72\xc8\x50\x00\x01\x2c\x27\xee\x6b\xbd\xbc\x90\x42"
	"\x99\x0d\x01\x00\x00\x00\x00\x01\x59\x5a";

#define XZ_SIZE   (sizeof(xz_packed) - 1)
#define GZIP_SIZE (sizeof(gzipped) - 1)
#define ZSTD_SIZE (sizeof(zstd_packed) - 1)

/* A library that this build lacks is named; there is nothing more to test then. */
static bool unpacks(struct wk_bytes packed, struct wk_buf *plain, struct wk_err *err)
{
	bool ok = wk_unpack(packed, plain, err);

	if (!ok && strstr(err->text, "was built without"))
		skip();
	return ok;
}

static void check_plain(const char *packed, size_t size, const char *expected)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	assert_true(unpacks(wk_bytes_of(packed, size), &plain, &err));
	assert_string_equal(wk_buf_text(&plain), expected);
	wk_buf_fini(&plain);
}

static void gzip_is_unpacked(void **state)
{
	(void)state;
	assert_int_equal(wk_packing_of(wk_bytes_of(gzipped, GZIP_SIZE)), WK_PACKED_GZIP);
	check_plain(gzipped, GZIP_SIZE, PLAIN);
}

static void zstd_is_unpacked(void **state)
{
	(void)state;
	assert_int_equal(wk_packing_of(wk_bytes_of(zstd_packed, ZSTD_SIZE)), WK_PACKED_ZSTD);
	check_plain(zstd_packed, ZSTD_SIZE, PLAIN);
}

static void xz_is_unpacked(void **state)
{
	(void)state;
	assert_int_equal(wk_packing_of(wk_bytes_of(xz_packed, XZ_SIZE)), WK_PACKED_XZ);
	check_plain(xz_packed, XZ_SIZE, PLAIN);
}

static void check_pieces(const char *packed, size_t size)
{
	struct wk_buf pieces = { 0 };

	wk_buf_add(&pieces, packed, size);
	wk_buf_add(&pieces, packed, size);
	wk_buf_add(&pieces, "\0\0\0\0", 4);
	check_plain(pieces.at, pieces.len, PLAIN PLAIN);
	wk_buf_fini(&pieces);
}

static void several_pieces_are_one_text_and_padding_is_left_alone(void **state)
{
	(void)state;
	check_pieces(gzipped, GZIP_SIZE);
	check_pieces(zstd_packed, ZSTD_SIZE);
	check_pieces(xz_packed, XZ_SIZE);
}

static void check_cut(const char *packed, size_t size, const char *says)
{
	for (size_t len = 6; len < size; len++) {
		struct wk_buf plain = { 0 };
		struct wk_err err = { 0 };

		assert_false(unpacks(wk_bytes_of(packed, len), &plain, &err));
		assert_non_null(strstr(err.text, says));
		wk_buf_fini(&plain);
	}
}

static void every_early_end_is_said(void **state)
{
	(void)state;
	check_cut(gzipped, GZIP_SIZE, "the gzip data ends in the middle");
	check_cut(zstd_packed, ZSTD_SIZE, "the zstd data ends in the middle");
	check_cut(xz_packed, XZ_SIZE, "the xz data ends in the middle");
}

static void broken_data_is_said_with_its_place(void **state)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };
	char broken[GZIP_SIZE];

	(void)state;
	memcpy(broken, gzipped, sizeof(broken));
	broken[sizeof(broken) - 8] ^= 1; /* the checksum */
	assert_false(unpacks(wk_bytes_of(broken, sizeof(broken)), &plain, &err));
	assert_non_null(strstr(err.text, "the gzip data is broken: incorrect data check"));
	assert_true(err.offset != WK_NOWHERE);
	wk_buf_fini(&plain);
}

/* The dictionary's size stands in the block's header: 40 is 4 GiB. */
static void xz_that_wants_gigabytes_is_refused(void **state)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };
	char greedy[XZ_SIZE];
	uint32_t crc;

	(void)state;
	memcpy(greedy, xz_packed, sizeof(greedy));
	greedy[16] = 40;
	crc = wk_crc32(0, greedy + 12, 8);
	for (int i = 0; i < 4; i++)
		greedy[20 + i] = (char)(crc >> 8 * i);
	assert_false(unpacks(wk_bytes_of(greedy, sizeof(greedy)), &plain, &err));
	assert_non_null(strstr(err.text, "more memory than xz -9 does"));
	wk_buf_fini(&plain);
}

static void told_sizes_are_held_to(void **state)
{
	struct wk_bytes packed = wk_bytes_of(zstd_packed, ZSTD_SIZE);
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	wk_buf_add_text(&plain, "before ");
	if (!wk_unpack_as(WK_PACKED_ZSTD, packed, 39, &plain, &err))
		skip();
	assert_string_equal(wk_buf_text(&plain), "before " PLAIN);
	assert_false(wk_unpack_as(WK_PACKED_ZSTD, packed, 40, &plain, &err));
	assert_string_equal(err.text,
			    "the zstd data ends after 39 of the 40 bytes that it should have");
	wk_buf_fini(&plain);
}

/* What is in `gzipped`, without what gzip puts around it. */
static struct wk_bytes deflated(void)
{
	return wk_bytes_of(gzipped + 10, GZIP_SIZE - 10 - 8);
}

static void deflate_without_anything_around_it_is_unpacked(void **state)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	if (!wk_unpack_as(WK_PACKED_DEFLATE, deflated(), 39, &plain, &err))
		assert_non_null(strstr(err.text, "was built without"));
	else
		assert_string_equal(wk_buf_text(&plain), PLAIN);
	wk_buf_fini(&plain);
}

static void a_look_takes_no_more_than_asked(void **state)
{
	static const struct {
		const char *packed;
		size_t size;
	} rows[] = { { gzipped, GZIP_SIZE },
		     { gzipped, GZIP_SIZE - 9 },
		     { zstd_packed, ZSTD_SIZE },
		     { xz_packed, XZ_SIZE } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_bytes packed = wk_bytes_of(rows[i].packed, rows[i].size);
		struct wk_buf plain = { 0 };
		struct wk_err err = { 0 };

		if (!wk_unpack_first(packed, 10, &plain, &err))
			skip();
		assert_string_equal(wk_buf_text(&plain), "main;work ");
		wk_buf_fini(&plain);
	}
}

/* A mebibyte of zeros in 1,051 bytes of gzip: a thousand to one. */
static void add_bomb(struct wk_buf *out)
{
	char *at = wk_buf_extend(out, 1051);

	memset(at, 0, 1051);
	memcpy(at,
	       "\x1f\x8b\x08\0\0\0\0\0\x02\x03"
	       "\xed\xc1\x31\x01\0\0\0\xc2\xa0\xf5\x4f\x6d\x08\x5f\xa0",
	       25);
	memcpy(at + 1041, "\x3e\x03\x1c\xea\x38\xa7\0\0\x10\0", 10);
}

static void a_bomb_stops_at_the_limit(void **state)
{
	struct wk_buf bomb = { 0 }, plain = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	add_bomb(&bomb);
	assert_true(unpacks(wk_bytes_of(bomb.at, bomb.len), &plain, &err));
	assert_int_equal(plain.len, 1 << 20);
	wk_buf_reset(&plain);
	for (int i = 1; i < 120; i++)
		add_bomb(&bomb);
	assert_false(wk_unpack(wk_bytes_of(bomb.at, bomb.len), &plain, &err));
	assert_non_null(strstr(err.text, "unpacked with gzip it is larger than 100.1 MiB"));
	assert_true(plain.len <= wk_unpack_limit(wk_bytes_of(bomb.at, bomb.len)));
	wk_buf_fini(&plain);
	wk_buf_fini(&bomb);
}

static void what_is_packed_is_unpacked(void **state)
{
	struct wk_buf packed = { 0 }, plain = { 0 };
	struct wk_out out = wk_out_to_buf(&packed);
	struct wk_err err = { 0 };
	struct wk_out *packer = wk_packer_new(&out, &err);

	(void)state;
	assert_int_equal(packer != NULL, wk_can_pack());
	if (!packer) {
		assert_non_null(strstr(err.text, "without zlib"));
		skip();
	}
	for (uint32_t i = 0; i < 100000; i++)
		wk_out_fmt(packer, "line %u\n", (unsigned)i);
	wk_packer_end(packer);
	assert_true(wk_out_end(&out));
	assert_true(packed.len < 300000);
	assert_true(unpacks(wk_bytes_of(packed.at, packed.len), &plain, &err));
	assert_int_equal(plain.len, 10 * 7 + 90 * 8 + 900 * 9 + 9000 * 10 + 90000 * 11);
	assert_true(wk_str_ends(wk_buf_str(&plain), "line 99998\nline 99999\n"));
	wk_buf_fini(&packed);
	wk_buf_fini(&plain);
}

/* Neither library may be in this build. */
static void what_is_packed_as_a_whole_is_unpacked(void **state)
{
	struct wk_buf given = { 0 }, packed = { 0 }, plain = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	for (int i = 0; i < 20000; i++)
		wk_buf_add_fmt(&given, "row %d\n", i * 7 % 1000);
	wk_buf_add_text(&packed, "before");
	if (!wk_gzip(wk_buf_str(&given), &packed))
		skip();
	assert_memory_equal(packed.at, "before", 6);
	assert_true(packed.len < given.len / 4);
	assert_true(wk_unpack_as(WK_PACKED_GZIP, wk_bytes_of(packed.at + 6, packed.len - 6),
				 given.len, &plain, &err));
	assert_int_equal(plain.len, given.len);
	assert_memory_equal(plain.at, given.at, given.len);
	WK_BUF_FINI_ALL(&given, &packed, &plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_is_unpacked),
		cmocka_unit_test(zstd_is_unpacked),
		cmocka_unit_test(xz_is_unpacked),
		cmocka_unit_test(xz_that_wants_gigabytes_is_refused),
		cmocka_unit_test(told_sizes_are_held_to),
		cmocka_unit_test(several_pieces_are_one_text_and_padding_is_left_alone),
		cmocka_unit_test(every_early_end_is_said),
		cmocka_unit_test(broken_data_is_said_with_its_place),
		cmocka_unit_test(deflate_without_anything_around_it_is_unpacked),
		cmocka_unit_test(a_look_takes_no_more_than_asked),
		cmocka_unit_test(a_bomb_stops_at_the_limit),
		cmocka_unit_test(what_is_packed_is_unpacked),
		cmocka_unit_test(what_is_packed_as_a_whole_is_unpacked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
