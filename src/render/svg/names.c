#include "render/svg/names.h"

#include "base/mem.h"
#include "base/sort.h"
#include "render/colours/palette.h"
#include "views/tree/merge.h"

#define FEW_NAMES  24   /* are sorted by comparing them */
#define MANY_NAMES 1024 /* are worth a count of all their bytes */

static const struct wk_str small_name = WK_STR("small frames");

static uint32_t add_entry(struct wk_svg_names *names, struct wk_svg_name entry)
{
	WK_RESERVE(names->entries, names->cap, (size_t)names->count + 1);
	names->entries[names->count] = entry;
	return names->count++;
}

/* Marks that the older tools append to names for kinds of code: here colours show them. */
static struct wk_str without_mark(struct wk_str name)
{
	static const char *const marks[] = { "_[k]", "_[i]", "_[j]", "_[w]" };

	if (name.len <= 4 || name.at[name.len - 1] != ']')
		return name;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (wk_str_ends(name, marks[i]))
			return wk_str_of(name.at, name.len - 4);
	return name;
}

/* Names in order of first use: a function's once, those of processes and threads for each node in
 * the tree, all counted boxes as one. */
static void collect(struct wk_svg_names *names, const struct wk_model *model,
		    const struct wk_tree *tree, bool keeps_marks)
{
	/* Entry number + 1 of each function that was met. */
	uint32_t *of_function = wk_alloc_zeroed(model->function_count, sizeof(*of_function));
	uint32_t small = 0, none = 0;

	for (uint32_t node = 0; node < tree->count; node++) {
		bool is_function = tree->kind[node] == WK_NODE_FUNCTION;
		bool is_small = tree->kind[node] == WK_NODE_SMALL;
		uint32_t *known = is_function ? &of_function[tree->function[node]]
				  : is_small  ? &small
					      : &none;

		if (known == &none || !*known)
			*known = 1 + add_entry(names, (struct wk_svg_name){
				.name = is_small      ? small_name
					: keeps_marks ? tree->name[node]
						      : without_mark(tree->name[node]),
				.look = wk_palette_look(model, tree, node),
				.origin = is_function
						  ? wk_function_module(model, tree->function[node])
						  : 0,
			});
		names->of_node[node] = *known - 1;
	}
	names->small = small ? small - 1 : UINT32_MAX;
	wk_free(of_function);
}

/* Eight bytes from `depth` on as a number that sorts as they do. */
static uint64_t piece(struct wk_str name, size_t depth)
{
	uint64_t key = 0;

	for (size_t i = depth; i < depth + 8; i++)
		key = key << 8 | (i < name.len ? (unsigned char)name.at[i] : 0);
	return key;
}

/* Rows of names that are alike up to `depth`. */
struct group {
	size_t first, count, depth;
};

struct sorter {
	const struct wk_svg_name *entries;
	struct wk_sort_key *keys;
	struct group *groups; /* that wait */
	size_t waiting, cap;
};

static void wait_for(struct sorter *s, struct group group)
{
	*WK_APPEND(s->groups, s->waiting, s->cap) = group;
}

static int order_of(const struct sorter *s, struct wk_sort_key a, struct wk_sort_key b,
		    size_t depth)
{
	return wk_str_compare(wk_str_skip(s->entries[a.row].name, depth),
			      wk_str_skip(s->entries[b.row].name, depth));
}

static void insert_few(struct sorter *s, const struct group *group)
{
	struct wk_sort_key *keys = s->keys + group->first;

	for (size_t i = 1; i < group->count; i++) {
		struct wk_sort_key key = keys[i];
		size_t to = i;

		for (; to > 0 && order_of(s, keys[to - 1], key, group->depth) > 0; to--)
			keys[to] = keys[to - 1];
		keys[to] = key;
	}
}

static int by_key(const void *left, const void *right)
{
	const struct wk_sort_key *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Sorts by the next eight bytes; those that are alike there wait for their next eight. */
static void sort_many(struct sorter *s, const struct group *group)
{
	struct wk_sort_key *keys = s->keys + group->first;
	size_t start = 0, next = group->depth + 8;
	bool goes_on = false;

	for (size_t i = 0; i < group->count; i++)
		keys[i].key = piece(s->entries[keys[i].row].name, group->depth);
	if (group->count < MANY_NAMES)
		qsort(keys, group->count, sizeof(*keys), by_key);
	else
		wk_sort_keys(keys, group->count);
	for (size_t i = 0; i <= group->count; i++) {
		if (i < group->count && keys[i].key == keys[start].key) {
			goes_on |= s->entries[keys[i].row].name.len > next;
			continue;
		}
		if (goes_on && i - start > 1)
			wait_for(s, (struct group){ group->first + start, i - start, next });
		start = i;
		goes_on = i < group->count && s->entries[keys[i].row].name.len > next;
	}
}

static void sort_rows(const struct wk_svg_names *names, struct wk_sort_key *keys)
{
	struct sorter s = { .entries = names->entries, .keys = keys };

	for (uint32_t i = 0; i < names->count; i++)
		keys[i].row = i;
	wait_for(&s, (struct group){ 0, names->count, 0 });
	while (s.waiting) {
		struct group group = s.groups[--s.waiting];

		if (group.count <= FEW_NAMES)
			insert_few(&s, &group);
		else
			sort_many(&s, &group);
	}
	wk_free(s.groups);
}

static void put_in_order(struct wk_svg_names *names, uint32_t nodes)
{
	struct wk_sort_key *keys = wk_alloc((size_t)names->count * sizeof(*keys));
	struct wk_svg_name *sorted = wk_alloc((size_t)names->count * sizeof(*sorted));
	uint32_t *place = wk_alloc((size_t)names->count * sizeof(*place));

	sort_rows(names, keys);
	for (uint32_t i = 0; i < names->count; i++) {
		sorted[i] = names->entries[keys[i].row];
		place[keys[i].row] = i;
	}
	for (uint32_t node = 0; node < nodes; node++)
		names->of_node[node] = place[names->of_node[node]];
	names->small = names->small == UINT32_MAX ? names->count : place[names->small];
	wk_free(names->entries);
	names->entries = sorted;
	WK_FREE_ALL(keys, place);
}

void wk_svg_names_init(struct wk_svg_names *names, const struct wk_model *model,
		       const struct wk_tree *tree, bool keeps_marks)
{
	*names = (struct wk_svg_names){ 0 };
	names->of_node = wk_alloc((size_t)tree->count * sizeof(*names->of_node));
	collect(names, model, tree, keeps_marks);
	put_in_order(names, tree->count);
}

void wk_svg_names_fini(struct wk_svg_names *names)
{
	WK_FREE_ALL(names->of_node, names->entries);
	*names = (struct wk_svg_names){ 0 };
}
