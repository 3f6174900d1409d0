/* Draws a picture of stacks in words, for the browser test and for those who want to look:
 *
 *	draw FORM [VIEW] < STACKS > PICTURE
 *
 * FORM is a renderer's name or "icicle"; VIEW a table's, for renderers of tables. STACKS are
 * the lines of tests/unit/small_model.h, one each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/renderers.h"
#include "views/tables/tables.h"

#include "../unit/small_model.h"

static struct wk_model *read_model(FILE *in)
{
	struct wk_model *model = small_empty_model();
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, in)) > 0) {
		while (len > 0 && line[len - 1] == '\n')
			len--;
		small_line(model, wk_str_of(line, (size_t)len));
	}
	free(line);
	small_resolved(model);
	return model;
}

static bool draw(const struct wk_renderer *renderer, struct wk_view *view, const char *table_name,
		 const struct wk_filter *filter, struct wk_out *out, struct wk_err *err)
{
	struct wk_table_options options = {
		.min_percent = strcmp(renderer->name, "text") == 0 ? 1 : 0,
		.tree = { .by_process = true, .merge_images = view->drawing.title == NULL },
	};
	const struct wk_table_view *table_view = wk_table_view_find(table_name);
	struct wk_table table = { 0 };
	struct wk_tree tree;
	bool ok;

	wk_tree_init(&tree, view->model, filter, &options.tree);
	view->tree = &tree;
	if (renderer->wants == WK_RENDER_TABLE && table_view) {
		wk_table_init(&table, table_view->name);
		table_view->fill(&table, view->model, filter, &options);
		view->table = &table;
	}
	ok = renderer->render(view, out, err);
	wk_table_fini(&table);
	wk_tree_fini(&tree);
	return ok;
}

int main(int argc, char **argv)
{
	bool is_icicle = argc > 1 && strcmp(argv[1], "icicle") == 0;
	const struct wk_renderer *renderer =
		argc > 1 ? wk_renderer_find(is_icicle ? "svg" : argv[1]) : NULL;
	struct wk_out out = wk_out_to_fd(1);
	struct wk_err err = { 0 };
	struct wk_filter filter;
	struct wk_quality quality;
	struct wk_model *model;
	struct wk_view view;
	bool ok;

	if (!renderer) {
		fprintf(stderr, "usage: draw FORM [VIEW] < STACKS\n");
		return 2;
	}
	model = read_model(stdin);
	wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, &err);
	quality = wk_quality_of(model, &filter);
	view = (struct wk_view){
		.model = model,
		.quality = &quality,
		.columns = 100,
		.drawing = {
			.title = "Flame graph of a test",
			.subtitle = "cpu-clock at 997 Hz, 2 threads",
			.is_icicle = is_icicle,
		},
	};
	ok = draw(renderer, &view, argc > 2 ? argv[2] : "functions", &filter, &out, &err);
	ok = wk_out_end(&out) && ok;
	if (err.text[0])
		fprintf(stderr, "%s\n", err.text);
	wk_filter_fini(&filter);
	wk_model_free(model);
	return ok ? 0 : 1;
}
