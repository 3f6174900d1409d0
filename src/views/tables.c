#include "views/tables.h"

#include <inttypes.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"
#include "views/flat.h"
#include "views/image_words.h"
#include "views/kind.h"

static bool is_small(uint64_t part, uint64_t whole, double min_percent)
{
	return min_percent > 0 && 100.0 * (double)part < min_percent * (double)whole;
}

static bool is_full(const struct wk_table *table, const struct wk_table_options *options)
{
	return options->limit && table->row_count >= options->limit;
}

/* "12 functions are not shown; their self % adds up to 3.1 %": `column` is what adds up. */
static void note_hidden(struct wk_table *table, const char *what, const char *column,
			uint64_t count, uint64_t weight, uint64_t whole)
{
	struct wk_buf number = { 0 }, share = { 0 };

	if (count == 0)
		return;
	wk_num_add_grouped(&number, count);
	wk_num_add_share(&share, weight, whole);
	wk_table_note(table, "%s %s not shown; %s %s %s %s", wk_buf_text(&number), what,
		      count == 1 ? "its" : "their", column,
		      count == 1 ? "is" : "adds up to", wk_buf_text(&share));
	wk_buf_fini(&number);
	wk_buf_fini(&share);
}

static struct wk_str or_else(struct wk_str text, const char *otherwise)
{
	return text.len ? text : wk_str_c(otherwise);
}

/* Scripts have no images, but their functions stand in files, too. */
static struct wk_str origin_name(const struct wk_model *model, const struct wk_function *function)
{
	if (!function->image && function->file)
		return wk_str_basename(wk_model_str(model, function->file));
	return wk_image_name_of(model, function->image);
}

/* Where weights are numbers of samples, the columns of samples say it all. */
static bool weighs_samples(struct wk_str unit)
{
	return wk_str_is(unit, "samples");
}

/* Detail, and the cell that goes with it. */
static void weight_detail(struct wk_table *table, const char *what, struct wk_str unit)
{
	if (weighs_samples(unit))
		return;
	wk_table_weight_column(table, what, unit);
	wk_table_detail(table);
}

static void weight_cell(struct wk_table *table, struct wk_str unit, uint64_t weight)
{
	if (!weighs_samples(unit))
		wk_table_number(table, weight);
}

/* What is counted may be more than a node's 32 bits of samples hold. */
static void samples_cell(struct wk_table *table, struct wk_str unit, uint64_t weight,
			 uint64_t samples)
{
	wk_table_number(table, weighs_samples(unit) ? weight : samples);
}

static void samples_column(struct wk_table *table, const char *key, const struct wk_model *model,
			   const struct wk_filter *filter)
{
	bool is_total = strcmp(key, "total_samples") == 0;
	bool is_sample = strcmp(wk_source_row_word(&model->sources[filter->source]), "sample") == 0;

	wk_table_column(table, WK_CELL_COUNT, key,
			is_sample ? is_total ? "total samples" : "samples"
			: is_total ? "total records" : "records");
}

static void fill_functions(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint64_t hidden = 0, hidden_weight = 0;
	struct wk_flat flat;

	wk_flat_init(&flat, model, filter, WK_FLAT_FUNCTIONS);
	wk_table_column(table, WK_CELL_SHARE, "self_percent", "self %");
	wk_table_column(table, WK_CELL_SHARE, "total_percent", "total %");
	weight_detail(table, "self", flat.unit);
	weight_detail(table, "total", flat.unit);
	samples_column(table, "self_samples", model, filter);
	samples_column(table, "total_samples", model, filter);
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "kind", "kind");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "linked_name", "linked name");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_column(table, WK_CELL_TEXT, "function", "function");
	for (uint32_t i = 0; i < flat.count; i++) {
		const struct wk_flat_row *row = &flat.rows[i];
		const struct wk_function *function = &model->functions[row->id];

		if (is_full(table, options) ||
		    is_small(row->total, flat.whole, options->min_percent)) {
			hidden++;
			hidden_weight += row->self;
			continue;
		}
		wk_table_row(table);
		wk_table_share(table, row->self, flat.whole);
		wk_table_share(table, row->total, flat.whole);
		weight_cell(table, flat.unit, row->self);
		weight_cell(table, flat.unit, row->total);
		samples_cell(table, flat.unit, row->self, row->self_samples);
		samples_cell(table, flat.unit, row->total, row->total_samples);
		wk_table_text(table, wk_str_c(wk_code_kind_name(wk_code_kind_of(model, row->id))));
		if (function->linked)
			wk_table_text(table, wk_model_str(model, function->linked));
		else
			wk_table_none(table);
		wk_table_text(table, origin_name(model, function));
		wk_table_text(table, or_else(wk_model_str(model, function->name), "(unknown)"));
	}
	note_hidden(table, hidden == 1 ? "function is" : "functions are", "self %", hidden,
		    hidden_weight, flat.whole);
	wk_flat_fini(&flat);
}

