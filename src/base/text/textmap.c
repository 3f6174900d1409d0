#include "base/text/textmap.h"

#include "base/mem.h"

void wk_textmap_fini(struct wk_textmap *map)
{
	wk_free(map->slots);
	*map = (struct wk_textmap){ 0 };
}

static void grow(struct wk_textmap *map)
{
	struct wk_textmap old = *map;

	map->cap = old.cap ? old.cap * 2 : 256;
	map->slots = wk_alloc_zeroed(map->cap, sizeof(*map->slots));
	for (size_t i = 0; i < old.cap; i++) {
		const struct wk_textmap_slot *slot = &old.slots[i];
		size_t at;

		if (!slot->number)
			continue;
		at = slot->hash & (map->cap - 1);
		while (map->slots[at].number)
			at = (at + 1) & (map->cap - 1);
		map->slots[at] = *slot;
	}
	wk_free(old.slots);
}

uint32_t *wk_textmap_add(struct wk_textmap *map, struct wk_str text, uint64_t hash)
{
	struct wk_textmap_slot *slot;
	size_t at;

	if (map->count * 2 >= map->cap)
		grow(map);
	at = hash & (map->cap - 1);
	for (; map->slots[at].number; at = (at + 1) & (map->cap - 1))
		if (map->slots[at].hash == hash && map->slots[at].len == text.len &&
		    memcmp(map->slots[at].at, text.at, text.len) == 0)
			return &map->slots[at].number;
	slot = &map->slots[at];
	*slot = (struct wk_textmap_slot){ text.at, hash, (uint32_t)text.len, 0 };
	map->count++;
	return &slot->number;
}
