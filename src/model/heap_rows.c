#include "model/heap_rows.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

/* Blocks of a row that were freed in the current interval, and lived about as long. */
struct pending {
	struct wk_end end;
	uint32_t next; /* of its row, or of those that are unused; 0: none */
};

/* What the blocks of a row have in common; without padding, so that it is compared as bytes. */
struct key {
	wk_stack_id stack;
	wk_thread_id thread;
	wk_subject_id about;
	wk_source_id source;
	uint32_t interval;      /* of its process, in which its blocks were allocated */
	uint32_t size_and_side; /* power of two, and whether it is of the side "before" */
};

struct row {
	struct key key;
	uint32_t sample;
	wk_process_id process;
	uint32_t pending;       /* the first; 0: none */
	uint32_t next;          /* of its process's rows with pending ends */
	uint64_t bytes, blocks; /* of all its blocks: the sample gets them in the end */
	uint64_t left_bytes, left_blocks;
	uint64_t peak_bytes, peak_blocks; /* at the process's peak of this number: */
	uint64_t peak;
	bool is_summed;
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
	uint32_t intervals;      /* of all processes that ended */
	uint32_t listed;         /* the first with pending ends, or that had some, + 1; 0: none */
	uint64_t last_ns;        /* the latest time of all events */
	uint64_t last_row_ns[2]; /* that of those which rows contain, by their side */
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

static bool same_row(const void *table, uint32_t id, const void *key)
{
	return memcmp(&((const struct row *)table)[id].key, key, sizeof(struct key)) == 0;
}

static uint64_t hash_of(const struct key *key)
{
	uint64_t who = wk_hash_mix((uint64_t)key->stack << 32 | key->thread,
				   (uint64_t)key->about << 32 | key->source);

	return wk_hash_pair(who, (uint64_t)key->interval << 32 | key->size_and_side);
}

static struct key key_of(const struct wk_sample *sample, uint32_t interval, uint32_t size)
{
	return (struct key){ sample->stack,  sample->thread, sample->about,
			     sample->source, interval,       size << 1 | sample->is_before };
}

static bool is_summed(const struct wk_model *model, wk_subject_id about)
{
	return model->sums_blocks &&
	       !(model->separates_heaps && model->heaps[model->subjects[about].heap].handle);
}

static uint32_t add_row(struct wk_heap_rows *rows, const struct key *key, wk_process_id process,
			const struct wk_sample *sample)
{
	uint32_t id = rows->row_count;

	wk_model_add_sample(rows->model, sample);
	WK_RESERVE(rows->rows, rows->rows_cap, (size_t)id + 1);
	rows->rows[id] = (struct row){ .key = *key,
				       .sample = rows->model->samples.count - 1,
				       .process = process,
				       .is_summed = is_summed(rows->model, key->about) };
	if (rows->rows[id].is_summed)
		wk_index_add(&rows->index, hash_of(key), id);
	rows->row_count++;
	return id;
}

/* The row with the sample in it. */
static uint32_t put(struct wk_heap_rows *rows, const struct key *key, wk_process_id process,
		    const struct wk_sample *sample)
{
	uint64_t *last_ns = &rows->last_row_ns[sample->is_before];
	uint32_t id = 0;

	if (rows->model->sums_blocks)
		id = wk_index_find(&rows->index, hash_of(key), same_row, rows->rows, key);
	if (!id)
		id = add_row(rows, key, process, sample);
	rows->rows[id].bytes += sample->weight;
	rows->rows[id].blocks += sample->times ? sample->times : 1;
	if (sample->time_ns > *last_ns)
		*last_ns = sample->time_ns;
	return id;
}

struct wk_sample wk_heap_rows_sample(const struct wk_heap_rows *rows, uint32_t id)
{
	const struct row *row = &rows->rows[id];

	return (struct wk_sample){
		.thread = row->key.thread,
		.stack = row->key.stack,
		.cpu = wk_sample_cpu(&rows->model->samples, row->sample),
		.is_before = row->key.size_and_side & 1,
		.about = row->key.about,
	};
}

void wk_heap_rows_count(struct wk_heap_rows *rows, wk_process_id process,
			const struct wk_sample *sample)
{
	struct key key = key_of(sample, interval_of(rows, process_at(rows, process)), 0);

	put(rows, &key, process, sample);
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
	struct key key = key_of(block, interval_of(rows, process), wk_power_of(block->weight));
	uint32_t at = put(rows, &key, id, block);
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

/* Samples have what their first block had. */
static void complete_samples(struct wk_heap_rows *rows)
{
	for (uint32_t id = 1; id < rows->row_count; id++) {
		const struct row *row = &rows->rows[id];

		wk_model_set_sum(rows->model, row->sample, row->bytes, row->blocks);
	}
	for (int is_before = 0; is_before <= 1; is_before++)
		wk_model_see_last(rows->model, is_before, rows->last_row_ns[is_before]);
}

void wk_heap_rows_finish(struct wk_heap_rows *rows)
{
	wk_heap_rows_close_all(rows);
	complete_samples(rows);
	for (uint32_t id = 1; id < rows->row_count; id++)
		add_peak(rows, id);
}
