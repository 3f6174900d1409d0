#include "stages/mappings.h"

#include <stdlib.h>

#include "base/mem.h"

/* A node of an AVL tree, ordered by start. Functions that change trees own their arguments and
 * return an owned tree; depth, and so recursion, is at most 1.44 times the binary logarithm of the
 * count. */
struct wk_mappings {
	struct wk_mapping mapping;
	struct wk_mappings *left, *right;
	size_t owners;
	int height;
};

static int height_of(const struct wk_mappings *tree)
{
	return tree ? tree->height : 0;
}

static struct wk_mappings *node(struct wk_mappings *left, const struct wk_mapping *mapping,
				struct wk_mappings *right)
{
	struct wk_mappings *made = wk_alloc(sizeof(*made));
	int higher = height_of(left) > height_of(right) ? height_of(left) : height_of(right);

	*made = (struct wk_mappings){ *mapping, left, right, 1, higher + 1 };
	return made;
}

struct wk_mappings *wk_mappings_share(struct wk_mappings *set)
{
	if (set)
		set->owners++;
	return set;
}

void wk_mappings_drop(struct wk_mappings *set)
{
	if (!set || --set->owners)
		return;
	wk_mappings_drop(set->left);
	wk_mappings_drop(set->right);
	wk_free(set);
}

/* A tree split at its root. */
struct parts {
	struct wk_mappings *left, *right;
	struct wk_mapping mapping;
};

static struct parts handle_apart(struct wk_mappings *tree)
{
	struct parts parts = { tree->left, tree->right, tree->mapping };

	if (tree->owners == 1) {
		wk_free(tree);
		return parts;
	}
	wk_mappings_share(parts.left);
	wk_mappings_share(parts.right);
	tree->owners--;
	return parts;
}

static struct wk_mappings *rotate_left(struct wk_mappings *tree)
{
	struct parts top = handle_apart(tree);
	struct parts right = handle_apart(top.right);

	return node(node(top.left, &top.mapping, right.left), &right.mapping, right.right);
}

static struct wk_mappings *rotate_right(struct wk_mappings *tree)
{
	struct parts top = handle_apart(tree);
	struct parts left = handle_apart(top.left);

	return node(left.left, &left.mapping, node(left.right, &top.mapping, top.right));
}

/* The lower tree descends the inner side of the higher one, to equal height. */
static struct wk_mappings *join_right(struct wk_mappings *higher, const struct wk_mapping *middle,
				      struct wk_mappings *right)
{
	struct parts top = handle_apart(higher);
	struct wk_mappings *inner;

	if (height_of(top.right) > height_of(right) + 1) {
		inner = join_right(top.right, middle, right);
	} else {
		inner = node(top.right, middle, right);
		if (height_of(inner) > height_of(top.left) + 1)
			inner = rotate_right(inner);
	}
	if (height_of(inner) <= height_of(top.left) + 1)
		return node(top.left, &top.mapping, inner);
	return rotate_left(node(top.left, &top.mapping, inner));
}

static struct wk_mappings *join_left(struct wk_mappings *left, const struct wk_mapping *middle,
				     struct wk_mappings *higher)
{
	struct parts top = handle_apart(higher);
	struct wk_mappings *inner;

	if (height_of(top.left) > height_of(left) + 1) {
		inner = join_left(left, middle, top.left);
	} else {
		inner = node(left, middle, top.left);
		if (height_of(inner) > height_of(top.right) + 1)
			inner = rotate_left(inner);
	}
	if (height_of(inner) <= height_of(top.right) + 1)
		return node(inner, &top.mapping, top.right);
	return rotate_right(node(inner, &top.mapping, top.right));
}

/* All of `left` is before `middle`, and all of `right` after it. */
static struct wk_mappings *join(struct wk_mappings *left, const struct wk_mapping *middle,
				struct wk_mappings *right)
{
	if (height_of(left) > height_of(right) + 1)
		return join_right(left, middle, right);
	if (height_of(right) > height_of(left) + 1)
		return join_left(left, middle, right);
	return node(left, middle, right);
}

/* What starts before `address`, and the rest. */
static void split(struct wk_mappings *tree, uint64_t address, struct wk_mappings **before,
		  struct wk_mappings **rest)
{
	struct wk_mappings *between;
	struct parts top;

	*before = *rest = NULL;
	if (!tree)
		return;
	top = handle_apart(tree);
	if (top.mapping.start < address) {
		split(top.right, address, &between, rest);
		*before = join(top.left, &top.mapping, between);
	} else {
		split(top.left, address, before, &between);
		*rest = join(between, &top.mapping, top.right);
	}
}

static const struct wk_mapping *last_of(const struct wk_mappings *tree)
{
	while (tree && tree->right)
		tree = tree->right;
	return tree ? &tree->mapping : NULL;
}

struct wk_mappings *wk_mappings_put(struct wk_mappings *set, const struct wk_mapping *added)
{
	struct wk_mappings *before, *covered, *behind, *nothing;
	const struct wk_mapping *last;
	struct wk_mapping tail = { 0 }, head;

	split(set, added->start, &before, &covered);
	split(covered, added->end, &covered, &behind);
	last = last_of(before);
	if (last && last->end > added->start) {
		head = tail = *last;
		head.end = added->start;
		split(before, head.start, &before, &nothing);
		wk_mappings_drop(nothing);
		before = join(before, &head, NULL);
	}
	last = last_of(covered);
	if (last)
		tail = *last;
	wk_mappings_drop(covered);
	if (tail.end > added->end) {
		tail.file_offset += added->end - tail.start;
		tail.start = added->end;
		behind = join(NULL, &tail, behind);
	}
	return join(before, added, behind);
}

const struct wk_mapping *wk_mappings_find(const struct wk_mappings *set, uint64_t address)
{
	const struct wk_mappings *found = NULL;

	while (set) {
		if (set->mapping.start <= address) {
			found = set;
			set = set->right;
		} else {
			set = set->left;
		}
	}
	return found && address < found->mapping.end ? &found->mapping : NULL;
}
