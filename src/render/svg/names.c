#include "render/svg/names.h"

#include "base/mem.h"
#include "render/colours/kind_colours.h"
#include "views/tree/merge.h"

static const struct wk_str small_name = WK_STR("small frames");

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
static void collect(struct wk_svg_names *names, const struct wk_shown_names *shown,
		    const struct wk_model *model, const struct wk_tree *tree, bool keeps_marks)
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

		if (known == &none || !*known) {
			struct wk_str name = is_small ? small_name : tree->name[node];
			struct wk_str label = is_function ? wk_shown_name(shown, name) : name;

			*WK_APPEND(names->entries, names->count, names->cap) = (struct wk_svg_name){
				.name = keeps_marks ? name : without_mark(name),
				.label = keeps_marks ? label : without_mark(label),
				.look = wk_kind_colours_look(model, tree, node),
				.origin = is_function
						  ? wk_function_module(model, tree->function[node])
						  : 0,
			};
			*known = names->count;
		}
		names->of_node[node] = *known - 1;
	}
	names->small = small ? small - 1 : UINT32_MAX;
	wk_free(of_function);
}

/* A name with its first eight bytes as a number that sorts as they do: most names differ there. */
struct place {
	uint64_t start;
	struct wk_str name;
	uint32_t row;
};

static uint64_t start_of(struct wk_str name)
{
	uint64_t start = 0;

	for (size_t i = 0; i < 8; i++)
		start = start << 8 | (i < name.len ? (unsigned char)name.at[i] : 0);
	return start;
}

static int by_name(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = wk_str_compare(a->name, b->name);
	return order ? order : (a->row > b->row) - (a->row < b->row);
}

static void put_in_order(struct wk_svg_names *names, uint32_t nodes)
{
	struct place *places = wk_alloc((size_t)names->count * sizeof(*places));
	struct wk_svg_name *sorted = wk_alloc((size_t)names->count * sizeof(*sorted));
	uint32_t *new_row = wk_alloc((size_t)names->count * sizeof(*new_row));

	for (uint32_t i = 0; i < names->count; i++)
		places[i] = (struct place){ start_of(names->entries[i].name),
					    names->entries[i].name, i };
	qsort(places, names->count, sizeof(*places), by_name);
	for (uint32_t i = 0; i < names->count; i++) {
		sorted[i] = names->entries[places[i].row];
		new_row[places[i].row] = i;
	}
	for (uint32_t node = 0; node < nodes; node++)
		names->of_node[node] = new_row[names->of_node[node]];
	names->small = names->small == UINT32_MAX ? names->count : new_row[names->small];
	wk_free(names->entries);
	names->entries = sorted;
	WK_FREE_ALL(places, new_row);
}

void wk_svg_names_init(struct wk_svg_names *names, const struct wk_shown_names *shown,
		       const struct wk_model *model, const struct wk_tree *tree, bool keeps_marks)
{
	*names = (struct wk_svg_names){ 0 };
	names->of_node = wk_alloc((size_t)tree->count * sizeof(*names->of_node));
	collect(names, shown, model, tree, keeps_marks);
	put_in_order(names, tree->count);
}

void wk_svg_names_fini(struct wk_svg_names *names)
{
	WK_FREE_ALL(names->of_node, names->entries);
	*names = (struct wk_svg_names){ 0 };
}
