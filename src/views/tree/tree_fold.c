#include "views/tree/tree_internal.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "names/function_name.h"
#include "views/compare/pairs.h"
#include "views/kind.h"
#include "views/tree/chart_spans.h"
#include "views/tree/merge.h"
#include "views/tree/verbs.h"

#define NO_NODE UINT32_MAX

/* Folds samples into the folding's own trie. */
struct folder {
	struct wk_folding *f;
	const struct wk_filter *filter;
	uint32_t *top_of_thread; /* [thread_count]: the node its stacks grow from */
	bool tops_differ;        /* even within a thread */
	uint32_t *node_of_stack; /* [named.count]: under the current top */
	uint32_t *seen_under;    /* [named.count]: the top that node_of_stack is for, + 1 */
	uint32_t *path;          /* stacks or labels whose nodes are still to be added */
	size_t path_cap;
	uint32_t *chart; /* the nodes of the previous sample, outermost first */
	size_t chart_cap, chart_depth;
	struct wk_folding_weights *sum;
	size_t sum_cap;
};

/* ---- weights */

static void *grown(void *at, size_t from, size_t to, size_t size)
{
	at = wk_grow_table(at, from, to, size);
	memset((char *)at + from * size, 0, (to - from) * size);
	return at;
}

/* Makes the sums `cap` nodes long; new ones are 0. */
static void grow_sums(struct folder *folder, size_t cap)
{
	struct wk_folding_weights *sum = folder->sum;
	size_t old = folder->sum_cap;

	folder->sum_cap = cap;
	sum->weight = grown(sum->weight, old, cap, sizeof(*sum->weight));
	sum->samples = grown(sum->samples, old, cap, sizeof(*sum->samples));
	if (folder->f->options->left)
		sum->left = grown(sum->left, old, cap, sizeof(*sum->left));
	if (!folder->f->model->samples.is_before)
		return;
	sum->before = grown(sum->before, old, cap, sizeof(*sum->before));
	sum->after = grown(sum->after, old, cap, sizeof(*sum->after));
}

static void make_room(struct folder *folder, uint32_t count)
{
	size_t cap = folder->sum_cap ? folder->sum_cap : 64;

	if (count <= folder->sum_cap)
		return;
	while (cap < count)
		cap *= 2;
	grow_sums(folder, cap);
}

