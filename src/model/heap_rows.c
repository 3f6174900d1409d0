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

/* What the blocks of a row have in common: numbers of 32 bits in pairs, the first one above. Fields
 * that are written alone and read in pairs would wait for each other. */
struct key {
	uint64_t stack_thread;
	uint64_t about_source;
	uint64_t interval_size; /* the interval of its process in which its blocks were allocated;
				 * twice their power of two, and 1 for the side "before" */
};

struct row {
	struct key key;
	uint64_t left_bytes, left_blocks;
	uint64_t peak; /* the process's of this number: */
	uint32_t sample;
	wk_process_id process;
	uint32_t pending;       /* the first; 0: none */
	uint32_t next;          /* of its process's rows with pending ends */
	uint64_t bytes, blocks; /* of all its blocks: the sample gets them in the end */
	uint64_t peak_bytes, peak_blocks;
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

/* The rows that were found last, by a quick hash: most events are of one of them. */
#define RECENT_ROWS 4096

struct wk_heap_rows {
	struct wk_model *model;
	uint32_t recent[RECENT_ROWS];
	uint32_t recent_pending[RECENT_ROWS]; /* the same by row and lifetime */
	struct row *rows;                     /* row 0 is none */
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
	WK_RESERVE_ZEROED(rows->rows, rows->rows_cap, 1);
	WK_RESERVE_ZEROED(rows->pending, rows->pending_cap, 1);
	rows->pending[0].end.lived = WK_LIVED_UNKNOWN;
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

void wk_heap_rows_expect(struct wk_heap_rows *rows, wk_process_id process)
{
	WK_RESERVE_ZEROED(rows->processes, rows->processes_cap, (size_t)process + 1);
}

/* No two of a process have the same number. */
static uint32_t interval_of(const struct wk_heap_rows *rows, const struct process *process)
{
	return rows->intervals + process->intervals;
}

/* --- Rows --- */

static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static struct key key_of(const struct wk_sample *sample, uint32_t interval, uint32_t size)
{
	return (struct key){ pair(sample->stack, sample->thread),
			     pair(sample->about, sample->source),
			     pair(interval, size << 1 | sample->is_before) };
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->stack_thread == b->stack_thread && a->about_source == b->about_source &&
	       a->interval_size == b->interval_size;
}

static bool same_row(const void *table, uint32_t id, const void *key)
{
	return same_key(&((const struct row *)table)[id].key, key);
}

static uint64_t hash_of(const struct key *key)
{
	return wk_hash_pair(wk_hash_mix(key->stack_thread, key->about_source), key->interval_size);
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
				       .is_summed = is_summed(rows->model, sample->about) };
	if (rows->rows[id].is_summed)
		wk_index_add(&rows->index, hash_of(key), id);
	rows->row_count++;
	return id;
}

static uint32_t *recent_row(struct wk_heap_rows *rows, const struct key *key)
{
	uint64_t number = key->stack_thread + key->about_source * 0xbf58476d1ce4e5b9u +
			  key->interval_size * 0x94d049bb133111ebu;

	return &rows->recent[number * 0x9e3779b97f4a7c15u >> 52];
}

/* If each block is a row, none of them is found again. */
static uint32_t find_or_add(struct wk_heap_rows *rows, const struct key *key, wk_process_id process,
			    const struct wk_sample *sample)
{
	uint32_t id = rows->model->sums_blocks
			      ? wk_index_find(&rows->index, hash_of(key), same_row, rows->rows, key)
			      : 0;

	if (!id)
		id = add_row(rows, key, process, sample);
	if (rows->rows[id].is_summed)
		*recent_row(rows, key) = id;
	return id;
}

/* The row with the sample in it. */
static inline uint32_t put(struct wk_heap_rows *rows, const struct key *key, wk_process_id process,
			   const struct wk_sample *sample)
{
	uint64_t *last_ns = &rows->last_row_ns[sample->is_before];
	uint32_t id = *recent_row(rows, key);

	if (!same_key(&rows->rows[id].key, key))
		id = find_or_add(rows, key, process, sample);
	rows->rows[id].bytes += sample->weight;
	rows->rows[id].blocks += sample->times;
	if (sample->time_ns > *last_ns)
		*last_ns = sample->time_ns;
	return id;
}

struct wk_sample wk_heap_rows_sample(const struct wk_heap_rows *rows, uint32_t id)
{
	const struct row *row = &rows->rows[id];

