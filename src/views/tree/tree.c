#include "views/tree/tree.h"

#include "base/bisect.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "views/tree/siblings.h"
#include "views/tree/tree_internal.h"

static bool weighs_nothing(const struct wk_model *model, const struct wk_filter *filter)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i) && wk_filter_weight(filter, model, i))
			return false;
	return true;
}

void wk_tree_complete_options(struct wk_tree_options *options, const struct wk_model *model,
			      const struct wk_filter *filter)
{
	const struct wk_source *source = &model->sources[filter->source];

	options->by_samples |= weighs_nothing(model, filter);
	options->hides_mapping =
		options->hides_plumbing && source->is_of_pages && !model->traits->logs_events;
	options->hides_allocators =
		options->hides_mapping || (options->hides_plumbing && source->is_of_blocks);
}

/* ---- the order of siblings */

/* A kept node before it is numbered. */
struct numbered {
	uint32_t from;   /* the folding's node */
	uint32_t parent; /* its new number */
};

#define IS_BOX                                                                                     \
	UINT32_MAX /* in place of a folding's node: the parts that its parent does not             \
		    * keep */

struct ordering {
	const struct wk_folding *f;
	const struct wk_cached_rows *kept;
	struct wk_siblings siblings;      /* positions in kept */
	struct numbered *numbered;        /* [kept->count + kept->boxes] */
	uint64_t *own_before, *own_after; /* of a comparison, by the folding's node: without those
					   * that it calls */
	uint32_t *number;                 /* and if there are boxes: its new number + 1 */
};

/* Gives each kept node the number of its label, with separate numbers for labels that others
 * follow, and returns the rank of each number; `behind` may be NULL. So each name is compared
 * once. */
static uint32_t *rank_names(const struct ordering *o, struct wk_tree *tree, const char *behind,
			    uint32_t *number)
{
	struct wk_ranked_name *ranked = NULL;
	size_t ranked_cap = 0;
	struct wk_map labels = { 0 }; /* to numbers from 1 on */
	uint32_t count = 0, *rank;

	for (uint32_t i = 0; i < o->kept->count; i++) {
		uint32_t label = wk_folding_label(o->f, o->kept->node[i]);
		char next = behind ? behind[i] : 0;
		uint64_t key = (uint64_t)(unsigned char)next << 32 | label;
		uint32_t *known = wk_map_at(&labels, key);

		if (!*known) {
			*known = count + 1;
			*WK_APPEND(ranked, count, ranked_cap) = (struct wk_ranked_name){
				wk_folding_name(o->f, label, &tree->arena), *known, next };
		}
		number[i] = *known;
	}
	rank = wk_rank_names(ranked, count, count + 1);
	wk_map_fini(&labels);
	wk_free(ranked);
	return rank;
}

/* A name in a line of text ends in ' ' if a stack ends in it, in ';' if one continues. */
static char *find_behind(const struct ordering *o)
{
	uint32_t count = o->kept->count;
	uint64_t *below = wk_alloc_zeroed(count, sizeof(*below));
	char *behind = wk_alloc(count);

	for (uint32_t i = 1; i < count; i++)
		below[o->kept->parent[i]] += wk_folding_samples(o->f, o->kept->node[i]);
	for (uint32_t i = 0; i < count; i++)
		behind[i] = below[i] < wk_folding_samples(o->f, o->kept->node[i]) ? ' ' : ';';
	wk_free(below);
	return behind;
}

struct weighed {
	uint64_t weight;
	uint32_t place, index;
};

