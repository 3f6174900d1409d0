#include "model/heap_rows.h"

#include <assert.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

/* Blocks of a row that were freed in the current interval, and lived about as long. */
struct pending {
	struct wk_end end;
	uint32_t next; /* of its row, or of those that are unused; 0: none */
};

struct row {
	uint32_t sample;
	wk_process_id process;
	uint32_t interval; /* of its process, in which its blocks were allocated */
	uint32_t size;     /* power of two */
	uint32_t pending;  /* the first; 0: none */
	uint32_t next;     /* of its process's rows with pending ends */
	bool is_summed;
	uint64_t left_bytes, left_blocks;
	uint64_t peak_bytes, peak_blocks; /* at the process's peak of this number: */
	uint64_t peak;
};

struct process {
	uint64_t left_bytes;
	uint64_t peak_bytes, peak_ns;
	uint64_t peak;      /* counts the peaks */
	uint32_t intervals; /* of it alone that ended */
	uint32_t first;     /* of the rows with pending ends; 0: none */
	uint32_t next;      /* of those that were listed since an interval of all ended, + 1 */
	bool is_listed;
};

struct wk_heap_rows {
	struct wk_model *model;
	struct row *rows; /* row 0 is none */
	size_t rows_cap;
	uint32_t row_count;
	struct wk_index index;
	struct pending *pending; /* row 0 is none */
	size_t pending_cap;
	uint32_t pending_count, unused;
	struct process *processes; /* by process */
	size_t processes_cap;
	uint32_t intervals; /* of all processes that ended */
	uint32_t listed;    /* the first with pending ends, or that had some, + 1; 0: none */
	uint64_t last_ns;   /* the latest time of all events */
};

struct wk_heap_rows *wk_heap_rows_new(struct wk_model *model)
{
	struct wk_heap_rows *rows = wk_alloc_zeroed(1, sizeof(*rows));

	rows->model = model;
	rows->row_count = rows->pending_count = 1;
	return rows;
}

void wk_heap_rows_free(struct wk_heap_rows *rows)
{
	if (!rows)
		return;
	WK_FREE_ALL(rows->rows, rows->pending, rows->processes);
	wk_index_fini(&rows->index);
	wk_free(rows);
}

static struct process *process_at(struct wk_heap_rows *rows, wk_process_id id)
{
	WK_RESERVE_ZEROED(rows->processes, rows->processes_cap, (size_t)id + 1);
	return &rows->processes[id];
}

/* No two of a process have the same number. */
static uint32_t interval_of(const struct wk_heap_rows *rows, const struct process *process)
{
	return rows->intervals + process->intervals;
}

/* --- Rows --- */

struct key {
	const struct wk_heap_rows *rows;
	const struct wk_sample *sample;
	wk_process_id process;
	uint32_t interval, size;
};

static bool same_row(const void *table, uint32_t id, const void *wanted)
{
	const struct row *row = &((const struct row *)table)[id];
	const struct key *key = wanted;
	const struct wk_samples *samples = &key->rows->model->samples;

	return row->interval == key->interval && row->size == key->size &&
	       row->process == key->process && samples->stack[row->sample] == key->sample->stack &&
	       wk_sample_thread(samples, row->sample) == key->sample->thread &&
	       wk_sample_source(samples, row->sample) == key->sample->source &&
	       (samples->about ? samples->about[row->sample] : 0) == key->sample->about &&
	       (samples->is_before && samples->is_before[row->sample]) == key->sample->is_before;
}

static uint64_t hash_of(const struct key *key)
{
	const struct wk_sample *sample = key->sample;
	uint64_t who = wk_hash_pair((uint64_t)sample->stack << 32 | sample->thread,
				    (uint64_t)sample->about << 32 | sample->source << 1 |
					    sample->is_before);

	return wk_hash_pair(who, (uint64_t)key->interval << 32 | key->size);
}

static bool is_summed(const struct wk_model *model, wk_subject_id about)
{
	return model->sums_blocks &&
	       !(model->separates_heaps && model->heaps[model->subjects[about].heap].handle);
}