/* Ids of rows, most weight first, in the model's own order where that is the same. */
struct ranked {
	uint64_t weight;
	uint32_t id;
};

static int heavier_first(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

/* The rows of the tree that are big enough, and how they hang together. */
struct outline {
	const struct wk_tree *tree;
	uint8_t *is_shown; /* by node */
	uint32_t *indent;  /* of shown nodes, by node */
	bool is_limited;   /* there are more big ones than may be shown */
	bool is_inverted;
	uint64_t hidden, hidden_weight;
};

static bool is_function(const struct wk_tree *tree, uint32_t node)
{
	return tree->kind[node] == WK_NODE_FUNCTION || tree->kind[node] == WK_NODE_SMALL;
}

/* What a function spent itself: in an inverted tree that is all of the first level, whose
 * callers below it only say for whom. */
static uint64_t self_of(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;

	if (!outline->is_inverted)
		return tree->self[node];
	return node && is_function(tree, node) && !is_function(tree, tree->parent[node])
		       ? tree->total[node] : 0;
}

/* What is seen nowhere if this node and all below it are not: of an inverted tree's callers,
 * nothing. */
static uint64_t weight_lost_with(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;

	if (outline->is_inverted && node && is_function(tree, tree->parent[node]))
		return 0;
	return tree->total[node];
}

/* The big ones; of too many, those with the highest totals. A caller's total is no less than
 * that of what it called, and it comes first in the tree: so no node is shown without its
 * callers. */
static void choose_nodes(struct outline *outline, const struct wk_table_options *options)
{
	const struct wk_tree *tree = outline->tree;
	struct ranked *ranked = wk_alloc((size_t)tree->count * sizeof(*ranked));
	uint32_t count = 0;

	for (uint32_t node = 0; node < tree->count; node++)
		if (node == 0 || !is_small(tree->total[node], tree->total[0], options->min_percent))
			ranked[count++] = (struct ranked){ tree->total[node], node };
	outline->is_limited = options->limit && count > options->limit;
	if (outline->is_limited) {
		qsort(ranked, count, sizeof(*ranked), heavier_first);
		count = options->limit;
	}
	for (uint32_t i = 0; i < count; i++)
		outline->is_shown[ranked[i].id] = 1;
	free(ranked);
}

static uint32_t shown_children(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;
	uint32_t count = 0;

	for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
		count += outline->is_shown[child];
	return count;
}

static void tree_row(struct wk_table *table, const struct outline *outline, uint32_t node,
		     struct wk_row shape)
{
	const struct wk_tree *tree = outline->tree;

	wk_table_row(table);
	table->rows[table->row_count - 1] = shape;
	wk_table_share(table, tree->total[node], tree->total[0]);
	wk_table_share(table, self_of(outline, node), tree->total[0]);
	weight_cell(table, tree->unit, tree->total[node]);
	wk_table_number(table, self_of(outline, node));
	samples_cell(table, tree->unit, tree->total[node], tree->total_samples[node]);
	wk_table_number(table, tree->depth[node]);
	/* The names of processes and threads may be the tree's own, which goes away. */
	wk_table_text(table, tree->kind[node] == WK_NODE_FUNCTION
				     ? tree->name[node]
				     : wk_table_keep(table, tree->name[node]));
}

/* An only child stays under its parent without a step to the right, so that a chain of
 * calls is one straight column however long it is. */
static void tree_rows(struct wk_table *table, struct outline *outline)
{
	const struct wk_tree *tree = outline->tree;
	uint32_t *left = wk_alloc((size_t)tree->count * sizeof(*left)); /* children yet to come */
	uint32_t *siblings = wk_alloc((size_t)tree->count * sizeof(*siblings));
	uint32_t node = 0;

	while (node < tree->count) {
		uint32_t parent = tree->parent[node];
		struct wk_row shape = { 0 };

		if (!outline->is_shown[node]) {
			outline->hidden += tree->end[node] - node;
			outline->hidden_weight += weight_lost_with(outline, node);
			node = tree->end[node];
			continue;
		}
		left[node] = siblings[node] = shown_children(outline, node);
		if (node) {
			shape.is_branch = siblings[parent] > 1;
			shape.is_last = --left[parent] == 0;
			shape.indent = outline->indent[parent] + shape.is_branch;
			shape.is_inlined = tree->is_inlined[node];
		}
		outline->indent[node] = shape.indent;
		tree_row(table, outline, node, shape);
		node++;
	}
	free(left);
	free(siblings);
}

/* "12 nodes under 0.5 % are folded away; their self % adds up to 3.1 %". */
static void note_folded(struct wk_table *table, const struct outline *outline,
			const struct wk_table_options *options)
{
	struct wk_buf words = { 0 };

	if (outline->hidden == 0)
		return;
	wk_num_add_grouped(&words, outline->hidden);
	wk_buf_add_text(&words, outline->hidden == 1 ? " node" : " nodes");
	if (options->min_percent > 0)
		wk_buf_add_fmt(&words, " under %g %%", options->min_percent);
	if (outline->is_limited)
		wk_buf_add_fmt(&words, "%s beyond the %" PRIu32 " with the highest total",
			       options->min_percent > 0 ? " or" : "", options->limit);
	wk_buf_add_text(&words, outline->hidden == 1
					? " is folded away; its self % is "
					: " are folded away; their self % adds up to ");
	wk_num_add_share(&words, outline->hidden_weight, outline->tree->total[0]);
	wk_table_note(table, "%s", wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void note_cut(struct wk_table *table, const struct wk_tree *tree)
{
	struct wk_buf words = { 0 };

	wk_tree_cut_note(tree, &words);
	if (words.len)
		wk_table_note(table, "%s", wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void fill_tree(struct wk_table *table, const struct wk_model *model,
		      const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct wk_tree tree;
	struct outline outline = { .tree = &tree, .is_inverted = options->tree.inverted };

	wk_tree_init(&tree, model, filter, &options->tree);
	outline.indent = wk_alloc_zeroed(tree.count, sizeof(*outline.indent));
	outline.is_shown = wk_alloc_zeroed(tree.count, 1);
	choose_nodes(&outline, options);
	wk_table_column(table, WK_CELL_SHARE, "total_percent", "total %");
	wk_table_column(table, WK_CELL_SHARE, "self_percent", "self %");
	weight_detail(table, "total", tree.unit);
	wk_table_weight_column(table, "self", tree.unit);
	wk_table_detail(table);
	samples_column(table, "samples", model, filter);
	wk_table_column(table, WK_CELL_NUMBER, "depth", "depth");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "name", "name");
	table->is_tree = true;
	if (tree.total_samples[0])
		tree_rows(table, &outline);
	note_folded(table, &outline, options);
	note_cut(table, &tree);
	free(outline.is_shown);
	free(outline.indent);
	wk_tree_fini(&tree);
}

/* What the samples in view say of each row of another table, by its id. */
struct tally {
	uint64_t *weight;
	uint64_t *samples;
	uint64_t whole;
	bool by_samples;
	struct wk_str unit;
};

static struct tally start_tally(const struct wk_model *model, const struct wk_filter *filter,
				uint32_t rows)
{
	struct tally tally = {
		.weight = wk_alloc_zeroed(rows, sizeof(*tally.weight)),
		.samples = wk_alloc_zeroed(rows, sizeof(*tally.samples)),
	};

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			tally.whole += model->samples.weight[i];
	if (tally.whole == 0) {
		tally.by_samples = true;
		tally.whole = filter->in_view;
	}
	tally.unit = tally.by_samples ? wk_str_c("samples")
				      : wk_model_str(model, model->sources[filter->source].unit);
	return tally;
}

static void count_sample(struct tally *tally, const struct wk_model *model, uint32_t sample,
			 uint32_t row)
{
	uint64_t times = wk_model_sample_times(model, sample);

	tally->weight[row] += tally->by_samples ? times : model->samples.weight[sample];
	tally->samples[row] += times;
}

static void end_tally(struct tally *tally)
{
	free(tally->weight);
	free(tally->samples);
}

/* Rows without samples in view are left out (and counted) when the view is narrowed. */
static struct ranked *rank_rows(const struct tally *tally, uint32_t rows, bool is_narrowed,
				uint32_t *count)
{
	struct ranked *ranked = wk_alloc((size_t)rows * sizeof(*ranked));

	*count = 0;
	for (uint32_t i = 1; i < rows; i++)
		if (tally->samples[i] || !is_narrowed)
			ranked[(*count)++] = (struct ranked){ tally->weight[i], i };
	qsort(ranked, *count, sizeof(*ranked), heavier_first);
	return ranked;
}

/* How many of the ranked rows are shown; a note tells of the rest. */
static uint32_t limit_rows(struct wk_table *table, const struct wk_table_options *options,
			   const struct tally *tally, const struct ranked *ranked, uint32_t count,
			   const char *one, const char *many)
{
	uint64_t weight = 0;

	if (options->limit == 0 || count <= options->limit)
		return count;
	for (uint32_t i = options->limit; i < count; i++)
		weight += ranked[i].weight;
	note_hidden(table, count - options->limit == 1 ? one : many, "%",
		    count - options->limit, weight, tally->whole);
	return options->limit;
}

static void note_without_samples(struct wk_table *table, const char *one, const char *many,
				 uint32_t count)
{
	if (count)
		wk_table_note(table, "%" PRIu32 " %s without samples in view %s not shown", count,
			      count == 1 ? one : many, count == 1 ? "is" : "are");
}

/* Since the first sample; none for what was before the recording or never came. What happened
 * between the recording's start and its first sample happened at 0. */
static void time_cell(struct wk_table *table, const struct wk_model *model, uint64_t time_ns)
{
	if (time_ns == 0)
		wk_table_none(table);
	else
		wk_table_number(table, time_ns > model->first_ns ? time_ns - model->first_ns : 0);
}

static uint32_t *count_threads(const struct wk_model *model)
{
	uint32_t *threads = wk_alloc_zeroed(model->process_count, sizeof(*threads));

	for (uint32_t i = 1; i < model->thread_count; i++)
		threads[model->threads[i].process]++;
	return threads;
}

static void process_row(struct wk_table *table, const struct wk_model *model,
			const struct tally *tally, wk_process_id id, uint32_t threads)
{
	const struct wk_process *process = &model->processes[id];

	wk_table_row(table);
	wk_table_share(table, tally->weight[id], tally->whole);
	weight_cell(table, tally->unit, tally->weight[id]);
	wk_table_number(table, tally->samples[id]);
	wk_table_number(table, process->pid);
	if (process->parent)
		wk_table_number(table, model->processes[process->parent].pid);
	else
		wk_table_none(table);
	wk_table_number(table, threads);
	time_cell(table, model, process->start_ns);
	time_cell(table, model, process->end_ns);
	if (process->has_exit_code)
		wk_table_signed(table, process->exit_code);
	else
		wk_table_none(table);
	wk_table_text(table, or_else(wk_model_str(model, process->name), "(unknown)"));
	wk_table_text(table, wk_model_str(model, process->command_line));
}

static void fill_processes(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct tally tally = start_tally(model, filter, model->process_count);
	uint32_t *threads = count_threads(model), count, shown;
	struct ranked *ranked;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			count_sample(&tally, model, i,
				     model->threads[model->samples.thread[i]].process);
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	if (!weighs_samples(tally.unit))
		wk_table_weight_column(table, "weight", tally.unit);
	samples_column(table, "samples", model, filter);
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_NUMBER, "parent_pid", "parent");
	wk_table_column(table, WK_CELL_COUNT, "threads", "threads");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_MOMENT, "start_ns", "start");
	wk_table_column(table, WK_CELL_MOMENT, "end_ns", "end");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_NUMBER, "exit_code", "exit");
	wk_table_column(table, WK_CELL_TEXT, "name", "name");
	wk_table_column(table, WK_CELL_TEXT, "command_line", "command line");
	ranked = rank_rows(&tally, model->process_count, filter->is_narrowed, &count);
	shown = limit_rows(table, options, &tally, ranked, count, "process is", "processes are");
	for (uint32_t i = 0; i < shown; i++)
		process_row(table, model, &tally, ranked[i].id, threads[ranked[i].id]);
	note_without_samples(table, "process", "processes", model->process_count - 1 - count);
	free(ranked);
	free(threads);
	end_tally(&tally);
}

static void thread_row(struct wk_table *table, const struct wk_model *model,
		       const struct tally *tally, wk_thread_id id)
{
	const struct wk_thread *thread = &model->threads[id];
	const struct wk_process *process = &model->processes[thread->process];

	wk_table_row(table);
	wk_table_share(table, tally->weight[id], tally->whole);
	weight_cell(table, tally->unit, tally->weight[id]);
	wk_table_number(table, tally->samples[id]);
	wk_table_number(table, process->pid);
	wk_table_number(table, thread->tid);
	time_cell(table, model, thread->start_ns);
	time_cell(table, model, thread->end_ns);
	wk_table_text(table, or_else(wk_model_str(model, process->name), "(unknown)"));
	wk_table_text(table, or_else(wk_model_str(model, thread->name), "(unknown)"));
}

static void fill_threads(struct wk_table *table, const struct wk_model *model,
			 const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct tally tally = start_tally(model, filter, model->thread_count);
	struct ranked *ranked;
	uint32_t count, shown;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			count_sample(&tally, model, i, model->samples.thread[i]);
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	if (!weighs_samples(tally.unit))
		wk_table_weight_column(table, "weight", tally.unit);
	samples_column(table, "samples", model, filter);
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_NUMBER, "tid", "tid");
	wk_table_column(table, WK_CELL_MOMENT, "start_ns", "start");
	wk_table_column(table, WK_CELL_MOMENT, "end_ns", "end");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "process", "process");
	wk_table_column(table, WK_CELL_TEXT, "thread", "thread");
	ranked = rank_rows(&tally, model->thread_count, filter->is_narrowed, &count);
	shown = limit_rows(table, options, &tally, ranked, count, "thread is", "threads are");
	for (uint32_t i = 0; i < shown; i++)
		thread_row(table, model, &tally, ranked[i].id);
	note_without_samples(table, "thread", "threads", model->thread_count - 1 - count);
	free(ranked);
	end_tally(&tally);
}

