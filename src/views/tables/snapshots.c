/* The table of snapshots. */
#include "views/tables/internal.h"

#include "base/mem.h"
#include "views/lifetimes.h"

/* Of one process, or of all. */
struct state {
	uint64_t left_bytes, left_blocks;
	uint64_t gone_bytes, gone_blocks;     /* since the previous snapshot that it is in, */
	uint64_t before_bytes, before_blocks; /* which had that much, */
	uint32_t at_row;                      /* and that many rows before it */
	uint32_t since;                       /* its number; 0: there was none */
};

/* A walk through the rows and ends of blocks. */
struct walk {
	const struct wk_model *model;
	wk_source_id source;
	struct state *states; /* by process; 0: all */
	wk_process_id only;   /* that has blocks; 0: several have */
	uint32_t row, end;
	uint32_t last_of_all; /* snapshot; 0: there was none */
	bool counts;          /* numbers of blocks are known */
};

static wk_process_id process_of(const struct walk *walk, uint32_t sample)
{
	return walk->model->threads[wk_sample_thread(&walk->model->samples, sample)].process;
}

static void remember(struct state *state, const struct wk_snapshot *snapshot, uint32_t number)
{
	state->before_bytes = state->left_bytes;
	state->before_blocks = state->left_blocks;
	state->gone_bytes = state->gone_blocks = 0;
	state->at_row = snapshot->at_row;
	state->since = number;
}

/* Of a process when it is first needed after a snapshot of all. */
static struct state *state_of(struct walk *walk, wk_process_id process)
{
	struct state *state = &walk->states[process];

	if (process && state->since < walk->last_of_all)
		remember(state, &walk->model->snapshots[walk->last_of_all - 1], walk->last_of_all);
	return state;
}

static void add_row(struct walk *walk, struct state *state)
{
	state->left_bytes += walk->model->samples.weight[walk->row];
	state->left_blocks += wk_model_sample_times(walk->model, walk->row);
}

static void add_end(const struct wk_end *end, struct state *state)
{
	state->left_bytes -= end->weight;
	state->left_blocks -= end->times;
	if (end->sample >= state->at_row)
		return;
	state->gone_bytes += end->weight;
	state->gone_blocks += end->times;
}

static bool is_block(const struct walk *walk, uint32_t sample)
{
	return wk_sample_source(&walk->model->samples, sample) == walk->source;
}

static void walk_to(struct walk *walk, const struct wk_snapshot *snapshot)
{
	for (; walk->row < snapshot->at_row; walk->row++) {
		wk_process_id process = process_of(walk, walk->row);

		if (!is_block(walk, walk->row))
			continue;
		add_row(walk, &walk->states[0]);
		if (process)
			add_row(walk, state_of(walk, process));
	}
	for (; walk->end < snapshot->at_end; walk->end++) {
		const struct wk_end *end = &walk->model->ends[walk->end];
		wk_process_id process = process_of(walk, end->sample);

		if (!is_block(walk, end->sample))
			continue;
		add_end(end, &walk->states[0]);
		if (process)
			add_end(end, state_of(walk, process));
	}
}

/* What is there now and was not before is new. */
static uint64_t fresh(uint64_t left, uint64_t before, uint64_t gone)
{
	return left - (before - gone);
}

static void snapshot_row(struct wk_table *table, const struct walk *walk, uint32_t number,
			 const struct wk_snapshot *snapshot, const struct state *state)
{
	const struct wk_model *model = walk->model;
	const struct wk_process *process = &model->processes[snapshot->process];

	wk_column_number(table, WK_CELL_NUMBER, "number", "#", 0, number);
	wk_tables_moment(table, "time_ns", "time", 0, model, snapshot->time_ns);
	wk_column_text(table, "cause", "cause", 2,
		       wk_str_c(wk_snapshot_cause_name(snapshot->cause)));
	wk_column_number(table, WK_CELL_BYTES, "outstanding_bytes", "outstanding", 0,
			 state->left_bytes);
	wk_column_number_if(table, WK_CELL_COUNT, "outstanding_blocks", "blocks", 1, walk->counts,
			    state->left_blocks);
	wk_column_number_if(table, WK_CELL_NUMBER, "since_number", "since", 5, state->since,
			    state->since);
	wk_column_number(table, WK_CELL_BYTES, "new_bytes", "new", 0,
			 fresh(state->left_bytes, state->before_bytes, state->gone_bytes));
	wk_column_number_if(table, WK_CELL_COUNT, "new_blocks", "new blocks", WK_DETAIL,
			    walk->counts,
			    fresh(state->left_blocks, state->before_blocks, state->gone_blocks));
	wk_column_number(table, WK_CELL_BYTES, "gone_bytes", "gone", 0, state->gone_bytes);
	wk_column_number_if(table, WK_CELL_COUNT, "gone_blocks", "gone blocks", WK_DETAIL,
			    walk->counts, state->gone_blocks);
	wk_tables_pid(table, "pid", "pid", 4, snapshot->process ? process : NULL);
	wk_column_text(table, "process", "process", 3, wk_model_str(model, process->name));
	wk_column_text(table, "label", "label", 0, wk_model_str(model, snapshot->label));
}

static void note_use(struct wk_table *table, const struct wk_model *model, uint32_t hidden)
{
	if (hidden)
		wk_table_note(table, "%u more %s not shown; --all shows %s", hidden,
			      hidden == 1 ? "snapshot is" : "snapshots are",
			      hidden == 1 ? "it" : "them");
	if (model->snapshot_count > 1)
		wk_table_note(table, "new and gone: since snapshot `since`, the previous one "
				     "that includes the same processes");
	wk_table_note(table,
		      "`wick show %s heap --snapshot N` shows one, `--between A B` what is new in "
		      "B, `--grew N` what grew in each of the last N",
		      wk_model_input(model));
}

/* A snapshot of all processes is one of the only process that has blocks. */
static wk_process_id only_process(const struct walk *walk)
{
	const struct wk_samples *samples = &walk->model->samples;
	wk_process_id only = 0;

	for (uint32_t i = 0; i < samples->count; i++) {
		wk_process_id process = is_block(walk, i) ? process_of(walk, i) : only;

		if (only && process != only)
			return 0;
		only = process;
	}
	return only;
}

/* Only the time of a filter counts. */
void wk_tables_fill_snapshots(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options)
{
	struct walk walk = { .model = model, .counts = wk_tables_count_blocks(model), .source = wk_lifetimes_source(model, "heap"),
			     .states = wk_alloc_zeroed(model->process_count,
						       sizeof(*walk.states)) };
	uint32_t hidden = 0;

	walk.only = only_process(&walk);
	snapshot_row(table, &walk, 0, &(struct wk_snapshot){ 0 }, &walk.states[0]);
	for (uint32_t i = 0; i < model->snapshot_count; i++) {
		const struct wk_snapshot *snapshot = &model->snapshots[i];
		wk_process_id process = snapshot->process ? snapshot->process : walk.only;
		bool is_hidden =
			snapshot->time_ns < filter->from_ns || snapshot->time_ns > filter->to_ns;

		walk_to(&walk, snapshot);
		if (!is_hidden && wk_tables_is_full(table, options)) {
			hidden++;
			continue;
		}
		if (!is_hidden) {
			wk_table_row(table);
			snapshot_row(table, &walk, i + 1, snapshot, state_of(&walk, process));
		}
		remember(state_of(&walk, process), snapshot, i + 1);
		if (!process)
			walk.last_of_all = i + 1;
	}
	wk_tables_note_earlier_blocks(table, model);
	note_use(table, model, hidden);
	wk_free(walk.states);
}
