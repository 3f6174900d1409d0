/* speedscope's file format: the frames once, then for each thread its samples as lists of frames
 * from the outermost to the innermost, and their weights. Adjacent samples of one stack are merged,
 * which looks the same and is far smaller. docs/export.md describes the output. */
#include "base/mem.h"
#include "render/profiles/sampled.h"
#include "render/renderers.h"
#include "views/filter/by_thread.h"
#include "views/tree/merge.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writing {
	const struct wk_view *view;
	const struct wk_model *model;
	struct wk_out *out;
	struct wk_by_thread by;
	wk_function_id *merged; /* functions of one name are one */
	uint32_t *line_of;      /* [function_count]: the only line of a function; 0: none */
	uint32_t *frame_number; /* [function_count]: index + 1 of those in use */
	uint32_t frame_count;
	uint32_t *path; /* frames of a stack, innermost first */
	size_t path_cap;
	const char *unit;
	unsigned decimals;
};

/* Weights that are thousandths of samples are written with their point. */
static void choose_unit(struct writing *w)
{
	struct wk_str unit = wk_sampled_unit(w->view);

	w->unit = wk_str_is(unit, "ns")      ? "nanoseconds"
		  : wk_str_is(unit, "bytes") ? "bytes"
					     : "none";
	w->decimals = wk_str_is(unit, WK_UNIT_THOUSANDTHS) ? 3 : 0;
}

#define SEVERAL UINT32_MAX

/* The line is part of a frame's identity, so a function with several lines gets none here. */
static void find_lines(struct writing *w)
{
	const struct wk_model *model = w->model;

	for (wk_frame_id frame = 1; frame < model->frames.count; frame++) {
		struct wk_frame_calls calls = wk_model_calls_of(model, frame);

		for (uint32_t i = 0; i < calls.count; i++) {
			uint32_t *line = &w->line_of[w->merged[calls.function[i]]];

			*line = *line == 0 || *line == calls.line[i] ? calls.line[i] : SEVERAL;
		}
	}
}

static wk_function_id function_of(const struct writing *w, wk_stack_id stack)
{
	return w->merged[w->model->named_frames.function[w->model->named.entries[stack].label]];
}

static void one_frame(struct writing *w, wk_function_id id)
{
	const struct wk_function *function = &w->model->functions[id];
	struct wk_str file = wk_model_str(w->model, function->file);

	wk_out_text(w->out, w->frame_count++ ? ",\n{\"name\":" : "\n{\"name\":");
	wk_out_json_quoted(w->out, wk_model_str(w->model, function->name));
	if (file.len == 0)
		file = wk_model_str(w->model, w->model->images[function->image].path);
	if (file.len) {
		wk_out_text(w->out, ",\"file\":");
		wk_out_json_quoted(w->out, file);
	}
	if (w->line_of[id] && w->line_of[id] != SEVERAL) {
		wk_out_text(w->out, ",\"line\":");
		wk_out_u64(w->out, w->line_of[id]);
	}
	wk_out_char(w->out, '}');
	w->frame_number[id] = w->frame_count;
}

/* Frames of the stacks in view, each when it is first met; a stack that was seen has no new
 * ones. */
static void all_frames(struct writing *w)
{
	uint8_t *is_seen = wk_alloc_zeroed(w->model->named.count, 1);

	is_seen[0] = 1;
	wk_out_text(w->out, "\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < w->by.row_count; i++) {
		wk_stack_id stack = wk_sampled_stack(w->view, w->by.rows[i]);

		for (; !is_seen[stack]; stack = w->model->named.entries[stack].parent) {
			is_seen[stack] = 1;
			if (!w->frame_number[function_of(w, stack)])
				one_frame(w, function_of(w, stack));
		}
	}
	wk_out_text(w->out, "\n]}");
	wk_free(is_seen);
}

/* How many rows from `row` on have one stack. */
static uint32_t run_of(const struct writing *w, const struct wk_thread_samples *thread,
		       uint32_t row)
{
	wk_stack_id stack = wk_sampled_stack(w->view, w->by.rows[thread->first + row]);
	uint32_t end = row + 1;

	while (end < thread->count &&
	       wk_sampled_stack(w->view, w->by.rows[thread->first + end]) == stack)
		end++;
	return end - row;
}

