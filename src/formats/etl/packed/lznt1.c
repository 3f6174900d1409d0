/* LZNT1: chunks of up to 4 KiB of plain bytes, packed or stored. The division of the 16 bits of a
 * copy into distance and length depends on its position in the chunk. */
#include "formats/etl/packed/xpress.h"

#include "formats/etl/packed/lz_copy.h"

#define CHUNK       4096
#define IS_PACKED   0x8000
#define LEAST_MATCH 3

/* As many bits of distance as reach back to the start of the chunk, at least four. */
static unsigned length_bits(size_t done)
{
	unsigned bits = 12;

	while (bits > 4 && done > (size_t)1 << (16 - bits))
		bits--;
	return bits;
}

static bool match(struct wk_bytes *in, struct wk_lz_out *chunk)
{
	unsigned word = wk_u16le(in), bits = length_bits((size_t)(chunk->at - chunk->start));

	return !in->bad &&
	       wk_lz_copy(chunk, (word >> bits) + 1, (word & ((1u << bits) - 1)) + LEAST_MATCH);
}

static bool packed_chunk(struct wk_bytes in, struct wk_lz_out *chunk)
{
	while (wk_bytes_left(&in)) {
		unsigned flags = wk_u8(&in);

		for (unsigned i = 0; i < 8 && wk_bytes_left(&in); i++) {
			if (flags >> i & 1) {
				if (!match(&in, chunk))
					return false;
			} else if (chunk->at == chunk->end) {
				return false;
			} else {
				*chunk->at++ = wk_u8(&in);
			}
		}
	}
	return true;
}

static bool plain_chunk(struct wk_bytes in, struct wk_lz_out *chunk)
{
	size_t len = wk_bytes_left(&in), left = wk_lz_left(chunk);

	memcpy(chunk->at, in.at, len < left ? len : left);
	chunk->at += len < left ? len : left;
	return len <= left;
}

/* A chunk other than the last represents 4 KiB, filled with zeros. */
static void fill_up(struct wk_lz_out *chunk)
{
	memset(chunk->at, 0, wk_lz_left(chunk));
	chunk->at = chunk->end;
}

/* The bytes of the chunk of the size in `head`, as far as they exist. */
static struct wk_bytes chunk_bytes(struct wk_bytes *packed, unsigned head, bool *is_whole)
{
	size_t size = (head & (CHUNK - 1)) + 1, left = wk_bytes_left(packed);

	*is_whole = size <= left;
	return wk_bytes_slice(packed, *is_whole ? size : left);
}

bool wk_lznt1(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made)
{
	struct wk_lz_out chunk = { plain, plain, plain };
	uint8_t *end = plain + size_bytes;
	bool is_whole = true;

	while (is_whole) {
		unsigned head = wk_u16le(&packed);
		struct wk_bytes in;
		size_t left;

		if (packed.bad || head == 0)
			break;
		fill_up(&chunk);
		left = (size_t)(end - chunk.at);
		if (left == 0)
			break;
		in = chunk_bytes(&packed, head, &is_whole);
		chunk.start = chunk.at;
		chunk.end = chunk.at + (left < CHUNK ? left : CHUNK);
		if (!(head & IS_PACKED ? packed_chunk(in, &chunk) : plain_chunk(in, &chunk)))
			is_whole = false;
	}
	*made = (size_t)(chunk.at - plain);
	return is_whole && *made == size_bytes;
}