static uint32_t sum_u32(uint32_t a, uint64_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

static uint64_t weight_of_sample(const struct folder *folder, uint32_t sample)
{
	const struct wk_model *model = folder->f->model;

	return folder->f->options->by_samples ? wk_filter_times(folder->filter, model, sample)
					      : wk_filter_weight(folder->filter, model, sample);
}

static void add_sample(struct folder *folder, uint32_t node, uint32_t sample)
{
	const struct wk_samples *samples = &folder->f->model->samples;
	uint64_t times = wk_filter_times(folder->filter, folder->f->model, sample);
	uint64_t weight = weight_of_sample(folder, sample);

	make_room(folder, node + 1);
	if (folder->f->node_of)
		folder->f->node_of[sample] = node;
	folder->sum->samples[node] = sum_u32(folder->sum->samples[node], times);
	if (folder->sum->left)
		folder->sum->left[node] += folder->f->options->left[sample];
	if (!samples->is_before)
		folder->sum->weight[node] += weight;
	else if (samples->is_before[sample])
		folder->sum->before[node] += weight;
	else
		folder->sum->after[node] += weight;
}

static uint64_t weight_of_sides(enum wk_tree_side side, uint64_t before, uint64_t after)
{
	switch (side) {
	case WK_TREE_BEFORE:
		return before;
	case WK_TREE_LARGER:
		return before > after ? before : after;
	case WK_TREE_AFTER_AND_GONE:
		return after ? after : before;
	default:
		return after;
	}
}

/* For a comparison: a node's own weight on the selected side. */
static void choose_side(struct wk_folding *f)
{
	double factor = f->options->before_factor > 0 ? f->options->before_factor : 1;

	for (uint32_t i = 0; f->sum.before && i < f->trie->count; i++) {
		uint64_t before = wk_folding_scaled(f->sum.before[i], factor);

		f->sum.weight[i] = weight_of_sides(f->options->side, before, f->sum.after[i]);
	}
}

/* For whole subtrees, so that rounding errors of single stacks do not add up. */
static void scale_before(struct wk_folding *f)
{
	double factor = f->options->before_factor > 0 ? f->options->before_factor : 1;

	for (uint32_t i = 0; f->sum.before && factor != 1 && i < f->trie->count; i++)
		f->sum.before[i] = wk_folding_scaled(f->sum.before[i], factor);
}

static void roll_up_u64(const struct wk_trie *trie, uint64_t *sum)
{
	for (uint32_t i = trie->count; i-- > 1;)
		sum[trie->entries[i].parent] += sum[i];
}

static void roll_up(struct wk_folding *f)
{
	roll_up_u64(f->trie, f->sum.weight);
	for (uint32_t i = f->sum.samples ? f->trie->count : 1; i-- > 1;)
		f->sum.samples[f->trie->entries[i].parent] =
			sum_u32(f->sum.samples[f->trie->entries[i].parent], f->sum.samples[i]);
	if (f->sum.left)
		roll_up_u64(f->trie, f->sum.left);
	if (f->sum.before) {
		roll_up_u64(f->trie, f->sum.before);
		roll_up_u64(f->trie, f->sum.after);
	}
}

/* ---- nodes of an own trie */

static void mark_inlined(struct wk_folding *f, uint32_t node, bool is_new, bool is_inlined)
{
	size_t old = f->inlined_cap;

	if (!f->is_inlined && !is_inlined)
		return;
	if (node >= f->inlined_cap) {
		f->is_inlined = wk_grow(f->is_inlined, &f->inlined_cap, (size_t)node + 1, 1);
		memset(f->is_inlined + old, 0, f->inlined_cap - old);
	}
	f->is_inlined[node] = is_new ? is_inlined : f->is_inlined[node] & is_inlined;
}

static void mark_recursive(struct wk_folding *f, uint32_t node)
{
	size_t old = f->recursive_cap;

	if (node >= f->recursive_cap) {
		f->is_recursive = wk_grow(f->is_recursive, &f->recursive_cap, (size_t)node + 1, 1);
		memset(f->is_recursive + old, 0, f->recursive_cap - old);
	}
	f->is_recursive[node] = 1;
}

static uint32_t process_label(const struct wk_folding *f, wk_text_id name)
{
	return WK_LABEL(WK_LABEL_PROCESS_NAME, wk_pairs_process_name(f->options->pairs, name));
}

static wk_function_id function_of_stack(const struct wk_folding *f, wk_stack_id named)
{
	return f->model->named_frames.function[f->model->named.entries[named].label];
}

uint32_t wk_folding_stack_label(const struct wk_folding *f, wk_stack_id named)
{
	wk_function_id function = function_of_stack(f, named);

	if (wk_folding_is_process(f, named))
		return process_label(f, f->model->functions[function].name);
	if (f->is_by_modules)
		return WK_LABEL(WK_LABEL_MODULE, f->module[function]);
	if (f->place)
		return WK_LABEL(WK_LABEL_LINE, f->place[f->model->named.entries[named].label]);
	return WK_LABEL(WK_LABEL_FUNCTION, f->shown[function]);
}

/* Are consecutive frames of one label the same node? */
static bool joins_alike(const struct wk_folding *f)
{
	return f->options->collapses_recursion || f->is_by_modules;
}

/* The node of a function that is running already, `parent` or a caller of it; 0: there is none. */
static uint32_t running_call(const struct wk_folding *f, uint32_t parent, uint32_t label)
{
	for (unsigned i = 0; i < WK_LONGEST_CYCLE && parent; i++) {
		if (f->own.entries[parent].label == label)
			return parent;
		parent = f->own.entries[parent].parent;
	}
	return 0;
}

/* One name of several functions, of which none needs to be running already. */
static bool is_rest_of_image(const struct wk_folding *f, wk_stack_id named)
{
	return f->model->functions[function_of_stack(f, named)].is_rest_of_image;
}

/* A compiler may inline the beginning of a function, which then calls the rest ("cmp.part.0"): that
 * call is no recursion. */
static bool calls_its_rest(const struct wk_folding *f, wk_stack_id named)
{
	const struct wk_trie_entry *entries = f->model->named.entries;
	const uint8_t *is_inlined = f->model->named_frames.is_inlined;
	wk_stack_id caller = entries[named].parent;
	struct wk_str linked =
		wk_model_str(f->model, f->model->functions[function_of_stack(f, named)].linked);

	return caller && is_inlined[entries[caller].label] && !is_inlined[entries[named].label] &&
	       wk_folding_stack_label(f, caller) == wk_folding_stack_label(f, named) &&
	       wk_name_without_clones(linked).len < linked.len;
}

/* Is a frame a part of `parent`, a node of the stacks below `top`? Otherwise its node has the
 * label. */
static bool is_joined(const struct wk_folding *f, uint32_t top, uint32_t parent, wk_stack_id named,
		      uint32_t *label)
{
	const struct wk_tree_verbs *verbs = f->options->verbs;
	wk_function_id function = function_of_stack(f, named);
	uint32_t above = parent == top ? 0 : f->own.entries[parent].label;
	bool is_code = parent != top;

	if (verbs->actions && verbs->actions[function] == WK_FRAME_MERGE)
		return true;
	if (verbs->focus && !is_code && !verbs->focus[function])
		return true;
	if (verbs->actions && is_code && WK_LABEL_KIND(above) == WK_LABEL_FUNCTION &&
	    verbs->actions[WK_LABEL_ID(above)] == WK_FRAME_COLLAPSE)
		return true;
	if (verbs->modules && verbs->modules[function])
		*label = WK_LABEL(WK_LABEL_MODULE, f->module[function]);
	return is_code && above == *label &&
	       (verbs->joins_recursion || WK_LABEL_KIND(above) == WK_LABEL_MODULE);
}

static uint32_t child_for_stack(struct wk_folding *f, uint32_t top, uint32_t parent,
				wk_stack_id named)
{
	uint32_t label = wk_folding_stack_label(f, named), known = f->own.count, node;

	f->steps++;
	if (WK_LABEL_KIND(label) == WK_LABEL_PROCESS_NAME &&
	    !wk_grouping_has(&f->grouping, WK_GROUP_PROCESS))
		return parent;
	if (f->options->verbs && is_joined(f, top, parent, named, &label))
		return parent;
	if (joins_alike(f) && parent && f->own.entries[parent].label == label)
		return parent;
	node = f->options->folds_recursion && !f->is_by_modules ? running_call(f, parent, label)
								: 0;
	if (node) {
		if (!calls_its_rest(f, named) && !is_rest_of_image(f, named))
			mark_recursive(f, node);
		return node;
	}
	node = wk_trie_add(&f->own, parent, label);
	if (WK_LABEL_KIND(label) == WK_LABEL_FUNCTION || WK_LABEL_KIND(label) == WK_LABEL_LINE)
		mark_inlined(
			f, node, node == known,
			f->model->named_frames.is_inlined[f->model->named.entries[named].label]);
	return node;
}

static bool is_known(const struct folder *folder, uint32_t top, wk_stack_id named)
{
	return folder->seen_under[named] == top + 1;
}

static void remember(struct folder *folder, uint32_t top, wk_stack_id named, uint32_t node)
{
	folder->seen_under[named] = top + 1;
	folder->node_of_stack[named] = node;
}

/* Goes up to a stack whose node is known and adds nodes on the way back, so that each (top, stack)
 * is visited once. */
static uint32_t leaf_of(struct folder *folder, uint32_t top, wk_stack_id named)
{
	size_t waiting = 0;
	uint32_t node = top;

	for (; named; named = wk_folding_caller(folder->f, named)) {
		if (is_known(folder, top, named)) {
			node = folder->node_of_stack[named];
			break;
		}
		*WK_APPEND(folder->path, waiting, folder->path_cap) = named;
	}
	while (waiting) {
		named = folder->path[--waiting];
		node = child_for_stack(folder->f, top, node, named);
		remember(folder, top, named, node);
	}
	return node;
}

static uint32_t inverted_leaf_of(struct folder *folder, uint32_t top, wk_stack_id named)
{
	wk_stack_id leaf = named;
	uint32_t node = top;

	if (is_known(folder, top, named))
		return folder->node_of_stack[named];
	for (; named; named = wk_folding_caller(folder->f, named))
		node = child_for_stack(folder->f, top, node, named);
	remember(folder, top, leaf, node);
	return node;
}

/* For a chart: the time that a function spent before it called `node`. */
static void note_own(struct folder *folder, uint32_t parent, uint32_t node)
{
	struct wk_folding *f = folder->f;
	size_t old = f->chart_own_cap;

	/* Processes and threads are created first and have no own time in front. */
	WK_RESERVE(f->chart_own, f->chart_own_cap, (size_t)node + 1);
	memset(f->chart_own + old, 0, (f->chart_own_cap - old) * sizeof(*f->chart_own));
	f->chart_own[node] = parent < folder->sum_cap ? f->sum.weight[parent] : 0;
}

/* For a chart: continues with the nodes of the previous sample as long as both agree. */
static uint32_t chart_leaf_of(struct folder *folder, uint32_t top, wk_stack_id named)
{
	struct wk_folding *f = folder->f;
	size_t waiting = 0, depth = 0;
	uint32_t node = top;

	for (; named; named = wk_folding_caller(f, named)) {
		uint32_t label = wk_folding_stack_label(f, named);

		if (joins_alike(f) && waiting &&
		    wk_folding_stack_label(f, folder->path[waiting - 1]) == label)
			waiting--;
		*WK_APPEND(folder->path, waiting, folder->path_cap) = named;
	}
	WK_RESERVE(folder->chart, folder->chart_cap, waiting + 1);
	while (waiting) {
		uint32_t label = wk_folding_stack_label(f, folder->path[--waiting]);

		f->steps++;
		if (depth >= folder->chart_depth ||
		    f->own.entries[folder->chart[depth]].parent != node ||
		    f->own.entries[folder->chart[depth]].label != label) {
			folder->chart_depth = depth;
			folder->chart[depth] = wk_trie_append(&f->own, node, label);
			note_own(folder, node, folder->chart[depth]);
			mark_inlined(
				f, folder->chart[depth], true,
				f->model->named_frames.is_inlined
					[f->model->named.entries[folder->path[waiting]].label]);
			folder->chart_depth++;
		}
		node = folder->chart[depth++];
	}
	folder->chart_depth = depth;
	return node;
}

/* ---- the tops: levels above the stacks */

/* The level of a process, thread or processor column: 0 if the sample does not have it. In a
 * comparison numbers of processes differ, so each is merged with all of its name. */
static uint32_t label_of_runner(const struct wk_folding *f, enum wk_group_column column,
				uint32_t sample)
{
	wk_thread_id thread = wk_sample_thread(&f->model->samples, sample);
	wk_process_id process = f->model->threads[thread].process;
	wk_text_id name = f->model->processes[process].name;
	uint32_t cpu = wk_sample_cpu(&f->model->samples, sample);

	if (column == WK_GROUP_CPU)
		return WK_LABEL_ID(cpu) == cpu ? WK_LABEL(WK_LABEL_CPU, cpu) : 0;
	if (!thread)
		return 0;
	if (column == WK_GROUP_THREAD)
		return WK_LABEL(WK_LABEL_THREAD, wk_pairs_thread(f->options->pairs, thread));
	return name && (column == WK_GROUP_PROCESS || f->options->pairs)
		       ? process_label(f, name)
		       : WK_LABEL(WK_LABEL_PROCESS, process);
}

/* All blocks of a row are of one power of two. */
static uint32_t size_label(const struct wk_model *model, uint32_t sample)
{
	uint64_t times = wk_model_sample_times(model, sample);

	return WK_LABEL(WK_LABEL_SIZE,
			wk_power_of(model->samples.weight[sample] / (times ? times : 1)));
}

static uint32_t annotation_label(const struct wk_folding *f, uint32_t sample)
{
	wk_stack_id named = wk_model_named_of(f->model, f->model->samples.stack[sample]);

	return WK_LABEL(WK_LABEL_ANNOTATION, f->annotation[named]);
}

/* The level of a subject column: 0 if the sample has no such subject. */
static uint32_t label_of_subject(const struct wk_folding *f, enum wk_group_column column,
				 uint32_t sample)
{
	const struct wk_subject *about = wk_model_subject(f->model, sample);
	wk_text_id text = 0;
	enum wk_tree_label kind = WK_LABEL_TEXT;

	switch (column) {
	case WK_GROUP_ANNOTATION:
		return annotation_label(f, sample);
	case WK_GROUP_READIER:
		return about->by || about->by_interrupt
			       ? WK_LABEL(WK_LABEL_READIER,
					  wk_pairs_thread(f->options->pairs, about->by))
			       : 0;
	case WK_GROUP_SIZE:
		return about->heap ? size_label(f->model, sample) : 0;
	case WK_GROUP_HEAP:
		text = f->model->heaps[about->heap].name;
		kind = WK_LABEL_HEAP;
		break;
	case WK_GROUP_PART:
		text = about->heap ? about->what : 0;
		kind = WK_LABEL_PART;
		break;
	default:
		text = about->heap ? 0 : about->what;
	}
	return text ? WK_LABEL(kind, text) : 0;
}

/* The level of a location column: 0 if the sample has no stack. */
static uint32_t label_of_place(const struct wk_folding *f, enum wk_group_column column,
			       uint32_t sample)
{
	wk_stack_id named = wk_folding_leaf(f, sample);

	if (!named)
		return 0;
	return column == WK_GROUP_MODULE
		       ? WK_LABEL(WK_LABEL_MODULE, f->module[function_of_stack(f, named)])
		       : WK_LABEL(WK_LABEL_FUNCTION, f->shown[function_of_stack(f, named)]);
}

static uint32_t make_top(struct wk_folding *f, uint32_t sample)
{
	uint32_t node = 0;

	for (unsigned i = 0; i < f->grouping.count; i++) {
		enum wk_group_column column = f->grouping.columns[i];
		uint32_t label = 0;

		if (column < WK_GROUP_REASON)
			label = label_of_runner(f, column, sample);
		else if (column < WK_GROUP_MODULE)
			label = label_of_subject(f, column, sample);
		else if (column < WK_GROUP_STACK)
			label = label_of_place(f, column, sample);
		if (label)
			node = wk_trie_add(&f->own, node, label);
	}
	return node;
}

static uint32_t top_of(struct folder *folder, uint32_t sample)
{
	uint32_t *known =
		&folder->top_of_thread[wk_sample_thread(&folder->f->model->samples, sample)];

	if (*known == NO_NODE || folder->tops_differ)
		*known = make_top(folder->f, sample);
	return *known;
}

/* The samples of the view; of a chart in order of time. */
static uint32_t *samples_in_view(const struct folder *folder, uint32_t *count)
{
	const struct wk_samples *samples = &folder->f->model->samples;
	uint32_t *rows = wk_alloc(samples->count * sizeof(*rows));
	struct wk_sort_key *keys;

	*count = 0;
	for (uint32_t i = 0; i < samples->count; i++)
		if (wk_filter_has(folder->filter, i))
			rows[(*count)++] = i;
	if (!folder->f->options->is_chart)
		return rows;
	keys = wk_alloc((size_t)*count * sizeof(*keys));
	for (uint32_t i = 0; i < *count; i++)
		keys[i] = (struct wk_sort_key){ wk_sample_time(samples, rows[i]), rows[i] };
	wk_sort_keys(keys, *count);
	for (uint32_t i = 0; i < *count; i++)
		rows[i] = keys[i].row;
	wk_free(keys);
	return rows;
}

/* The samples of the view, those of one top together. */
static uint32_t *samples_by_top(struct folder *folder, uint32_t *count)
{
	uint32_t *rows = samples_in_view(folder, count), *first, *order;

	for (uint32_t i = 0; i < *count; i++)
		top_of(folder, rows[i]);
	first = wk_alloc_zeroed((size_t)folder->f->own.count + 1, sizeof(*first));
	for (uint32_t i = 0; i < *count; i++)
		first[top_of(folder, rows[i]) + 1]++;
	for (uint32_t i = 0; i < folder->f->own.count; i++)
		first[i + 1] += first[i];
	order = wk_alloc((size_t)*count * sizeof(*order));
	for (uint32_t i = 0; i < *count; i++)
		order[first[top_of(folder, rows[i])]++] = rows[i];
	WK_FREE_ALL(rows, first);
	return order;
}

/* ---- too many inverted stacks */

#define FEWEST_INVERTED 4000000u
#define MOST_INVERTED   8000000u /* if no limit for drawn frames is given */

static uint32_t most_inverted(const struct wk_tree_options *options)
{
	uint64_t most = (uint64_t)options->most_nodes * 16;

	if (options->most_inverted)
		return options->most_inverted;
	if (most == 0)
		return MOST_INVERTED;
	return most < FEWEST_INVERTED ? FEWEST_INVERTED
	       : most > UINT32_MAX    ? UINT32_MAX
				      : (uint32_t)most;
}

static bool has_stacks(const struct wk_folding *f)
{
	return wk_grouping_last(&f->grouping) >= WK_GROUP_STACK;
}

/* Do all stacks fit even if no two of them have a caller in common? */
static bool surely_fits(const struct folder *folder, const uint32_t *order, uint32_t count)
{
	const struct wk_model *model = folder->f->model;
	uint32_t *depth;
	uint64_t sum = 0;

	if (!has_stacks(folder->f))
		return true;
	depth = wk_alloc_zeroed(model->named.count, sizeof(*depth));
	for (wk_stack_id named = 1; named < model->named.count; named++)
		depth[named] = depth[model->named.entries[named].parent] + 1;
	for (uint32_t i = 0; i < count; i++)
		sum += depth[wk_model_named_of(model, model->samples.stack[order[i]])];
	wk_free(depth);
	return sum <= most_inverted(folder->f->options);
}

/* A stack below a top, with all of its samples. */
struct path {
	uint64_t weight;
	uint32_t top;
	wk_stack_id named;
};

/* The distinct paths of the samples in `order`; path_of[i] is that of order[i]. */
static struct path *find_paths(struct folder *folder, const uint32_t *order, uint32_t count,
			       uint32_t *path_of, uint32_t *path_count)
{
	struct path *paths = NULL;
	size_t cap = 0;

	*path_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		wk_stack_id named = wk_folding_leaf(folder->f, order[i]);
		uint32_t top = top_of(folder, order[i]);

		if (!is_known(folder, top, named)) {
			remember(folder, top, named, *path_count);
			*WK_APPEND(paths, *path_count, cap) = (struct path){ 0, top, named };
		}
		path_of[i] = folder->node_of_stack[named];
		paths[path_of[i]].weight += weight_of_sample(folder, order[i]);
	}
	return paths;
}