/* The row with the sample in it, which stands for one more than `times` of it. */
static uint32_t put(struct wk_heap_rows *rows, struct key *key)
{
	struct wk_model *model = rows->model;
	uint64_t hash = hash_of(key);
	bool sums = is_summed(model, key->sample->about);
	uint32_t id = sums ? wk_index_find(&rows->index, hash, same_row, rows->rows, key) : 0;

	if (id) {
		wk_model_extend_sample(model, rows->rows[id].sample, key->sample);
		return id;
	}
	wk_model_add_sample(model, key->sample);
	WK_RESERVE(rows->rows, rows->rows_cap, (size_t)rows->row_count + 1);
	id = rows->row_count++;
	rows->rows[id] = (struct row){ .sample = model->samples.count - 1,
				       .process = key->process,
				       .interval = key->interval,
				       .size = key->size,
				       .is_summed = sums };
	if (sums)
		wk_index_add(&rows->index, hash, id);
	return id;
}

struct wk_sample wk_heap_rows_sample(const struct wk_heap_rows *rows, uint32_t row)
{
	const struct wk_samples *samples = &rows->model->samples;
	uint32_t i = rows->rows[row].sample;

	return (struct wk_sample){
		.thread = wk_sample_thread(samples, i),
		.stack = samples->stack[i],
		.cpu = wk_sample_cpu(samples, i),
		.is_before = samples->is_before && samples->is_before[i],
		.about = samples->about ? samples->about[i] : 0,
	};
}

void wk_heap_rows_count(struct wk_heap_rows *rows, wk_process_id process,
			const struct wk_sample *sample)
{
	struct key key = { rows, sample, process, interval_of(rows, process_at(rows, process)), 0 };

	put(rows, &key);
}

/* --- What is there --- */

/* Before a row changes. */
static void note_peak(struct row *row, const struct process *process)
{
	if (row->peak == process->peak)
		return;
	row->peak_bytes = row->left_bytes;
	row->peak_blocks = row->left_blocks;
	row->peak = process->peak;
}

uint32_t wk_heap_rows_allocate(struct wk_heap_rows *rows, wk_process_id id,
			       const struct wk_sample *block)
{
	struct process *process = process_at(rows, id);
	struct key key = { rows, block, id, interval_of(rows, process),
			   wk_power_of(block->weight) };
	uint32_t at = put(rows, &key);
	struct row *row = &rows->rows[at];

	note_peak(row, process);
	row->left_bytes += block->weight;
	row->left_blocks += block->times;
	process->left_bytes += block->weight;
	if (process->left_bytes > process->peak_bytes) {
		process->peak_bytes = process->left_bytes;
		process->peak_ns = block->time_ns;
		process->peak++;
	}
	return at;
}

uint64_t wk_heap_rows_left(const struct wk_heap_rows *rows, wk_process_id process)
{
	return process < rows->processes_cap ? rows->processes[process].left_bytes : 0;
}

/* Moved to the front, since most blocks of a row live about as long. 0 if there is none. */
static uint32_t find_pending(struct wk_heap_rows *rows, struct row *row, uint8_t lived)
{
	uint32_t id = row->pending, previous = 0;

	for (; id && rows->pending[id].end.lived != lived; id = rows->pending[id].next)
		previous = id;
	if (!id || !previous)
		return id;
	rows->pending[previous].next = rows->pending[id].next;
	rows->pending[id].next = row->pending;
	row->pending = id;
	return id;
}

static struct pending *pending_of(struct wk_heap_rows *rows, struct row *row,
				  const struct wk_heap_freed *freed)
{
	uint8_t lived = (uint8_t)wk_power_of(freed->life_ns);
	uint32_t id = find_pending(rows, row, lived);

	if (id)
		return &rows->pending[id];
	id = rows->unused;
	if (id) {
		rows->unused = rows->pending[id].next;
	} else {
		WK_RESERVE(rows->pending, rows->pending_cap, (size_t)rows->pending_count + 1);
		id = rows->pending_count++;
	}
	rows->pending[id] = (struct pending){
		.end = { .sample = row->sample, .thread = freed->thread, .stack = freed->stack,
			 .lived = lived },
		.next = row->pending,
	};
	row->pending = id;
	return &rows->pending[id];
}

/* The end is added when the interval is over. */
static void wait_for_end(struct wk_heap_rows *rows, const struct wk_heap_freed *freed)
{
	struct row *row = &rows->rows[freed->row];
	struct process *process = &rows->processes[row->process];
	struct pending *pending;

	if (!row->pending) {
		row->next = process->first;
		process->first = freed->row;
	}
	if (!process->is_listed) {
		process->next = rows->listed;
		process->is_listed = true;
		rows->listed = row->process + 1;
	}
	pending = pending_of(rows, row, freed);
	pending->end.weight += freed->weight;
	pending->end.times += freed->times;
}

