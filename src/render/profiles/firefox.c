/* The Firefox Profiler's processed format, version 58: a thread for each thread, with its single
 * samples and its own tables of stacks, frames and functions; texts, source files and libraries are
 * shared. Inlined calls are frames of their own at the address of the function that contains them.
 * docs/export.md describes the output. */
#include <inttypes.h>

#include "base/map.h"
#include "base/mem.h"
#include "render/profiles/firefox_tables.h"
#include "render/profiles/sampled.h"
#include "render/renderers.h"
#include "views/filter/by_thread.h"
#include "views/wall_clock.h"

#define PROCESSED_VERSION 58
#define BROWSER_VERSION   31 /* of the browser's own format, at that time */

struct writing {
	const struct wk_view *view;
	const struct wk_model *model;
	struct wk_out *out;
	struct wk_by_thread by;
	struct wk_fox_shared shared;
	struct wk_fox_tables tables;
	struct wk_fox_rows stacks; /* of the thread's samples: row + 1 */
	uint32_t *namesake;        /* [process_count]: how many before it have its pid */
	const char *weight_type;
	unsigned decimals; /* of a weight */
	bool has_weights;
	const char *cpu_unit; /* of threadCPUDelta; NULL: nothing is known of it */
};

/* --- What weights are ---------------------------------------------------------------------- */

static void choose_weights(struct writing *w)
{
	const struct wk_source *source = &w->model->sources[w->view->filter->source];
	struct wk_str unit = wk_sampled_unit(w->view);
	bool is_time = wk_str_is(wk_model_str(w->model, source->unit), "ns");

	w->weight_type = "samples";
	w->has_weights = w->view->by_weight || source->counts_samples;
	if (wk_str_is(unit, "ns")) {
		w->weight_type = "tracing-ms";
		w->decimals = 6;
	} else if (wk_str_is(unit, "bytes")) {
		w->weight_type = "bytes";
	} else if (wk_str_is(unit, WK_UNIT_THOUSANDTHS)) {
		w->decimals = 3;
	}
	if (source->is_cpu_time)
		w->cpu_unit = is_time ? "ns" : "variable CPU cycles";
}

/* Milliseconds from one sample to the next: their weight, or their average distance. */
static double interval_ms(const struct writing *w)
{
	const struct wk_filter *filter = w->view->filter;
	double sum = 0;

	if (filter->in_view == 0)
		return 1;
	if (wk_str_is(wk_model_str(w->model, w->model->sources[filter->source].unit), "ns"))
		for (uint32_t i = 0; i < w->by.thread_count; i++)
			sum += (double)w->by.threads[i].weight;
	else
		sum = (double)(w->model->last_ns - w->model->first_ns);
	return sum > 0 ? sum / (double)filter->in_view / 1e6 : 1;
}

/* --- Samples ------------------------------------------------------------------------------- */

static uint64_t since_start(const struct writing *w, uint64_t time_ns)
{
	return time_ns > w->model->first_ns ? time_ns - w->model->first_ns : 0;
}

static void write_weights(struct writing *w, const uint32_t *rows, uint32_t count)
{
	if (!w->has_weights) {
		wk_out_text(w->out, ",\n\"weight\":null");
		return;
	}
	for (uint32_t i = 0; wk_fox_cell(w->out, "weight", i, count); i++)
		wk_sampled_decimal(w->out, wk_sampled_weight(w->view, rows[i]), w->decimals);
}

static void write_samples(struct writing *w, const uint32_t *rows, uint32_t count)
{
	const struct wk_samples *samples = &w->model->samples;
	const uint32_t *stacks = w->stacks.at;

	wk_out_text(w->out, ",\n\"samples\":{\"stack\":[");
	for (uint32_t i = 0; wk_fox_cell(w->out, NULL, i, count); i++)
		wk_fox_number_or(w->out, stacks[i], stacks[i] - 1, "null");
	for (uint32_t i = 0; wk_fox_cell(w->out, "time", i, count); i++)
		wk_sampled_decimal(w->out, since_start(w, wk_sample_time(samples, rows[i])), 6);
	write_weights(w, rows, count);
	for (uint32_t i = 0; w->cpu_unit && wk_fox_cell(w->out, "threadCPUDelta", i, count); i++)
		wk_out_u64(w->out, samples->weight[rows[i]]);
	wk_out_fmt(w->out, ",\n\"weightType\":\"%s\",\"length\":%" PRIu32 "}", w->weight_type,
		   count);
}