/* Adds the frames of a path up to the limit, but always the innermost. */
static uint32_t bounded_leaf_of(struct folder *folder, const struct path *path)
{
	struct wk_folding *f = folder->f;
	uint32_t most = most_inverted(f->options), node = path->top;

	for (wk_stack_id named = path->named; named; named = wk_folding_caller(f, named)) {
		uint32_t label = wk_folding_stack_label(f, named);

		if (named != path->named && f->own.count >= most &&
		    !(f->options->verbs && is_joined(f, path->top, node, named, &label)) &&
		    !(joins_alike(f) && f->own.entries[node].label == label) &&
		    !wk_trie_has(&f->own, node, label)) {
			f->cut_stacks++;
			f->cut_weight += path->weight;
			break;
		}
		node = child_for_stack(f, path->top, node, named);
	}
	return node;
}

/* Adds stacks by weight, the heaviest first; beyond the limit they are cut. */
static void fold_bounded(struct folder *folder, const uint32_t *order, uint32_t count)
{
	uint32_t *path_of = wk_alloc((size_t)count * sizeof(*path_of)), path_count;
	struct path *paths = find_paths(folder, order, count, path_of, &path_count);
	uint32_t *node_of = wk_alloc((size_t)path_count * sizeof(*node_of));
	struct wk_sort_key *keys = wk_alloc((size_t)path_count * sizeof(*keys));

	for (uint32_t i = 0; i < path_count; i++)
		keys[i] = (struct wk_sort_key){ UINT64_MAX - paths[i].weight, i };
	wk_sort_keys(keys, path_count);
	for (uint32_t i = 0; i < path_count; i++) {
		folder->f->cut_whole += paths[keys[i].row].weight;
		node_of[keys[i].row] = bounded_leaf_of(folder, &paths[keys[i].row]);
	}
	for (uint32_t i = 0; i < count; i++)
		add_sample(folder, node_of[path_of[i]], order[i]);
	WK_FREE_ALL(keys, node_of, paths, path_of);
}

