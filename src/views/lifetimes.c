#include "views/lifetimes.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

struct wk_left wk_lifetimes_left(const struct wk_model *model, uint64_t to_ns,
				 uint64_t before_to_ns)
{
	const uint8_t *is_before = model->samples.is_before;
	struct wk_left left = wk_left_start(model);

	for (uint32_t i = 0; i < model->end_count; i++) {
		const struct wk_end *end = &model->ends[i];

		if (!end->is_left &&
		    end->time_ns <= (is_before && is_before[end->sample] ? before_to_ns : to_ns))
			wk_left_end(&left, end);
	}
	return left;
}

/* A walk through allocations and ends in the order in which they came. */
struct walk {
	const struct wk_model *model;
	const struct wk_filter *filter;
	wk_source_id source;
	enum wk_lifetimes_by by;
	const wk_function_id *functions;
	struct wk_lifetimes *sums, *whole;
	uint64_t *left; /* by sample: what is there of it, and 1; 0: it is not in view, or ended */
	uint64_t *blocks; /* by sample: how many are there of those */
};

static struct wk_lifetimes *sum_of(const struct walk *walk, uint32_t sample)
{
	const struct wk_samples *samples = &walk->model->samples;

	if (walk->by == WK_LIFETIMES_HEAPS)
		return &walk->sums[wk_model_subject(walk->model, sample)->heap];
	if (walk->by == WK_LIFETIMES_FUNCTIONS)
		return &walk->sums[walk->functions[samples->stack[sample]]];
	return &walk->sums[walk->model->threads[wk_sample_thread(samples, sample)].process];
}

static void begin(struct wk_lifetimes *sum, uint64_t bytes, uint64_t count, uint64_t time_ns)
{
	sum->count += count;
	sum->bytes += bytes;
	sum->left_count += count;
	sum->left_bytes += bytes;
	sum->there_bytes += bytes;
	if (sum->there_bytes <= sum->peak_bytes)
		return;
	sum->peak_bytes = sum->there_bytes;
	sum->peak_ns = time_ns;
}

static void end(struct wk_lifetimes *sum, uint64_t bytes, uint64_t count)
{
	sum->left_bytes -= bytes;
	sum->there_bytes -= bytes;
	sum->left_count -= count;
}

static void walk_sample(struct walk *walk, uint32_t i)
{
	const struct wk_samples *samples = &walk->model->samples;
	uint64_t times = wk_model_sample_times(walk->model, i);

	if (wk_sample_source(samples, i) != walk->source || !wk_filter_passes(walk->filter, i))
		return;
	walk->left[i] = samples->weight[i] + 1;
	walk->blocks[i] = times;
	begin(sum_of(walk, i), samples->weight[i], times, wk_sample_time(samples, i));
	begin(walk->whole, samples->weight[i], times, wk_sample_time(samples, i));
}

/* Of memory that is freed in parts the last one ends it. */
static uint64_t blocks_ended(const struct wk_end *row, uint64_t left, uint64_t bytes)
{
	uint64_t count = row->times ? row->times : bytes == 0;

	return count < left ? count : left;
}

static void walk_end(struct walk *walk, const struct wk_end *row)
{
	uint64_t *left = &walk->left[row->sample], *blocks = &walk->blocks[row->sample];
	uint64_t bytes = row->weight, count;

	if (*left == 0 || row->time_ns > walk->filter->to_ns)
		return;
	if (bytes > *left - 1)
		bytes = *left - 1;
	if (row->is_left) {
		sum_of(walk, row->sample)->there_bytes -= bytes;
		walk->whole->there_bytes -= bytes;
		return;
	}
	*left -= bytes;
	count = blocks_ended(row, *blocks, *left - 1);
	*blocks -= count;
	end(sum_of(walk, row->sample), bytes, count);
	end(walk->whole, bytes, count);
	if (*left == 1 && *blocks == 0)
		*left = 0;
}

static bool has_totals(const struct wk_model *model)
{
	return model->sums_blocks && !model->separates_heaps;
}

