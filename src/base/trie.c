#include "base/trie.h"

#include "base/mem.h"

#define FEWEST_SLOTS 64

/* Both numbers count up from nothing, so products spread them well enough; the upper half of
 * the sum is the best mixed. */
static uint64_t hash_of(uint32_t parent, uint32_t label)
{
	uint64_t hash = ((uint64_t)parent << 32 | label) * 0x9e3779b97f4a7c15u;

	hash ^= hash >> 29;
	return hash * 0xbf58476d1ce4e5b9u;
}

void wk_trie_init(struct wk_trie *trie)
{
	*trie = (struct wk_trie){ 0 };
	wk_trie_append(trie, 0, 0);
}

void wk_trie_fini(struct wk_trie *trie)
{
	free(trie->parent);
	free(trie->label);
	free(trie->slots);
	*trie = (struct wk_trie){ 0 };
}

static void put(struct wk_trie *trie, uint64_t hash, uint32_t id)
{
	size_t mask = trie->slot_count - 1, at = (size_t)(hash >> 20) & mask;

	while (trie->slots[at].id)
		at = (at + 1) & mask;
	trie->slots[at] = (struct wk_trie_slot){ (uint32_t)hash, id };
}

/* Room for twice the entries there are; the index is made from the columns, so its old form
 * is not needed. */
static void make_index(struct wk_trie *trie)
{
	free(trie->slots);
	trie->slot_count = FEWEST_SLOTS;
	while (trie->slot_count < (size_t)trie->count * 2)
		trie->slot_count *= 2;
	trie->slots = wk_alloc_zeroed(trie->slot_count, sizeof(*trie->slots));
	for (uint32_t id = 1; id < trie->count; id++)
		put(trie, hash_of(trie->parent[id], trie->label[id]), id);
}

static uint32_t add_row(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	if (trie->count == trie->cap) {
		trie->parent = wk_grow(trie->parent, &trie->cap, (size_t)trie->count + 1,
				       sizeof(*trie->parent));
		trie->label = wk_realloc(trie->label, trie->cap * sizeof(*trie->label));
	}
	trie->parent[trie->count] = parent;
	trie->label[trie->count] = label;
	return trie->count++;
}

uint32_t wk_trie_append(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	if (trie->slots)
		wk_trie_seal(trie);
	return add_row(trie, parent, label);
}

uint32_t wk_trie_add(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	uint64_t hash = hash_of(parent, label);
	size_t mask, at;

	/* At most two thirds full. */
	if (!trie->slots || (size_t)trie->count * 3 >= trie->slot_count * 2)
		make_index(trie);
	mask = trie->slot_count - 1;
	at = (size_t)(hash >> 20) & mask;
	for (; trie->slots[at].id; at = (at + 1) & mask) {
		uint32_t id = trie->slots[at].id;

		if (trie->slots[at].tag == (uint32_t)hash && trie->parent[id] == parent &&
		    trie->label[id] == label)
			return id;
	}
	trie->slots[at] = (struct wk_trie_slot){ (uint32_t)hash, trie->count };
	return add_row(trie, parent, label);
}

void wk_trie_seal(struct wk_trie *trie)
{
	free(trie->slots);
	trie->slots = NULL;
	trie->slot_count = 0;
}

void wk_trie_trim(struct wk_trie *trie)
{
	wk_trie_seal(trie);
	trie->cap = trie->count;
	trie->parent = wk_realloc(trie->parent, trie->cap * sizeof(*trie->parent));
	trie->label = wk_realloc(trie->label, trie->cap * sizeof(*trie->label));
}
