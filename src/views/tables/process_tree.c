/* The table of processes as a tree, with their times. */
#include "views/tables/internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "views/tree/process_tree.h"

struct outline {
	const struct wk_model *model;
	const struct wk_filter *filter;
	struct wk_process_tree tree;
	struct wk_tally own;
	uint64_t *total; /* by process: its weight with that of all below it */
	uint64_t *total_samples;
	uint8_t *is_shown; /* by process */
	uint32_t *left;    /* by process: shown children to come; of 0 the roots */
};

/* A parent comes before its children. */
static void sum_up(struct outline *outline)
{
	const struct wk_process_tree *tree = &outline->tree;

	for (wk_process_id i = 1; i < outline->model->process_count; i++) {
		outline->total[i] = outline->own.weight[i];
		outline->total_samples[i] = outline->own.samples[i];
	}
	for (uint32_t i = tree->count; i-- > 0;) {
		wk_process_id at = tree->order[i];

		outline->total[tree->parent[at]] += outline->total[at];
		outline->total_samples[tree->parent[at]] += outline->total_samples[at];
	}
}

/* Of too many those with the highest totals, which no parent has less of than its children; of
 * equals the first. So none is shown without its parents. */
static uint32_t choose(struct outline *outline, const struct wk_filter *filter,
		       const struct wk_table_options *options)
{
	const struct wk_process_tree *tree = &outline->tree;
	struct wk_ranked *ranked = wk_alloc(((size_t)tree->count + 1) * sizeof(*ranked));
	uint32_t count = 0, shown;

	for (uint32_t i = 0; i < tree->count; i++)
		if (!filter->is_narrowed || outline->total_samples[tree->order[i]])
			ranked[count++] = (struct wk_ranked){
				.weight = outline->total[tree->order[i]], .id = i };
	qsort(ranked, count, sizeof(*ranked), wk_tables_heavier_first);
	shown = wk_tables_shown_rows(options, ranked, count, outline->own.whole);
	for (uint32_t i = 0; i < shown; i++) {
		wk_process_id process = tree->order[ranked[i].id];

		outline->is_shown[process] = 1;
		outline->left[tree->parent[process]]++;
	}
	wk_free(ranked);
	return count - shown;
}

/* For people, with what distinguishes it from others of its name, and why it has no parent. */
static void add_name(struct wk_table *table, const struct wk_model *model,
		     const struct wk_process *process)
{
	struct wk_str name = wk_model_str(model, process->name);
	struct wk_buf brief = { 0 };

	wk_tables_name(table, "name", "process", model, process->name);
	wk_buf_add_str(&brief, name.len ? name : wk_str_c("(unknown)"));
	if (process->services) {
		wk_buf_add_text(&brief, ": ");
		wk_buf_add_str(&brief, wk_model_str(model, process->services));
	}
	if (!process->parent && process->parent_pid)
		wk_buf_add_fmt(&brief, " (its parent %" PRIu32 " is not in the recording)",
			       process->parent_pid);
	wk_table_brief(table, wk_table_keep(table, wk_buf_str(&brief)));
	wk_buf_fini(&brief);
}

static void tree_row(struct wk_table *table, const struct outline *outline, wk_process_id id,
		     uint32_t depth)
{
	const struct wk_model *model = outline->model;
	const struct wk_process *process = &model->processes[id];
	const struct wk_tally *own = &outline->own;
	bool has_times = process->start_ns && process->end_ns >= process->start_ns;

	wk_column_share(table, "total_percent", "total %", outline->total[id], own->whole);
	if (!wk_tables_weighs_samples(own->unit))
		wk_tables_weight(table, "self", own->unit, false, own->weight[id]);
	wk_tables_samples(table, "self_samples", WK_DETAIL, model, outline->filter, own->unit,
			  own->samples[id], own->samples[id]);
	wk_tables_hide_samples(table, model);
	wk_tables_pid(table, "pid", "pid", 0, process);
	wk_tables_parent(table, WK_DETAIL, model, process);
	wk_tables_start(table, 0, model, process->start_ns);
	wk_tables_moment(table, "end_ns", "end", 2, model, process->end_ns);
	wk_column_number_if(table, WK_CELL_DURATION, "lasted_ns", "lasted", 0, has_times,
			    process->end_ns - process->start_ns);
	wk_tables_exit(table, 3, model, process);
	if (model->traits->has_accounts) {
		wk_tables_user(table, WK_DETAIL, WK_DETAIL, model, process);
		wk_column_text(table, "services", "services", WK_DETAIL,
			       wk_model_str(model, process->services));
	}
	wk_column_text(table, "command_line", "command line", WK_DETAIL,
		       wk_model_str(model, process->command_line));
	wk_column_number(table, WK_CELL_NUMBER, "depth", "depth", WK_DETAIL, depth);
	add_name(table, model, process);
}

static void rows(struct wk_table *table, struct outline *outline)
{
	const struct wk_process_tree *tree = &outline->tree;

	for (uint32_t i = 0; i < tree->count; i++) {
		wk_process_id process = tree->order[i];
		struct wk_row shape = { .indent = tree->depth[i], .is_branch = tree->depth[i] > 0 };

		if (!outline->is_shown[process])
			continue;
		shape.is_last = --outline->left[tree->parent[process]] == 0;
		*wk_table_row(table) = shape;
		tree_row(table, outline, process, shape.indent);
	}
}

void wk_tables_fill_process_tree(struct wk_table *table, const struct wk_model *model,
				 const struct wk_filter *filter,
				 const struct wk_table_options *options)
{
	struct outline outline = {
		.model = model,
		.filter = filter,
		.own = wk_tables_tally_by(model, filter, true),
		.total = wk_alloc_zeroed(model->process_count, sizeof(uint64_t)),
		.total_samples = wk_alloc_zeroed(model->process_count, sizeof(uint64_t)),
		.is_shown = wk_alloc_zeroed(model->process_count, 1),
		.left = wk_alloc_zeroed(model->process_count, sizeof(uint32_t)),
	};
	uint32_t hidden;

	wk_process_tree_init(&outline.tree, model);
	sum_up(&outline);
	hidden = choose(&outline, filter, options);
	table->is_tree = table->has_one_scale = true;
	tree_row(table, &outline, 0, 0);
	rows(table, &outline);
	if (hidden)
		wk_table_note(table, "%" PRIu32 " %s not shown; --all shows %s", hidden,
			      hidden == 1 ? "process with less is" : "processes with less are",
			      hidden == 1 ? "it" : "them");
	wk_tables_note_without_samples(table, "process", "processes",
				       (uint32_t)(outline.tree.count - table->row_count - hidden));
	if (model->traits->is_system_wide && model->samples.count)
		wk_table_note(table, "`wick show %s calls` prints the call tree",
			      wk_model_input(model));
	wk_process_tree_fini(&outline.tree);
	wk_tables_end_tally(&outline.own);
	WK_FREE_ALL(outline.total, outline.total_samples, outline.is_shown, outline.left);
}