static void image_row(struct wk_table *table, const struct wk_model *model,
		      const struct wk_flat *flat, const struct wk_flat_row *row)
{
	const struct wk_image *image = &model->images[row->id];

	wk_table_row(table);
	wk_table_share(table, row->self, flat->whole);
	wk_table_share(table, row->total, flat->whole);
	wk_table_number(table, row->self);
	weight_cell(table, flat->unit, row->total);
	samples_cell(table, flat->unit, row->total, row->total_samples);
	wk_table_text(table, wk_str_c(wk_image_kind_name(image->kind)));
	wk_table_text(table, wk_image_build_id_text(table, &image->build_id));
	wk_table_text(table, wk_str_c(image->has_names ? "yes" : "no"));
	wk_table_text(table, wk_image_path_of(model, row->id));
	wk_table_text(table, wk_image_name_of(model, row->id));
	wk_table_text(table, wk_image_names_from(model, image));
}

static void image_columns(struct wk_table *table, struct wk_str unit,
			  const struct wk_model *model, const struct wk_filter *filter)
{
	wk_table_column(table, WK_CELL_SHARE, "self_percent", "self %");
	wk_table_column(table, WK_CELL_SHARE, "total_percent", "total %");
	wk_table_weight_column(table, "self", unit);
	wk_table_detail(table);
	weight_detail(table, "total", unit);
	samples_column(table, "samples", model, filter);
	wk_table_column(table, WK_CELL_TEXT, "kind", "kind");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "build_id", "build id");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "named", "named");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "path", "path");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_column(table, WK_CELL_TEXT, "names_from", "names from");
}