/* A row of several blocks does not contain how much of it was there at once. */
static void use_totals(const struct walk *walk)
{
	const struct wk_heap_row *heaps = walk->model->heaps;

	for (wk_heap_id i = 0; i < walk->model->heap_count; i++) {
		struct wk_lifetimes *sum = i ? &walk->sums[i] : walk->whole;

		if (!heaps[i].peak_bytes)
			continue;
		sum->peak_bytes = heaps[i].peak_bytes;
		sum->peak_ns = heaps[i].peak_ns;
	}
}

void wk_lifetimes_add_up(const struct wk_model *model, const struct wk_filter *filter,
			 wk_source_id source, enum wk_lifetimes_by by,
			 const wk_function_id *functions, struct wk_lifetimes *sums,
			 struct wk_lifetimes *whole)
{
	size_t count = (size_t)model->samples.count + 1;
	struct walk walk = { model, filter, source, by, functions, sums, whole,
			     wk_alloc_zeroed(count, sizeof(*walk.left)),
			     wk_alloc_zeroed(count, sizeof(*walk.blocks)) };
	uint32_t next = 0;

	for (uint32_t i = 0; i < model->samples.count && source; i++) {
		for (; next < model->end_count && model->ends[next].at_row <= i; next++)
			walk_end(&walk, &model->ends[next]);
		walk_sample(&walk, i);
	}
	for (; next < model->end_count; next++)
		walk_end(&walk, &model->ends[next]);
	WK_FREE_ALL(walk.left, walk.blocks);
	if (by == WK_LIFETIMES_HEAPS && has_totals(model))
		use_totals(&walk);
}

/* The lives of blocks that ended, with the heaps they were in. */
static struct wk_sort_key *find_lifetimes(const struct wk_model *model,
					  const struct wk_filter *filter, wk_source_id source,
					  size_t *count)
{
	struct wk_sort_key *lives = wk_alloc(((size_t)model->end_count + 1) * sizeof(*lives));

	*count = 0;
	for (uint32_t i = 0; i < model->end_count && source; i++) {
		uint32_t sample = model->ends[i].sample;
		uint64_t begin_ns = wk_sample_time(&model->samples, sample),
			 end_ns = model->ends[i].time_ns;

		if (wk_sample_source(&model->samples, sample) != source || end_ns > filter->to_ns ||
		    model->ends[i].is_left || !wk_filter_passes(filter, sample))
			continue;
		lives[(*count)++] = (struct wk_sort_key){
			.key = end_ns > begin_ns ? end_ns - begin_ns : 0,
			.row = wk_model_subject(model, sample)->heap };
	}
	return lives;
}

static void copy_totals(struct wk_block_lifetimes *heaps, const struct wk_model *model)
{
	for (wk_heap_id i = 1; i < model->heap_count; i++)
		heaps[i] = (struct wk_block_lifetimes){ model->heaps[i].frees,
							model->heaps[i].median_life_ns,
							model->heaps[i].longest_life_ns };
}

struct wk_block_lifetimes *wk_lifetimes_of_blocks(const struct wk_model *model,
						  const struct wk_filter *filter,
						  wk_source_id source)
{
	struct wk_block_lifetimes *heaps = wk_alloc_zeroed(model->heap_count, sizeof(*heaps));
	uint64_t *seen;
	size_t count;
	struct wk_sort_key *lives;

	if (has_totals(model)) {
		copy_totals(heaps, model);
		return heaps;
	}
	seen = wk_alloc_zeroed(model->heap_count, sizeof(*seen));
	lives = find_lifetimes(model, filter, source, &count);
	for (size_t i = 0; i < count; i++)
		heaps[lives[i].row].count++;
	wk_sort_keys(lives, count);
	for (size_t i = 0; i < count; i++) {
		struct wk_block_lifetimes *heap = &heaps[lives[i].row];

		if (seen[lives[i].row]++ == (heap->count - 1) / 2)
			heap->median_ns = lives[i].key;
		heap->longest_ns = lives[i].key;
	}
	WK_FREE_ALL(lives, seen);
	return heaps;
}

wk_source_id wk_lifetimes_source(const struct wk_model *model, const char *name)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (model->sources[i].has_lifetimes &&
		    wk_str_is(wk_model_str(model, model->sources[i].name), name))
			return i;
	return 0;
}
