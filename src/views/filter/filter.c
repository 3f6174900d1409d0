#include "views/filter/filter.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"
#include "event/advice.h"
#include "views/filter/wpa_query.h"
#include "views/lifetimes.h"

static const char *const part_names[WK_FILTER_PARTS] = {
	[WK_FILTER_PROCESS] = "process",   [WK_FILTER_THREAD] = "thread",
	[WK_FILTER_IMAGE] = "image",       [WK_FILTER_FUNCTION] = "function",
	[WK_FILTER_TIME] = "time",         [WK_FILTER_QUERY] = "preset's",
	[WK_FILTER_OUTSTANDING] = "outstanding",
};

/* What passes, part by part; an array is NULL where its part was not given. */
struct passing {
	uint8_t *processes, *threads;            /* a byte a row */
	uint8_t *samples;                        /* of the query */
	uint8_t *image_stacks, *function_stacks; /* a byte a named stack ... */
	uint8_t *recorded_stacks; /* or a recorded one, where frames have no names yet */
};

static struct wk_pattern *compile(const char *what, const char *text, bool ignore_case,
				  struct wk_err *err)
{
	const char *why;
	struct wk_pattern *pattern = wk_pattern_new(text, ignore_case, &why);

	if (!pattern)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s pattern \"%s\": %s", what, text, why);
	return pattern;
}

/* Of names of files, and of processes that are called like their files. */
static bool ignores_case(const struct wk_model *model, const struct wk_filter_spec *spec)
{
	return spec->ignore_case || model->traits->ignores_case;
}

static bool matches(struct wk_pattern *pattern, const char *name)
{
	return wk_pattern_matches(pattern, wk_str_c(name));
}

/* Takes the next number off a list of them; false where it is not one. */
static bool next_number(struct wk_str *list, uint64_t *number)
{
	size_t len = 0;

	while (len < list->len && list->at[len] != ',')
		len++;
	if (!wk_num_u64(wk_str_of(list->at, len), number))
		return false;
	*list = wk_str_skip(*list, len + (len < list->len));
	return true;
}

static bool is_number_list(const char *text)
{
	struct wk_str list = wk_str_c(text);
	uint64_t number;

	do {
		if (!next_number(&list, &number))
			return false;
	} while (list.len);
	return true;
}

static bool listed(const char *text, uint32_t number)
{
	struct wk_str list = wk_str_c(text);
	uint64_t each;

	while (list.len && next_number(&list, &each))
		if (each == number)
			return true;
	return false;
}

static bool pass_processes(const struct wk_model *model, const struct wk_filter_spec *spec,
			   struct passing *passing, struct wk_err *err)
{
	bool by_pid = is_number_list(spec->process);
	struct wk_pattern *pattern = NULL;

	if (!by_pid)
		pattern = compile("process", spec->process, ignores_case(model, spec), err);
	if (!by_pid && !pattern)
		return false;
	passing->processes = wk_alloc_zeroed(model->process_count, 1);
	for (uint32_t i = 1; i < model->process_count; i++) {
		const struct wk_process *process = &model->processes[i];

		passing->processes[i] =
			by_pid ? listed(spec->process, process->pid)
			       : matches(pattern, wk_strtab_get(model->text, process->name));
	}
	wk_pattern_free(pattern);
	return true;
}

static bool pass_threads(const struct wk_model *model, const struct wk_filter_spec *spec,
			 struct passing *passing, struct wk_err *err)
{
	bool by_tid = is_number_list(spec->thread);
	struct wk_pattern *pattern = NULL;

	if (!by_tid && !(pattern = compile("thread", spec->thread, spec->ignore_case, err)))
		return false;
	passing->threads = wk_alloc_zeroed(model->thread_count, 1);
	for (uint32_t i = 1; i < model->thread_count; i++) {
		const struct wk_thread *thread = &model->threads[i];

		passing->threads[i] =
			by_tid ? listed(spec->thread, thread->tid)
			       : matches(pattern, wk_strtab_get(model->text, thread->name));
	}
	wk_pattern_free(pattern);
	return true;
}

/* A stack passes if its own frame does or its parent passed, and parents come first. */
static uint8_t *pass_recorded(const struct wk_model *model, const uint8_t *images)
{
	uint8_t *stacks = wk_alloc_zeroed((size_t)model->stacks.count + 1, 1);

	for (wk_stack_id i = 1; i < model->stacks.count; i++)
		stacks[i] = stacks[model->stacks.parent[i]] |
			    images[model->frames.image[model->stacks.label[i]]];
	return stacks;
}

