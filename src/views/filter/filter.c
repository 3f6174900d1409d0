#include "views/filter/filter.h"

#include <assert.h>
#include <inttypes.h>

#include "base/mem.h"
#include "base/num.h"
#include "views/filter/filter_parts.h"
#include "views/filter/filter_source.h"
#include "views/filter/verdicts.h"
#include "views/lifetimes.h"

static const char *const part_names[WK_FILTER_PARTS] = {
	[WK_FILTER_PROCESS] = "process",   [WK_FILTER_THREAD] = "thread",
	[WK_FILTER_IMAGE] = "image",       [WK_FILTER_FUNCTION] = "function",
	[WK_FILTER_TIME] = "time",         [WK_FILTER_QUERY] = "preset's",
	[WK_FILTER_EXPRESSION] = "--filter",
	[WK_FILTER_OUTSTANDING] = "outstanding",
};

/* The expressions of all parts that are given, and what they say. */
struct judges {
	struct wk_filter_parts parts;
	struct wk_verdicts of[WK_FILTER_PARTS];
};

static bool choose_sources(struct wk_filter *filter, const struct wk_model *model,
			   const struct wk_filter_spec *spec, struct wk_err *err)
{
	if (spec->after_source) {
		filter->source = spec->after_source;
		filter->before_source = spec->before_source;
		return true;
	}
	if (!wk_filter_find_source(model, spec->source, &filter->source, err))
		return false;
	filter->before_source = filter->source;
	return true;
}

static bool weigh_outstanding(struct wk_filter *filter, const struct wk_model *model,
			      struct wk_err *err)
{
	struct wk_left left;

	if (!wk_filter_expect_lifetimes(model, filter->source, err) ||
	    !wk_filter_expect_lifetimes(model, filter->before_source, err))
		return false;
	if (filter->span.is_given || filter->before_span.is_given)
		left = wk_spans_left(&filter->span, &filter->before_span, model, filter->source);
	else
		left = wk_lifetimes_left(model, filter->to_ns, filter->before_to_ns);
	filter->weights = left.bytes;
	filter->times = left.blocks;
	return true;
}

static bool find_spans(struct wk_filter *filter, const struct wk_model *model,
		       const struct wk_filter_spec *spec, struct wk_err *err)
{
	enum wk_span_side side = model->samples.is_before ? WK_SPAN_AFTER : WK_SPAN_OF_ALL;

	return wk_span_find(&filter->span, model, &spec->span, side, err) &&
	       (side == WK_SPAN_OF_ALL ||
		wk_span_find(&filter->before_span, model, &spec->before_span, WK_SPAN_BEFORE, err));
}

static bool open_judges(struct judges *judges, const struct wk_model *model,
			const struct wk_filter_spec *spec, struct wk_err *err)
{
	if (!wk_filter_parts_init(&judges->parts, model, spec, err))
		return false;
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		if (judges->parts.exprs[part] &&
		    !wk_verdicts_init(&judges->of[part], model, judges->parts.exprs[part],
				      spec->ignore_case, part_names[part], err))
			return false;
	return true;
}

static void close_judges(struct judges *judges)
{
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		if (judges->of[part].model)
			wk_verdicts_fini(&judges->of[part]);
	wk_filter_parts_fini(&judges->parts);
}

/* ---- the time in view, and what only samples have */

static void narrow(uint64_t *from_ns, uint64_t *to_ns, uint64_t from, uint64_t to)
{
	*from_ns = from > *from_ns ? from : *from_ns;
	*to_ns = to < *to_ns ? to : *to_ns;
}

/* Threads and times narrow what threads did as well; anything else is of samples alone. */
static void see_terms(struct wk_filter *filter, const struct wk_verdicts *verdicts)
{
	const struct wk_expr *expr = verdicts->expr;
	uint64_t from, to;

	for (size_t i = 0; i < expr->term_count; i++) {
		const struct wk_term *term = &expr->terms[i];

		filter->is_of_stacks |= wk_term_use(term) == WK_FILTER_USES_SAMPLES;
		if (term->field != WK_FIELD_TIME || !term->is_joined)
			continue;
		wk_verdicts_time(verdicts, i, false, &from, &to);
		narrow(&filter->from_ns, &filter->to_ns, from, to);
		wk_verdicts_time(verdicts, i, true, &from, &to);
		narrow(&filter->before_from_ns, &filter->before_to_ns, from, to);
	}
}

