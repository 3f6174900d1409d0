/* The blocks of samples, of what was freed of them, and of what processes used. */
#include "base/mem.h"
#include "base/sort.h"
#include "render/page/columns.h"
#include "render/page/page_internal.h"
#include "views/snapshots.h"

/* The rows of one event. */
struct writing {
	const struct wk_page_parts *parts;
	const uint32_t *rows;
	uint32_t count;
	int64_t *values; /* [count], of the column that is written */
	struct wk_columns columns;
};

static void column(struct writing *w, const char *name,
		   int64_t (*value)(const struct wk_page_parts *parts, uint32_t sample))
{
	for (uint32_t i = 0; i < w->count; i++)
		w->values[i] = value(w->parts, w->rows[i]);
	wk_columns_add(&w->columns, name, w->values, w->count, false);
}

static int64_t thread_of(const struct wk_page_parts *parts, uint32_t sample)
{
	return wk_sample_thread(&parts->model->samples, sample);
}

static int64_t cpu_of(const struct wk_page_parts *parts, uint32_t sample)
{
	uint32_t cpu = wk_sample_cpu(&parts->model->samples, sample);

	return cpu == WK_NO_CPU ? 0 : (int64_t)cpu + 1;
}

static int64_t weight_of(const struct wk_page_parts *parts, uint32_t sample)
{
	return wk_column_value(parts->model->samples.weight[sample]);
}

static int64_t times_of(const struct wk_page_parts *parts, uint32_t sample)
{
	return wk_column_value(wk_model_sample_times(parts->model, sample));
}

static int64_t subject_of(const struct wk_page_parts *parts, uint32_t sample)
{
	return parts->model->samples.about ? parts->model->samples.about[sample] : 0;
}

/* Rows that are kept in the order in which they came can be a little out of time. */
static void times(struct writing *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		w->values[i] = wk_page_time(w->parts->page,
					    wk_sample_time(&w->parts->model->samples, w->rows[i]));
		if (i && w->values[i] < w->values[i - 1])
			w->values[i] = w->values[i - 1];
	}
	wk_columns_add(&w->columns, "time", w->values, w->count, true);
}

static uint32_t stack_of(const struct writing *w, uint32_t row)
{
	const struct wk_model *model = w->parts->model;

	return w->parts->ids.stack_of[wk_model_named_of(model, model->samples.stack[w->rows[row]])];
}

/* Stacks by rank, most rows first: small numbers are the most frequent. */
static void stacks(struct writing *w)
{
	uint32_t stack_count = w->parts->ids.stack_count, distinct = 0;
	uint32_t *rank = wk_alloc_zeroed(stack_count, sizeof(*rank));
	struct wk_sort_key *keys;
	int64_t *ranks;

	for (uint32_t i = 0; i < w->count; i++)
		rank[stack_of(w, i)]++;
	keys = wk_alloc((size_t)stack_count * sizeof(*keys));
	for (uint32_t i = 0; i < stack_count; i++)
		if (rank[i])
			keys[distinct++] = (struct wk_sort_key){ UINT32_MAX - rank[i], i };
	wk_sort_keys(keys, distinct);
	ranks = wk_alloc(((size_t)distinct + 1) * sizeof(*ranks));
	for (uint32_t i = 0; i < distinct; i++) {
		ranks[i] = keys[i].row;
		rank[keys[i].row] = i;
	}
	for (uint32_t i = 0; i < w->count; i++)
		w->values[i] = rank[stack_of(w, i)];
	wk_columns_add(&w->columns, "stack", w->values, w->count, false);
	wk_columns_add(&w->columns, "ranks", ranks, distinct, true);
	WK_FREE_ALL(rank, keys, ranks);
}

void wk_page_samples(const struct wk_page_parts *parts, wk_source_id source, struct wk_buf *block)
{
	const struct wk_page_rows *rows = &parts->rows;
	struct writing w = {
		.parts = parts,
		.rows = rows->rows + rows->first[source],
		.count = rows->first[source + 1] - rows->first[source],
	};

	w.values = wk_alloc(((size_t)w.count + 1) * sizeof(*w.values));
	times(&w);
	stacks(&w);
	column(&w, "thread", thread_of);
	column(&w, "cpu", cpu_of);
	column(&w, "weight", weight_of);
	column(&w, "times", times_of);
	column(&w, "about", subject_of);
	wk_columns_write(&w.columns, block);
	wk_free(w.values);
}

/* ---- ends */

