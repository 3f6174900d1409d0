/* A prefix tree: entries are (parent, label), told once, and go by 32-bit ids.
 *
 * Id 0 is the root and stands for "nothing yet"; a parent's id is smaller than its
 * children's. One id so names a whole sequence of labels. Entries are columns that anyone
 * may read; they only grow. Zero-initialised is not ready: wk_trie_init first, wk_trie_fini
 * last. The index that finds entries again can be dropped by itself (wk_trie_seal) when no
 * more are to be looked up; it is made anew by the next wk_trie_add. */
#ifndef WK_BASE_TRIE_H
#define WK_BASE_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wk_trie_slot {
	uint32_t hash, id;
};

struct wk_trie {
	uint32_t *parent, *label; /* [count] */
	uint32_t count;
	size_t cap;
	struct wk_trie_slot *slots; /* NULL: sealed */
	unsigned slot_shift;        /* there are 2 to the power of (32 - slot_shift) slots */
};

void wk_trie_init(struct wk_trie *trie);
void wk_trie_fini(struct wk_trie *trie);

/* The id of `label` behind `parent`, made if it was not there. */
uint32_t wk_trie_add(struct wk_trie *trie, uint32_t parent, uint32_t label);

/* Says that wk_trie_add of the same is about to come, so that memory is on its way. */
void wk_trie_prefetch(const struct wk_trie *trie, uint32_t parent, uint32_t label);

/* A new entry that the caller knows not to be there yet; on a sealed trie this needs no
 * index. */
uint32_t wk_trie_append(struct wk_trie *trie, uint32_t parent, uint32_t label);

/* Gives back the memory of the index. */
void wk_trie_seal(struct wk_trie *trie);

/* Gives back all room that no entry uses, too. */
void wk_trie_trim(struct wk_trie *trie);

#endif
