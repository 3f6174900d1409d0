#include "views/tree/chart_spans.h"

#include "base/mem.h"
#include "base/sort.h"

struct spans {
	const struct wk_model *model;
	const struct wk_filter *filter;
	const uint32_t *order, *lane;
	uint32_t count;
	bool weighs_time;  /* the weights are nanoseconds */
	uint64_t usual_ns; /* from a sample to the next of its lane: the median */
};

static uint64_t time_of(const struct spans *s, uint32_t i)
{
	return wk_sample_time(&s->model->samples, s->order[i]);
}

static bool have_times(const struct spans *s)
{
	for (uint32_t i = 1; i < s->count; i++)
		if (time_of(s, i) != time_of(s, 0))
			return true;
	return false;
}

static bool has_next(const struct spans *s, uint32_t i)
{
	return i + 1 < s->count && s->lane[i + 1] == s->lane[i];
}

static uint64_t median_step(const struct spans *s)
{
	struct wk_sort_key *steps = wk_alloc((size_t)s->count * sizeof(*steps));
	uint32_t count = 0;
	uint64_t median;

	for (uint32_t i = 0; i < s->count; i++)
		if (has_next(s, i) && time_of(s, i + 1) > time_of(s, i))
			steps[count++] =
				(struct wk_sort_key){ time_of(s, i + 1) - time_of(s, i), i };
	wk_sort_keys(steps, count);
	median = count ? steps[count / 2].key : 1;
	wk_free(steps);
	return median;
}

static struct wk_chart_span span_until_next(const struct spans *s, uint32_t i)
{
	uint64_t from = time_of(s, i), usual = s->usual_ns, step;
	uint64_t weight = wk_filter_weight(s->filter, s->model, s->order[i]);

	if (s->weighs_time && weight)
		usual = weight;
	step = has_next(s, i) ? time_of(s, i + 1) - from : UINT64_MAX;
	if (step <= usual || step - usual <= usual / 2)
		usual = step;
	if (usual == 0 || usual > UINT64_MAX - from)
		usual = 1;
	return (struct wk_chart_span){ from, from + usual };
}

static struct wk_chart_span span_of_wait(const struct spans *s, uint32_t i, uint64_t earliest_ns)
{
	uint64_t until = time_of(s, i), from = 0;
	uint64_t weight = wk_filter_weight(s->filter, s->model, s->order[i]);

	if (weight < until)
		from = until - weight;
	if (from < earliest_ns)
		from = earliest_ns;
	return (struct wk_chart_span){ from, until > from ? until : from + 1 };
}

struct wk_chart_span *wk_chart_spans(const struct wk_model *model, const struct wk_filter *filter,
				     const uint32_t *order, const uint32_t *lane, uint32_t count)
{
	const struct wk_source *source = &model->sources[filter->source];
	struct spans s = { model, filter, order, lane, count,
			   .weighs_time = wk_str_is(wk_model_str(model, source->unit), "ns") };
	bool is_wait = s.weighs_time && !source->is_cpu_time;
	struct wk_chart_span *spans;

	if (!have_times(&s))
		return NULL;
	s.usual_ns = median_step(&s);
	spans = wk_alloc((size_t)count * sizeof(*spans));
	for (uint32_t i = 0; i < count; i++)
		spans[i] = is_wait ? span_of_wait(&s, i,
						  i && lane[i] == lane[i - 1]
							  ? spans[i - 1].until_ns
							  : wk_model_begin_ns(model))
				   : span_until_next(&s, i);
	return spans;
}