/* What an end takes of its row: never more than the row has, and with the last byte all of it. */
static uint64_t take_times(const struct wk_model *model, struct wk_left *left,
			   const struct wk_end *end)
{
	uint64_t had_bytes = left->bytes[end->sample],
		 times = wk_model_sample_times(model, end->sample);
	uint64_t had = left->blocks ? left->blocks[end->sample] : had_bytes ? times : 0;

	wk_left_end(left, end);
	if (left->bytes[end->sample] == 0 && left->blocks)
		left->blocks[end->sample] = 0;
	if (left->bytes[end->sample] == 0)
		return had;
	return left->blocks ? had - left->blocks[end->sample] : 0;
}

void wk_page_ends(const struct wk_page_parts *parts, wk_source_id source, struct wk_buf *block)
{
	const struct wk_model *model = parts->model;
	uint32_t count = 0;
	uint32_t *ends = wk_alloc(((size_t)model->end_count + 1) * sizeof(*ends));
	int64_t *values;
	struct wk_left left = wk_left_start(model);
	struct wk_columns columns = { 0 };

	for (uint32_t i = 0; i < model->end_count; i++)
		if (wk_page_has_end(parts, source, i))
			ends[count++] = i;
	values = wk_alloc(((size_t)count + 1) * sizeof(*values));
	for (uint32_t i = 0; i < count; i++) {
		values[i] = wk_page_time(parts->page, model->ends[ends[i]].time_ns);
		if (i && values[i] < values[i - 1])
			values[i] = values[i - 1];
	}
	wk_columns_add(&columns, "time", values, count, true);
	for (uint32_t i = 0; i < count; i++)
		values[i] = parts->rows.place[model->ends[ends[i]].sample];
	wk_columns_add(&columns, "row", values, count, false);
	for (uint32_t i = 0; i < count; i++)
		values[i] = wk_column_value(model->ends[ends[i]].weight);
	wk_columns_add(&columns, "weight", values, count, false);
	for (uint32_t i = 0; i < count; i++)
		values[i] = wk_column_value(take_times(model, &left, &model->ends[ends[i]]));
	wk_columns_add(&columns, "times", values, count, false);
	for (uint32_t i = 0; i < count; i++)
		values[i] = model->ends[ends[i]].is_left;
	wk_columns_add(&columns, "left", values, count, false);
	wk_columns_write(&columns, block);
	wk_left_fini(&left);
	WK_FREE_ALL(ends, values);
}

/* ---- memory of processes */

static int64_t resident_of(const struct wk_use_row *use)
{
	return wk_column_value(use->use.working_set_bytes);
}

static int64_t peak_of(const struct wk_use_row *use)
{
	return wk_column_value(use->use.peak_working_set_bytes);
}

static int64_t swap_of(const struct wk_use_row *use)
{
	return wk_column_value(use->use.swap_bytes);
}

static int64_t commit_of(const struct wk_use_row *use)
{
	return wk_column_value(use->use.commit_bytes);
}

static int64_t process_of(const struct wk_use_row *use)
{
	return use->process;
}

void wk_page_uses(const struct wk_page_parts *parts, struct wk_buf *block)
{
	static const struct {
		const char *name;
		int64_t (*value)(const struct wk_use_row *use);
	} all[] = {
		{ "process", process_of }, { "resident", resident_of }, { "peak", peak_of },
		{ "swap", swap_of },       { "commit", commit_of },
	};
	const struct wk_model *model = parts->model;
	const struct wk_use_row **uses = wk_alloc(((size_t)model->use_count + 1) * sizeof(*uses));
	int64_t *values = wk_alloc(((size_t)model->use_count + 1) * sizeof(*values));
	struct wk_columns columns = { 0 };
	uint32_t count = 0;

	for (uint32_t i = 0; i < model->use_count; i++)
		if (parts->use.processes[model->uses[i].process])
			uses[count++] = &model->uses[i];
	for (uint32_t i = 0; i < count; i++)
		values[i] = wk_page_time(parts->page, uses[i]->time_ns);
	wk_columns_add(&columns, "time", values, count, true);
	for (size_t c = 0; c < sizeof(all) / sizeof(all[0]); c++) {
		for (uint32_t i = 0; i < count; i++)
			values[i] = all[c].value(uses[i]);
		wk_columns_add(&columns, all[c].name, values, count, false);
	}
	wk_columns_write(&columns, block);
	WK_FREE_ALL(uses, values);
}
