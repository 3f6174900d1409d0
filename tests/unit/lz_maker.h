/* Packs bytes in the three ways that formats/etl/packed/xpress.h unpacks, by the plainest rules:
 * for tests and for the seeds of fuzz targets. */
#ifndef WK_TEST_LZ_MAKER_H
#define WK_TEST_LZ_MAKER_H

#include <string.h>

#include "base/buf.h"

struct lz_token {
	size_t distance, length; /* distance 0: a byte as it is */
};

/* The longest copy among the last few hundred places, which is enough for tests. */
static inline struct lz_token lz_token(const uint8_t *plain, size_t at, size_t end, size_t farthest)
{
	struct lz_token best = { 0, 1 };

	for (size_t distance = 1; distance <= at && distance <= farthest; distance++) {
		size_t length = 0;

		while (at + length < end && plain[at + length] == plain[at + length - distance])
			length++;
		if (length >= 3 && length > best.length)
			best = (struct lz_token){ distance, length };
	}
	return best;
}

static inline void lz_put_at(struct wk_buf *out, size_t at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out->at[at + i] = (char)(value >> 8 * i);
}

/* A length of seven or more beyond three, with the half byte that two of them share. */
static inline void lz_plain_length(struct wk_buf *out, size_t *shared, size_t length)
{
	unsigned half = length - 7 < 15 ? (unsigned)length - 7 : 15;

	if (*shared) {
		out->at[*shared] = (char)((uint8_t)out->at[*shared] | half << 4);
		*shared = 0;
	} else {
		*shared = out->len;
		wk_buf_add_char(out, (char)half);
	}
	if (half < 15)
		return;
	wk_buf_add_char(out, (char)(length - 22 < 255 ? length - 22 : 255));
	if (length - 22 < 255)
		return;
	wk_buf_add_u16(out, length < 65536 ? (uint16_t)length : 0);
	if (length >= 65536)
		wk_buf_add_u32(out, (uint32_t)length);
}

static inline void lz_plain_copy(struct wk_buf *out, size_t *shared, struct lz_token token)
{
	size_t length = token.length - 3;

	wk_buf_add_u16(out, (uint16_t)((token.distance - 1) << 3 | (length < 7 ? length : 7)));
	if (length >= 7)
		lz_plain_length(out, shared, length);
}

/* What goes out for the bytes at `at`. */
typedef struct lz_token (*lz_choose)(void *context, const uint8_t *plain, size_t at, size_t end);

/* Flags behind the last token are 1, as Windows writes them. */
static inline void lz_pack_chosen(struct wk_buf *out, const uint8_t *plain, size_t size,
				  lz_choose choose, void *context)
{
	size_t flags_at = 0, shared = 0, at = 0;
	uint32_t flags = 0;
	unsigned count = 0;

	while (at < size) {
		struct lz_token token = choose(context, plain, at, size);

		if (count % 32 == 0) {
			flags_at = out->len;
			flags = UINT32_MAX;
			wk_buf_add_u32(out, flags);
		}
		if (token.distance) {
			lz_plain_copy(out, &shared, token);
		} else {
			flags &= ~((uint32_t)1 << (31 - count % 32));
			wk_buf_add_char(out, (char)plain[at]);
		}
		lz_put_at(out, flags_at, flags, 4);
		at += token.length;
		count++;
	}
	if (count % 32 == 0)
		wk_buf_add_u32(out, UINT32_MAX);
}

static inline struct lz_token lz_choose_longest(void *context, const uint8_t *plain, size_t at,
						size_t end)
{
	(void)context;
	return lz_token(plain, at, end, 512);
}

static inline void lz_pack_plain(struct wk_buf *out, const uint8_t *plain, size_t size)
{
	lz_pack_chosen(out, plain, size, lz_choose_longest, NULL);
}

struct lz_huffman {
	struct wk_buf *out;
	size_t first_at, second_at; /* the two words that the reader has taken ahead */
	uint32_t bits;
	unsigned free;
	uint8_t lengths[512];
	uint32_t codes[512];
};

static inline void lz_bits(struct lz_huffman *h, unsigned count, uint32_t bits)
{
	if (h->free >= count) {
		h->free -= count;
		h->bits = h->bits << count | bits;
		return;
	}
	h->bits = h->bits << h->free | bits >> (count - h->free);
	lz_put_at(h->out, h->first_at, h->bits, 2);
	h->first_at = h->second_at;
	h->second_at = h->out->len;
	wk_buf_add_u16(h->out, 0);
	h->free += 16 - count;
	h->bits = bits;
}

static inline unsigned lz_symbol(struct lz_token token, uint8_t byte)
{
	unsigned distance_bits = 0;
	size_t length = token.length - 3;

	if (!token.distance)
		return byte;
	while (token.distance >> (distance_bits + 1))
		distance_bits++;
	return 256 + (distance_bits << 4 | (length < 15 ? (unsigned)length : 15));
}

/* Few symbols get lengths 1, 2, 3 ... so that long codes occur; many get as equal ones as can be.
 */
