#include "base/trie.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

#define FEWEST_SLOT_BITS 6

void wk_trie_init(struct wk_trie *trie)
{
	*trie = (struct wk_trie){ 0 };
	wk_trie_append(trie, 0, 0);
}

void wk_trie_fini(struct wk_trie *trie)
{
	WK_FREE_ALL(trie->entries, trie->slots);
	*trie = (struct wk_trie){ 0 };
}

static size_t free_slot(const struct wk_trie *trie, uint32_t hash)
{
	size_t at = hash >> trie->slot_shift;

	while (trie->slots[at].id)
		at = (at + 1) & trie->slot_mask;
	return at;
}

/* At most half full, but with all 32 bits in use as full as it gets. */
static uint32_t room_of(unsigned slot_bits)
{
	return slot_bits < 32 ? 1u << (slot_bits - 1) : UINT32_MAX;
}

static void start_index(struct wk_trie *trie, unsigned slot_bits)
{
	trie->slot_shift = 32 - slot_bits;
	trie->slot_mask = ((size_t)1 << slot_bits) - 1;
	trie->most = room_of(slot_bits);
	/* Cleared here: pages that are first read and then written fault twice. */
	trie->slots = wk_alloc_table((trie->slot_mask + 1) * sizeof(*trie->slots));
	memset(trie->slots, 0, (trie->slot_mask + 1) * sizeof(*trie->slots));
}

/* Children that follow their parents are found without it. */
static bool needs_index(const struct wk_trie *trie, uint32_t id)
{
	return trie->entries[id].parent + 1 != id;
}

/* An index for the entries of a sealed trie. */
static void make_index(struct wk_trie *trie)
{
	unsigned bits = FEWEST_SLOT_BITS;

	trie->indexed = 0;
	for (uint32_t id = 1; id < trie->count; id++)
		trie->indexed += needs_index(trie, id);
	while (trie->indexed >= room_of(bits) && bits < 32)
		bits++;
	start_index(trie, bits);
	for (uint32_t id = 1; id < trie->count; id++) {
		uint32_t hash = wk_trie_hash(trie->entries[id].parent, trie->entries[id].label);

		if (needs_index(trie, id))
			trie->slots[free_slot(trie, hash)] = (struct wk_trie_slot){ hash, id };
	}
}

/* How many entries the index will hold, if as many of all as until now. */
static uint64_t expected_in_index(const struct wk_trie *trie)
{
	return (uint64_t)trie->expected * trie->indexed / trie->count;
}

/* To twice its size, or to what will be needed in the end. */
static void grow_index(struct wk_trie *trie)
{
	struct wk_trie_slot *old = trie->slots;
	size_t count = trie->slot_mask + 1;
	unsigned bits = 33 - trie->slot_shift;

	while (bits < 32 && room_of(bits) < expected_in_index(trie))
		bits++;
	start_index(trie, bits);
	for (size_t i = 0; i < count; i++)
		if (old[i].id)
			trie->slots[free_slot(trie, old[i].hash)] = old[i];
	assert(trie->indexed <= trie->slot_mask);
	wk_free(old);
}

void wk_trie_reserve(struct wk_trie *trie)
{
	if (!trie->slots)
		make_index(trie);
	else if (trie->slot_shift > 0)
		grow_index(trie);
}

static void grow_entries(struct wk_trie *trie)
{
	trie->cap = trie->cap ? trie->cap * 2 : 64;
	if (trie->cap < trie->expected)
		trie->cap = trie->expected;
	trie->entries =
		wk_grow_table(trie->entries, trie->count, trie->cap, sizeof(*trie->entries));
}

static uint32_t add_row(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	assert(parent < trie->count || trie->count == 0);
	if (trie->count == trie->cap)
		grow_entries(trie);
	trie->entries[trie->count] = (struct wk_trie_entry){ parent, label };
	return trie->count++;
}

uint32_t wk_trie_add_new(struct wk_trie *trie, uint32_t parent, uint32_t label, uint32_t hash,
			 size_t at)
{
	if (parent + 1 != trie->count) {
		assert(trie->slots[at].id == 0);
		trie->slots[at] = (struct wk_trie_slot){ hash, trie->count };
		trie->indexed++;
	}
	return add_row(trie, parent, label);
}

bool wk_trie_has(const struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	if (!trie->slots)
		return false;
	return wk_trie_is_next(trie, parent, label) ||
	       wk_trie_find_hashed(trie, parent, label, wk_trie_hash(parent, label));
}

uint32_t wk_trie_append_now(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	if (trie->slots && parent + 1 != trie->count)
		wk_trie_seal(trie);
	return add_row(trie, parent, label);
}

void wk_trie_seal(struct wk_trie *trie)
{
	wk_free(trie->slots);
	trie->slots = NULL;
	trie->most = 0;
}

void wk_trie_trim(struct wk_trie *trie)
{
	wk_trie_seal(trie);
	trie->cap = trie->count;
	trie->entries = wk_realloc(trie->entries, trie->cap * sizeof(*trie->entries));
}
