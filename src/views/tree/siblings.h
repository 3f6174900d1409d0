/* Which children a node has, in which order: for views/tree/tree.c and views/tree/stack_rows.c.
 *
 * Nodes are numbers from 0 (the root) up to `count`, a parent's smaller than its children's. */
#ifndef WK_VIEWS_TREE_SIBLINGS_H
#define WK_VIEWS_TREE_SIBLINGS_H

#include <stdint.h>

#include "base/str.h"

struct wk_siblings {
	uint32_t *order; /* children, parent by parent */
	uint32_t *first; /* node n: order[first[n]] up to order[first[n + 1]] */
};

/* Children in order of their numbers. Nodes with a 0 in `is_there` are left out, unless that is
 * NULL. */
void wk_siblings_init(struct wk_siblings *siblings, const uint32_t *parent,
		      const uint32_t *is_there, uint32_t count);
void wk_siblings_fini(struct wk_siblings *siblings);

/* Least rank first; those of one rank stay as they are. Nodes of one label have one rank. */
void wk_siblings_sort(struct wk_siblings *siblings, const uint32_t *rank_of_label,
		      const uint32_t *label, uint32_t count);

/* A name of nodes, with what follows it in a line of text. */
struct wk_ranked_name {
	struct wk_str name;
	uint32_t number; /* of several of that name the smaller one comes first */
	char behind;     /* 0 if that does not count */
};

/* The rank of each name, by its number, which is below `most`. Sorts `names`. */
uint32_t *wk_rank_names(struct wk_ranked_name *names, uint32_t count, uint32_t most);

#endif
