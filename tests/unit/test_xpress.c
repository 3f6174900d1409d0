/* The three ways Windows packs: the examples of [MS-XCA], and bytes that a writer packed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "formats/etl/packed/xpress.h"
#include "lz_maker.h"

typedef bool (*unpacker)(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made);
typedef void (*packer)(struct wk_buf *out, const uint8_t *plain, size_t size);

static const struct way {
	unpacker unpack;
	packer pack;
} ways[] = {
	{ wk_xpress_plain, lz_pack_plain },
	{ wk_xpress_huffman, lz_pack_huffman },
	{ wk_lznt1, lz_pack_lznt1 },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

static void assert_plain(unpacker unpack, const void *packed, size_t packed_bytes,
			 const void *plain, size_t size)
{
	uint8_t *out = wk_alloc_zeroed(size + 1, 1);
	size_t made = 0;

	out[size] = 0xa5;
	assert_true(unpack(wk_bytes_of(packed, packed_bytes), out, size, &made));
	assert_int_equal(made, size);
	assert_memory_equal(out, plain, size);
	assert_int_equal(out[size], 0xa5);
	wk_free(out);
}

static void abc_100_times(uint8_t *text)
{
	for (int i = 0; i < 300; i++)
		text[i] = (uint8_t)('a' + i % 3);
}

static void the_plain_examples_of_the_specification_unpack(void **state)
{
	static const uint8_t letters[] = { 0x3f, 0,   0,   0,	'a', 'b', 'c', 'd', 'e', 'f',
					   'g',	 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p',
					   'q',	 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z' };
	static const uint8_t abc[] = { 0xff, 0xff, 0xff, 0x1f, 'a',  'b', 'c',
				       0x17, 0,	   0x0f, 0xff, 0x26, 0x01 };
	uint8_t text[300];

	(void)state;
	abc_100_times(text);
	assert_plain(wk_xpress_plain, letters, sizeof(letters), alphabet, 26);
	assert_plain(wk_xpress_plain, abc, sizeof(abc), text, 300);
}

static void the_huffman_examples_of_the_specification_unpack(void **state)
{
	static const uint8_t letters[20] = { 0xd8, 0x52, 0x3e, 0xd7, 0x94, 0x11, 0x5b, 0xe9,
					     0x19, 0x5f, 0xf9, 0xd6, 0x7c, 0xdf, 0x8d, 0x04 };
	static const uint8_t abc[] = { 0xa8, 0xdc, 0, 0, 0xff, 0x26, 0x01 };
	uint8_t packed[276] = { [48] = 0x50, [128] = 0x04 }, text[300];

	(void)state;
	memset(packed + 49, 0x55, 10);
	memcpy(packed + 59, "\x45\x44\x04", 3);
	memcpy(packed + 256, letters, sizeof(letters));
	assert_plain(wk_xpress_huffman, packed, sizeof(packed), alphabet, 26);

	memset(packed, 0, sizeof(packed));
	packed[48] = 0x30;
	packed[49] = 0x23;
	packed[128] = 0x02;
	packed[143] = 0x20;
	memcpy(packed + 256, abc, sizeof(abc));
	abc_100_times(text);
	assert_plain(wk_xpress_huffman, packed, 263, text, 300);
}

/* "#include <ntfs.h>\n" and "#include <stdio.h>\n": the copy's division changes as it goes on. */
static void an_lznt1_chunk_divides_copies_by_where_they_stand(void **state)
{
	static const uint8_t packed[] = {
		0x1a, 0xb0,					  /* 27 bytes, packed */
		0x00, '0',  '1',  '2', '3', '4', '5',  '6',  '7', /* as they are */
		0x00, '8',  '9',  'a', 'b', 'c', 'd',  'e',  'f',
		0x01, 0x0d, 0xf0, /* at 16: four bits of distance, sixteen back, 16 */
		'g',  'h',  'i',  'j', 'k', 'l', 0x00, 0x00,
	};

	(void)state;
	assert_plain(wk_lznt1, packed, sizeof(packed), "0123456789abcdef0123456789abcdefghijkl",
		     38);
}

/* Bytes in which copies of every length and distance up to some hundreds occur. */
static uint8_t *mixture(size_t size, unsigned seed)
{
	uint8_t *bytes = wk_alloc(size + 1);
	uint32_t x = seed * 2654435761u + 1;
	size_t at = 0;

	while (at < size) {
		size_t distance, length;

		x = x * 1664525 + 1013904223;
		distance = 1 + (x >> 8) % 400;
		length = x >> 28 < 2 ? 3 + (x >> 12) % 9000 : (x >> 20) % 40;
		if (distance > at)
			length = 0;
		for (size_t i = 0; i < length && at < size; i++, at++)
			bytes[at] = bytes[at - distance];
		if (at < size)
			bytes[at++] = (uint8_t)(x >> 16 & (seed & 1 ? 0x0f : 0xff));
	}
	return bytes;
}