static uint8_t *pass_named(const struct wk_model *model, const uint8_t *functions)
{
	uint8_t *stacks = wk_alloc_zeroed((size_t)model->named.count + 1, 1);

	for (uint32_t i = 1; i < model->named.count; i++) {
		wk_function_id function = model->named_frames.function[model->named.label[i]];

		stacks[i] = stacks[model->named.parent[i]] | functions[function];
	}
	return stacks;
}

static bool pass_functions(const struct wk_model *model, const struct wk_filter_spec *spec,
			   struct passing *passing, struct wk_err *err)
{
	struct wk_pattern *pattern = compile("function", spec->function, spec->ignore_case, err);
	uint8_t *functions;

	if (!pattern)
		return false;
	functions = wk_alloc_zeroed(model->function_count, 1);
	for (uint32_t i = 1; i < model->function_count; i++)
		functions[i] =
			matches(pattern, wk_strtab_get(model->text, model->functions[i].name));
	passing->function_stacks = pass_named(model, functions);
	wk_free(functions);
	wk_pattern_free(pattern);
	return true;
}

static bool pass_images(const struct wk_model *model, const struct wk_filter_spec *spec,
			struct passing *passing, struct wk_err *err)
{
	struct wk_pattern *pattern = compile("image", spec->image, ignores_case(model, spec), err);
	uint8_t *images, *functions;

	if (!pattern)
		return false;
	images = wk_alloc_zeroed(model->image_count, 1);
	functions = wk_alloc_zeroed(model->function_count, 1);
	for (uint32_t i = 1; i < model->image_count; i++)
		images[i] = matches(pattern, wk_strtab_get(model->text, model->images[i].path));
	for (uint32_t i = 1; i < model->function_count; i++)
		functions[i] = images[model->functions[i].image];
	if (model->named_of || model->came_named)
		passing->image_stacks = pass_named(model, functions);
	else
		passing->recorded_stacks = pass_recorded(model, images);
	wk_free(functions);
	wk_free(images);
	wk_pattern_free(pattern);
	return true;
}

/* "1.5" seconds, or "10%" of all. */
static bool read_moment(struct wk_str text, uint64_t all_ns, uint64_t *ns)
{
	double percent;

	if (!wk_str_ends(text, "%"))
		return wk_num_duration(text, ns);
	if (!wk_num_real(wk_str_of(text.at, text.len - 1), &percent) ||
	    !(percent >= 0 && percent <= 100))
		return false;
	*ns = (uint64_t)((double)all_ns * percent / 100);
	return true;
}

/* Since the first sample, of Windows since the trace's begin, up to the last one; of each side of a
 * comparison. */
static bool read_times(const struct wk_model *model, const struct wk_filter_spec *spec,
		       bool is_before, uint64_t *at_from, uint64_t *at_to, struct wk_err *err)
{
	const char *dash = strchr(spec->time, '-');
	struct wk_str from = wk_str_of(spec->time, dash ? (size_t)(dash - spec->time) : 0);
	struct wk_str to = wk_str_c(dash ? dash + 1 : "");
	uint64_t from_ns = 0, to_ns = UINT64_MAX;
	uint64_t begin_ns = wk_model_side_begin_ns(model, is_before);
	uint64_t all_ns = wk_model_side_last_ns(model, is_before) - begin_ns;

	if (!dash || (from.len == 0 && to.len == 0) ||
	    (from.len && !read_moment(from, all_ns, &from_ns)) ||
	    (to.len && !read_moment(to, all_ns, &to_ns)))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "time range \"%s\": expected FROM-TO since %s, such as 1.5-3, "
			       "200ms-1s or 10-, or parts such as 10%%-20%%",
			       spec->time,
			       model->traits->times_from_start ? "the trace's begin"
							       : "the first sample");
	if (to_ns < from_ns)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "time range \"%s\": it ends before it begins", spec->time);
	*at_from = from_ns > UINT64_MAX - begin_ns ? UINT64_MAX : begin_ns + from_ns;
	*at_to = to_ns > UINT64_MAX - begin_ns ? UINT64_MAX : begin_ns + to_ns;
	return true;
}

