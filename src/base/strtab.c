#include "base/strtab.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

struct wk_strtab {
	struct wk_arena bytes;
	struct wk_index index;
	struct wk_str *texts;
	size_t cap;
	uint32_t count;
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
	free(tab->texts);
	free(tab);
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

uint32_t wk_strtab_add(struct wk_strtab *tab, const char *text, size_t len)
{
	struct wk_str key = { text, len };
	uint64_t hash;
	uint32_t id;

	if (len == 0)
		return 0;
	hash = wk_hash_bytes(text, len);
	id = wk_index_find(&tab->index, hash, same_text, tab, &key);
	if (id)
		return id;
	tab->texts = wk_grow(tab->texts, &tab->cap, (size_t)tab->count + 1, sizeof(*tab->texts));
	tab->texts[tab->count] = wk_arena_copy(&tab->bytes, key);
	wk_index_add(&tab->index, hash, tab->count);
	return tab->count++;
}

const char *wk_strtab_get(const struct wk_strtab *tab, uint32_t id)
{
	return wk_strtab_str(tab, id).at;
}

struct wk_str wk_strtab_str(const struct wk_strtab *tab, uint32_t id)
{
	return tab->texts[id < tab->count ? id : 0];
}
