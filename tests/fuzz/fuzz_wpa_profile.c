/* Any bytes as a profile of Windows Performance Analyzer: what it means is found out, and its
 * filters are asked of a model of one sample. */
#include <stdlib.h>

#include "model/model.h"
#include "views/filter/filter.h"
#include "views/filter/wpa_preset.h"

static struct wk_model *one_sample(void)
{
	struct wk_model *model = wk_model_new();
	struct wk_process process = { .pid = 12,
				      .name = wk_model_text(model, wk_str_c("app.exe")) };
	struct wk_thread thread = { .tid = 13, .process = wk_model_add_process(model, &process) };
	struct wk_source source = { .name = wk_model_text(model, wk_str_c("SampledProfile")) };
	struct wk_sample sample = { .weight = 1,
				    .thread = wk_model_add_thread(model, &thread),
				    .source = wk_model_add_source(model, &source) };

	wk_model_add_sample(model, &sample);
	return model;
}

static void evaluate(const struct wk_preset_query *query, const struct wk_model *model)
{
	struct wk_filter filter;

	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ .query = query }, NULL))
		abort();
	wk_filter_fini(&filter);
}

static void check_view(const struct wk_wpa_profile *profile, const struct wk_wpa_preset *preset,
		       const struct wk_model *model)
{
	struct wk_wpa_view view;

	wk_wpa_view_init(&view, profile, preset);
	if ((size_t)preset->first + preset->column_count > profile->column_count)
		abort();
	if (view.has_query)
		evaluate(&view.query, model);
	wk_wpa_view_fini(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_bytes bytes = wk_bytes_of(data, size);
	struct wk_model *model = one_sample();
	struct wk_wpa_profile profile;
	struct wk_preset_query query;

	wk_wpa_profile_probe(bytes);
	if (wk_wpa_profile_read(&profile, bytes, NULL)) {
		for (size_t i = 0; i < profile.preset_count; i++)
			check_view(&profile, &profile.presets[i], model);
		wk_wpa_profile_fini(&profile);
	}
	if (wk_wpa_query_read(&query, wk_str_of((const char *)data, size), size & 1, NULL)) {
		evaluate(&query, model);
		wk_preset_query_fini(&query);
	}
	wk_model_free(model);
	return 0;
}
