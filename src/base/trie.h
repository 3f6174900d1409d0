/* A prefix tree: entries are (parent, label), stored once, identified by 32-bit ids.
 *
 * Id 0 is the root and means "empty"; a parent's id is smaller than its children's. One id thus
 * represents a whole sequence of labels. Anyone may read the entries; there are only ever more.
 * Zero-initialised is not ready: wk_trie_init first, wk_trie_fini last. The index that finds
 * entries can be freed separately (wk_trie_seal) when no more are looked up; the next wk_trie_add
 * rebuilds it.
 *
 * A child whose id follows its parent's is found without the index and uses no space in it: of
 * stacks added whole, one after the other, only the frames at which one leaves the earlier ones are
 * indexed. */
#ifndef WK_BASE_TRIE_H
#define WK_BASE_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct wk_trie_slot {
	uint32_t hash, id;
};

/* Both in one place: a lookup compares both, and memory is what it waits for. */
struct wk_trie_entry {
	uint32_t parent, label;
};

struct wk_trie {
	struct wk_trie_entry *entries; /* [count] */
	uint32_t count;
	size_t cap;
	struct wk_trie_slot *slots; /* NULL: sealed */
	size_t slot_mask;
	unsigned slot_shift;    /* there are 2 to the power of (32 - slot_shift) slots */
	uint32_t indexed, most; /* entries in the index, and its capacity */
	uint32_t expected;      /* capacity for entries */
};

void wk_trie_init(struct wk_trie *trie);
void wk_trie_fini(struct wk_trie *trie);

/* Of the result's 32 bits the first ones are the slot that an entry wants: when the index is
 * doubled, entries keep their order, and moving them is one walk through old and new. */
static inline uint32_t wk_trie_hash(uint32_t parent, uint32_t label)
{
	return (uint32_t)(wk_hash_u64((uint64_t)parent << 32 | label) >> 32);
}

/* Is the entry behind `parent`'s its child `label`? */
static inline bool wk_trie_is_next(const struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	uint32_t next = parent + 1;

	return next < trie->count && trie->entries[next].parent == parent &&
	       trie->entries[next].label == label;
}

/* An entry that was not found: `at` is the free slot at which the search ended. */
uint32_t wk_trie_add_new(struct wk_trie *trie, uint32_t parent, uint32_t label, uint32_t hash,
			 size_t at);
void wk_trie_reserve(struct wk_trie *trie);

/* The slot of an entry that is not the next one, or the free one at which the search for it
 * ends. */
static inline size_t wk_trie_slot_of(const struct wk_trie *trie, uint32_t parent, uint32_t label,
				     uint32_t hash)
{
	size_t at = hash >> trie->slot_shift;

	for (; trie->slots[at].id; at = (at + 1) & trie->slot_mask) {
		uint32_t id = trie->slots[at].id;

		if (trie->slots[at].hash == hash && trie->entries[id].parent == parent &&
		    trie->entries[id].label == label)
			break;
	}
	return at;
}

/* The id of `label` below `parent`, added if it was missing. */
static inline uint32_t wk_trie_add(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	uint32_t hash;
	size_t at;

	if (wk_trie_is_next(trie, parent, label))
		return parent + 1;
	if (trie->indexed >= trie->most)
		wk_trie_reserve(trie);
	hash = wk_trie_hash(parent, label);
	at = wk_trie_slot_of(trie, parent, label, hash);
	return trie->slots[at].id ? trie->slots[at].id
				  : wk_trie_add_new(trie, parent, label, hash, at);
}

/* The entry of this hash that is not the next one, or 0: for callers that extend several entries at
 * once, and have called wk_trie_prefetch first. */
static inline uint32_t wk_trie_find_hashed(const struct wk_trie *trie, uint32_t parent,
					   uint32_t label, uint32_t hash)
{
	return trie->slots ? trie->slots[wk_trie_slot_of(trie, parent, label, hash)].id : 0;
}

/* Is `label` there behind `parent`? False once the index was dropped. */
bool wk_trie_has(const struct wk_trie *trie, uint32_t parent, uint32_t label);

/* Announces a lookup of an entry of this hash, so that its memory is fetched. */
static inline void wk_trie_prefetch(const struct wk_trie *trie, uint32_t hash)
{
	if (trie->slots)
		__builtin_prefetch(&trie->slots[hash >> trie->slot_shift], 1);
}

uint32_t wk_trie_append_now(struct wk_trie *trie, uint32_t parent, uint32_t label);

/* A new entry that the caller knows to be missing; it needs no index, and drops the index if the
 * new id does not follow the parent's. */
static inline uint32_t wk_trie_append(struct wk_trie *trie, uint32_t parent, uint32_t label)
{
	if (trie->count == trie->cap || (trie->slots && parent + 1 != trie->count))
		return wk_trie_append_now(trie, parent, label);
	trie->entries[trie->count] = (struct wk_trie_entry){ parent, label };
	return trie->count++;
}

/* Announces the likely number of entries: the index then grows in one step instead of many. Only a
 * guess that is far too high has a cost. */
static inline void wk_trie_expect(struct wk_trie *trie, uint32_t count)
{
	trie->expected = count;
}

/* Gives back the memory of the index. */
void wk_trie_seal(struct wk_trie *trie);

/* Also frees all capacity that no entry uses. */
void wk_trie_trim(struct wk_trie *trie);

#endif
