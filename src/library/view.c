#include <errno.h>

#include "library/profile.h"
#include "render/renderers.h"
#include "views/filter/filter.h"
#include "views/tables/tables.h"

struct show {
	const struct wk_model *model;
	const char *format;
	struct wick_view_options options;
	wick_write write;
	void *user;
	bool is_stopped;
	struct wk_err err;
};

static bool write_out(void *context, const char *bytes, size_t len)
{
	struct show *show = context;

	if (!show->write(show->user, bytes, len))
		show->is_stopped = true;
	errno = EIO;
	return !show->is_stopped;
}

static bool render_tree(struct show *show, const struct wk_renderer *renderer, struct wk_view *view,
			struct wk_out *out)
{
	const struct wick_view_options *options = &show->options;
	struct wk_tree_options tree_options = {
		.by_process = !options->no_process,
		.by_thread = options->by_thread,
		.inverted = options->inverted,
		.merge_images = true,
		.merge_files = renderer == &wk_renderer_folded,
		.order = renderer == &wk_renderer_folded ? WK_TREE_BY_NAME : WK_TREE_BY_WEIGHT,
		.side = WK_TREE_LARGER,
	};
	struct wk_tree tree;
	bool ok;

	wk_tree_init(&tree, show->model, view->filter, &tree_options);
	view->tree = &tree;
	view->by_weight |= tree.only_weights;
	view->drawing = (struct wk_drawing){ .title = options->title,
					     .is_inverted = options->inverted };
	ok = renderer->render(view, out, &show->err);
	wk_tree_fini(&tree);
	return ok;
}

static bool render_table(struct show *show, const struct wk_renderer *renderer,
			 struct wk_view *view, struct wk_out *out)
{
	const struct wick_view_options *options = &show->options;
	const struct wk_table_view *what = options->table ? wk_table_view_find(options->table)
							  : wk_table_view_with(WK_TABLE_IS_DEFAULT);
	struct wk_table_options table_options = {
		.limit = options->limit,
		.tree = { .by_process = !options->no_process,
			  .by_thread = options->by_thread,
			  .inverted = options->inverted },
	};
	struct wk_table table;
	bool ok;

	if (!what)
		return wk_fail(&show->err, WK_EUSAGE, WK_NOWHERE, "there is no table \"%.60s\"",
			       options->table);
	wk_table_init(&table, what->name);
	what->fill(&table, show->model, view->filter, &table_options);
	view->table = &table;
	ok = renderer->render(view, out, &show->err);
	wk_table_fini(&table);
	return ok;
}

static bool render(struct show *show, const struct wk_renderer *renderer,
		   const struct wk_filter *filter, struct wk_out *out)
{
	struct wk_quality quality = wk_quality_of(show->model, filter);
	struct wk_view view = {
		.model = show->model,
		.quality = &quality,
		.filter = filter,
		.by_weight = show->options.by_weight || renderer->wants == WK_RENDER_SAMPLES,
	};

	switch (renderer->wants) {
	case WK_RENDER_TREE:
		return render_tree(show, renderer, &view, out);
	case WK_RENDER_TABLE:
		return render_table(show, renderer, &view, out);
	case WK_RENDER_SAMPLES:
		break;
	}
	return renderer->render(&view, out, &show->err);
}

/* Tables of the system and the like have rows without any sample. */
static bool expect_samples(const struct wk_filter *filter, struct wk_err *err)
{
	struct wk_buf sentence = { 0 };

	if (filter->in_view)
		return true;
	wk_filter_explain(filter, &sentence);
	wk_fail(err, WK_EEMPTY, WK_NOWHERE, "%s", wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
	return false;
}

const char *wick_output_format(size_t index)
{
	for (size_t i = 0; wk_renderers[i]; i++)
		if (i == index)
			return wk_renderers[i]->name;
	return NULL;
}

static void show_profile(void *call)
{
	struct show *show = call;
	const struct wk_filter_spec spec = { .expression = show->options.filter,
					     .source = show->options.event };
	const struct wk_renderer *renderer = wk_renderer_find(show->format);
	struct wk_out out = { .write = write_out, .context = show };
	struct wk_filter filter = { 0 };

	if (!renderer) {
		wk_fail(&show->err, WK_EUSAGE, WK_NOWHERE, "there is no output format \"%.60s\"",
			show->format);
		return;
	}
	if (!wk_filter_init(&filter, show->model, &spec, &show->err))
		return;
	if (renderer->wants == WK_RENDER_TABLE || expect_samples(&filter, &show->err))
		render(show, renderer, &filter, &out);
	if (!wk_out_end(&out))
		wk_library_stop(&show->err);
	wk_filter_fini(&filter);
}

bool wick_render(const struct wick_profile *profile, const char *format,
		 const struct wick_view_options *options, wick_write write, void *user,
		 struct wick_error *error)
{
	struct show show = { .model = profile->model,
			     .format = format,
			     .write = write,
			     .user = user };

	return wk_library_options(&show.options, sizeof(show.options), options, error) &&
	       wk_library_run_once(profile->context, show_profile, &show, &show.err, error);
}

bool wick_fold(const struct wick_profile *profile, const struct wick_view_options *options,
	       wick_write write, void *user, struct wick_error *error)
{
	return wick_render(profile, wk_renderer_folded.name, options, write, user, error);
}
