/* From borrowed text to a 32-bit number: what makes reading text fast.
 *
 * Keys are not copied: they point into an input that stays where it is for as long as the
 * map is used. Readers ask it first and intern (base/strtab.h) only what is new, so most of
 * an input costs one hash and one comparison. Number 0 means "not there". Zero-initialised
 * is empty and ready. */
#ifndef WK_BASE_TEXTMAP_H
#define WK_BASE_TEXTMAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static inline uint64_t wk_textmap_word(const char *at, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, at, len < 8 ? len : 8);
	return word;
}

static inline uint64_t wk_textmap_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
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

/* The place of `text`'s number, made with number 0 if it was not there: the caller fills it
 * before the next call. A text of 4 GiB or more must not
 * be asked for. */
uint32_t *wk_textmap_add(struct wk_textmap *map, struct wk_str text, uint64_t hash);

static inline uint32_t *wk_textmap_at(struct wk_textmap *map, struct wk_str text)
{
	uint64_t hash = wk_textmap_hash(text.at, text.len);
	size_t at = map->cap ? hash & (map->cap - 1) : 0;

	if (map->cap && map->slots[at].hash == hash && map->slots[at].number &&
	    map->slots[at].len == text.len &&
	    memcmp(map->slots[at].at, text.at, text.len) == 0)
		return &map->slots[at].number;
	return wk_textmap_add(map, text, hash);
}

#endif
