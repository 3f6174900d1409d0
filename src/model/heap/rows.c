#include "model/heap/rows.h"

#include "base/hash.h"
#include "base/mem.h"
#include "model/heap/internal.h"

struct wk_heap_rows *wk_heap_rows_new(struct wk_model *model)
{
	struct wk_heap_rows *rows = wk_alloc_zeroed(1, sizeof(*rows));

	rows->model = model;
	rows->row_count = rows->pending_count = rows->mark = 1;
	WK_RESERVE_ZEROED(rows->rows, rows->rows_cap, 1);
	WK_RESERVE_ZEROED(rows->pending, rows->pending_cap, 1);
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
static uint32_t interval_of(const struct wk_heap_rows *rows, const struct wk_block_process *process)
{
	return rows->intervals + process->intervals;
}

/* --- Rows --- */

static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static struct wk_block_key key_of(const struct wk_sample *sample, uint32_t interval, uint32_t size)
{
	return (struct wk_block_key){ pair(sample->stack, sample->thread),
			     pair(sample->about, sample->source),
			     pair(interval, size << 1 | sample->is_before) };
}

static bool same_key(const struct wk_block_key *a, const struct wk_block_key *b)
{
	return a->stack_thread == b->stack_thread && a->about_source == b->about_source &&
	       a->interval_size == b->interval_size;
}

static bool same_row(const void *table, uint32_t id, const void *key)
{
	return same_key(&((const struct wk_block_row *)table)[id].key, key);
}

static uint64_t hash_of(const struct wk_block_key *key)
{
	return wk_hash_pair(wk_hash_mix(key->stack_thread, key->about_source), key->interval_size);
}

static bool is_single(struct wk_model *model, const struct wk_sample *sample)
{
	return model->slices_blocks && model->samples.count < WK_SINGLE_BLOCKS &&
	       sample->source == wk_model_derived_source(model, WK_DERIVED_HEAP);
}

static bool is_summed(struct wk_model *model, const struct wk_sample *sample)
{
	return model->sums_blocks && !is_single(model, sample) &&
	       !(model->separates_heaps &&
		 model->heaps[model->subjects[sample->about].heap].handle);
}

static uint32_t add_row(struct wk_heap_rows *rows, const struct wk_block_key *key,
			wk_process_id process, const struct wk_sample *sample)
{
	uint32_t id = rows->row_count;

	wk_model_add_sample(rows->model, sample);
	WK_RESERVE(rows->rows, rows->rows_cap, (size_t)id + 1);
	rows->rows[id] = (struct wk_block_row){ .key = *key,
				       .sample = rows->model->samples.count - 1,
				       .process = process,
				       .thread = sample->thread,
				       .is_summed = is_summed(rows->model, sample) };
	if (rows->rows[id].is_summed)
		wk_index_add(&rows->index, hash_of(key), id);
	rows->row_count++;
	return id;
}

static uint32_t *recent_row(struct wk_heap_rows *rows, const struct wk_block_key *key)
{
	uint64_t number = key->stack_thread + key->about_source * 0xbf58476d1ce4e5b9u +
			  key->interval_size * 0x94d049bb133111ebu;

	return &rows->recent[number * 0x9e3779b97f4a7c15u >> 52];
}

/* If each block is a row, none of them is found again. */
static uint32_t find_or_add(struct wk_heap_rows *rows, const struct wk_block_key *key,
			    wk_process_id process, const struct wk_sample *sample)
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

/* What a row allocated, without source. */
static struct wk_sample sample_of(const struct wk_heap_rows *rows, uint32_t id)
{
	const struct wk_block_row *row = &rows->rows[id];

	return (struct wk_sample){
		.thread = row->thread,
		.stack = (wk_stack_id)(row->key.stack_thread >> 32),
		.cpu = wk_sample_cpu(&rows->model->samples, row->sample),
		.is_before = wk_block_row_is_before(row),
		.about = (wk_subject_id)(row->key.about_source >> 32),
	};
}

static uint32_t find(struct wk_heap_rows *rows, wk_process_id process, uint32_t size,
		     const struct wk_sample *sample)
{
	struct wk_block_key key =
		key_of(sample, interval_of(rows, &rows->processes[process]), size);
	uint32_t id = *recent_row(rows, &key);

	return same_key(&rows->rows[id].key, &key) ? id : find_or_add(rows, &key, process, sample);
}

uint32_t wk_heap_rows_find(struct wk_heap_rows *rows, wk_process_id process,
			   const struct wk_sample *block)
{
	return find(rows, process, wk_power_of(block->weight), block);
}

bool wk_heap_rows_sums(const struct wk_heap_rows *rows, uint32_t row)
{
	return rows->rows[row].is_summed;
}

/* --- Rows that only count --- */

static uint32_t find_count(struct wk_heap_rows *rows, wk_process_id process, enum wk_derived source,
			   struct wk_sample *sample)
{
	uint32_t id;