static uint32_t node_for(struct folder *folder, uint32_t top, uint32_t sample)
{
	const struct wk_tree_options *options = folder->f->options;
	wk_stack_id named = has_stacks(folder->f) ? wk_folding_leaf(folder->f, sample) : 0;

	return options->is_chart   ? chart_leaf_of(folder, top, named)
	       : options->inverted ? inverted_leaf_of(folder, top, named)
				   : leaf_of(folder, top, named);
}

/* Folds samples that are in order of their tops. */
static void fold_some(struct folder *folder, const uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		add_sample(folder, node_for(folder, top_of(folder, order[i]), order[i]), order[i]);
}

/* Extends a node and its parents to the end of a span. */
static void note_span(struct wk_folding *f, uint32_t node, const struct wk_chart_span *span)
{
	size_t old = f->chart_place_cap;

	WK_RESERVE(f->chart_place, f->chart_place_cap, f->own.count);
	memset(f->chart_place + old, 0, (f->chart_place_cap - old) * sizeof(*f->chart_place));
	for (;; node = f->own.entries[node].parent) {
		struct wk_chart_place *place = &f->chart_place[node];

		if (place->until_ns == 0 || span->from_ns < place->from_ns)
			place->from_ns = span->from_ns;
		if (span->until_ns > place->until_ns)
			place->until_ns = span->until_ns;
		if (node == 0)
			break;
	}
}

