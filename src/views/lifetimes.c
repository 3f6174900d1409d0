#include "views/lifetimes.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

uint64_t *wk_lifetimes_left(const struct wk_model *model, uint64_t to_ns, uint64_t before_to_ns)
{
	const uint8_t *is_before = model->samples.is_before;
	size_t count = model->samples.count;
	uint64_t *left = wk_alloc_zeroed(count + 1, sizeof(*left));

	if (count)
		memcpy(left, model->samples.weight, count * sizeof(*left));
	for (uint32_t i = 0; i < model->end_count; i++) {
		const struct wk_end *end = &model->ends[i];
		uint64_t *of = &left[end->sample];

		if (end->time_ns <= (is_before && is_before[end->sample] ? before_to_ns : to_ns))
			*of -= end->weight < *of ? end->weight : *of;
	}
	return left;
}

/* A walk through allocations and ends in the order in which they came. */
struct walk {
	const struct wk_model *model;
	const struct wk_filter *filter;
	wk_source_id source;
	enum wk_lifetimes_by by;
	struct wk_lifetimes *sums, *whole;
	uint64_t *left; /* by sample: what is there of it, and 1; 0: it is not in view, or ended */
};

static struct wk_lifetimes *sum_of(const struct walk *walk, uint32_t sample)
{
	const struct wk_samples *samples = &walk->model->samples;

	if (walk->by == WK_LIFETIMES_HEAPS)
		return &walk->sums[wk_model_subject(walk->model, sample)->heap];
	return &walk->sums[walk->model->threads[wk_sample_thread(samples, sample)].process];
}

static void begin(struct wk_lifetimes *sum, uint64_t bytes, uint64_t time_ns)
{
	sum->count++;
	sum->bytes += bytes;
	sum->left_count++;
	sum->left_bytes += bytes;
	if (sum->left_bytes <= sum->peak_bytes)
		return;
	sum->peak_bytes = sum->left_bytes;
	sum->peak_ns = time_ns;
}

static void end(struct wk_lifetimes *sum, uint64_t bytes, bool is_all)
{
	sum->left_bytes -= bytes;
	sum->left_count -= is_all;
}

static void walk_sample(struct walk *walk, uint32_t i)
{
	const struct wk_samples *samples = &walk->model->samples;

	if (wk_sample_source(samples, i) != walk->source || !wk_filter_passes(walk->filter, i))
		return;
	walk->left[i] = samples->weight[i] + 1;
	begin(sum_of(walk, i), samples->weight[i], wk_sample_time(samples, i));
	begin(walk->whole, samples->weight[i], wk_sample_time(samples, i));
}

static void walk_end(struct walk *walk, const struct wk_end *row)
{
	uint64_t *left = &walk->left[row->sample], bytes = row->weight;

	if (*left == 0 || row->time_ns > walk->filter->to_ns)
		return;
	if (bytes > *left - 1)
		bytes = *left - 1;
	*left -= bytes;
	end(sum_of(walk, row->sample), bytes, *left == 1);
	end(walk->whole, bytes, *left == 1);
	if (*left == 1)
		*left = 0;
}

void wk_lifetimes_add_up(const struct wk_model *model, const struct wk_filter *filter,
			 wk_source_id source, enum wk_lifetimes_by by, struct wk_lifetimes *sums,
			 struct wk_lifetimes *whole)
{
	struct walk walk = { model, filter, source, by, sums, whole,
			     wk_alloc_zeroed((size_t)model->samples.count + 1, sizeof(uint64_t)) };
	uint32_t next = 0;

	for (uint32_t i = 0; i < model->samples.count && source; i++) {
		for (; next < model->end_count && model->ends[next].at_row <= i; next++)
			walk_end(&walk, &model->ends[next]);
		walk_sample(&walk, i);
	}
	for (; next < model->end_count; next++)
		walk_end(&walk, &model->ends[next]);
	wk_free(walk.left);
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
		    !wk_filter_passes(filter, sample))
			continue;
		lives[(*count)++] = (struct wk_sort_key){
			.key = end_ns > begin_ns ? end_ns - begin_ns : 0,
			.row = wk_model_subject(model, sample)->heap };
	}
	return lives;
}

struct wk_block_lifetimes *wk_lifetimes_of_blocks(const struct wk_model *model,
						  const struct wk_filter *filter,
						  wk_source_id source)
{
	struct wk_block_lifetimes *heaps = wk_alloc_zeroed(model->heap_count, sizeof(*heaps));
	uint32_t *seen = wk_alloc_zeroed(model->heap_count, sizeof(*seen));
	size_t count;
	struct wk_sort_key *lives = find_lifetimes(model, filter, source, &count);

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