	if (rows->model->samples.count >= WK_MODEL_MOST_SAMPLES)
		return 0;
	sample->source = wk_model_derived_source(rows->model, source);
	sample->weight = sample->times = 0; /* it gets them in the end */
	id = find(rows, process, 0, sample);
	rows->rows[id].counts_only = true;
	return id;
}

static uint32_t find_free(struct wk_heap_rows *rows, uint32_t id, const struct wk_sample *who)
{
	const struct wk_block_row *row = &rows->rows[id];
	struct wk_sample sample = *who;

	sample.about = (wk_subject_id)(row->key.about_source >> 32);
	return find_count(rows, row->process, WK_DERIVED_FREE, &sample);
}

void wk_heap_rows_count_free(struct wk_heap_rows *rows, uint32_t id, uint64_t weight,
			     uint64_t times, const struct wk_sample *who)
{
	uint64_t mark = wk_block_free_mark(rows, who->thread, who->is_before);
	uint32_t counts = rows->rows[id].free_row;

	if (rows->rows[id].free_mark != mark || who->stack) {
		counts = find_free(rows, id, who);
		if (rows->rows[id].is_summed && !who->stack) {
			rows->rows[id].free_mark = mark;
			rows->rows[id].free_row = counts;
		}
	}
	wk_block_row_count(&rows->rows[counts], weight, times);
	wk_heap_rows_see(rows, who->is_before, who->time_ns);
}

static uint32_t find_temporary(struct wk_heap_rows *rows, uint32_t id, uint64_t time_ns)
{
	struct wk_sample sample = sample_of(rows, id);

	sample.time_ns = time_ns;
	return find_count(rows, rows->rows[id].process, WK_DERIVED_HEAP_TEMPORARY, &sample);
}

void wk_heap_rows_count_temporary(struct wk_heap_rows *rows, uint32_t id, uint64_t weight,
				  uint64_t time_ns)
{
	bool is_before = wk_block_row_is_before(&rows->rows[id]);
	uint32_t counts = rows->rows[id].temporary_row;

	if (rows->rows[id].temporary_mark != rows->mark) {
		counts = find_temporary(rows, id, time_ns);
		if (rows->rows[id].is_summed) {
			rows->rows[id].temporary_mark = rows->mark;
			rows->rows[id].temporary_row = counts;
		}
	}
	wk_block_row_count(&rows->rows[counts], weight, 1);
	wk_heap_rows_see(rows, is_before, time_ns);
}

/* --- Intervals --- */

/* What was found before is not valid for what follows. */
static void begin_generation(struct wk_heap_rows *rows)
{
	rows->generation++;
	if (++rows->mark <= WK_MOST_MARKS)
		return;
	rows->mark = 1;
	for (uint32_t id = 0; id < rows->row_count; id++) {
		rows->rows[id].free_mark = 0;
		rows->rows[id].temporary_mark = 0;
	}
}

uint64_t wk_heap_rows_generation(const struct wk_heap_rows *rows)
{
	return rows->generation;
}

static void add_ends(struct wk_heap_rows *rows, uint32_t id)
{
	struct wk_block_row *row = &rows->rows[id];

	while (row->pending) {
		struct wk_pending_end *pending = &rows->pending[row->pending];
		uint32_t next = pending->next;

		pending->end.time_ns = rows->last_ns;
		wk_model_add_end(rows->model, &pending->end);
		wk_heap_rows_recent_end(rows, id, pending->end.lived)->key = 0;
		pending->next = rows->unused;
		rows->unused = row->pending;
		row->pending = next;
	}
}

static void close_interval(struct wk_heap_rows *rows, struct wk_block_process *process)
{
	while (process->first) {
		uint32_t id = process->first;

		add_ends(rows, id);
		process->first = rows->rows[id].next;
	}
}

void wk_heap_rows_close(struct wk_heap_rows *rows, wk_process_id id)
{
	struct wk_block_process *process;

	wk_heap_rows_expect(rows, id);
	process = &rows->processes[id];
	close_interval(rows, process);
	process->intervals++;
	begin_generation(rows);
}

void wk_heap_rows_close_all(struct wk_heap_rows *rows)
{
	while (rows->listed) {
		struct wk_block_process *process = &rows->processes[rows->listed - 1];

		close_interval(rows, process);
		process->is_listed = false;
		rows->listed = process->next;
	}
	rows->intervals++;
	begin_generation(rows);
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

#define SLICES            100 /* in the time so far */
#define SHORTEST_SLICE_NS 1000000
#define FEW_ROWS          500000 /* beyond it, slices are as many times longer */

static uint64_t slice_ns(const struct wk_model *model, uint64_t time_ns)
{
	uint64_t begin_ns = model->samples.count ? wk_model_begin_ns(model) : time_ns;
	uint64_t so_far_ns = time_ns > begin_ns ? time_ns - begin_ns : 0;
	uint64_t times = 1 + ((uint64_t)model->samples.count + model->end_count) / FEW_ROWS;
	uint64_t slice_ns = so_far_ns / SLICES * times;

	return slice_ns > SHORTEST_SLICE_NS ? slice_ns : SHORTEST_SLICE_NS;
}

void wk_heap_rows_pass(struct wk_heap_rows *rows, uint64_t time_ns)
{
	if (time_ns <= rows->last_ns)
		return;
	if ((rows->model->sums_from_ns || rows->model->sums_to_ns) && passes_bound(rows, time_ns))
		wk_heap_rows_close_all(rows);
	if (rows->model->slices_blocks && time_ns >= rows->slice_end_ns) {
		wk_heap_rows_close_all(rows);
		rows->slice_end_ns = since(time_ns, slice_ns(rows->model, time_ns));
	}
	rows->last_ns = time_ns;
}

/* --- Pending ends --- */

uint64_t wk_heap_rows_left(const struct wk_heap_rows *rows, wk_process_id process)
{
	return process < rows->processes_cap ? rows->processes[process].left_bytes : 0;
}

static uint32_t add_pending(struct wk_heap_rows *rows, struct wk_block_row *row, uint8_t lived,
			    const struct wk_sample *who)
{
	uint32_t id = rows->unused;

	if (id) {
		rows->unused = rows->pending[id].next;
	} else {
		WK_RESERVE(rows->pending, rows->pending_cap, (size_t)rows->pending_count + 1);
		id = rows->pending_count++;
	}
	rows->pending[id] = (struct wk_pending_end){
		.end = { .sample = row->sample, .thread = who->thread, .stack = who->stack,
			 .lived = lived },
		.next = row->pending,
	};
	row->pending = id;
	return id;
}

static void list_process(struct wk_heap_rows *rows, wk_process_id id)
{
	if (rows->processes[id].is_listed)
		return;
	rows->processes[id].next = rows->listed;
	rows->processes[id].is_listed = true;
	rows->listed = id + 1;
}

static uint32_t find_end(struct wk_heap_rows *rows, uint32_t row_id, uint8_t lived,
			 const struct wk_sample *who)
{
	struct wk_block_row *row = &rows->rows[row_id];
	struct wk_block_process *process = &rows->processes[row->process];
	uint32_t id = row->pending;

	if (!id) {
		row->next = process->first;
		process->first = row_id;
	}
	list_process(rows, row->process);
	while (id && rows->pending[id].end.lived != lived)
		id = rows->pending[id].next;
	return id ? id : add_pending(rows, row, lived, who);
}

/* The end is added when the interval is over. */
static struct wk_pending_end *pending_end(struct wk_heap_rows *rows, uint32_t row, uint8_t lived,
					  const struct wk_sample *who)
{
	struct wk_recent_end *recent = wk_heap_rows_recent_end(rows, row, lived);

	if (recent->key != wk_recent_end_key(row, lived))
		*recent = (struct wk_recent_end){ wk_recent_end_key(row, lived),
						  find_end(rows, row, lived, who) };
	return &rows->pending[recent->pending];
}

/* --- Blocks --- */

void wk_heap_rows_allocate(struct wk_heap_rows *rows, const struct wk_heap_block *block,
			   uint64_t times, bool is_before)
{
	struct wk_block_row *row = &rows->rows[block->row];

	wk_block_row_allocate(row, &rows->processes[row->process], block, times);
	wk_heap_rows_see(rows, is_before, block->time_ns);
}

void wk_heap_rows_release(struct wk_heap_rows *rows, const struct wk_heap_block *block,
			  uint64_t times, uint64_t life_ns, const struct wk_sample *who)
{
	struct wk_block_row *row = &rows->rows[block->row];
	uint8_t lived = (uint8_t)wk_power_of(life_ns);

	wk_block_row_release(row, &rows->processes[row->process], block, times);
	if (row->is_summed)
		wk_pending_end_add(pending_end(rows, block->row, lived, who), block->weight, times);
	else
		wk_model_add_end(rows->model, &(struct wk_end){
			.sample = row->sample, .time_ns = who->time_ns, .weight = block->weight,
			.times = times, .lived = lived, .thread = who->thread,
			.stack = who->stack });
}

void wk_heap_rows_leave(struct wk_heap_rows *rows, const struct wk_heap_block *block,
			uint64_t times, uint64_t time_ns)
{
	static const struct wk_sample none;
	struct wk_block_row *row = &rows->rows[block->row];
	struct wk_end end = { .sample = row->sample, .time_ns = time_ns, .weight = block->weight,
			      .times = times, .lived = WK_LIVED_UNKNOWN, .is_left = true };
	struct wk_pending_end *pending;

	if (!row->is_summed) {
		wk_model_add_end(rows->model, &end);
		return;
	}
	pending = pending_end(rows, block->row, WK_LIVED_UNKNOWN, &none);
	pending->end.is_left = true;
	wk_pending_end_add(pending, block->weight, times);
}

/* --- Totals --- */

static void add_peak(struct wk_heap_rows *rows, uint32_t id)
{
	const struct wk_block_process *process = &rows->processes[rows->rows[id].process];
	struct wk_block_row *row = &rows->rows[id];
	struct wk_sample sample = sample_of(rows, id);

	if (row->counts_only)
		return;
	wk_block_row_note_peak(row, process);
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
		const struct wk_block_row *row = &rows->rows[id];

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
