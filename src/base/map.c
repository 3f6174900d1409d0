#include "base/map.h"

#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"

/* Open addressing with linear steps, at most half full. In wk_index a slot with id 0 is free. In
 * wk_map a removed key keeps its slot, with id 0, so that chains stay whole; free slots have
 * KEY_FREE. */
#define KEY_FREE UINT64_MAX

static size_t first_slot(uint64_t hash, size_t cap)
{
	return (size_t)(hash >> 7) & (cap - 1);
}

void wk_map_fini(struct wk_map *map)
{
	wk_free(map->slots);
	*map = (struct wk_map){ 0 };
}

/* UINT64_MAX is a legal key but marks free slots: it is stored as another number. */
static uint64_t stored_key(uint64_t key)
{
	return key == KEY_FREE ? 0x8badf00d5eed1234u : key;
}

static struct wk_map_slot *slot_of(const struct wk_map *map, uint64_t key)
{
	size_t at = first_slot(wk_hash_u64(key), map->cap);

	while (map->slots[at].key != key && map->slots[at].key != KEY_FREE)
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

uint32_t wk_map_find(const struct wk_map *map, uint64_t key)
{
	struct wk_map_slot *slot;

	if (map->cap == 0)
		return 0;
	key = stored_key(key);
	slot = slot_of(map, key);
	return slot->key == key ? slot->id : 0;
}

/* Drops removed keys, so that a table whose keys come and go is only as large as its greatest
 * number of keys at one time. */
static void map_rehash(struct wk_map *map)
{
	struct wk_map old = *map;

	map->count = 0;
	for (size_t i = 0; i < old.cap; i++)
		map->count += old.slots[i].key != KEY_FREE && old.slots[i].id != 0;
	if (old.cap == 0)
		map->cap = 64;
	else if (map->count * 4 >= old.cap)
		map->cap = old.cap * 2;
	assert(map->count * 2 < map->cap);
	map->slots = wk_alloc(map->cap * sizeof(*map->slots));
	for (size_t i = 0; i < map->cap; i++)
		map->slots[i] = (struct wk_map_slot){ .key = KEY_FREE };
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].key != KEY_FREE && old.slots[i].id != 0)
			*slot_of(map, old.slots[i].key) = old.slots[i];
	wk_free(old.slots);
}

uint32_t *wk_map_at(struct wk_map *map, uint64_t key)
{
	struct wk_map_slot *slot;

	if (map->count * 2 >= map->cap)
		map_rehash(map);
	key = stored_key(key);
	slot = slot_of(map, key);
	if (slot->key == KEY_FREE) {
		slot->key = key;
		slot->id = 0;
		map->count++;
	}
	return &slot->id;
}

void wk_map_set(struct wk_map *map, uint64_t key, uint32_t id)
{
	if (id == 0 && wk_map_find(map, key) == 0)
		return;
	*wk_map_at(map, key) = id;
}

void wk_index_fini(struct wk_index *index)
{
	wk_free(index->slots);
	*index = (struct wk_index){ 0 };
}

uint32_t wk_index_find(const struct wk_index *index, uint64_t hash, wk_index_same same,
		       const void *table, const void *key)
{
	size_t at;

	if (index->cap == 0)
		return 0;
	at = wk_index_slot_of(index, hash);
	for (; index->slots[at].id; at = (at + 1) & (index->cap - 1))
		if (index->slots[at].hash == (uint32_t)hash &&
		    same(table, index->slots[at].id, key))
			return index->slots[at].id;
	return 0;
}

static void index_put(struct wk_index *index, uint32_t hash, uint32_t id)
{
	size_t at = wk_index_slot_of(index, hash);

	while (index->slots[at].id)
		at = (at + 1) & (index->cap - 1);
	index->slots[at] = (struct wk_index_slot){ hash, id };
}

void wk_index_add(struct wk_index *index, uint64_t hash, uint32_t id)
{
	assert(id != 0);
	if (index->count * 2 >= index->cap) {
		struct wk_index old = *index;

		index->cap = old.cap ? old.cap * 2 : 64;
		/* Zeroed by writing: pages that are first read and then written fault twice. */
		index->slots = wk_alloc_table_zeroed(index->cap, sizeof(*index->slots));
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].id)
				index_put(index, old.slots[i].hash, old.slots[i].id);
		wk_free(old.slots);
	}
	index_put(index, (uint32_t)hash, id);
	index->count++;
}
