#include "base/strtab.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#define LONG_BYTES 64 /* shorter texts are read as fast as their place is looked up */

/* The address of a long text when it was added. */
struct place {
	struct wk_str text;
	uint32_t id;
};

struct wk_strtab {
	struct wk_arena bytes;
	struct wk_index index;
	struct wk_str *texts;
	size_t cap;
	uint32_t count;
	struct wk_index place_index;
	struct place *places; /* row 0 is none */
	size_t place_count, place_cap;
};

struct wk_strtab *wk_strtab_new(void)
{
	struct wk_strtab *tab = wk_alloc_zeroed(1, sizeof(*tab));

	tab->texts = wk_grow(NULL, &tab->cap, 1, sizeof(*tab->texts));
	tab->texts[0] = wk_str_c("");
	tab->count = 1;
	return tab;
}

void wk_strtab_free(struct wk_strtab *tab)
{
	if (!tab)
		return;
	wk_arena_fini(&tab->bytes);
	wk_index_fini(&tab->index);
	wk_strtab_forget_places(tab);
	WK_FREE_ALL(tab->texts, tab);
}

static bool same_text(const void *table, uint32_t id, const void *key)
{
	const struct wk_strtab *tab = table;

	return wk_str_eq(tab->texts[id], *(const struct wk_str *)key);
}

uint32_t wk_strtab_find(const struct wk_strtab *tab, struct wk_str text)
{
	if (text.len == 0)
		return 0;
	return wk_index_find(&tab->index, wk_hash_bytes(text.at, text.len), same_text, tab, &text);
}

uint32_t wk_strtab_add_str(struct wk_strtab *tab, struct wk_str text)
{
	uint64_t hash;
	uint32_t id;

	if (text.len == 0)
		return 0;
	hash = wk_hash_bytes(text.at, text.len);
	id = wk_index_find(&tab->index, hash, same_text, tab, &text);
	if (id)
		return id;
	WK_RESERVE(tab->texts, tab->cap, (size_t)tab->count + 1);
	tab->texts[tab->count] = wk_arena_copy(&tab->bytes, text);
	wk_index_add(&tab->index, hash, tab->count);
	return tab->count++;
}

static bool same_place(const void *table, uint32_t row, const void *key)
{
	const struct wk_str *a = &((const struct wk_strtab *)table)->places[row].text;
	const struct wk_str *b = key;

	return a->at == b->at && a->len == b->len;
}

uint32_t wk_strtab_add_lasting(struct wk_strtab *tab, struct wk_str text)
{
	uint64_t hash = wk_hash_pair((uintptr_t)text.at, text.len);
	uint32_t row;

	if (text.len < LONG_BYTES)
		return wk_strtab_add_str(tab, text);
	row = wk_index_find(&tab->place_index, hash, same_place, tab, &text);
	if (row)
		return tab->places[row].id;
	row = tab->place_count ? (uint32_t)tab->place_count : 1;
	WK_RESERVE(tab->places, tab->place_cap, (size_t)row + 1);
	tab->places[row] = (struct place){ text, wk_strtab_add_str(tab, text) };
	tab->place_count = (size_t)row + 1;
	wk_index_add(&tab->place_index, hash, row);
	return tab->places[row].id;
}

void wk_strtab_forget_places(struct wk_strtab *tab)
{
	wk_index_fini(&tab->place_index);
	tab->place_index = (struct wk_index){ 0 };
	wk_free(tab->places);
	tab->places = NULL;
	tab->place_count = tab->place_cap = 0;
}

const char *wk_strtab_get(const struct wk_strtab *tab, uint32_t id)
{
	return wk_strtab_str(tab, id).at;
}

struct wk_str wk_strtab_str(const struct wk_strtab *tab, uint32_t id)
{
	return tab->texts[id < tab->count ? id : 0];
}
