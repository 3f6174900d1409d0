/* A window onto borrowed bytes.
 *
 * Reading past the end never faults: it yields zero (or empty text) and sets `bad`, which stays
 * set. A parser can read a whole record and check once, at the end. `start` stays at the start of
 * the window, so wk_bytes_offset gives the position of a fault; sub-windows keep their parent's
 * `start`. */
#ifndef WK_BASE_BYTES_H
#define WK_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

struct wk_bytes {
	const uint8_t *at, *end;
	const uint8_t *start;
	bool bad;
	bool big_endian; /* read by the wk_u16/32/64 forms without a byte order in their name */
};

static inline struct wk_bytes wk_bytes_of(const void *at, size_t len)
{
	return (struct wk_bytes){ .at = at, .end = len ? (const uint8_t *)at + len : at,
				  .start = at };
}

static inline size_t wk_bytes_left(const struct wk_bytes *b)
{
	return (size_t)(b->end - b->at);
}

/* All that is left, as text. */
static inline struct wk_str wk_bytes_str(struct wk_bytes b)
{
	return wk_str_of((const char *)b.at, wk_bytes_left(&b));
}

static inline uint64_t wk_bytes_offset(const struct wk_bytes *b)
{
	return (uint64_t)(b->at - b->start);
}

/* True when `len` bytes are there; otherwise the window is spent and bad. */
static inline bool wk_bytes_need(struct wk_bytes *b, uint64_t len)
{
	if (len <= (uint64_t)(b->end - b->at))
		return true;
	b->bad = true;
	b->at = b->end;
	return false;
}

static inline void wk_bytes_skip(struct wk_bytes *b, uint64_t len)
{
	if (wk_bytes_need(b, len))
		b->at += len;
}

/* The next `len` bytes as a window of their own; empty and bad if they are not there. */
static inline struct wk_bytes wk_bytes_slice(struct wk_bytes *b, uint64_t len)
{
	struct wk_bytes piece = *b;

	if (!wk_bytes_need(b, len)) {
		piece.end = piece.at;
		piece.bad = true;
		return piece;
	}
	b->at += len;
	piece.end = b->at;
	piece.bad = false;
	return piece;
}

/* A window of `len` bytes at `offset` of the whole (counted from `start`). */
static inline struct wk_bytes wk_bytes_at(const struct wk_bytes *whole, uint64_t offset,
					  uint64_t len)
{
	struct wk_bytes piece = *whole;
	uint64_t size = (uint64_t)(whole->end - whole->start);

	piece.bad = offset > size || len > size - offset;
	piece.at = piece.bad ? whole->end : whole->start + offset;
	piece.end = piece.bad ? piece.at : piece.at + len;
	return piece;
}

static inline uint8_t wk_u8(struct wk_bytes *b)
{
	return wk_bytes_need(b, 1) ? *b->at++ : 0;
}

/* Compilers do not turn a loop over bytes into one load, and readers depend on its speed. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WK_FROM_LE(bits, v) (v)
#else
#define WK_FROM_LE(bits, v) __builtin_bswap##bits(v)
#endif

static inline uint16_t wk_u16le(struct wk_bytes *b)
{
	uint16_t v = 0;

	if (wk_bytes_need(b, 2)) {
		memcpy(&v, b->at, 2);
		b->at += 2;
	}
	return WK_FROM_LE(16, v);
}

static inline uint32_t wk_u32le(struct wk_bytes *b)
{
	uint32_t v = 0;

	if (wk_bytes_need(b, 4)) {
		memcpy(&v, b->at, 4);
		b->at += 4;
	}
	return WK_FROM_LE(32, v);
}

static inline uint64_t wk_u64le(struct wk_bytes *b)
{
	uint64_t v = 0;

	if (wk_bytes_need(b, 8)) {
		memcpy(&v, b->at, 8);
		b->at += 8;
	}
	return WK_FROM_LE(64, v);
}

static inline uint16_t wk_u16(struct wk_bytes *b)
{
	uint16_t v = wk_u16le(b);

	return b->big_endian ? __builtin_bswap16(v) : v;
}

static inline uint32_t wk_u32(struct wk_bytes *b)
{
	uint32_t v = wk_u32le(b);

	return b->big_endian ? __builtin_bswap32(v) : v;
}

static inline uint64_t wk_u64(struct wk_bytes *b)
{
	uint64_t v = wk_u64le(b);

	return b->big_endian ? __builtin_bswap64(v) : v;
}

/* DWARF's variable-length numbers. Bits beyond the 64th are dropped. */
static inline uint64_t wk_uleb(struct wk_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = wk_u8(b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad);
	return v;
}

static inline int64_t wk_sleb(struct wk_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = wk_u8(b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad);
	if (shift < 64 && byte & 0x40)
		v |= ~(uint64_t)0 << shift;
	return (int64_t)v;
}

/* Text up to the next NUL, which is passed over; bad if there is none. */
static inline struct wk_str wk_bytes_text(struct wk_bytes *b)
{
	size_t left = wk_bytes_left(b);
	const uint8_t *nul = left ? memchr(b->at, 0, left) : NULL;
	struct wk_str text = { (const char *)b->at, 0 };

	if (!nul) {
		b->bad = true;
		b->at = b->end;
		return text;
	}
	text.len = (size_t)(nul - b->at);
	b->at = nul + 1;
	return text;
}

#endif
