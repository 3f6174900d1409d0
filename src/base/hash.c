#include "base/hash.h"

#include <string.h>

#ifdef WK_HAS_LIBDEFLATE
#include <libdeflate.h>
#elif defined(WK_HAS_ZLIB)
#include <zlib.h>
#endif

uint64_t wk_hash_secret[2] = { 0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu };

/* A factor of few bits would mix little. */
void wk_hash_seed(const uint64_t random[2])
{
	wk_hash_secret[0] ^= random[0];
	wk_hash_secret[1] = (wk_hash_secret[1] ^ random[1]) | 1u << 31 | 1;
}

static uint64_t load(const uint8_t *at, size_t len)
{
	uint64_t word = 0;

	if (len) /* of nothing there may be no address */
		memcpy(&word, at, len);
	return word;
}

/* Two words at a time; the last two may overlap those before. */
uint64_t wk_hash_bytes(const void *bytes, size_t len)
{
	const uint8_t *at = bytes, *end;
	uint64_t hash = len;

	if (len <= 8)
		return wk_hash_mix(hash, load(at, len));
	end = at + len;
	for (; end - at > 16; at += 16)
		hash = wk_hash_mix(hash ^ load(at, 8), load(at + 8, 8));
	if (len >= 16)
		return wk_hash_mix(hash ^ load(end - 16, 8), load(end - 8, 8));
	return wk_hash_mix(hash ^ load(at, 8), load(end - 8, 8));
}

static uint64_t fixed_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93u;
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93u;
	v ^= v >> 32;
	return v;
}

uint64_t wk_hash_fixed(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t hash = 0x9e3779b97f4a7c15u ^ len;

	for (; len >= 8; at += 8, len -= 8) {
		hash = (hash ^ load(at, 8)) * 0xd6e8feb86659fd93u;
		hash ^= hash >> 32;
	}
	return fixed_u64(hash ^ load(at, len));
}

void wk_checksum_begin(struct wk_checksum *sum)
{
	*sum = (struct wk_checksum){ .lanes = { 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u,
						0x94d049bb133111ebu, 0xd6e8feb86659fd93u } };
}

/* Four lanes, since a multiplication takes as long as loading four words. Each step can be
 * undone, so that two inputs that differ in one word never meet. */
void wk_checksum_add(struct wk_checksum *sum, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t words[4], lanes[4];

	sum->len += len;
	memcpy(lanes, sum->lanes, sizeof(lanes));
	for (; len >= sizeof(words); at += sizeof(words), len -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (int i = 0; i < 4; i++) {
			lanes[i] = (lanes[i] ^ words[i]) * 0xd6e8feb86659fd93u;
			lanes[i] ^= lanes[i] >> 29;
		}
	}
	memcpy(sum->lanes, lanes, sizeof(lanes));
	if (len)
		memcpy(sum->rest, at, len);
}

uint64_t wk_checksum_end(const struct wk_checksum *sum)
{
	uint64_t result = sum->len;

	for (int i = 0; i < 4; i++)
		result = fixed_u64(result ^ sum->lanes[i] ^
				   fixed_u64(sum->rest[i] + 0x9e3779b97f4a7c15u));
	return result;
}

uint64_t wk_checksum(const void *bytes, size_t len)
{
	struct wk_checksum sum;

	wk_checksum_begin(&sum);
	wk_checksum_add(&sum, bytes, len);
	return wk_checksum_end(&sum);
}

#ifdef WK_HAS_LIBDEFLATE
uint32_t wk_crc32(uint32_t crc, const void *bytes, size_t len)
{
	return len ? libdeflate_crc32(crc, bytes, len) : crc;
}
#elif defined(WK_HAS_ZLIB)
uint32_t wk_crc32(uint32_t crc, const void *bytes, size_t len)
{
	return len ? (uint32_t)crc32_z(crc, bytes, len) : crc;
}
#else
uint32_t wk_crc32(uint32_t crc, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	crc = ~crc;
	for (size_t i = 0; i < len; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
	}
	return ~crc;
}
#endif