/* --- Threads ------------------------------------------------------------------------------- */

/* The index among processes of equal number, by which the format distinguishes them. */
static uint32_t *count_namesakes(const struct wk_model *model)
{
	uint32_t *before = wk_alloc_zeroed(model->process_count, sizeof(*before));
	struct wk_map seen = { 0 };

	for (wk_process_id id = 1; id < model->process_count; id++)
		before[id] = (*wk_map_at(&seen, model->processes[id].pid))++;
	wk_map_fini(&seen);
	return before;
}

static uint32_t number_or_0(uint32_t id)
{
	return id < WK_NO_PID ? id : 0;
}

static void write_identity(struct writing *w, wk_thread_id id)
{
	const struct wk_thread *thread = &w->model->threads[id];
	const struct wk_process *process = &w->model->processes[thread->process];
	struct wk_str name = wk_model_str(w->model, thread->name);
	struct wk_str process_name = wk_model_str(w->model, process->name);
	struct wk_out *out = w->out;

	wk_out_text(out, "\"processType\":\"default\",\"pausedRanges\":[],\"processName\":");
	wk_out_json_quoted(out, process_name);
	wk_out_text(out, ",\"name\":");
	wk_out_json_quoted(out, name.len           ? name
				: process_name.len ? process_name
						   : wk_str_c("all samples"));
	wk_out_fmt(out, ",\"isMainThread\":%s,\"pid\":\"%" PRIu32,
		   thread->tid == process->pid ? "true" : "false", number_or_0(process->pid));
	if (w->namesake[thread->process])
		wk_out_fmt(out, ".%" PRIu32, w->namesake[thread->process]);
	wk_out_fmt(out, "\",\"tid\":%" PRIu32, number_or_0(thread->tid));
}

/* A time that is 0 is "before the recording" as a start and "not yet" as an end. */
static void write_life(struct writing *w, const char *start, uint64_t start_ns, const char *end,
		       uint64_t end_ns)
{
	wk_out_fmt(w->out, ",\"%s\":", start);
	wk_sampled_decimal(w->out, since_start(w, start_ns), 6);
	wk_out_fmt(w->out, ",\"%s\":", end);
	if (end_ns)
		wk_sampled_decimal(w->out, since_start(w, end_ns), 6);
	else
		wk_out_text(w->out, "null");
}

static void write_thread(struct writing *w, const struct wk_thread_samples *samples)
{
	const struct wk_thread *thread = &w->model->threads[samples->thread];
	const struct wk_process *process = &w->model->processes[thread->process];
	const uint32_t *rows = w->by.rows + samples->first;

	w->stacks.count = 0;
	WK_RESERVE(w->stacks.at, w->stacks.cap, samples->count);
	for (uint32_t i = 0; i < samples->count; i++) {
		wk_stack_id stack = w->model->samples.stack[rows[i]];

		w->stacks.at[w->stacks.count++] =
			stack ? wk_fox_stack(&w->shared, &w->tables, stack) + 1 : 0;
	}
	wk_out_char(w->out, '{');
	write_identity(w, samples->thread);
	write_life(w, "processStartupTime", process->start_ns, "processShutdownTime",
		   process->end_ns);
	write_life(w, "registerTime", thread->start_ns, "unregisterTime", thread->end_ns);
	write_samples(w, rows, samples->count);
	wk_out_text(w->out, ",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],"
			    "\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}");
	wk_fox_tables_write(&w->shared, &w->tables, w->out);
	wk_out_char(w->out, '}');
	wk_fox_tables_reset(&w->shared, &w->tables);
}