static bool pass_time(const struct wk_model *model, const struct wk_filter_spec *spec,
		      struct wk_filter *filter, struct wk_err *err)
{
	return read_times(model, spec, false, &filter->from_ns, &filter->to_ns, err) &&
	       read_times(model, spec, true, &filter->before_from_ns, &filter->before_to_ns, err);
}

static void count_by_source(const struct wk_model *model, uint64_t *counts)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		counts[model->samples.source[i]] += wk_model_sample_times(model, i);
}

/* Without CPU samples the time of waits says more than the number of other events. */
static unsigned worth(const struct wk_model *model, const struct wk_source *source)
{
	if (source->is_cpu_time)
		return 3;
	return model->traits->logs_events && wk_str_is(wk_model_str(model, source->unit), "ns") ? 2
												: 1;
}

wk_source_id wk_filter_default_source(const struct wk_model *model)
{
	uint64_t *counts = wk_alloc_zeroed(model->source_count, sizeof(*counts));
	wk_source_id best = 0;
	unsigned most = 0;

	count_by_source(model, counts);
	for (wk_source_id i = 1; i < model->source_count; i++) {
		unsigned it = counts[i] ? worth(model, &model->sources[i]) : 0;

		if (it <= most)
			continue;
		most = it;
		best = i;
	}
	wk_free(counts);
	return best;
}

static wk_source_id source_named(const struct wk_model *model, const char *name)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (wk_str_is(wk_model_str(model, model->sources[i].name), name))
			return i;
	return 0;
}

/* Its name in other words, or nearly; NULL: nothing is meant. */
static const char *source_meant(const struct wk_model *model, const char *name,
				const struct wk_event_alias *event)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));

	if (event && source_named(model, event->source))
		return event->source;
	for (wk_source_id i = 1; i < model->source_count && !event; i++)
		wk_suggestion_try(&near, wk_strtab_get(model->text, model->sources[i].name));
	return near.best;
}

/* The input counted records of it that are no samples; 0: it has none. */
static uint64_t counted_records(const struct wk_model *model, const char *name)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < model->count_count; i++)
		if (wk_str_is(wk_model_str(model, model->counts[i].name), name))
			count += model->counts[i].count;
	return count;
}

static bool fail_no_samples(const char *name, uint64_t records, struct wk_err *err)
{
	struct wk_buf count = { 0 };

	wk_num_add_counted(&count, records, " record", " records");
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"%s of \"%s\" %s there, but wick weighs nothing by that; `wick show FILE "
		"system` lists what --by takes",
		wk_buf_text(&count), name, records == 1 ? "is" : "are");
	wk_buf_fini(&count);
	return false;
}

#define ENOUGH_NAMES 200 /* bytes: a sentence is for reading */

static bool no_such_source(const struct wk_model *model, const char *name, struct wk_err *err)
{
	enum wk_advice_set set = model->traits->advice;
	const struct wk_event_alias *event = wk_event_alias_find(set, wk_str_c(name));
	const char *meant = source_meant(model, name, event);
	uint64_t records = counted_records(model, name);
	struct wk_buf names = { 0 };
	wk_source_id i = 1;

	if (records)
		return fail_no_samples(name, records, err);
	if (meant)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no event \"%s\" was recorded; did you mean \"%s\"?", name, meant);
	if (event)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no event \"%s\" was recorded: %s records it; `wick show FILE "
			       "system` lists what there is",
			       name, wk_advice(set, event->recorded));
	for (; i < model->source_count && names.len < ENOUGH_NAMES; i++)
		wk_buf_add_fmt(&names, "%s%s", i > 1 ? ", " : "",
			       wk_strtab_get(model->text, model->sources[i].name));
	if (i < model->source_count)
		wk_buf_add_fmt(&names, ", and %u more", (unsigned)(model->source_count - i));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no event \"%s\" was recorded; there is: %s", name,
		names.len ? wk_buf_text(&names) : "none");
	wk_buf_fini(&names);
	return false;
}

static bool ends_with_part(struct wk_str name, struct wk_str part)
{
	return part.len && name.len > part.len && name.at[name.len - part.len - 1] == '/' &&
	       memcmp(name.at + name.len - part.len, part.at, part.len) == 0;
}