/* Gaps in which the thread is taken to have been preempted. With three threads for each processor
 * these are nine in ten, but a sleep can be as short. So the function that was running goes on only
 * after a turn of one other thread, and the longer ones are visible above its callers. */
#define MOST_PREEMPTED    16 /* samples */
#define MOST_PREEMPTED_NS 16000000u
#define MOST_TURN_NS      4500000u

static bool is_gap(const struct wk_chart_span *spans, uint32_t i)
{
	return spans[i].from_ns > spans[i - 1].until_ns;
}

static bool is_preemption(const struct folder *folder, const uint32_t *order,
			  const struct wk_chart_span *spans, uint32_t i)
{
	const struct wk_model *model = folder->f->model;
	uint64_t usual_ns = spans[i - 1].until_ns - spans[i - 1].from_ns;
	uint64_t gap_ns = spans[i].from_ns - spans[i - 1].until_ns;

	return model->sources[folder->filter->source].is_cpu_time &&
	       model->interval_count == 0 && /* otherwise its waits are recorded */
	       wk_sample_thread(&model->samples, order[i]) ==
		       wk_sample_thread(&model->samples, order[i - 1]) &&
	       gap_ns <= MOST_PREEMPTED_NS && gap_ns / MOST_PREEMPTED < usual_ns;
}