static void see_parts(struct wk_filter *filter, const struct judges *judges)
{
	filter->is_of_stacks = filter->is_given[WK_FILTER_OUTSTANDING];
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		if (judges->parts.exprs[part])
			see_terms(filter, &judges->of[part]);
}

/* ---- samples and threads */

/* A block of samples: how many each counts for, and whether it passes. */
struct block {
	uint32_t first, count;
	uint64_t times[WK_VERDICTS]; /* 0: of another source */
	uint8_t passes[WK_VERDICTS];
};

static bool is_of_source(const struct wk_filter *filter, const struct wk_samples *samples,
			 uint32_t i)
{
	bool is_before = samples->is_before && samples->is_before[i];

	return wk_sample_source(samples, i) == (is_before ? filter->before_source : filter->source);
}

static uint64_t *no_bits(const struct wk_model *model)
{
	return wk_alloc_zeroed((size_t)model->samples.count / 64 + 1, sizeof(uint64_t));
}

static bool is_part(const struct wk_model *model, uint32_t sample)
{
	return model->sources[wk_sample_source(&model->samples, sample)].is_part;
}

static void start_block(struct block *block, struct wk_filter *filter, const struct wk_model *model)
{
	for (uint32_t i = 0; i < block->count; i++) {
		uint64_t times = wk_model_sample_times(model, block->first + i);
		bool is_ours = is_of_source(filter, &model->samples, block->first + i);

		block->times[i] = is_ours ? times : 0;
		block->passes[i] = 1;
		if (is_ours)
			filter->total += times;
		else if (!is_part(model, block->first + i))
			filter->elsewhere += times;
	}
}

static void judge_block(struct block *block, struct wk_filter *filter, const struct judges *judges)
{
	for (int part = 0; part < WK_FILTER_PARTS; part++) {
		const uint8_t *verdicts;

		if (!judges->parts.exprs[part])
			continue;
		verdicts = wk_verdicts_of(&judges->of[part], false, block->first, block->count);
		for (uint32_t i = 0; i < block->count; i++) {
			bool passes = verdicts[i] != WK_NO;

			filter->kept[part] += passes ? block->times[i] : 0;
			block->passes[i] &= passes;
		}
	}
}

static void set_bit(uint64_t *bits, uint32_t sample, bool is_set)
{
	bits[sample / 64] |= (uint64_t)is_set << (sample % 64);
}

static void mark_block(const struct block *block, struct wk_filter *filter,
		       const struct wk_model *model)
{
	for (uint32_t i = 0; i < block->count; i++) {
		uint32_t sample = block->first + i;
		uint64_t left =
			filter->times && block->times[i] ? filter->times[sample] : block->times[i];
		bool has_weight = !filter->weights || filter->weights[sample];
		bool in_view = block->passes[i] && has_weight &&
			       is_of_source(filter, &model->samples, sample);

		filter->kept[WK_FILTER_OUTSTANDING] += has_weight ? left : 0;
		filter->in_view += in_view ? left : 0;
		set_bit(filter->bits, sample, in_view);
		if (filter->passes)
			set_bit(filter->passes, sample, block->passes[i]);
	}
}

static void mark_samples(struct wk_filter *filter, const struct wk_model *model,
			 const struct judges *judges)
{
	struct block *block = wk_alloc(sizeof(*block));

	filter->bits = no_bits(model);
	if (filter->is_narrowed)
		filter->passes = no_bits(model);
	for (uint32_t first = 0; first < model->samples.count; first += block->count) {
		uint32_t left = model->samples.count - first;

		block->first = first;
		block->count = left < WK_VERDICTS ? left : WK_VERDICTS;
		start_block(block, filter, model);
		judge_block(block, filter, judges);
		mark_block(block, filter, model);
	}
	assert(filter->in_view <= filter->total);
	wk_free(block);
}

static void mark_threads(struct wk_filter *filter, const struct wk_model *model,
			 const struct wk_verdicts *verdicts)
{
	if (!filter->threads) {
		filter->threads = wk_alloc(model->thread_count);
		memset(filter->threads, 1, model->thread_count);
	}
	for (uint32_t first = 0; first < model->thread_count; first += WK_VERDICTS) {
		uint32_t left = model->thread_count - first;
		uint32_t count = left < WK_VERDICTS ? left : WK_VERDICTS;
		const uint8_t *of_threads = wk_verdicts_of(verdicts, true, first, count);

		for (uint32_t i = 0; i < count; i++)
			filter->threads[first + i] &= of_threads[i] != WK_NO;
	}
}