static void fill_images(struct wk_table *table, const struct wk_model *model,
			const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint8_t *is_met = wk_alloc_zeroed(model->image_count, 1);
	uint64_t hidden = 0, hidden_weight = 0;
	uint32_t without = 0;
	struct wk_flat flat;

	wk_flat_init(&flat, model, filter, WK_FLAT_IMAGES);
	image_columns(table, flat.unit, model, filter);
	for (uint32_t i = 0; i < flat.count; i++) {
		is_met[flat.rows[i].id] = 1;
		if (is_full(table, options)) {
			hidden++;
			hidden_weight += flat.rows[i].self;
			continue;
		}
		image_row(table, model, &flat, &flat.rows[i]);
	}
	for (wk_image_id i = 1; i < model->image_count; i++) {
		if (is_met[i])
			continue;
		if (filter->is_narrowed)
			without++;
		else if (is_full(table, options))
			hidden++;
		else
			image_row(table, model, &flat, &(struct wk_flat_row){ .id = i });
	}
	note_hidden(table, hidden == 1 ? "image is" : "images are", "self %", hidden, hidden_weight,
		    flat.whole);
	note_without_samples(table, "image", "images", without);
	wk_flat_fini(&flat);
	free(is_met);
}

static void count_of(struct wk_buf *text, uint64_t count, const char *one, const char *many)
{
	wk_num_add_grouped(text, count);
	wk_buf_add_text(text, count == 1 ? one : many);
}

