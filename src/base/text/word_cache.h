/* From short words of a text to 32-bit numbers, without reading a byte twice: a cache of recent
 * words.
 *
 * It is a cache before a table that knows all words (base/text/textmap.h), and may miss any of
 * them; without vectors of 16 bytes it always misses. Its size is fixed, and words that share a
 * slot replace each other. A slot contains the word itself, so the input it came from may be gone.
 * Zero-initialised is empty and ready; number 0 means "not found". */
#ifndef WK_BASE_TEXT_WORD_CACHE_H
#define WK_BASE_TEXT_WORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/mem.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define WK_WORD_BYTES       32 /* must be readable at each lookup; words are shorter */
#define WK_WORD_CACHE_SLOTS 8192

struct wk_word_slot {
	char text[WK_WORD_BYTES]; /* zeros behind it */
	uint32_t len, number;
};

struct wk_word_cache {
	struct wk_word_slot *slots;
};

static inline void wk_word_cache_fini(struct wk_word_cache *cache)
{
	wk_free(cache->slots);
	cache->slots = NULL;
}

#ifdef __SSE2__

struct wk_word {
	__m128i first, second;
	uint32_t len;
};

/* The word at `at`, up to `end` or the byte `separator`; its length is 0 to WK_WORD_BYTES, which
 * also means longer. */
static inline struct wk_word wk_word_at(const char *at, const char *end, char separator)
{
	static const uint8_t kept[2 * WK_WORD_BYTES] = {
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };
	const uint8_t *mask;
	__m128i first = _mm_loadu_si128((const __m128i *)at);
	__m128i second = _mm_loadu_si128((const __m128i *)(at + 16));
	__m128i sought = _mm_set1_epi8(separator);
	size_t left = (size_t)(end - at);
	uint64_t stops = (uint64_t)1 << (left < WK_WORD_BYTES ? left : WK_WORD_BYTES);
	struct wk_word word;

	stops |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(first, sought)) |
		 (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(second, sought)) << 16;
	word.len = (uint32_t)__builtin_ctzll(stops);
	mask = kept + WK_WORD_BYTES - word.len;
	word.first = _mm_and_si128(first, _mm_loadu_si128((const __m128i *)mask));
	word.second = _mm_and_si128(second, _mm_loadu_si128((const __m128i *)(mask + 16)));
	return word;
}

static inline uint64_t wk_word_hash(const struct wk_word *word)
{
	__m128i both = _mm_xor_si128(word->first, _mm_shuffle_epi32(word->second, 0x1b));

	return wk_hash_pair((uint64_t)_mm_cvtsi128_si64(both),
			    (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)));
}

static inline bool wk_word_is(const struct wk_word *word, const struct wk_word_slot *slot)
{
	__m128i first = _mm_loadu_si128((const __m128i *)slot->text);
	__m128i second = _mm_loadu_si128((const __m128i *)(slot->text + 16));
	__m128i same = _mm_and_si128(_mm_cmpeq_epi8(first, word->first),
				     _mm_cmpeq_epi8(second, word->second));

	return _mm_movemask_epi8(same) == 0xffff && slot->len == word->len;
}

/* The place of the number of the word at `at`, which ends before the next `separator` or at
 * `end`; if that is not known it is 0, for the caller to fill before the next call. NULL if the
 * word is empty or too long. */
static inline uint32_t *wk_word_cache_at(struct wk_word_cache *cache, const char *at,
					 const char *end, char separator, size_t *len)
{
	struct wk_word word = wk_word_at(at, end, separator);
	struct wk_word_slot *slot;

	if (word.len == 0 || word.len == WK_WORD_BYTES)
		return NULL;
	if (!cache->slots)
		cache->slots = wk_alloc_zeroed(WK_WORD_CACHE_SLOTS, sizeof(*cache->slots));
	slot = &cache->slots[wk_word_hash(&word) % WK_WORD_CACHE_SLOTS];
	if (!wk_word_is(&word, slot)) {
		_mm_storeu_si128((__m128i *)slot->text, word.first);
		_mm_storeu_si128((__m128i *)(slot->text + 16), word.second);
		slot->len = word.len;
		slot->number = 0;
	}
	*len = word.len;
	return &slot->number;
}

#else

static inline uint32_t *wk_word_cache_at(struct wk_word_cache *cache, const char *at,
					 const char *end, char separator, size_t *len)
{
	(void)cache, (void)at, (void)end, (void)separator, (void)len;
	return NULL;
}

#endif
#endif