static struct wk_filter start_filter(const struct wk_model *model,
				     const struct wk_filter_spec *spec)
{
	struct wk_filter filter = {
		.to_ns = UINT64_MAX,
		.before_to_ns = UINT64_MAX,
		.has_named_source = spec->source || spec->after_source,
		.has_counts = model->count_count > 0,
		.is_given = {
			[WK_FILTER_PROCESS] = spec->process, [WK_FILTER_THREAD] = spec->thread,
			[WK_FILTER_IMAGE] = spec->image,     [WK_FILTER_FUNCTION] = spec->function,
			[WK_FILTER_TIME] = spec->time, [WK_FILTER_QUERY] = spec->query,
			[WK_FILTER_EXPRESSION] = spec->expression,
			[WK_FILTER_OUTSTANDING] =
				spec->outstanding || wk_filter_spec_has_span(spec),
		},
	};

	for (int part = 0; part < WK_FILTER_PARTS; part++)
		filter.is_narrowed |= filter.is_given[part];
	return filter;
}

bool wk_filter_init(struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_err *err)
{
	struct judges judges = { 0 };
	bool ok = false;

	*filter = start_filter(model, spec);
	if (!choose_sources(filter, model, spec, err))
		goto out;
	filter->row_word = wk_source_row_word(&model->sources[filter->source]);
	if (!open_judges(&judges, model, spec, err))
		goto out;
	see_parts(filter, &judges);
	if (!find_spans(filter, model, spec, err))
		goto out;
	if (filter->is_given[WK_FILTER_OUTSTANDING] && !weigh_outstanding(filter, model, err))
		goto out;
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		if (judges.parts.exprs[part] && judges.parts.uses_threads[part])
			mark_threads(filter, model, &judges.of[part]);
	mark_samples(filter, model, &judges);
	ok = true;
out:
	close_judges(&judges);
	return ok;
}

void wk_filter_fini(struct wk_filter *filter)
{
	WK_FREE_ALL(filter->bits, filter->passes, filter->weights, filter->times, filter->threads);
	filter->bits = filter->passes = filter->weights = filter->times = NULL;
	filter->threads = NULL;
}

static void add_kept(const struct wk_filter *filter, int part, const char *alone,
		     struct wk_buf *sentence)
{
	const char *name = part_names[part];

	if (part == WK_FILTER_OUTSTANDING && filter->span.is_given)
		name = filter->span.grew          ? "--grew"
		       : filter->span.from.at_row ? "--between"
						  : "--snapshot";
	wk_buf_add_fmt(sentence, name[0] == '-' ? "%s%s keeps " : "the %s filter%s keeps ", name,
		       alone);
	if (*alone) {
		wk_num_add_grouped(sentence, filter->kept[part]);
		return;
	}
	wk_buf_add_text(sentence, filter->total == 1 ? "none of " : "none of the ");
	wk_num_add_grouped(sentence, filter->total);
	wk_buf_add_fmt(sentence, " %s%s", filter->row_word, filter->total == 1 ? "" : "s");
}

void wk_filter_explain(const struct wk_filter *filter, struct wk_buf *sentence)
{
	int given[WK_FILTER_PARTS], count = 0;

	if (filter->total == 0) {
		wk_buf_add_text(sentence, WK_NO_SAMPLES);
		return;
	}
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		if (filter->is_given[part])
			given[count++] = part;
	if (count == 1) {
		add_kept(filter, given[0], "", sentence);
		if (given[0] == WK_FILTER_OUTSTANDING && filter->span.grew)
			wk_buf_add_fmt(sentence,
				       ": nothing had more in each of the last %" PRIu32
				       " snapshots than in the one before; --between A B compares "
				       "any two",
				       filter->span.grew);
		return;
	}
	wk_buf_add_fmt(sentence, "no %ss in view of ", filter->row_word);
	wk_num_add_grouped(sentence, filter->total);
	for (int i = 0; i < count; i++) {
		wk_buf_add_text(sentence, i ? ", " : ": ");
		add_kept(filter, given[i], " alone", sentence);
	}
}