	return (struct wk_sample){
		.thread = (wk_thread_id)row->key.stack_thread,
		.stack = (wk_stack_id)(row->key.stack_thread >> 32),
		.cpu = wk_sample_cpu(&rows->model->samples, row->sample),
		.is_before = row->key.interval_size & 1,
		.about = (wk_subject_id)(row->key.about_source >> 32),
	};
}

void wk_heap_rows_count(struct wk_heap_rows *rows, wk_process_id process,
			const struct wk_sample *sample)
{
	struct key key = key_of(sample, interval_of(rows, &rows->processes[process]), 0);

	put(rows, &key, process, sample);
}

/* --- Intervals --- */

static void add_ends(struct wk_heap_rows *rows, struct row *row)
{
	while (row->pending) {
		struct pending *pending = &rows->pending[row->pending];
		uint32_t next = pending->next;

		pending->end.time_ns = rows->last_ns;
		wk_model_add_end(rows->model, &pending->end);
		pending->end.lived = WK_LIVED_UNKNOWN; /* none that could be looked for */
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
	struct process *process;

	wk_heap_rows_expect(rows, id);
	process = &rows->processes[id];
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

static inline void pass(struct wk_heap_rows *rows, uint64_t time_ns)
{
	if (time_ns <= rows->last_ns)
		return;
	if ((rows->model->sums_from_ns || rows->model->sums_to_ns) && passes_bound(rows, time_ns))
		wk_heap_rows_close_all(rows);
	rows->last_ns = time_ns;
}

void wk_heap_rows_pass(struct wk_heap_rows *rows, uint64_t time_ns)
{
	pass(rows, time_ns);
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
	struct process *process = &rows->processes[id];
	struct row *row;
	struct key key;
	uint32_t at;

	pass(rows, block->time_ns);
	key = key_of(block, interval_of(rows, process), wk_power_of(block->weight));
	at = put(rows, &key, id, block);
	row = &rows->rows[at];
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

static uint32_t find_or_add_pending(struct wk_heap_rows *rows, struct row *row, uint8_t lived,
				    const struct wk_sample *who)
{
	uint32_t id = row->pending;

	while (id && rows->pending[id].end.lived != lived)
		id = rows->pending[id].next;
	if (id)
		return id;
	id = rows->unused;
	if (id) {
		rows->unused = rows->pending[id].next;
	} else {
		WK_RESERVE(rows->pending, rows->pending_cap, (size_t)rows->pending_count + 1);
		id = rows->pending_count++;
	}
	rows->pending[id] = (struct pending){
		.end = { .sample = row->sample, .thread = who->thread, .stack = who->stack,
			 .lived = lived },
		.next = row->pending,
	};
	row->pending = id;
	return id;
}

static inline struct pending *pending_of(struct wk_heap_rows *rows, struct row *row, uint8_t lived,
					 const struct wk_sample *who)
{
	uint32_t *recent =
		&rows->recent_pending[((size_t)row->sample * WK_POWERS + lived) % RECENT_ROWS];
	const struct wk_end *end = &rows->pending[*recent].end;

	if (end->sample != row->sample || end->lived != lived)
		*recent = find_or_add_pending(rows, row, lived, who);
	return &rows->pending[*recent];
}

static void list_process(struct wk_heap_rows *rows, wk_process_id id)
{
	rows->processes[id].next = rows->listed;
	rows->processes[id].is_listed = true;
	rows->listed = id + 1;
}

/* The end is added when the interval is over. */
static inline void wait_for_end(struct wk_heap_rows *rows, uint32_t id, uint64_t weight,
				uint64_t times, uint8_t lived, const struct wk_sample *who)
{
	struct row *row = &rows->rows[id];
	struct process *process = &rows->processes[row->process];
	struct pending *pending;

	if (!row->pending) {
		row->next = process->first;
		process->first = id;
	}
	if (!process->is_listed)
		list_process(rows, row->process);
	pending = pending_of(rows, row, lived, who);
	pending->end.weight += weight;
	pending->end.times += times;
}

struct wk_heap_origin wk_heap_rows_release(struct wk_heap_rows *rows,
					   const struct wk_heap_block *block, uint64_t times,
					   uint64_t life_ns, const struct wk_sample *who)
{
	struct row *row = &rows->rows[block->row];
	struct process *process = &rows->processes[row->process];
	uint8_t lived = (uint8_t)wk_power_of(life_ns);

	assert(row->left_bytes >= block->weight && row->left_blocks >= times);
	note_peak(row, process);
	row->left_bytes -= block->weight;
	row->left_blocks -= times;
	process->left_bytes -= block->weight;
	if (row->is_summed)
		wait_for_end(rows, block->row, block->weight, times, lived, who);
	else
		wk_model_add_end(rows->model, &(struct wk_end){
			.sample = row->sample, .time_ns = who->time_ns, .weight = block->weight,
			.times = times, .lived = lived, .thread = who->thread,
			.stack = who->stack });
	return (struct wk_heap_origin){ (wk_thread_id)row->key.stack_thread,
					(wk_subject_id)(row->key.about_source >> 32) };
}

/* --- Totals --- */

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
