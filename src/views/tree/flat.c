#include "views/tree/flat.h"

#include "base/mem.h"
#include "base/sort.h"

/* The sums of every function or image, met or not, by its id. */
struct sums {
	struct wk_flat_row *rows;
	uint32_t *open; /* how many times it is on the path from the root to this node */
	uint32_t count;
};

static uint32_t group_of(const struct wk_model *model, enum wk_flat_by by,
			 const struct wk_tree *tree, uint32_t node)
{
	if (by == WK_FLAT_LINES)
		return tree->place[node];
	return by == WK_FLAT_IMAGES ? model->functions[tree->function[node]].image
				    : tree->function[node];
}

static void enter(struct sums *sums, const struct wk_tree *tree, uint32_t node, uint32_t group)
{
	struct wk_flat_row *row = &sums->rows[group];

	row->function = tree->function[node];
	row->self += tree->self_after ? tree->self_after[node] : tree->self[node];
	row->self_before += tree->self_before ? tree->self_before[node] : 0;
	row->self_samples += tree->self_samples[node];
	if (sums->open[group]++)
		return; /* an outer call of the same has counted all this */
	row->total += tree->total_after ? tree->total_after[node] : tree->total[node];
	row->total_before += tree->total_before ? tree->total_before[node] : 0;
	row->total_samples += tree->total_samples[node];
}

/* A walk in the tree's own order; an open node is closed when the walk reaches a node that is not
 * deeper. */
static void add_up(struct sums *sums, const struct wk_model *model, const struct wk_tree *tree,
		   enum wk_flat_by by)
{
	uint32_t *path = wk_alloc(((size_t)tree->depth_max + 1) * sizeof(*path));
	uint32_t deep = 0;

	for (uint32_t node = 1; node < tree->count; node++) {
		uint32_t group = group_of(model, by, tree, node);

		while (deep >= tree->depth[node])
			sums->open[path[deep--]]--;
		path[++deep] = group;
		enter(sums, tree, node, group);
	}
	wk_free(path);
}

struct sort_row {
	struct wk_flat_row row;
	struct wk_str name;
};

static int hotter_first(const void *left, const void *right)
{
	const struct sort_row *a = left, *b = right;
	int order;

	if (a->row.self != b->row.self)
		return a->row.self < b->row.self ? 1 : -1;
	if (a->row.total != b->row.total)
		return a->row.total < b->row.total ? 1 : -1;
	order = wk_str_compare(a->name, b->name);
	return order ? order : (a->row.id > b->row.id) - (a->row.id < b->row.id);
}

static void keep_rows(struct wk_flat *flat, const struct wk_model *model, const struct sums *sums,
		      enum wk_flat_by by)
{
	struct sort_row *sorted = wk_alloc((size_t)sums->count * sizeof(*sorted));

	for (uint32_t i = 0; i < sums->count; i++) {
		wk_text_id name = by == WK_FLAT_IMAGES
					  ? model->images[i].path
					  : model->functions[sums->rows[i].function].name;

		if (sums->rows[i].total_samples == 0)
			continue;
		sorted[flat->count] = (struct sort_row){ sums->rows[i], wk_model_str(model, name) };
		sorted[flat->count++].row.id = i;
	}
	qsort(sorted, flat->count, sizeof(*sorted), hotter_first);
	flat->rows = wk_alloc(((size_t)flat->count + 1) * sizeof(*flat->rows));
	for (uint32_t i = 0; i < flat->count; i++)
		flat->rows[i] = sorted[i].row;
	wk_free(sorted);
}

static void list(struct wk_flat *flat, const struct wk_model *model, const struct wk_filter *filter,
		 enum wk_flat_by by, const struct wk_tree_options *options)
{
	uint32_t groups = by == WK_FLAT_IMAGES  ? model->image_count
			  : by == WK_FLAT_LINES ? model->named_frames.count
						: model->function_count;
	struct sums sums = {
		.rows = wk_alloc_zeroed(groups, sizeof(*sums.rows)),
		.open = wk_alloc_zeroed(groups, sizeof(*sums.open)),
		.count = groups,
	};
	struct wk_tree tree;

	wk_tree_init(&tree, model, filter, options);
	add_up(&sums, model, &tree, by);
	*flat = (struct wk_flat){
		.whole = tree.total_after ? tree.total_after[0] : tree.total[0],
		.whole_samples = tree.total_samples[0], .unit = tree.unit };
	keep_rows(flat, model, &sums, by);
	WK_FREE_ALL(sums.rows, sums.open);
	wk_tree_fini(&tree);
}

void wk_flat_init(struct wk_flat *flat, const struct wk_model *model,
		  const struct wk_filter *filter, enum wk_flat_by by,
		  const struct wk_tree_options *shown)
{
	/* The larger of both, so that no node of either side is left out. */
	list(flat, model, filter, by, &(struct wk_tree_options){
		.order = WK_TREE_UNSORTED, .side = WK_TREE_LARGER,
		.by_lines = by == WK_FLAT_LINES,
		.hides_plumbing = shown && shown->hides_plumbing,
		.charges_own = shown && shown->charges_own });
}

void wk_flat_compare(struct wk_flat *flat, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tree_options *how)
{
	list(flat, model, filter, WK_FLAT_FUNCTIONS, &(struct wk_tree_options){
		.order = WK_TREE_UNSORTED, .side = WK_TREE_LARGER, .pairs = how->pairs,
		.by_samples = how->by_samples, .before_factor = how->before_factor,
		.hides_plumbing = how->hides_plumbing, .charges_own = how->charges_own });
}

void wk_flat_sort_by_total(struct wk_flat *flat)
{
	struct wk_sort_key *keys = wk_alloc((size_t)flat->count * sizeof(*keys));

	for (uint32_t i = 0; i < flat->count; i++)
		keys[i] = (struct wk_sort_key){ UINT64_MAX - flat->rows[i].total, i };
	wk_sort_keys(keys, flat->count);
	flat->rows = wk_sort_gather(flat->rows, keys, flat->count, sizeof(*flat->rows));
	wk_free(keys);
}

void wk_flat_fini(struct wk_flat *flat)
{
	wk_free(flat->rows);
	*flat = (struct wk_flat){ 0 };
}
