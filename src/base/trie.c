#include "base/trie.h"

#include "base/mem.h"

#define FEWEST_SLOT_BITS 6

/* Both numbers count up from nothing, so products spread them well enough. Of the result's
 * 32 bits the first ones are the slot that an entry wants: when the index is doubled, entries
 * keep their order, and moving them is one walk through old and new. */
static uint32_t hash_of(uint32_t parent, uint32_t label)
{
	uint64_t hash = ((uint64_t)parent << 32 | label) * 0x9e3779b97f4a7c15u;

	hash ^= hash >> 32;
	return (uint32_t)(hash * 0xbf58476d1ce4e5b9u >> 32);
}

static size_t wanted_slot(const struct wk_trie *trie, uint32_t hash)
{
	return hash >> trie->slot_shift;
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

/* Entries behind the last slot go on at the first. */
static size_t free_slot(const struct wk_trie *trie, uint32_t hash)
{
	size_t mask = ((size_t)1 << (32 - trie->slot_shift)) - 1;
	size_t at = wanted_slot(trie, hash);

	while (trie->slots[at].id)
		at = (at + 1) & mask;
	return at;
}

static void start_index(struct wk_trie *trie, unsigned slot_bits)
{
	trie->slot_shift = 32 - slot_bits;
	trie->slots = wk_alloc_zeroed((size_t)1 << slot_bits, sizeof(*trie->slots));
}

/* An index for the entries of a sealed trie. */
static void make_index(struct wk_trie *trie)
{
	unsigned bits = FEWEST_SLOT_BITS;

	while ((size_t)trie->count * 3 >= ((size_t)2 << bits) && bits < 32)
		bits++;
	start_index(trie, bits);
	for (uint32_t id = 1; id < trie->count; id++) {
		uint32_t hash = hash_of(trie->parent[id], trie->label[id]);

		trie->slots[free_slot(trie, hash)] = (struct wk_trie_slot){ hash, id };
	}
}

static void double_index(struct wk_trie *trie)
{
	struct wk_trie_slot *old = trie->slots;
	size_t count = (size_t)1 << (32 - trie->slot_shift);

	start_index(trie, 33 - trie->slot_shift);
	for (size_t i = 0; i < count; i++)
		if (old[i].id)
			trie->slots[free_slot(trie, old[i].hash)] = old[i];
	free(old);
}

/* At most two thirds full. */
static void make_room(struct wk_trie *trie)
{
	if (!trie->slots)
		make_index(trie);
	else if ((size_t)trie->count * 3 >= (size_t)2 << (32 - trie->slot_shift) &&
		 trie->slot_shift > 0)
		double_index(trie);
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

void wk_trie_prefetch(const struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	if (trie->slots)
		__builtin_prefetch(&trie->slots[wanted_slot(trie, hash_of(parent, label))], 1);
}

uint32_t wk_trie_add(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	uint32_t hash = hash_of(parent, label);
	size_t mask, at;

	make_room(trie);
	mask = ((size_t)1 << (32 - trie->slot_shift)) - 1;
	for (at = wanted_slot(trie, hash); trie->slots[at].id; at = (at + 1) & mask) {
		uint32_t id = trie->slots[at].id;

		if (trie->slots[at].hash == hash && trie->parent[id] == parent &&
		    trie->label[id] == label)
			return id;
	}
	trie->slots[at] = (struct wk_trie_slot){ hash, trie->count };
	return add_row(trie, parent, label);
}

void wk_trie_seal(struct wk_trie *trie)
{
	free(trie->slots);
	trie->slots = NULL;
}

void wk_trie_trim(struct wk_trie *trie)
{
	wk_trie_seal(trie);
	trie->cap = trie->count;
	trie->parent = wk_realloc(trie->parent, trie->cap * sizeof(*trie->parent));
	trie->label = wk_realloc(trie->label, trie->cap * sizeof(*trie->label));
}