/* How many frames sample i continues although its thread did not run right before it. Preempted, it
 * is still in the same calls; only in the kernel it may have waited, and more than once. */
static size_t depth_after_gap(const struct folder *folder, const uint32_t *order,
			      const struct wk_chart_span *spans, uint32_t i)
{
	const struct wk_folding *f = folder->f;
	size_t depth = folder->chart_depth;

	if (!is_preemption(folder, order, spans, i))
		return 0;
	for (wk_stack_id named = wk_folding_leaf(f, order[i - 1]);
	     depth && named &&
	     wk_code_kind_of(f->model, function_of_stack(f, named)) == WK_CODE_KERNEL;
	     named = wk_folding_caller(f, named))
		depth--;
	if (spans[i].from_ns - spans[i - 1].until_ns > MOST_TURN_NS && depth &&
	    depth == folder->chart_depth)
		depth--;
	return depth;
}

/* The lane of a thread lasts from its start to its end, as far as these are in view; without a
 * start or end, from its first sample or to its last. */
static void note_life(struct wk_folding *f, uint32_t lane)
{
	const struct wk_chart_place *all = &f->chart_place[0];
	struct wk_chart_place *place = &f->chart_place[lane];
	uint32_t label = wk_folding_label(f, lane);
	const struct wk_thread *thread;

	place->is_lane = true;
	if (lane == 0 || WK_LABEL_KIND(label) != WK_LABEL_THREAD || WK_LABEL_ID(label) == 0)
		return;
	thread = &f->model->threads[WK_LABEL_ID(label)];
	if (thread->start_ns && thread->start_ns < place->from_ns)
		place->from_ns = thread->start_ns > all->from_ns ? thread->start_ns : all->from_ns;
	if (thread->end_ns > place->until_ns)
		place->until_ns = thread->end_ns < all->until_ns ? thread->end_ns : all->until_ns;
}