/* The one event whose name ends so, after a slash ("GC/Start" for one of a long name), or 0. */
static wk_source_id source_by_end(const struct wk_model *model, const char *name)
{
	wk_source_id found = 0;

	for (wk_source_id i = 1; i < model->source_count; i++) {
		if (!ends_with_part(wk_model_str(model, model->sources[i].name), wk_str_c(name)))
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

static bool find_source(const struct wk_model *model, const char *name, wk_source_id *source,
			struct wk_err *err)
{
	if (!name) {
		*source = wk_filter_default_source(model);
		return true;
	}
	*source = source_named(model, name);
	if (!*source)
		*source = source_by_end(model, name);
	return *source || no_such_source(model, name, err);
}

static bool choose_sources(struct wk_filter *filter, const struct wk_model *model,
			   const struct wk_filter_spec *spec, struct wk_err *err)
{
	if (spec->after_source) {
		filter->source = spec->after_source;
		filter->before_source = spec->before_source;
		return true;
	}
	if (!find_source(model, spec->source, &filter->source, err))
		return false;
	filter->before_source = filter->source;
	return true;
}

static bool has_lifetimes(const struct wk_model *model, wk_source_id source, struct wk_err *err)
{
	struct wk_buf others = { 0 };

	if (source == 0 || model->sources[source].has_lifetimes)
		return true;
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (model->sources[i].has_lifetimes)
			wk_buf_add_fmt(&others, "%s%s", others.len ? ", " : "--by takes ",
				       wk_strtab_get(model->text, model->sources[i].name));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"nothing of \"%s\" is ever given back, so nothing of it is outstanding; %s",
		wk_strtab_get(model->text, model->sources[source].name),
		others.len ? wk_buf_text(&others) : "this recording has no events of memory");
	wk_buf_fini(&others);
	return false;
}

static bool weigh_outstanding(struct wk_filter *filter, const struct wk_model *model,
			      struct wk_err *err)
{
	if (!has_lifetimes(model, filter->source, err) ||
	    !has_lifetimes(model, filter->before_source, err))
		return false;
	filter->weights = wk_lifetimes_left(model, filter->to_ns, filter->before_to_ns);
	return true;
}

static bool is_in_time(const struct wk_filter *filter, const struct wk_samples *samples, uint32_t i)
{
	uint64_t time_ns = samples->time_ns[i];

	if (samples->is_before && samples->is_before[i])
		return time_ns >= filter->before_from_ns && time_ns <= filter->before_to_ns;
	return time_ns >= filter->from_ns && time_ns <= filter->to_ns;
}

/* What each part says of one sample; a part that was not given says yes. */
static void ask_parts(const struct wk_filter *filter, const struct wk_model *model,
		      const struct passing *passing, uint32_t sample, bool *answers)
{
	wk_thread_id thread = model->samples.thread[sample];
	wk_process_id process = model->threads[thread].process;
	wk_stack_id stack = model->samples.stack[sample];
	wk_stack_id named = wk_model_named_of(model, stack);

	answers[WK_FILTER_PROCESS] = !passing->processes || passing->processes[process];
	answers[WK_FILTER_THREAD] = !passing->threads || passing->threads[thread];
	answers[WK_FILTER_IMAGE] = (!passing->image_stacks || passing->image_stacks[named]) &&
				   (!passing->recorded_stacks || passing->recorded_stacks[stack]);
	answers[WK_FILTER_FUNCTION] = !passing->function_stacks || passing->function_stacks[named];
	answers[WK_FILTER_TIME] = is_in_time(filter, &model->samples, sample);
	answers[WK_FILTER_QUERY] = !passing->samples || passing->samples[sample];
	answers[WK_FILTER_OUTSTANDING] = !filter->weights || filter->weights[sample];
}

static bool is_of_source(const struct wk_filter *filter, const struct wk_samples *samples,
			 uint32_t i)
{
	bool is_before = samples->is_before && samples->is_before[i];

	return samples->source[i] == (is_before ? filter->before_source : filter->source);
}

static uint64_t *no_bits(const struct wk_model *model)
{
	return wk_alloc_zeroed((size_t)model->samples.count / 64 + 1, sizeof(uint64_t));
}

/* Asks all parts, counts what each keeps, and tells whether the sample is in view. */
static bool keep(struct wk_filter *filter, const struct wk_model *model,
		 const struct passing *passing, uint32_t sample, bool is_of_source)
{
	uint64_t times = is_of_source ? wk_model_sample_times(model, sample) : 0;
	bool answers[WK_FILTER_PARTS], all = true;

	ask_parts(filter, model, passing, sample, answers);
	for (int part = 0; part < WK_FILTER_PARTS; part++) {
		filter->kept[part] += answers[part] ? times : 0;
		if (part != WK_FILTER_OUTSTANDING)
			all &= answers[part];
	}
	filter->passes[sample / 64] |= (uint64_t)all << (sample % 64);
	return all && answers[WK_FILTER_OUTSTANDING];
}

static void mark_threads(struct wk_filter *filter, const struct wk_model *model,
			 const struct passing *passing)
{
	if (!passing->processes && !passing->threads)
		return;
	filter->threads = wk_alloc(model->thread_count);
	for (wk_thread_id i = 0; i < model->thread_count; i++)
		filter->threads[i] =
			(!passing->processes || passing->processes[model->threads[i].process]) &&
			(!passing->threads || passing->threads[i]);
}

static void mark_samples(struct wk_filter *filter, const struct wk_model *model,
			 const struct passing *passing)
{
	filter->bits = no_bits(model);
	if (filter->is_narrowed)
		filter->passes = no_bits(model);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		uint64_t times = wk_model_sample_times(model, i);
		bool is_ours = is_of_source(filter, &model->samples, i);
		bool all = !filter->is_narrowed || keep(filter, model, passing, i, is_ours);

		if (!is_ours) {
			filter->elsewhere += times;
			continue;
		}
		filter->total += times;
		filter->in_view += all ? times : 0;
		filter->bits[i / 64] |= (uint64_t)all << (i % 64);
	}
}

