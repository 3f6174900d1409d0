/* Hashing for tables in memory, not against attackers who time it; and sums to tell whether a
 * file is as it was written. */
#ifndef WK_BASE_HASH_H
#define WK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A well mixed hash of one number. */
static inline uint64_t wk_hash_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93u;
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93u;
	v ^= v >> 32;
	return v;
}

static inline uint64_t wk_hash_pair(uint64_t a, uint64_t b)
{
	return wk_hash_u64(a ^ wk_hash_u64(b + 0x9e3779b97f4a7c15u));
}

uint64_t wk_hash_bytes(const void *bytes, size_t len);

/* For files: 64 bits that change with any byte, fast as memory is. What it gives is part of
 * wick's own formats and stays as it is; numbers are read as the machine has them. */
uint64_t wk_checksum(const void *bytes, size_t len);

/* CRC-32 (the polynomial of zlib and .gnu_debuglink), continued from `crc` (0 to begin). */
uint32_t wk_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
