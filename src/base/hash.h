/* Hashing for tables in memory, and checksums that show whether a file is unchanged.
 *
 * The keys of tables come from files, and a hostile file could contain only keys that collide. So
 * hashes depend on a secret that each process draws anew: never save or print them. */
#ifndef WK_BASE_HASH_H
#define WK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Constant until wk_hash_seed, which os/ calls before main. */
extern uint64_t wk_hash_secret[2];
void wk_hash_seed(const uint64_t random[2]);

__extension__ typedef unsigned __int128 wk_hash_product;

/* Both halves of the product, so that every bit depends on every bit of the secret: the low half
 * alone would ignore differences in high bits. */
static inline uint64_t wk_hash_mix(uint64_t a, uint64_t b)
{
	wk_hash_product product =
		(wk_hash_product)(a ^ wk_hash_secret[0]) * (b ^ wk_hash_secret[1]);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A well mixed hash of two numbers. Counting up gives steps of one size after a single product, and
 * with a poor secret they fall into few slots of a table. */
static inline uint64_t wk_hash_pair(uint64_t a, uint64_t b)
{
	return wk_hash_mix(wk_hash_mix(a, b), 0);
}

static inline uint64_t wk_hash_u64(uint64_t v)
{
	return wk_hash_pair(v, 0);
}

uint64_t wk_hash_bytes(const void *bytes, size_t len);

/* The same for all time: for what is saved or seen, and for tables that are bounded some other
 * way. */
uint64_t wk_hash_fixed(const void *bytes, size_t len);

/* For files: 64 bits that change with any byte, fast as memory is. What it gives is part of
 * wick's own formats and stays as it is; numbers are read as the machine has them. */
uint64_t wk_checksum(const void *bytes, size_t len);

/* The same in pieces, each but the last a multiple of WK_CHECKSUM_PIECE bytes. */
#define WK_CHECKSUM_PIECE 32

struct wk_checksum {
	uint64_t lanes[4], rest[4], len;
};

void wk_checksum_begin(struct wk_checksum *sum);
void wk_checksum_add(struct wk_checksum *sum, const void *bytes, size_t len);
uint64_t wk_checksum_end(const struct wk_checksum *sum);

/* CRC-32 (the polynomial of zlib and .gnu_debuglink), continued from `crc` (0 to begin). */
uint32_t wk_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
