/* What the writers of single samples share: Firefox Profiler, pprof, speedscope.
 *
 * They show a recording sample by sample instead of adding it up, and need the same few facts
 * about it. */
#ifndef WK_RENDER_PROFILES_SAMPLED_H
#define WK_RENDER_PROFILES_SAMPLED_H

#include "render/renderer.h"

/* The two sides of a comparison would be merged into one: fails with a sentence. */
bool wk_sampled_check(const struct wk_view *view, struct wk_err *err);

/* The weight of a sample and its unit: "ns", "bytes", "samples", "cycles" ... */
uint64_t wk_sampled_weight(const struct wk_view *view, uint32_t sample);
struct wk_str wk_sampled_unit(const struct wk_view *view);

static inline wk_stack_id wk_sampled_stack(const struct wk_view *view, uint32_t sample)
{
	return wk_model_named_of(view->model, view->model->samples.stack[sample]);
}

/* "work/worker 12": whose samples a thread's are, for people. */
void wk_sampled_thread_name(const struct wk_model *model, wk_thread_id thread, struct wk_buf *name);

/* The whole recording in a line: its programs. */
void wk_sampled_title(const struct wk_model *model, struct wk_buf *title);

/* A number with that many decimals without trailing zeros: 1500 with 3 is "1.5". */
void wk_sampled_decimal(struct wk_out *out, uint64_t value, unsigned decimals);

#endif
