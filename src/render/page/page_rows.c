#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "render/page/page_internal.h"

/* Rows of memory stay in the order in which they came, since snapshots count them and ends refer to
 * them. Others come in order of time, except those that are derived at the end of an input. */
static void sort_by_time(uint32_t *rows, uint32_t count, const struct wk_samples *samples)
{
	struct wk_sort_key *keys;
	bool is_sorted = true;

	for (uint32_t i = 1; i < count && is_sorted; i++)
		is_sorted =
			wk_sample_time(samples, rows[i - 1]) <= wk_sample_time(samples, rows[i]);
	if (is_sorted)
		return;
	keys = wk_alloc(count * sizeof(*keys));
	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct wk_sort_key){ wk_sample_time(samples, rows[i]), rows[i] };
	wk_sort_keys(keys, count);
	for (uint32_t i = 0; i < count; i++)
		rows[i] = keys[i].row;
	wk_free(keys);
}

static void count_rows(struct wk_page_rows *rows, const struct wk_page *page)
{
	const struct wk_model *model = page->model;

	rows->first = wk_alloc_zeroed((size_t)model->source_count + 1, sizeof(*rows->first));
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_passes(page->filter, i))
			rows->first[wk_sample_source(&model->samples, i) + 1]++;
	for (wk_source_id id = 0; id < model->source_count; id++)
		rows->first[id + 1] += rows->first[id];
}

void wk_page_rows_init(struct wk_page_rows *rows, const struct wk_page *page)
{
	const struct wk_model *model = page->model;
	uint32_t *next = wk_alloc_zeroed(model->source_count, sizeof(*next));

	count_rows(rows, page);
	rows->rows = wk_alloc(((size_t)rows->first[model->source_count] + 1) * sizeof(*rows->rows));
	rows->place = wk_alloc_zeroed((size_t)model->samples.count + 1, sizeof(*rows->place));
	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_source_id source = wk_sample_source(&model->samples, i);

		if (!wk_filter_passes(page->filter, i))
			continue;
		rows->place[i] = next[source];
		rows->rows[rows->first[source] + next[source]++] = i;
	}
	for (wk_source_id id = 1; id < model->source_count; id++)
		if (!model->sources[id].has_lifetimes)
			sort_by_time(rows->rows + rows->first[id], next[id], &model->samples);
	wk_free(next);
}

void wk_page_rows_fini(struct wk_page_rows *rows)
{
	WK_FREE_ALL(rows->rows, rows->first, rows->place);
}

uint32_t wk_page_rows_before(const struct wk_page_rows *rows, wk_source_id source, uint32_t at_row)
{
	const uint32_t *of_source = rows->rows + rows->first[source];
	uint32_t low = 0, high = rows->first[source + 1] - rows->first[source];

	WK_BISECT(low, high, of_source[middle] < at_row);
	return low;
}

bool wk_page_has_end(const struct wk_page_parts *parts, wk_source_id source, uint32_t end)
{
	const struct wk_model *model = parts->model;
	uint32_t sample = model->ends[end].sample;

	return wk_sample_source(&model->samples, sample) == source &&
	       wk_filter_passes(parts->page->filter, sample);
}

uint32_t *wk_page_ends_before(const struct wk_page_parts *parts, wk_source_id source)
{
	uint32_t count = parts->model->end_count;
	uint32_t *before = wk_alloc(((size_t)count + 1) * sizeof(*before));

	before[0] = 0;
	for (uint32_t i = 0; i < count; i++)
		before[i + 1] = before[i] + wk_page_has_end(parts, source, i);
	return before;
}

int64_t wk_page_time(const struct wk_page *page, uint64_t time_ns)
{
	int64_t since = (int64_t)(time_ns - wk_model_begin_ns(page->model));
	int64_t unit = (int64_t)page->resolution_ns;
	int64_t rest = since % unit;

	return since - (rest < 0 ? rest + unit : rest);
}
