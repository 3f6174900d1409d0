#include "base/mem.h"
#include "render/page/page_internal.h"

static uint8_t *mark_all(uint32_t count, bool is_marked)
{
	uint8_t *marks = wk_alloc((size_t)count + 1);

	memset(marks, is_marked, (size_t)count + 1);
	return marks;
}

static void use_thread(struct wk_page_use *use, const struct wk_model *model, wk_thread_id thread)
{
	use->threads[thread] = 1;
	use->processes[model->threads[thread].process] = 1;
}

void wk_page_use_init(struct wk_page_use *use, const struct wk_page *page,
		      const struct wk_page_rows *rows, const struct wk_page_ids *ids)
{
	const struct wk_model *model = page->model;
	const struct wk_samples *samples = &model->samples;
	bool writes_all = !page->filter->is_narrowed;

	use->images = mark_all(model->image_count, writes_all);
	use->processes = mark_all(model->process_count, writes_all);
	use->threads = mark_all(model->thread_count, writes_all);
	use->subjects = mark_all(model->subject_count, false);
	for (uint32_t i = 0; i < rows->first[model->source_count]; i++) {
		wk_subject_id about = samples->about ? samples->about[rows->rows[i]] : 0;

		use_thread(use, model, wk_sample_thread(samples, rows->rows[i]));
		use_thread(use, model, model->subjects[about].by);
		use->subjects[about] = 1;
	}
	for (uint32_t i = 1; i < ids->function_count; i++)
		use->images[model->functions[ids->functions[i]].image] = 1;
}

void wk_page_use_fini(struct wk_page_use *use)
{
	WK_FREE_ALL(use->images, use->processes, use->threads, use->subjects);
}
