#include "render/profiles/sampled.h"

#include <inttypes.h>

bool wk_sampled_check(const struct wk_view *view, struct wk_err *err)
{
	if (!view->model->samples.is_before)
		return true;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "this is a comparison, whose two sides this form cannot tell apart; export "
		       "each side by itself, or --to folded");
}

uint64_t wk_sampled_weight(const struct wk_view *view, uint32_t sample)
{
	return view->by_weight ? wk_filter_weight(view->filter, view->model, sample)
			       : wk_filter_times(view->filter, view->model, sample);
}

struct wk_str wk_sampled_unit(const struct wk_view *view)
{
	const struct wk_source *source = &view->model->sources[view->filter->source];

	return view->by_weight ? wk_model_str(view->model, source->unit) : wk_str_c("samples");
}

void wk_sampled_thread_name(const struct wk_model *model, wk_thread_id id, struct wk_buf *name)
{
	const struct wk_thread *thread = &model->threads[id];
	const struct wk_process *process = &model->processes[thread->process];
	struct wk_str own = wk_model_str(model, thread->name);
	struct wk_str whose = wk_model_str(model, process->name);

	wk_buf_add_str(name, whose.len ? whose : own);
	if (whose.len && own.len && !wk_str_eq(whose, own))
		wk_buf_add_fmt(name, "/%.*s", WK_STR_ARG(own));
	if (id && thread->tid < WK_NO_PID)
		wk_buf_add_fmt(name, "%s%" PRIu32, name->len ? " " : "thread ", thread->tid);
	if (name->len == 0)
		wk_buf_add_text(name, "all samples");
}

#define MOST_TITLE_PROGRAMS 3

/* The names of the first few programs, each once. */
void wk_sampled_title(const struct wk_model *model, struct wk_buf *title)
{
	wk_text_id listed[MOST_TITLE_PROGRAMS];
	uint32_t count = 0;

	for (wk_process_id id = 1; id < model->process_count; id++) {
		wk_text_id name = model->processes[id].name;
		bool is_listed = name == 0;

		for (uint32_t i = 0; i < count; i++)
			is_listed |= listed[i] == name;
		if (is_listed)
			continue;
		if (count == MOST_TITLE_PROGRAMS) {
			wk_buf_add_text(title, " ...");
			return;
		}
		listed[count++] = name;
		wk_buf_add_fmt(title, "%s%.*s", title->len ? ", " : "",
			       WK_STR_ARG(wk_model_str(model, name)));
	}
	if (title->len == 0)
		wk_buf_add_text(title, "recording");
}

void wk_sampled_decimal(struct wk_out *out, uint64_t value, unsigned decimals)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	wk_out_u64(out, value / unit);
	value %= unit;
	if (value)
		wk_out_char(out, '.');
	while (value) {
		unit /= 10;
		wk_out_char(out, (char)('0' + value / unit));
		value %= unit;
	}
}