static inline void lz_lengths(struct lz_huffman *h, const bool *used)
{
	unsigned count = 0, nth = 0, bits = 0, longer;

	for (unsigned i = 0; i < 512; i++)
		count += used[i];
	while (1u << bits < count)
		bits++;
	longer = 2 * count - (1u << bits);
	for (unsigned i = 0; i < 512; i++) {
		if (!used[i])
			continue;
		if (count <= 16)
			h->lengths[i] = (uint8_t)(nth + 1 < count ? nth + 1 : nth ? nth : 1);
		else
			h->lengths[i] = (uint8_t)(nth < longer ? bits : bits - 1);
		nth++;
	}
}

static inline void lz_codes(struct lz_huffman *h)
{
	uint32_t code = 0;

	for (unsigned length = 1; length <= 15; length++, code <<= 1)
		for (unsigned i = 0; i < 512; i++)
			if (h->lengths[i] == length)
				h->codes[i] = code++;
	for (unsigned i = 0; i < 512; i += 2)
		wk_buf_add_char(h->out, (char)(h->lengths[i] | h->lengths[i + 1] << 4));
}

static inline void lz_huffman_token(struct lz_huffman *h, struct lz_token token, unsigned symbol)
{
	size_t length = token.length - 3;
	unsigned distance_bits = symbol >> 4 & 15;

	lz_bits(h, h->lengths[symbol], h->codes[symbol]);
	if (!token.distance)
		return;
	if (length >= 15) {
		wk_buf_add_char(h->out, (char)(length - 15 < 255 ? length - 15 : 255));
		if (length - 15 >= 255)
			wk_buf_add_u16(h->out, length < 65536 ? (uint16_t)length : 0);
		if (length - 15 >= 255 && length >= 65536)
			wk_buf_add_u32(h->out, (uint32_t)length);
	}
	lz_bits(h, distance_bits, (uint32_t)(token.distance - ((size_t)1 << distance_bits)));
}

/* One piece of at most 64 KiB; the end is marked by symbol 256 as Windows does. */
static inline void lz_pack_piece(struct wk_buf *out, const uint8_t *plain, size_t from, size_t to)
{
	struct lz_huffman h = { .out = out, .free = 16 };
	bool used[512] = { [256] = true };
	struct lz_token token;

	for (size_t at = from; at < to; at += token.length) {
		token = lz_token(plain, at, to, 512);
		used[lz_symbol(token, plain[at])] = true;
	}
	lz_lengths(&h, used);
	lz_codes(&h);
	h.first_at = out->len;
	h.second_at = out->len + 2;
	wk_buf_add_u32(out, 0);
	for (size_t at = from; at < to; at += token.length) {
		token = lz_token(plain, at, to, 512);
		lz_huffman_token(&h, token, lz_symbol(token, plain[at]));
	}
	if (to - from < 65536)
		lz_bits(&h, h.lengths[256], h.codes[256]);
	lz_put_at(out, h.first_at, h.bits << h.free, 2);
}

static inline void lz_pack_huffman(struct wk_buf *out, const uint8_t *plain, size_t size)
{
	for (size_t from = 0; from < size; from += 65536)
		lz_pack_piece(out, plain, from, size - from < 65536 ? size : from + 65536);
}

static inline void lz_pack_chunk(struct wk_buf *out, const uint8_t *chunk, size_t size)
{
	size_t flags_at = 0, at = 0;
	unsigned count = 0;

	while (at < size) {
		unsigned bits = 12;
		struct lz_token token;

		while (bits > 4 && at > (size_t)1 << (16 - bits))
			bits--;
		token = lz_token(chunk, at, size, 512);
		if (token.length > ((size_t)1 << bits) + 2)
			token.length = ((size_t)1 << bits) + 2;
		if (count++ % 8 == 0) {
			flags_at = out->len;
			wk_buf_add_char(out, 0);
		}
		if (token.distance) {
			out->at[flags_at] =
				(char)((uint8_t)out->at[flags_at] | 1u << (count - 1) % 8);
			wk_buf_add_u16(
				out, (uint16_t)((token.distance - 1) << bits | (token.length - 3)));
		} else {
			wk_buf_add_char(out, (char)chunk[at]);
		}
		at += token.length;
	}
}

/* A chunk that would not become smaller stays as it is, as it must. */
static inline void lz_pack_lznt1(struct wk_buf *out, const uint8_t *plain, size_t size)
{
	for (size_t from = 0; from < size; from += 4096) {
		size_t head_at = out->len, chunk = size - from < 4096 ? size - from : 4096;

		wk_buf_add_u16(out, 0);
		lz_pack_chunk(out, plain + from, chunk);
		if (out->len - head_at - 2 < chunk) {
			lz_put_at(out, head_at, 0xb000 | (out->len - head_at - 3), 2);
			continue;
		}
		out->len = head_at;
		wk_buf_add_u16(out, (uint16_t)(0x3000 | (chunk - 1)));
		wk_buf_add(out, plain + from, chunk);
	}
	wk_buf_add_u16(out, 0);
}

#endif