static void system_row(struct wk_table *table, const char *key, struct wk_str value)
{
	wk_table_row(table);
	wk_table_text(table, wk_table_keep(table, wk_str_c(key)));
	wk_table_text(table, wk_table_keep(table, value));
}

static struct wk_str fact_of(const struct wk_model *model, const char *key)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (wk_str_is(wk_model_str(model, model->facts[i].key), key))
			return wk_model_str(model, model->facts[i].value);
	return (struct wk_str){ 0 };
}

/* What the recorder was to do with an event, behind its name: "997 samples a second". */
static struct wk_str setting_of(struct wk_str fact, struct wk_str event)
{
	struct wk_str rest = wk_str_skip(fact, event.len);

	if (event.len == 0 || fact.len < event.len || memcmp(fact.at, event.at, event.len) != 0 ||
	    !wk_str_starts(rest, ", "))
		return (struct wk_str){ 0 };
	return wk_str_skip(rest, 2);
}

static bool is_of_source(const struct wk_model *model, struct wk_str fact)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (setting_of(fact, wk_model_str(model, model->sources[i].name)).len)
			return true;
	return false;
}

/* The wall clock at the first sample, of a pair of times at one moment: the recording's clock
 * and nanoseconds since 1970. */
static bool add_wall_time(struct wk_buf *text, struct wk_str pair, uint64_t first_ns)
{
	uint64_t clock_ns, wall_ns;
	struct wk_str clock = pair;
	time_t seconds;
	struct tm tm;

	clock.len = 0;
	while (clock.len < pair.len && pair.at[clock.len] != ' ')
		clock.len++;
	if (!wk_num_u64(clock, &clock_ns) ||
	    !wk_num_u64(wk_str_skip(pair, clock.len + 1), &wall_ns))
		return false;
	seconds = (time_t)((wall_ns + (first_ns ? first_ns - clock_ns : 0)) / 1000000000);
	if (!gmtime_r(&seconds, &tm))
		return false;
	wk_buf_add_fmt(text, "%d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
		       tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return true;
}

/* Facts are plain text; numbers get their units here. False for what another row tells. */
static bool fact_text(const struct wk_model *model, struct wk_str *key, struct wk_str value,
		      struct wk_buf *text)
{
	uint64_t bytes;

	if (wk_str_is(*key, "event") && is_of_source(model, value))
		return false;
	if (wk_str_is(*key, "cpus configured") && fact_of(model, "cpus").len)
		return false;
	if (wk_str_is(*key, "clock pair") && add_wall_time(text, value, model->first_ns)) {
		*key = (struct wk_str)WK_STR("first sample at");
		return true;
	}
	if (wk_str_is(*key, "memory") && wk_num_u64(value, &bytes)) {
		wk_num_add_bytes(text, bytes);
		wk_buf_add_fmt(text, " (%" PRIu64 " bytes)", bytes);
		return true;
	}
	wk_buf_add_str(text, value);
	if (wk_str_is(*key, "cpus")) {
		struct wk_str configured = fact_of(model, "cpus configured");

		if (configured.len && !wk_str_eq(configured, value)) {
			wk_buf_add_text(text, " online of ");
			wk_buf_add_str(text, configured);
		}
	}
	return true;
}

static void fact_rows(struct wk_table *table, const struct wk_model *model)
{
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < model->fact_count; i++) {
		struct wk_str key = wk_model_str(model, model->facts[i].key);
		struct wk_str value = wk_model_str(model, model->facts[i].value);

		wk_buf_reset(&text);
		if (!fact_text(model, &key, value, &text))
			continue;
		wk_table_row(table);
		wk_table_text(table, key);
		wk_table_text(table, wk_table_keep(table, wk_buf_str(&text)));
	}
	wk_buf_fini(&text);
}