/* --- The profile --------------------------------------------------------------------------- */

static void write_fact(struct writing *w, const char *key, const char *fact_key)
{
	struct wk_str value = wk_model_fact(w->model, fact_key);

	if (value.len == 0)
		return;
	wk_out_fmt(w->out, ",\n\"%s\":", key);
	wk_out_json_quoted(w->out, value);
}

/* The quality line of every wick view, in the viewer's field for it. */
static void write_quality(struct writing *w)
{
	struct wk_quality facts = *w->view->quality;
	struct wk_buf line = { 0 };

	facts.facts_only = true;
	wk_quality_line(&facts, &line);
	wk_out_text(w->out, ",\n\"extra\":[{\"label\":\"Recording\",\"entries\":[{\"label\":"
			    "\"Samples\",\"format\":\"string\",\"value\":");
	wk_out_json_quoted(w->out, wk_buf_str(&line));
	wk_out_text(w->out, "}]}]");
	wk_buf_fini(&line);
}

static bool has_script(const struct wk_model *model)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_frame_kind_is_jit(model->functions[id].kind))
			return true;
	return false;
}

static void write_meta(struct writing *w)
{
	struct wk_buf title = { 0 };
	struct wk_out *out = w->out;
	uint64_t wall_ns = 0;

	wk_sampled_title(w->model, &title);
	if (!wk_wall_clock_of(w->model, &wall_ns))
		wall_ns = 0;
	wk_out_fmt(out,
		   "{\"meta\":{\"preprocessedProfileVersion\":%d,\"version\":%d,\n"
		   "\"interval\":%.6g,\"startTime\":%" PRIu64 ",\"processType\":0,\"stackwalk\":1,"
		   "\"debug\":false,\"symbolicated\":true,\"importedFrom\":\"wick " WICK_VERSION
		   "\",\n\"product\":",
		   PROCESSED_VERSION, BROWSER_VERSION, interval_ms(w), wall_ns / 1000000);
	wk_out_json_quoted(out, wk_buf_str(&title));
	wk_buf_fini(&title);
	if (wk_str_is(wk_model_fact(w->model, "clock"), "CLOCK_MONOTONIC"))
		wk_out_fmt(out, ",\n\"startTimeAsClockMonotonicNanosecondsSinceBoot\":%" PRIu64,
			   w->model->first_ns);
	write_fact(w, "arguments", "command line");
	write_fact(w, "CPUName", "cpu");

	wk_out_fmt(out,
		   ",\n\"platform\":\"X11\",\"usesOnlyOneStackType\":%s,"
		   "\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],\n"
		   "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		   "\"threadCPUDelta\":\"%s\"}",
		   has_script(w->model) ? "false" : "true", w->cpu_unit ? w->cpu_unit : "ns");
	write_quality(w);
	wk_out_text(out, ",\n");
	wk_fox_categories_write(out);
	wk_out_char(out, '}');
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	struct writing w = { .view = view, .model = view->model, .out = out };

	if (!wk_sampled_check(view, err))
		return false;
	wk_by_thread_init(&w.by, view->model, view->filter);
	wk_fox_shared_init(&w.shared, view->model);
	w.namesake = count_namesakes(view->model);
	choose_weights(&w);
	write_meta(&w);
	wk_out_text(out, ",\n\"threads\":[");
	for (uint32_t i = 0; i < w.by.thread_count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		write_thread(&w, &w.by.threads[i]);
	}
	wk_out_text(out, "],\n");
	wk_fox_shared_write(&w.shared, out);
	wk_out_text(out, "}\n");
	WK_FREE_ALL(w.namesake, w.stacks.at);
	wk_fox_tables_fini(&w.tables);
	wk_fox_shared_fini(&w.shared);
	wk_by_thread_fini(&w.by);
	return true;
}

const struct wk_renderer wk_renderer_firefox = {
	.name = "firefox",
	.summary = "JSON for the Firefox Profiler (profiler.firefox.com)",
	.wants = WK_RENDER_SAMPLES,
	.render = render,
};