void wk_heap_rows_release(struct wk_heap_rows *rows, const struct wk_heap_freed *freed)
{
	struct row *row = &rows->rows[freed->row];
	struct process *process = &rows->processes[row->process];

	assert(row->left_bytes >= freed->weight && row->left_blocks >= freed->times);
	note_peak(row, process);
	row->left_bytes -= freed->weight;
	row->left_blocks -= freed->times;
	process->left_bytes -= freed->weight;
	if (row->is_summed)
		wait_for_end(rows, freed);
	else
		wk_model_add_end(rows->model, &(struct wk_end){
			.sample = row->sample, .time_ns = freed->time_ns, .weight = freed->weight,
			.times = freed->times, .lived = (uint8_t)wk_power_of(freed->life_ns), .thread = freed->thread,
			.stack = freed->stack });
}

/* --- Intervals --- */

static void add_ends(struct wk_heap_rows *rows, struct row *row)
{
	while (row->pending) {
		struct pending *pending = &rows->pending[row->pending];
		uint32_t next = pending->next;

		pending->end.time_ns = rows->last_ns;
		wk_model_add_end(rows->model, &pending->end);
		pending->next = rows->unused;
		rows->unused = row->pending;
		row->pending = next;
	}
}

static void close_interval(struct wk_heap_rows *rows, struct process *process)
{
	while (process->first) {
		struct row *row = &rows->rows[process->first];

		add_ends(rows, row);
		process->first = row->next;
	}
}

void wk_heap_rows_close(struct wk_heap_rows *rows, wk_process_id id)
{
	struct process *process = process_at(rows, id);

	close_interval(rows, process);
	process->intervals++;
}

void wk_heap_rows_close_all(struct wk_heap_rows *rows)
{
	while (rows->listed) {
		struct process *process = &rows->processes[rows->listed - 1];

		close_interval(rows, process);
		process->is_listed = false;
		rows->listed = process->next;
	}
	rows->intervals++;
}

static uint64_t since(uint64_t begin_ns, uint64_t ns)
{
	return ns > UINT64_MAX - begin_ns ? UINT64_MAX : begin_ns + ns;
}

/* Of the time in view, whose first and last moments belong to it. */
static bool passes_bound(const struct wk_heap_rows *rows, uint64_t time_ns)
{
	const struct wk_model *model = rows->model;
	uint64_t begin_ns = model->samples.count ? wk_model_begin_ns(model) : time_ns;
	uint64_t from_ns = since(begin_ns, model->sums_from_ns);
	uint64_t to_ns = since(begin_ns, model->sums_to_ns);

	return (rows->last_ns < from_ns && time_ns >= from_ns) ||
	       (rows->last_ns <= to_ns && time_ns > to_ns);
}

void wk_heap_rows_pass(struct wk_heap_rows *rows, uint64_t time_ns)
{
	if ((rows->model->sums_from_ns || rows->model->sums_to_ns) && passes_bound(rows, time_ns))
		wk_heap_rows_close_all(rows);
	if (time_ns > rows->last_ns)
		rows->last_ns = time_ns;
}

static void add_peak(struct wk_heap_rows *rows, uint32_t id)
{
	const struct process *process = &rows->processes[rows->rows[id].process];
	struct row *row = &rows->rows[id];
	struct wk_sample sample = wk_heap_rows_sample(rows, id);

	note_peak(row, process);
	if (!row->peak_blocks || rows->model->samples.count >= WK_MODEL_MOST_SAMPLES)
		return;
	sample.source = wk_model_derived_source(rows->model, WK_DERIVED_HEAP_PEAK);
	sample.time_ns = process->peak_ns;
	sample.weight = wk_model_fit_weight(rows->model, row->peak_bytes);
	sample.times = row->peak_blocks;
	wk_model_add_sample(rows->model, &sample);
}

void wk_heap_rows_finish(struct wk_heap_rows *rows)
{
	wk_heap_rows_close_all(rows);
	for (uint32_t id = 1; id < rows->row_count; id++)
		add_peak(rows, id);
}
