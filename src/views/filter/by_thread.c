#include "views/filter/by_thread.h"

#include "base/mem.h"
#include "base/sort.h"

static uint64_t plus(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* How many samples each thread has, and what they weigh, at the thread's own number. */
static struct wk_thread_samples *count_samples(const struct wk_model *model,
					       const struct wk_filter *filter)
{
	struct wk_thread_samples *all = wk_alloc_zeroed(model->thread_count, sizeof(*all));

	for (uint32_t i = 0; i < model->samples.count; i++) {
		struct wk_thread_samples *thread = &all[wk_sample_thread(&model->samples, i)];

		if (!wk_filter_has(filter, i))
			continue;
		thread->count++;
		thread->weight = plus(thread->weight, wk_filter_weight(filter, model, i));
	}
	return all;
}

/* By process, its main thread first, then as the system numbers threads. */
static struct wk_sort_key key_of(const struct wk_model *model, wk_thread_id id)
{
	const struct wk_thread *thread = &model->threads[id];
	bool is_main = thread->tid == model->processes[thread->process].pid;

	return (struct wk_sort_key){ .key = (uint64_t)thread->process << 32 |
					    (is_main ? 0 : thread->tid), .row = id };
}

static uint32_t sort_threads(struct wk_sort_key *keys, const struct wk_model *model,
			     const struct wk_thread_samples *all)
{
	uint32_t count = 0;

	for (wk_thread_id id = 0; id < model->thread_count; id++)
		if (all[id].count)
			keys[count++] = key_of(model, id);
	wk_sort_keys(keys, count);
	return count;
}

void wk_by_thread_init(struct wk_by_thread *by, const struct wk_model *model,
		       const struct wk_filter *filter)
{
	struct wk_thread_samples *all = count_samples(model, filter);
	struct wk_sort_key *keys = wk_alloc((size_t)model->thread_count * sizeof(*keys));
	uint32_t *next = wk_alloc_zeroed(model->thread_count, sizeof(*next)), at = 0;

	*by = (struct wk_by_thread){ .thread_count = sort_threads(keys, model, all) };
	by->threads = wk_alloc(((size_t)by->thread_count + 1) * sizeof(*by->threads));
	for (uint32_t i = 0; i < by->thread_count; i++) {
		struct wk_thread_samples *thread = &by->threads[i];

		*thread = all[keys[i].row];
		thread->thread = keys[i].row;
		thread->first = next[thread->thread] = at;
		at += thread->count;
	}
	by->row_count = at;
	by->rows = wk_alloc(((size_t)at + 1) * sizeof(*by->rows));
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			by->rows[next[wk_sample_thread(&model->samples, i)]++] = i;
	WK_FREE_ALL(next, keys, all);
}

void wk_by_thread_fini(struct wk_by_thread *by)
{
	WK_FREE_ALL(by->threads, by->rows);
	*by = (struct wk_by_thread){ 0 };
}
