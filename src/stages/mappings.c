#include "stages/mappings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

/* A node of an AVL tree, ordered by start. Functions that change trees own their arguments and
 * return an owned tree; depth, and so recursion, is at most 1.44 times the binary logarithm of the
 * count. */
struct wk_mappings {
	struct wk_mapping mapping;
	struct wk_mappings *child[2]; /* before it, and behind */
	size_t owners;
	int height;
};

static int height_of(const struct wk_mappings *tree)
{
	return tree ? tree->height : 0;
}

static struct wk_mappings *new_node(struct wk_mappings_pool *pool)
{
	struct wk_mappings *made = pool->unused;

	if (!made)
		return wk_arena_alloc(&pool->nodes, sizeof(*made));
	pool->unused = made->child[0];
	return made;
}

static void reuse(struct wk_mappings_pool *pool, struct wk_mappings *node)
{
	node->child[0] = pool->unused;
	pool->unused = node;
}

/* `at_side` is the child on that side, `opposite` the other. */
static struct wk_mappings *node(struct wk_mappings_pool *pool, int side,
				struct wk_mappings *at_side, const struct wk_mapping *mapping,
				struct wk_mappings *opposite)
{
	struct wk_mappings *made = new_node(pool);
	int height = height_of(at_side), other = height_of(opposite);

	*made = (struct wk_mappings){
		.mapping = *mapping, .owners = 1, .height = (height > other ? height : other) + 1 };
	made->child[side] = at_side;
	made->child[!side] = opposite;
	return made;
}

void wk_mappings_pool_fini(struct wk_mappings_pool *pool)
{
	wk_arena_fini(&pool->nodes);
	pool->unused = NULL;
}

struct wk_mappings *wk_mappings_share(struct wk_mappings *set)
{
	if (set)
		set->owners++;
	return set;
}

void wk_mappings_drop(struct wk_mappings_pool *pool, struct wk_mappings *set)
{
	if (!set || --set->owners)
		return;
	wk_mappings_drop(pool, set->child[0]);
	wk_mappings_drop(pool, set->child[1]);
	reuse(pool, set);
}

/* A tree split at its root. */
struct parts {
	struct wk_mappings *child[2];
	struct wk_mapping mapping;
};

static struct parts handle_apart(struct wk_mappings_pool *pool, struct wk_mappings *tree)
{
	struct parts parts = { { tree->child[0], tree->child[1] }, tree->mapping };

	if (tree->owners == 1) {
		reuse(pool, tree);
		return parts;
	}
	wk_mappings_share(parts.child[0]);
	wk_mappings_share(parts.child[1]);
	tree->owners--;
	return parts;
}

/* The root moves to `side`. */
static struct wk_mappings *rotate(struct wk_mappings_pool *pool, int side, struct wk_mappings *tree)
{
	struct parts top = handle_apart(pool, tree);
	struct parts next = handle_apart(pool, top.child[!side]);

	return node(pool, side, node(pool, side, top.child[side], &top.mapping, next.child[side]),
		    &next.mapping, next.child[!side]);
}

/* `higher` is on `side` of `middle`. The lower tree descends its inner side, to equal height. */
static struct wk_mappings *join_at(struct wk_mappings_pool *pool, int side,
				   struct wk_mappings *higher, const struct wk_mapping *middle,
				   struct wk_mappings *lower)
{
	struct parts top = handle_apart(pool, higher);
	struct wk_mappings *outer = top.child[side], *inner = top.child[!side], *tree;

	if (height_of(inner) > height_of(lower) + 1) {
		inner = join_at(pool, side, inner, middle, lower);
	} else {
		inner = node(pool, side, inner, middle, lower);
		if (height_of(inner) > height_of(outer) + 1)
			inner = rotate(pool, !side, inner);
	}
	tree = node(pool, side, outer, &top.mapping, inner);
	return height_of(inner) <= height_of(outer) + 1 ? tree : rotate(pool, side, tree);
}

/* All of `left` is before `middle`, and all of `right` after it. */
static struct wk_mappings *join(struct wk_mappings_pool *pool, struct wk_mappings *left,
				const struct wk_mapping *middle, struct wk_mappings *right)
{
	if (height_of(left) > height_of(right) + 1)
		return join_at(pool, 0, left, middle, right);
	if (height_of(right) > height_of(left) + 1)
		return join_at(pool, 1, right, middle, left);
	return node(pool, 0, left, middle, right);
}

/* What starts before `address`, and the rest. */
static void split(struct wk_mappings_pool *pool, struct wk_mappings *tree, uint64_t address,
		  struct wk_mappings **before, struct wk_mappings **rest)
{
	struct wk_mappings *between;
	struct parts top;

	*before = *rest = NULL;
	if (!tree)
		return;
	top = handle_apart(pool, tree);
	if (top.mapping.start < address) {
		split(pool, top.child[1], address, &between, rest);
		*before = join(pool, top.child[0], &top.mapping, between);
	} else {
		split(pool, top.child[0], address, before, &between);
		*rest = join(pool, between, &top.mapping, top.child[1]);
	}
}

static const struct wk_mapping *last_of(const struct wk_mappings *tree)
{
	while (tree && tree->child[1])
		tree = tree->child[1];
	return tree ? &tree->mapping : NULL;
}

struct wk_mappings *wk_mappings_put(struct wk_mappings_pool *pool, struct wk_mappings *set,
				    const struct wk_mapping *added)
{
	struct wk_mappings *before, *covered, *behind, *nothing;
	const struct wk_mapping *last;
	struct wk_mapping tail = { 0 }, head;

	split(pool, set, added->start, &before, &covered);
	split(pool, covered, added->end, &covered, &behind);
	last = last_of(before);
	if (last && last->end > added->start) {
		head = tail = *last;
		head.end = added->start;
		split(pool, before, head.start, &before, &nothing);
		wk_mappings_drop(pool, nothing);
		before = join(pool, before, &head, NULL);
	}
	last = last_of(covered);
	if (last)
		tail = *last;
	wk_mappings_drop(pool, covered);
	if (tail.end > added->end) {
		tail.file_offset += added->end - tail.start;
		tail.start = added->end;
		behind = join(pool, NULL, &tail, behind);
	}
	return join(pool, before, added, behind);
}

const struct wk_mapping *wk_mappings_find(const struct wk_mappings *set, uint64_t address)
{
	const struct wk_mappings *found = NULL;

	while (set) {
		bool is_up_to = set->mapping.start <= address;

		found = is_up_to ? set : found;
		set = set->child[is_up_to];
	}
	return found && address < found->mapping.end ? &found->mapping : NULL;
}