static void one_stack(struct writing *w, wk_stack_id stack)
{
	size_t depth = 0;

	for (; stack; stack = w->model->named.entries[stack].parent)
		*WK_APPEND(w->path, depth, w->path_cap) =
			w->frame_number[function_of(w, stack)] - 1;
	wk_out_char(w->out, '[');
	while (depth) {
		wk_out_u64(w->out, w->path[--depth]);
		if (depth)
			wk_out_char(w->out, ',');
	}
	wk_out_char(w->out, ']');
}

static uint64_t weight_of_rows(const struct writing *w, uint32_t first, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i < first + count; i++)
		sum += wk_sampled_weight(w->view, w->by.rows[i]);
	return sum;
}

static void one_thread(struct writing *w, const struct wk_thread_samples *thread)
{
	struct wk_buf name = { 0 };
	uint32_t run;

	wk_sampled_thread_name(w->model, thread->thread, &name);
	wk_out_text(w->out, "{\"type\":\"sampled\",\"name\":");
	wk_out_json_quoted(w->out, wk_buf_str(&name));
	wk_buf_fini(&name);
	wk_out_fmt(w->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", w->unit);
	wk_sampled_decimal(w->out, weight_of_rows(w, thread->first, thread->count), w->decimals);
	wk_out_text(w->out, ",\n\"samples\":[");
	for (uint32_t row = 0; row < thread->count; row += run) {
		run = run_of(w, thread, row);
		wk_out_text(w->out, row ? ",\n" : "\n");
		one_stack(w, wk_sampled_stack(w->view, w->by.rows[thread->first + row]));
	}
	wk_out_text(w->out, "\n],\n\"weights\":[");
	for (uint32_t row = 0; row < thread->count; row += run) {
		run = run_of(w, thread, row);
		wk_out_text(w->out, row ? "," : "");
		wk_sampled_decimal(w->out, weight_of_rows(w, thread->first + row, run),
				   w->decimals);
	}
	wk_out_text(w->out, "]}");
}

/* The thread that a viewer shows first. */
static uint32_t heaviest(const struct wk_by_thread *by)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < by->thread_count; i++)
		if (by->threads[i].weight > by->threads[best].weight)
			best = i;
	return best;
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	struct writing w = { .view = view, .model = view->model, .out = out };
	struct wk_buf title = { 0 };

	if (!wk_sampled_check(view, err))
		return false;
	wk_by_thread_init(&w.by, view->model, view->filter);
	w.merged = wk_functions_merged(view->model, false, false);
	w.line_of = wk_alloc_zeroed(view->model->function_count, sizeof(*w.line_of));
	w.frame_number = wk_alloc_zeroed(view->model->function_count, sizeof(*w.frame_number));
	find_lines(&w);
	choose_unit(&w);
	wk_sampled_title(view->model, &title);
	wk_out_text(out, "{\"$schema\":\"" SCHEMA "\",\n\"name\":");
	wk_out_json_quoted(out, wk_buf_str(&title));
	wk_out_fmt(out, ",\n\"exporter\":\"wick " WICK_VERSION "\",\"activeProfileIndex\":%u,\n",
		   (unsigned)heaviest(&w.by));
	all_frames(&w);
	wk_out_text(out, ",\n\"profiles\":[");
	for (uint32_t i = 0; i < w.by.thread_count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		one_thread(&w, &w.by.threads[i]);
	}
	wk_out_text(out, "\n]}\n");
	wk_buf_fini(&title);
	wk_by_thread_fini(&w.by);
	WK_FREE_ALL(w.merged, w.line_of, w.frame_number, w.path);
	return true;
}

const struct wk_renderer wk_renderer_speedscope = {
	.name = "speedscope",
	.summary = "speedscope's file format, a profile for each thread",
	.wants = WK_RENDER_SAMPLES,
	.render = render,
};