/* Stacks join those of the sample before unless there was a gap between. */
static void fold_chart(struct folder *folder, const uint32_t *order, uint32_t count)
{
	uint32_t *lane = wk_alloc((size_t)count * sizeof(*lane));
	struct wk_chart_span *spans;

	for (uint32_t i = 0; i < count; i++)
		lane[i] = top_of(folder, order[i]);
	spans = wk_chart_spans(folder->f->model, folder->filter, order, lane, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node;

		if (i && lane[i] != lane[i - 1])
			folder->chart_depth = 0;
		else if (i && spans && is_gap(spans, i))
			folder->chart_depth = depth_after_gap(folder, order, spans, i);
		node = node_for(folder, lane[i], order[i]);
		add_sample(folder, node, order[i]);
		if (spans)
			note_span(folder->f, node, &spans[i]);
	}
	for (uint32_t i = 0; spans && i < count; i++)
		if (i == 0 || lane[i] != lane[i - 1])
			note_life(folder->f, lane[i]);
	WK_FREE_ALL(lane, spans);
}

static void fold_samples(struct folder *folder)
{
	const struct wk_tree_options *options = folder->f->options;
	uint32_t count, *order = samples_by_top(folder, &count);

	if (options->is_chart)
		fold_chart(folder, order, count);
	else if (options->inverted && !surely_fits(folder, order, count))
		fold_bounded(folder, order, count);
	else
		fold_some(folder, order, count);
	wk_free(order);
}

/* All samples of a thread have the same process and thread; other columns may differ. */
static bool tops_differ(const struct wk_grouping *grouping)
{
	for (unsigned i = 0; i < grouping->count; i++)
		if (grouping->columns[i] >= WK_GROUP_CPU && grouping->columns[i] < WK_GROUP_STACK)
			return true;
	return false;
}

static void fold_into_own(struct wk_folding *f, const struct wk_filter *filter)
{
	const struct wk_model *model = f->model;
	struct folder folder = { .f = f, .filter = filter, .sum = &f->sum };

	wk_trie_init(&f->own);
	f->trie = &f->own;
	folder.tops_differ = tops_differ(&f->grouping);
	folder.top_of_thread = wk_alloc(model->thread_count * sizeof(*folder.top_of_thread));
	memset(folder.top_of_thread, 0xff, /* NO_NODE */
	       model->thread_count * sizeof(*folder.top_of_thread));
	folder.node_of_stack = wk_alloc(model->named.count * sizeof(*folder.node_of_stack));
	folder.seen_under = wk_alloc_zeroed(model->named.count, sizeof(*folder.seen_under));
	fold_samples(&folder);
	make_room(&folder, f->own.count);
	wk_trie_seal(&f->own);
	WK_FREE_ALL(folder.top_of_thread, folder.node_of_stack, folder.seen_under, folder.path,
		    folder.chart);
}

/* ---- a trie borrowed from the model */

/* Are there levels above or instead of the stacks? */
static bool has_levels(const struct wk_folding *f)
{
	if (wk_grouping_last(&f->grouping) != WK_GROUP_STACK || f->place)
		return true;
	for (unsigned i = 0; i + 1 < f->grouping.count; i++)
		if (f->grouping.columns[i] >= WK_GROUP_CPU || f->model->thread_count > 1)
			return true;
	return false;
}

/* If the input has no processes and its frames have names, its stacks are the tree. The same
 * applies to a comparison in which few functions are pairs of two names. */
static bool may_borrow(const struct wk_folding *f)
{
	const struct wk_tree_options *options = f->options;
	bool is_plain = !options->inverted && !options->is_chart && !options->collapses_recursion &&
			!options->folds_recursion && wk_folding_shows_all(f);
	enum wk_frame_joins joins;

	if (options->verbs || (options->pairs && options->pairs->is_process))
		return false;
	if (!is_plain || has_levels(f) || !f->model->came_named)
		return false;
	joins = wk_frame_joins(f);
	return joins == WK_FRAMES_APART || (joins == WK_FRAMES_JOINED && options->pairs);
}

