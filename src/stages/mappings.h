/* The mappings of one process at one moment: sorted, none overlapping, shared between copies.
 *
 * A set is a tree whose nodes are never changed once they are in two sets, so a copy costs nothing
 * and a change costs a few nodes, whatever the size: a recording in which a large process forks
 * again and again needs memory for its events, not for their square. NULL is the empty set. The
 * owner of a set drops it; nodes are reused after their last set, and freed with the pool. Sets of
 * one pool can share nodes. */
#ifndef WK_STAGES_MAPPINGS_H
#define WK_STAGES_MAPPINGS_H

#include <stdint.h>

#include "base/arena.h"

struct wk_mappings;

/* Zeroed: empty. */
struct wk_mappings_pool {
	struct wk_arena nodes;
	struct wk_mappings *unused;
};

struct wk_mapping {
	uint64_t start, end;
	uint64_t file_offset; /* of `start` */
	uint32_t image;       /* the owner's number */
};

/* All sets of it are gone. */
void wk_mappings_pool_fini(struct wk_mappings_pool *pool);

struct wk_mappings *wk_mappings_share(struct wk_mappings *set);
void wk_mappings_drop(struct wk_mappings_pool *pool, struct wk_mappings *set);

/* Inserts `added`, which is not empty; overlapping parts of others are cut off. Owns `set` and
 * returns the changed one. */
struct wk_mappings *wk_mappings_put(struct wk_mappings_pool *pool, struct wk_mappings *set,
				    const struct wk_mapping *added);

/* The mapping that covers `address`, or NULL; lives as long as the set. */
const struct wk_mapping *wk_mappings_find(const struct wk_mappings *set, uint64_t address);

#endif