bool wk_filter_init(struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_err *err)
{
	struct passing passing = { 0 };
	bool ok = false;

	*filter = (struct wk_filter){
		.to_ns = UINT64_MAX,
		.before_to_ns = UINT64_MAX,
		.has_named_source = spec->source || spec->after_source,
		.has_counts = model->count_count > 0,
		.is_given = {
			[WK_FILTER_PROCESS] = spec->process, [WK_FILTER_THREAD] = spec->thread,
			[WK_FILTER_IMAGE] = spec->image,     [WK_FILTER_FUNCTION] = spec->function,
			[WK_FILTER_TIME] = spec->time, [WK_FILTER_QUERY] = spec->query,
			[WK_FILTER_OUTSTANDING] = spec->outstanding,
		},
	};
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		filter->is_narrowed |= filter->is_given[part];
	if (!choose_sources(filter, model, spec, err))
		goto out;
	filter->row_word = wk_source_row_word(&model->sources[filter->source]);
	if (spec->process && !pass_processes(model, spec, &passing, err))
		goto out;
	if (spec->thread && !pass_threads(model, spec, &passing, err))
		goto out;
	if (spec->image && !pass_images(model, spec, &passing, err))
		goto out;
	if (spec->function && !pass_functions(model, spec, &passing, err))
		goto out;
	if (spec->time && !pass_time(model, spec, filter, err))
		goto out;
	if (spec->outstanding && !weigh_outstanding(filter, model, err))
		goto out;
	if (spec->query)
		passing.samples = wk_wpa_query_ask(spec->query, model);
	mark_threads(filter, model, &passing);
	mark_samples(filter, model, &passing);
	ok = true;
out:
	wk_free(passing.samples);
	wk_free(passing.processes);
	wk_free(passing.threads);
	wk_free(passing.image_stacks);
	wk_free(passing.recorded_stacks);
	wk_free(passing.function_stacks);
	return ok;
}

void wk_filter_fini(struct wk_filter *filter)
{
	wk_free(filter->bits);
	wk_free(filter->passes);
	wk_free(filter->weights);
	wk_free(filter->threads);
	filter->bits = filter->passes = filter->weights = NULL;
	filter->threads = NULL;
}

void wk_filter_explain(const struct wk_filter *filter, struct wk_buf *sentence)
{
	const char *join = ": ";

	if (filter->total == 0) {
		wk_buf_add_text(sentence, "no samples were recorded");
		if (filter->has_counts)
			wk_buf_add_text(sentence, "; `wick show FILE events` lists what was, "
						  "`wick dump FILE` all of it");
		return;
	}
	wk_buf_add_fmt(sentence, "no %ss in view of ", filter->row_word);
	wk_num_add_grouped(sentence, filter->total);
	for (int part = 0; part < WK_FILTER_PARTS; part++) {
		if (!filter->is_given[part])
			continue;
		wk_buf_add_fmt(sentence, "%sthe %s filter alone keeps ", join, part_names[part]);
		wk_num_add_grouped(sentence, filter->kept[part]);
		join = ", ";
	}
}