/* ", 997 samples a second", where the recorder said so. */
static void add_setting(struct wk_buf *text, const struct wk_model *model, struct wk_str event)
{
	for (uint32_t i = 0; i < model->fact_count; i++) {
		struct wk_str setting =
			setting_of(wk_model_str(model, model->facts[i].value), event);

		if (setting.len == 0 ||
		    !wk_str_is(wk_model_str(model, model->facts[i].key), "event"))
			continue;
		wk_buf_add_text(text, "; ");
		wk_buf_add_str(text, setting);
		return;
	}
}

/* "1,700 samples in ns", "610 records in Ir", or where samples are all that was counted, those. */
static void add_source_count(struct wk_buf *text, const struct wk_model *model, wk_source_id id,
			     uint64_t count)
{
	const struct wk_source *source = &model->sources[id];

	wk_num_add_grouped(text, count);
	wk_buf_add_fmt(text, " %s%s", wk_source_row_word(source), count == 1 ? "" : "s");
	if (source->counts_samples)
		return;
	wk_buf_add_text(text, " in ");
	wk_buf_add_str(text, wk_model_str(model, source->unit));
}

static void source_rows(struct wk_table *table, const struct wk_model *model)
{
	uint64_t *counts = wk_alloc_zeroed(model->source_count, sizeof(*counts));
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < model->samples.count; i++)
		counts[model->samples.source[i]] += wk_model_sample_times(model, i);
	for (wk_source_id i = 1; i < model->source_count; i++) {
		wk_buf_reset(&text);
		wk_buf_add_str(&text, wk_model_str(model, model->sources[i].name));
		wk_buf_add_text(&text, ": ");
		add_source_count(&text, model, i, counts[i]);
		add_setting(&text, model, wk_model_str(model, model->sources[i].name));
		system_row(table, "event", wk_buf_str(&text));
	}
	wk_buf_fini(&text);
	free(counts);
}