static int heavier_first(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Lists that are in order of names already. */
static void sort_by_weight(struct ordering *o)
{
	struct weighed *list = NULL;
	size_t cap = 0;

	for (uint32_t p = 0; p < o->kept->count; p++) {
		uint32_t first = o->siblings.first[p], count = o->siblings.first[p + 1] - first;

		if (count < 2)
			continue;
		WK_RESERVE(list, cap, count);
		for (uint32_t i = 0; i < count; i++)
			list[i] = (struct weighed){
				o->f->sum.weight[o->kept->node[o->siblings.order[first + i]]],
				o->siblings.order[first + i], i };
		qsort(list, count, sizeof(*list), heavier_first);
		for (uint32_t i = 0; i < count; i++)
			o->siblings.order[first + i] = list[i].place;
	}
	wk_free(list);
}

static void order_children(struct ordering *o, struct wk_tree *tree)
{
	enum wk_tree_order wanted = o->f->options->order;
	char *behind = NULL;
	uint32_t *rank, *number;

	wk_siblings_init(&o->siblings, o->kept->parent, NULL, o->kept->count);
	if (wanted == WK_TREE_UNSORTED || wanted == WK_TREE_BY_TIME || o->f->options->is_chart)
		return;
	if (wanted == WK_TREE_BY_TEXT)
		behind = find_behind(o);
	number = wk_alloc_table((size_t)o->kept->count * sizeof(*number));
	rank = rank_names(o, tree, behind, number);
	wk_siblings_sort(&o->siblings, rank, number, o->kept->count);
	wk_free(number);
	if (wanted == WK_TREE_BY_WEIGHT)
		sort_by_weight(o);
	WK_FREE_ALL(behind, rank);
}

static bool has_box(const struct wk_cached_rows *kept, uint32_t place)
{
	return kept->small_frames && kept->small_frames[place];
}

/* Renumbers the nodes, each before its subtree and after the box that its parent may have. A
 * parent's position is smaller than its children's, so one backward pass sums up the number of
 * nodes below each, and one forward pass determines their positions. Overwrites the lists of
 * children. */
static void number_nodes(struct ordering *o)
{
	const struct wk_cached_rows *kept = o->kept;
	const uint32_t *first = o->siblings.first;
	uint32_t *size = wk_alloc_table((size_t)kept->count * sizeof(*size));
	uint32_t *number = wk_alloc_table((size_t)kept->count * sizeof(*number));

	o->numbered = wk_alloc_table(((size_t)kept->count + kept->boxes) * sizeof(*o->numbered));
	for (uint32_t i = 0; i < kept->count; i++)
		size[i] = has_box(kept, i) ? 2 : 1;
	for (uint32_t i = kept->count; i-- > 1;)
		size[kept->parent[i]] += size[i];
	number[0] = 0;
	o->numbered[0] = (struct numbered){ kept->node[0], 0 };
	for (uint32_t p = 0; p < kept->count; p++) {
		uint32_t next = number[p] + 1;

		if (has_box(kept, p))
			o->numbered[next++] = (struct numbered){ IS_BOX, number[p] };
		for (uint32_t i = first[p]; i < first[p + 1]; i++) {
			uint32_t place = o->siblings.order[i];

			number[place] = next;
			o->numbered[next] = (struct numbered){ kept->node[place], number[p] };
			next += size[place];
		}
	}
	WK_FREE_ALL(size, number);
	wk_siblings_fini(&o->siblings);
}

/* ---- columns */

/* Columns that not every node sets start as zeros. */
static void start_columns(struct wk_tree *tree, const struct wk_cached_rows *kept,
			  const struct wk_folding *f, bool has_leads)
{
	const struct wk_folding_weights *sum = &f->sum;
	size_t count = (size_t)kept->count + kept->boxes;

	tree->parent = wk_alloc_table(count * sizeof(*tree->parent));
	tree->end = wk_alloc_table_zeroed(count, sizeof(*tree->end));
	tree->depth = wk_alloc_table(count * sizeof(*tree->depth));
	tree->kind = wk_alloc_table_zeroed(count, sizeof(*tree->kind));
	tree->is_inlined = wk_alloc_table_zeroed(count, sizeof(*tree->is_inlined));
	if (f->is_recursive)
		tree->is_recursive = wk_alloc_table_zeroed(count, sizeof(*tree->is_recursive));
	tree->function = wk_alloc_table_zeroed(count, sizeof(*tree->function));
	tree->name = wk_alloc_table(count * sizeof(*tree->name));
	tree->self = wk_alloc_table(count * sizeof(*tree->self));
	tree->total = wk_alloc_table(count * sizeof(*tree->total));
	tree->self_samples = wk_alloc_table_zeroed(count, sizeof(*tree->self_samples));
	tree->total_samples = wk_alloc_table_zeroed(count, sizeof(*tree->total_samples));
	if (f->place)
		tree->place = wk_alloc_table_zeroed(count, sizeof(*tree->place));
	if (has_leads)
		tree->lead = wk_alloc_table_zeroed(count, sizeof(*tree->lead));
	if (f->chart_place) {
		tree->from_ns = wk_alloc_table_zeroed(count, sizeof(*tree->from_ns));
		tree->took_ns = wk_alloc_table_zeroed(count, sizeof(*tree->took_ns));
		tree->is_lane = wk_alloc_table_zeroed(count, sizeof(*tree->is_lane));
	}
	if (kept->boxes)
		tree->small_count = wk_alloc_table_zeroed(count, sizeof(*tree->small_count));
	if (sum->left)
		tree->total_left = wk_alloc_table_zeroed(count, sizeof(*tree->total_left));
	if (!sum->before)
		return;
	tree->self_before = wk_alloc_table_zeroed(count, sizeof(*tree->self_before));
	tree->total_before = wk_alloc_table_zeroed(count, sizeof(*tree->total_before));
	tree->self_after = wk_alloc_table_zeroed(count, sizeof(*tree->self_after));
	tree->total_after = wk_alloc_table_zeroed(count, sizeof(*tree->total_after));
}

static uint32_t start_node(struct wk_tree *tree, uint32_t parent, struct wk_str name)
{
	uint32_t node = tree->count++;

	tree->parent[node] = parent;
	tree->depth[node] = node ? tree->depth[parent] + 1 : 0;
	tree->name[node] = name;
	if (tree->depth[node] > tree->depth_max)
		tree->depth_max = tree->depth[node];
	return node;
}

static void name_node(struct wk_tree *tree, const struct ordering *o, uint32_t node, uint32_t label)
{
	tree->name[node] = wk_folding_name(o->f, label, &tree->arena);
	tree->kind[node] = wk_label_kind(label);
	tree->function[node] = wk_folding_function(o->f, label);
	if (WK_LABEL_KIND(label) == WK_LABEL_LINE)
		tree->place[node] = WK_LABEL_ID(label);
}

static void set_times(struct wk_tree *tree, const struct wk_folding *f, uint32_t node,
		      uint32_t from)
{
	const struct wk_chart_place *place = &f->chart_place[from];

	tree->from_ns[node] = place->from_ns - wk_model_begin_ns(f->model);
	tree->took_ns[node] = place->until_ns - place->from_ns;
	tree->is_lane[node] = place->is_lane;
}

static void add_node(struct wk_tree *tree, const struct ordering *o, uint32_t from, uint32_t parent)
{
	const struct wk_folding_weights *sum = &o->f->sum;
	uint32_t node = start_node(tree, parent, (struct wk_str)WK_STR("all"));

	if (node) {
		name_node(tree, o, node, wk_folding_label(o->f, from));
		tree->is_inlined[node] = wk_folding_is_inlined(o->f, from);
		if (tree->is_recursive)
			tree->is_recursive[node] = wk_folding_is_recursive(o->f, from);
	}
	if (node && o->f->chart_own)
		tree->lead[node] = o->f->chart_own[from];
	if (o->f->chart_place)
		set_times(tree, o->f, node, from);
	tree->self[node] = tree->total[node] = sum->weight[from];
	tree->self_samples[node] = tree->total_samples[node] = wk_folding_samples(o->f, from);
	if (o->number)
		o->number[from] = node + 1;
	if (sum->left)
		tree->total_left[node] = sum->left[from];
	if (sum->before) {
		tree->total_before[node] = sum->before[from];
		tree->total_after[node] = sum->after[from];
		tree->self_before[node] = o->own_before[from];
		tree->self_after[node] = o->own_after[from];
	}
}

/* The common leaf of a node's children that are not kept. */
static void add_box(struct wk_tree *tree, const struct wk_cached_rows *kept, uint32_t place,
		    uint32_t parent)
{
	struct wk_buf name = { 0 };
	uint32_t node;

	wk_num_add_grouped(&name, kept->small_frames[place]);
	wk_buf_add_text(&name, " small frames");
	node = start_node(tree, parent, wk_arena_copy(&tree->arena, wk_buf_str(&name)));
	wk_buf_fini(&name);
	tree->kind[node] = WK_NODE_SMALL;
	tree->total[node] = tree->self[node] = kept->small_weight[place];
	tree->small_count[node] = kept->small_frames[place];
	tree->small_nodes += kept->small_frames[place];
	tree->small_weight += kept->small_weight[place];
}

#define NODES_AHEAD 16

/* The data needed next is anywhere in tables of many megabytes. */
static void expect_node(const struct ordering *o, uint32_t from)
{
	const struct wk_folding_weights *sum = &o->f->sum;

	if (from == IS_BOX)
		return;
	__builtin_prefetch(&o->f->trie->entries[from].label);
	__builtin_prefetch(&sum->weight[from]);
	if (sum->samples)
		__builtin_prefetch(&sum->samples[from]);
	if (!sum->before)
		return;
	__builtin_prefetch(&sum->before[from]);
	__builtin_prefetch(&sum->after[from]);
	__builtin_prefetch(&o->own_before[from]);
	__builtin_prefetch(&o->own_after[from]);
}

/* The kept nodes are in order. */
static uint32_t place_of(const struct wk_cached_rows *kept, uint32_t from)
{
	uint32_t low = 0, high = kept->count - 1;

	WK_BISECT(low, high, kept->node[middle] < from);
	return low;
}

static void add_nodes(struct wk_tree *tree, const struct ordering *o)
{
	uint32_t count = o->kept->count + o->kept->boxes;

	for (uint32_t i = 0; i < count; i++) {
		const struct numbered *at = &o->numbered[i];

		if (i + NODES_AHEAD < count)
			expect_node(o, at[NODES_AHEAD].from);
		if (at->from == IS_BOX)
			add_box(tree, o->kept, place_of(o->kept, o->numbered[at->parent].from),
				at->parent);
		else
			add_node(tree, o, at->from, at->parent);
	}
}

/* By node of the folding: the part of `sum` that belongs to no child, kept or not. */
static uint64_t *own_part(const struct wk_trie *trie, const uint64_t *sum)
{
	uint64_t *own = wk_alloc_table((size_t)trie->count * sizeof(*own));

	memcpy(own, sum, (size_t)trie->count * sizeof(*own));
	for (uint32_t i = 1; i < trie->count; i++) {
		uint64_t *parent = &own[trie->entries[i].parent];

		/* Rounded shares may add up to more than the whole. */
		*parent -= sum[i] < *parent ? sum[i] : *parent;
	}
	return own;
}

/* On a comparison's sides, nodes that are not kept because they weigh nothing on the selected side
 * do not count for their parent either. */
static void part_sides(struct ordering *o)
{
	const struct wk_folding_weights *sum = &o->f->sum;

	if (!sum->before)
		return;
	o->own_before = own_part(o->f->trie, sum->before);
	o->own_after = own_part(o->f->trie, sum->after);
	if (o->kept->boxes)
		o->number = wk_alloc_zeroed(o->f->trie->count, sizeof(*o->number));
}

/* A counted box follows its parent. */
static void fill_boxes(struct wk_tree *tree, const struct ordering *o)
{
	const struct wk_folding_weights *sum = &o->f->sum;

	for (uint32_t i = 1; o->number && i < o->f->trie->count; i++) {
		uint32_t box = o->number[o->f->trie->entries[i].parent];

		if (!box || o->number[i] || !(sum->weight[i] || o->f->options->keeps_both_sides))
			continue;
		tree->self_before[box] += sum->before[i];
		tree->total_before[box] += sum->before[i];
		tree->self_after[box] += sum->after[i];
		tree->total_after[box] += sum->after[i];
	}
}

/* Ends of subtrees; and self, which began as the total, loses what the children have. */
static void finish_columns(struct wk_tree *tree)
{
	for (uint32_t i = tree->count; i-- > 0;) {
		if (tree->end[i] == 0)
			tree->end[i] = i + 1;
		if (i && tree->end[tree->parent[i]] < tree->end[i])
			tree->end[tree->parent[i]] = tree->end[i];
	}
	for (uint32_t i = 1; i < tree->count; i++) {
		tree->self[tree->parent[i]] -= tree->total[i];
		tree->self_samples[tree->parent[i]] -= tree->total_samples[i];
	}
}

/* In a chart the leads are sums since the parent began: each loses those before it. In order
 * of text the line that ends in a name comes before those that go on. */
static void finish_leads(struct wk_tree *tree, bool is_chart)
{
	uint64_t *led = wk_alloc_zeroed(tree->count, sizeof(*led));

	for (uint32_t i = 1; tree->lead && i < tree->count; i++) {
		uint32_t parent = tree->parent[i];
		uint64_t own = is_chart ? tree->lead[i] : tree->self[parent];

		if (own < led[parent]) /* a box of several knows no time */
			own = led[parent];
		tree->lead[i] = own - led[parent];
		led[parent] = own;
	}
	wk_free(led);
}

void wk_tree_init(struct wk_tree *tree, const struct wk_model *model,
		  const struct wk_filter *filter, const struct wk_tree_options *options)
{
	struct wk_tree_options used = *options;
	struct ordering o = { 0 };
	struct wk_folding folding;
	struct wk_cached_rows kept;

	*tree = (struct wk_tree){ 0 };
	wk_tree_complete_options(&used, model, filter);
	wk_folding_init(&folding, model, filter, &used);
	wk_cached_rows_init(&kept, &folding, options->most_nodes);
	o.f = &folding;
	o.kept = &kept;
	order_children(&o, tree);
	number_nodes(&o);
	part_sides(&o);
	start_columns(tree, &kept, &folding,
		      options->is_chart || options->order == WK_TREE_BY_TEXT);
	add_nodes(tree, &o);
	fill_boxes(tree, &o);
	finish_columns(tree);
	finish_leads(tree, options->is_chart);
	tree->steps = folding.steps;
	tree->cut_stacks = folding.cut_stacks;
	tree->cut_weight = folding.cut_weight;
	tree->cut_whole = folding.cut_whole;
	tree->unit = used.by_samples ? (struct wk_str)WK_STR("samples")
				     : wk_model_str(model, model->sources[filter->source].unit);
	tree->row_word = wk_source_row_word(&model->sources[filter->source]);
	tree->only_weights = !used.by_samples && (model->sources[filter->source].is_weighed ||
						  wk_str_is(tree->unit, "samples"));
	WK_FREE_ALL(o.numbered, o.own_before, o.own_after, o.number);
	wk_cached_rows_fini(&kept);
	wk_folding_fini(&folding);
}

void wk_tree_fini(struct wk_tree *tree)
{
	WK_FREE_ALL(tree->parent, tree->end, tree->depth, tree->kind, tree->is_inlined,
		    tree->is_recursive, tree->function, tree->name, tree->place, tree->line_count,
		    tree->self, tree->total, tree->lead, tree->from_ns, tree->took_ns,
		    tree->is_lane, tree->self_samples, tree->total_samples, tree->small_count,
		    tree->self_before, tree->total_before, tree->self_after, tree->total_after,
		    tree->total_left);
	wk_arena_fini(&tree->arena);
	*tree = (struct wk_tree){ 0 };
}

void wk_tree_cut_note(const struct wk_tree *tree, struct wk_buf *note)
{
	if (tree->cut_stacks == 0)
		return;
	wk_buf_add_text(note, "Of ");
	wk_num_add_counted(note, tree->cut_stacks, " stack (", " stacks (");
	wk_num_add_share(note, tree->cut_weight, tree->cut_whole);
	wk_buf_add_text(note, " of the whole) the outer callers are left out: inverted, there "
			      "would be too many frames");
}
