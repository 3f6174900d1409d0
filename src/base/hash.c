#include "base/hash.h"

#include <string.h>

uint64_t wk_hash_bytes(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t hash = 0x9e3779b97f4a7c15u ^ len;
	uint64_t word;

	for (; len >= 8; at += 8, len -= 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0xd6e8feb86659fd93u;
		hash ^= hash >> 32;
	}
	word = 0;
	if (len)
		memcpy(&word, at, len);
	return wk_hash_u64(hash ^ word);
}

/* Four lanes, since a multiplication takes as long as four words do to come. Each step can be
 * undone, so that two inputs that differ in one word never meet. */
uint64_t wk_checksum(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t lanes[4] = { 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
			      0xd6e8feb86659fd93u };
	uint64_t sum = len, words[4];
	size_t left = len;

	for (; left >= sizeof(words); at += sizeof(words), left -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (int i = 0; i < 4; i++) {
			lanes[i] = (lanes[i] ^ words[i]) * 0xd6e8feb86659fd93u;
			lanes[i] ^= lanes[i] >> 29;
		}
	}
	memset(words, 0, sizeof(words));
	if (left)
		memcpy(words, at, left);
	for (int i = 0; i < 4; i++)
		sum = wk_hash_pair(sum ^ lanes[i], words[i]);
	return sum;
}

uint32_t wk_crc32(uint32_t crc, const void *bytes, size_t len)
{
	/* The table is made anew at each call: a microsecond, against files of megabytes. */
	uint32_t table[256];
	const uint8_t *at = bytes;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t entry = i;

		for (int bit = 0; bit < 8; bit++)
			entry = entry & 1 ? 0xedb88320u ^ entry >> 1 : entry >> 1;
		table[i] = entry;
	}
	crc = ~crc;
	for (size_t i = 0; i < len; i++)
		crc = table[(crc ^ at[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}