static void note_rows(struct wk_table *table, const struct wk_model *model)
{
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < model->note_count; i++) {
		const struct wk_note *note = &model->notes[i];

		wk_buf_reset(&text);
		if (note->offset != WK_NOWHERE)
			wk_buf_add_fmt(&text, "0x%" PRIx64 ": ", note->offset);
		wk_buf_add_str(&text, wk_model_str(model, note->text));
		if (note->count > 1)
			wk_buf_add_fmt(&text, " (%" PRIu64 " times)", note->count);
		system_row(table, "note", wk_buf_str(&text));
	}
	wk_buf_fini(&text);
}

static void fill_system(struct wk_table *table, const struct wk_model *model,
			const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct wk_buf text = { 0 };

	(void)filter;
	(void)options;
	wk_table_column(table, WK_CELL_TEXT, "key", "what");
	wk_table_column(table, WK_CELL_TEXT, "value", "value");
	fact_rows(table, model);
	if (model->last_ns > model->first_ns) { /* most text tells no times */
		wk_num_add_duration(&text, model->last_ns - model->first_ns);
		system_row(table, "sampled for", wk_buf_str(&text));
	}
	wk_buf_reset(&text);
	count_of(&text, model->process_count - 1, " process, ", " processes, ");
	count_of(&text, model->thread_count - 1, " thread, ", " threads, ");
	count_of(&text, model->image_count - 1, " image", " images");
	system_row(table, "seen", wk_buf_str(&text));
	wk_buf_fini(&text);
	source_rows(table, model);
	note_rows(table, model);
}

#define USUAL_ROWS 40

const struct wk_table_view wk_table_views[] = {
	{ "functions", "functions by the time spent in them", fill_functions, USUAL_ROWS },
	{ "tree", "who called whom, and what it cost", fill_tree, 0 },
	{ "processes", "processes with their times and command lines", fill_processes, USUAL_ROWS },
	{ "threads", "threads of all processes", fill_threads, USUAL_ROWS },
	{ "images", "programs and libraries, and where their names came from", fill_images, 0 },
	{ "system", "the machine, the recording and what was noticed", fill_system, 0 },
	{ 0 },
};

const struct wk_table_view *wk_table_view_find(const char *name)
{
	for (const struct wk_table_view *view = wk_table_views; view->name; view++)
		if (strcmp(view->name, name) == 0)
			return view;
	return NULL;
}