static void what_a_writer_packs_comes_back(void **state)
{
	static const size_t sizes[] = { 1, 2, 31, 32, 33, 300, 4095, 4096, 4097, 20000, 150000 };

	(void)state;
	for (size_t way = 0; way < WAYS; way++) {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			uint8_t *plain = mixture(sizes[i], i);
			struct wk_buf packed = { 0 };

			ways[way].pack(&packed, plain, sizes[i]);
			assert_plain(ways[way].unpack, packed.at, packed.len, plain, sizes[i]);
			wk_buf_fini(&packed);
			wk_free(plain);
		}
	}
}

static void long_copies_of_one_byte_come_back(void **state)
{
	static const size_t sizes[] = { 24, 25, 26, 279, 280, 281, 282, 65535, 65540, 70000 };
	uint8_t *plain = wk_alloc_zeroed(70000, 1);

	(void)state;
	for (size_t way = 0; way < WAYS; way++) {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct wk_buf packed = { 0 };

			ways[way].pack(&packed, plain, sizes[i]);
			assert_plain(ways[way].unpack, packed.at, packed.len, plain, sizes[i]);
			wk_buf_fini(&packed);
		}
	}
	wk_free(plain);
}

static void codes_of_fifteen_bits_are_read(void **state)
{
	uint8_t plain[600];
	struct wk_buf packed = { 0 };

	(void)state;
	for (unsigned i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * i % 15);
	for (unsigned i = 0; i < 15; i++)
		plain[i] = (uint8_t)i;
	lz_pack_huffman(&packed, plain, 15);
	assert_plain(wk_xpress_huffman, packed.at, packed.len, plain, 15);
	wk_buf_fini(&packed);
}

/* Cut anywhere, what was made is a beginning of the whole. */
static void cut_bytes_give_their_beginning_and_say_so(void **state)
{
	enum { SIZE = 30000 };
	uint8_t *plain = mixture(SIZE, 2), *out = wk_alloc(SIZE);

	(void)state;
	for (size_t way = 0; way < WAYS; way++) {
		struct wk_buf packed = { 0 };
		size_t longest = 0;

		ways[way].pack(&packed, plain, SIZE);
		for (size_t len = 0; len < packed.len * 9 / 10; len += 31) {
			uint8_t *exact = wk_alloc(len + 1);
			size_t made = SIZE_MAX;

			memcpy(exact, packed.at, len);
			assert_false(ways[way].unpack(wk_bytes_of(exact, len), out, SIZE, &made));
			assert_true(made < SIZE);
			assert_memory_equal(out, plain, made);
			longest = made > longest ? made : longest;
			wk_free(exact);
		}
		assert_true(longest > SIZE / 2);
		wk_buf_fini(&packed);
	}
	wk_free(plain);
	wk_free(out);
}

static void a_copy_from_before_the_beginning_is_broken(void **state)
{
	static const uint8_t plain[] = { 0, 0, 0, 0x40, 'a', 0x10, 0 };
	static const uint8_t lznt1[] = { 0x03, 0xb0, 0x02, 'a', 0x00, 0x10 };
	uint8_t out[64];
	size_t made;

	(void)state;
	assert_false(wk_xpress_plain(wk_bytes_of(plain, sizeof(plain)), out, 8, &made));
	assert_int_equal(made, 1);
	assert_false(wk_lznt1(wk_bytes_of(lznt1, sizeof(lznt1)), out, 8, &made));
	assert_int_equal(made, 1);
}

static void a_copy_beyond_the_end_is_broken_and_writes_nothing_there(void **state)
{
	uint8_t plain[200] = { 0 }, out[101] = { [100] = 0xa5 };
	size_t made;

	(void)state;
	for (size_t way = 0; way < WAYS; way++) {
		struct wk_buf packed = { 0 };

		ways[way].pack(&packed, plain, sizeof(plain));
		assert_false(ways[way].unpack(wk_bytes_of(packed.at, packed.len), out, 100, &made));
		assert_int_equal(out[100], 0xa5);
		wk_buf_fini(&packed);
	}
}

static void codes_that_take_more_than_all_bits_are_broken(void **state)
{
	uint8_t packed[300], out[16];
	size_t made;

	(void)state;
	memset(packed, 0x11, sizeof(packed));
	assert_false(wk_xpress_huffman(wk_bytes_of(packed, sizeof(packed)), out, 16, &made));
	memset(packed, 0, sizeof(packed));
	assert_false(wk_xpress_huffman(wk_bytes_of(packed, sizeof(packed)), out, 16, &made));
	assert_int_equal(made, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plain_examples_of_the_specification_unpack),
		cmocka_unit_test(the_huffman_examples_of_the_specification_unpack),
		cmocka_unit_test(an_lznt1_chunk_divides_copies_by_where_they_stand),
		cmocka_unit_test(what_a_writer_packs_comes_back),
		cmocka_unit_test(long_copies_of_one_byte_come_back),
		cmocka_unit_test(codes_of_fifteen_bits_are_read),
		cmocka_unit_test(cut_bytes_give_their_beginning_and_say_so),
		cmocka_unit_test(a_copy_from_before_the_beginning_is_broken),
		cmocka_unit_test(a_copy_beyond_the_end_is_broken_and_writes_nothing_there),
		cmocka_unit_test(codes_that_take_more_than_all_bits_are_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
