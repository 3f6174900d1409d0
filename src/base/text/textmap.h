/* From borrowed text to a 32-bit number: the key to reading text fast.
 *
 * Keys are not copied: they point into text that stays in place while the map is used. Readers
 * look here first and intern (base/strtab.h) only new texts, so most of an input costs one hash and
 * one comparison. Number 0 means "not found". Zero-initialised is empty and ready. */
#ifndef WK_BASE_TEXT_TEXTMAP_H
#define WK_BASE_TEXT_TEXTMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"

struct wk_textmap_slot {
	const char *at;
	uint64_t hash;
	uint32_t len;
	uint32_t number; /* 0: free */
};

struct wk_textmap {
	struct wk_textmap_slot *slots;
	size_t cap, count;
};

void wk_textmap_fini(struct wk_textmap *map);

/* The first `len` bytes, at most 8, as one number: all loads have a fixed size. */
static inline uint64_t wk_textmap_word(const char *at, size_t len)
{
	uint64_t word = 0;
	uint32_t first, last;

	if (len >= 8) {
		memcpy(&word, at, 8);
	} else if (len >= 4) {
		memcpy(&first, at, 4);
		memcpy(&last, at + len - 4, 4);
		word = (uint64_t)last << 32 | first;
	} else if (len) {
		word = (uint64_t)(uint8_t)at[0] << 16 | (uint64_t)(uint8_t)at[len / 2] << 8 |
		       (uint8_t)at[len - 1];
	}
	return word;
}

static inline uint64_t wk_textmap_mix(uint64_t hash, uint64_t word)
{
	return wk_hash_mix(hash ^ word, 0);
}

/* Words of eight bytes, the last one overlapping the one before it. */
static inline uint64_t wk_textmap_hash(const char *at, size_t len)
{
	uint64_t hash = len;
	size_t done = 0;

	if (len < 8)
		return wk_textmap_mix(wk_textmap_mix(hash, wk_textmap_word(at, len)), 0);
	for (; done + 8 <= len; done += 8)
		hash = wk_textmap_mix(hash, wk_textmap_word(at + done, 8));
	return wk_textmap_mix(hash, wk_textmap_word(at + len - 8, 8));
}

/* For names of a few words this is faster than a call. */
static inline bool wk_textmap_same(const char *a, const char *b, size_t len)
{
	if (len < 8)
		return wk_textmap_word(a, len) == wk_textmap_word(b, len);
	for (size_t done = 0; done + 8 <= len; done += 8)
		if (wk_textmap_word(a + done, 8) != wk_textmap_word(b + done, 8))
			return false;
	return wk_textmap_word(a + len - 8, 8) == wk_textmap_word(b + len - 8, 8);
}

/* The slot of `text`'s number, added with number 0 if it was missing: the caller fills it before
 * the next call. `text` must be shorter than 4 GiB. */
uint32_t *wk_textmap_add(struct wk_textmap *map, struct wk_str text, uint64_t hash);

/* For callers that hash while they search for the end of a text, always by the same method. */
static inline uint32_t *wk_textmap_at_hashed(struct wk_textmap *map, struct wk_str text,
					     uint64_t hash)
{
	size_t at = map->cap ? hash & (map->cap - 1) : 0;

	if (map->cap && map->slots[at].hash == hash && map->slots[at].number &&
	    map->slots[at].len == text.len && wk_textmap_same(map->slots[at].at, text.at, text.len))
		return &map->slots[at].number;
	return wk_textmap_add(map, text, hash);
}

/* For text that does not stay in place: the copy that an entry is to keep, which was just added. */
static inline void wk_textmap_keep(uint32_t *number, const char *copy)
{
	struct wk_textmap_slot *slot =
		(struct wk_textmap_slot *)((char *)number -
					   offsetof(struct wk_textmap_slot, number));

	slot->at = copy;
}

static inline uint32_t *wk_textmap_at(struct wk_textmap *map, struct wk_str text)
{
	return wk_textmap_at_hashed(map, text, wk_textmap_hash(text.at, text.len));
}

#endif
