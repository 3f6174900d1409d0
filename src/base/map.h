/* Hash tables from a key to a 32-bit id.
 *
 * wk_map: keys are 64-bit numbers. wk_index: keys are in a table of the caller; the index stores
 * (hash, id), and a callback compares a row with a key. Both are zero-initialised, never shrink
 * (a removed key of a map makes room for another), and are freed with _fini. Id 0 means "not
 * found", as everywhere in wick. */
#ifndef WK_BASE_MAP_H
#define WK_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wk_map_slot {
	uint64_t key;
	uint32_t id;
};

struct wk_map {
	struct wk_map_slot *slots;
	size_t cap, count;
};

void wk_map_fini(struct wk_map *map);

/* The id of `key`, or 0. */
uint32_t wk_map_find(const struct wk_map *map, uint64_t key);

/* Sets or replaces the id of `key`; id 0 removes the key. */
void wk_map_set(struct wk_map *map, uint64_t key, uint32_t id);

/* The slot of the id of `key`, added with id 0 if it was missing. The caller fills it before the
 * next call: `uint32_t *id = wk_map_at(map, key); if (!*id) *id = new_row();` */
uint32_t *wk_map_at(struct wk_map *map, uint64_t key);

struct wk_index_slot {
	uint32_t hash, id;
};

struct wk_index {
	struct wk_index_slot *slots;
	size_t cap, count;
};

/* Is row `id` the one that `key` describes? */
typedef bool (*wk_index_same)(const void *table, uint32_t id, const void *key);

void wk_index_fini(struct wk_index *index);
uint32_t wk_index_find(const struct wk_index *index, uint64_t hash, wk_index_same same,
		       const void *table, const void *key);

/* Where a key of this hash is looked for first. */
static inline size_t wk_index_slot_of(const struct wk_index *index, uint64_t hash)
{
	return ((uint32_t)hash >> 7) & (index->cap - 1);
}

/* Announces a lookup, so that its memory is fetched. */
static inline void wk_index_prefetch(const struct wk_index *index, uint64_t hash)
{
	if (index->cap)
		__builtin_prefetch(&index->slots[wk_index_slot_of(index, hash)]);
}

/* The row that a lookup will probably compare with; 0 if none. */
static inline uint32_t wk_index_guess(const struct wk_index *index, uint64_t hash)
{
	const struct wk_index_slot *slot;

	if (index->cap == 0)
		return 0;
	slot = &index->slots[wk_index_slot_of(index, hash)];
	return slot->hash == (uint32_t)hash ? slot->id : 0;
}

/* The key must not be in it yet. */
void wk_index_add(struct wk_index *index, uint64_t hash, uint32_t id);

#endif
