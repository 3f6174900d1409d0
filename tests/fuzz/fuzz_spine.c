/* Any bytes from the file to the last renderer: read as perf.data, built, resolved, checked,
 * asked every question of, and written in every form. No file of this machine is looked at, so
 * that a finding means the same everywhere. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/reader.h"
#include "model/builder.h"
#include "../model_check.h"
#include "model/resolve.h"
#include "render/renderers.h"
#include "views/tables/tables.h"

static void demand(bool promise, const struct wk_err *err)
{
	if (!promise) {
		fprintf(stderr, "broken promise: %s\n", err->text);
		abort();
	}
}

static struct wk_model *build(const uint8_t *data, size_t size)
{
	struct wk_input input = { .bytes = wk_bytes_of(data, size), .name = "input" };
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder);
	struct wk_err err = { 0 };

	/* What came before a fault is shown as well, so a failed read goes on here. */
	wk_reader_perf_data.read(&input, &sink, &err);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	return model;
}

static void render(const struct wk_renderer *renderer, const struct wk_view *view)
{
	struct wk_buf text = { .limit = 64 << 20 };
	struct wk_out out = wk_out_to_buf(&text);

	renderer->render(view, &out, NULL);
	wk_out_end(&out);
	wk_buf_fini(&text);
}

static void show_tables(struct wk_view *view, const struct wk_filter *filter,
			const struct wk_table_options *options)
{
	for (const struct wk_table_view *what = wk_table_views; what->name; what++) {
		struct wk_table table;

		wk_table_init(&table, what->name);
		what->fill(&table, view->model, filter, options);
		view->table = &table;
		for (size_t i = 0; wk_renderers[i]; i++)
			if (wk_renderers[i]->wants == WK_RENDER_TABLE)
				render(wk_renderers[i], view);
		wk_table_fini(&table);
	}
	view->table = NULL;
}

static void show_tree(struct wk_view *view, const struct wk_filter *filter,
		      const struct wk_tree_options *options)
{
	struct wk_tree tree;

	wk_tree_init(&tree, view->model, filter, options);
	view->tree = &tree;
	for (size_t i = 0; wk_renderers[i]; i++)
		if (wk_renderers[i]->wants == WK_RENDER_TREE)
			render(wk_renderers[i], view);
	wk_tree_fini(&tree);
	view->tree = NULL;
}

static void ask(const struct wk_model *model, const struct wk_filter_spec *spec, bool turned)
{
	struct wk_table_options options = {
		.min_percent = turned ? 0 : 0.5,
		.tree = { .by_process = turned, .by_thread = turned, .inverted = turned },
	};
	struct wk_view view = { .model = model, .columns = 80, .has_details = turned };
	struct wk_filter filter;
	struct wk_quality quality;

	if (!wk_filter_init(&filter, model, spec, NULL))
		return;
	quality = wk_quality_of(model, &filter);
	view.quality = &quality;
	view.drawing.is_icicle = turned;
	show_tables(&view, &filter, &options);
	show_tree(&view, &filter, &options.tree);
	wk_filter_fini(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wk_filter_spec narrow = { .time = "0-1",
						      .function = "o",
						      .thread = "e" };
	static const struct wk_filter_spec all;
	struct wk_model *model = build(data, size);
	struct wk_err err = { 0 };

	demand(model_check(model, &err), &err);
	ask(model, &all, false);
	ask(model, &narrow, true);
	wk_model_free(model);
	return 0;
}