/* For folded stacks, whose weights are numbers of samples. */
static void add_counts(struct wk_folding *f, const struct wk_filter *filter)
{
	const struct wk_samples *samples = &f->model->samples;

	f->sum.weight = wk_alloc_table_zeroed(f->trie->count, sizeof(*f->sum.weight));
	for (uint32_t i = 0; i < samples->count; i++)
		if (wk_filter_has(filter, i))
			f->sum.weight[samples->stack[i]] += wk_filter_weight(filter, f->model, i);
	f->steps = samples->count;
}

bool wk_folding_borrow(struct wk_folding *f, uint32_t **joined)
{
	*joined = NULL;
	if (!may_borrow(f))
		return false;
	f->trie = &f->model->named;
	f->is_borrowed = true;
	if (wk_frame_joins(f) == WK_FRAMES_JOINED)
		*joined = wk_folding_join(f);
	return true;
}

static void fold_borrowed(struct wk_folding *f, const struct wk_filter *filter,
			  const uint32_t *joined)
{
	const struct wk_samples *samples = &f->model->samples;
	struct folder folder = { .f = f, .filter = filter, .sum = &f->sum };

	if (f->model->sources[filter->source].counts_samples && !samples->is_before && !joined &&
	    !f->node_of) {
		add_counts(f, filter);
		return;
	}
	grow_sums(&folder, f->trie->count);
	for (uint32_t i = 0; i < samples->count; i++)
		if (wk_filter_has(filter, i))
			add_sample(&folder, joined ? joined[samples->stack[i]] : samples->stack[i],
				   i);
	f->steps = samples->count;
}

static void find_places(struct wk_folding *f)
{
	const struct wk_named_frames *frames = &f->model->named_frames;
	struct wk_map first = { 0 };

	f->place = wk_alloc_zeroed(frames->count, sizeof(*f->place));
	for (uint32_t i = 1; i < frames->count; i++) {
		uint64_t function = f->shown[frames->function[i]];
		uint32_t *known = wk_map_at(&first, function << 32 | frames->line[i]);

		if (!*known)
			*known = i;
		f->place[i] = *known;
	}
	wk_map_fini(&first);
}

struct wk_grouping wk_tree_grouping(const struct wk_tree_options *options)
{
	struct wk_grouping grouping = { 0 };

	if (options->grouping)
		return *options->grouping;
	if (options->by_process)
		wk_grouping_add(&grouping, WK_GROUP_PROCESS);
	if (options->by_thread)
		wk_grouping_add(&grouping, WK_GROUP_THREAD);
	wk_grouping_finish(&grouping);
	return grouping;
}

void wk_folding_prepare(struct wk_folding *folding, const struct wk_model *model,
			const struct wk_tree_options *options)
{
	*folding = (struct wk_folding){ .model = model, .options = options,
					.grouping = wk_tree_grouping(options) };
	folding->is_by_modules = wk_grouping_last(&folding->grouping) == WK_GROUP_MODULES;
	if (folding->is_by_modules || wk_grouping_has(&folding->grouping, WK_GROUP_MODULE) ||
	    (options->verbs && options->verbs->modules))
		folding->module = wk_functions_of_modules(model);
	if (!options->pairs)
		folding->merged =
			wk_functions_merged(model, options->merge_images, options->merge_files);
	folding->shown = options->pairs ? options->pairs->shown : folding->merged;
	if (options->by_lines)
		find_places(folding);
	if (wk_grouping_has(&folding->grouping, WK_GROUP_ANNOTATION))
		folding->annotation = wk_annotations_of_stacks(
			options->annotations, model,
			options->pairs ? options->pairs->is_process : NULL);
	wk_folding_choose_shown(folding);
}

void wk_folding_fill(struct wk_folding *folding, const struct wk_filter *filter)
{
	uint32_t *joined;

	if (wk_folding_borrow(folding, &joined))
		fold_borrowed(folding, filter, joined);
	else
		fold_into_own(folding, filter);
	wk_free(joined);
	choose_side(folding);
	roll_up(folding);
	scale_before(folding);
}

void wk_folding_init(struct wk_folding *folding, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tree_options *options)
{
	wk_folding_prepare(folding, model, options);
	wk_folding_fill(folding, filter);
}

void wk_folding_fini(struct wk_folding *folding)
{
	WK_FREE_ALL(folding->chart_own, folding->chart_place, folding->joined_entries);
	if (!folding->is_borrowed)
		wk_trie_fini(&folding->own);
	WK_FREE_ALL(folding->merged, folding->module, folding->place, folding->annotation,
		    folding->leaf, folding->caller, folding->is_inlined, folding->is_recursive,
		    folding->sum.weight, folding->sum.samples, folding->sum.left,
		    folding->sum.before, folding->sum.after);
}
