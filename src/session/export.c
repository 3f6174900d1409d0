#include "session/export.h"

#include <string.h>

#include "base/num.h"
#include "render/renderers.h"

bool wk_export_has_levels(const char *format)
{
	return strcmp(format, wk_renderer_folded.name) == 0;
}

bool wk_export_samples(const char *format, const struct wk_selection *selection, bool by_weight,
		       struct wk_out *out, struct wk_err *err)
{
	const struct wk_view view = {
		.model = selection->quality.model,
		.quality = &selection->quality,
		.filter = &selection->filter,
		.by_weight = by_weight,
	};

	return wk_renderer_find(format)->render(&view, out, err);
}

/* Samples without any frame have no line. */
static void report_left_out(const struct wk_tree *tree, const struct wk_messages *messages)
{
	struct wk_buf words = { 0 };

	if (tree->self[0] == 0)
		return;
	wk_num_add_share(&words, tree->self[0], tree->total[0]);
	wk_buf_add_text(&words, " without a stack, left out");
	wk_warn_buf(messages, &words);
}

bool wk_export_folded(const struct wk_selection *selection, const struct wk_tree_options *levels,
		      bool by_weight, struct wk_out *out, const struct wk_messages *messages,
		      struct wk_err *err)
{
	const struct wk_tree_options options = {
		.by_process = levels->by_process,
		.by_thread = levels->by_thread,
		.grouping = levels->grouping,
		.annotations = levels->annotations,
		.inverted = levels->inverted,
		.by_lines = levels->by_lines,
		.hides_plumbing = levels->hides_plumbing,
		.charges_own = levels->charges_own,
		.merge_images = true,
		.merge_files = true,
		.order = WK_TREE_BY_NAME,
		.side = WK_TREE_LARGER, /* of a comparison both counts are printed */
	};
	struct wk_view view = { .model = selection->quality.model, .quality = &selection->quality };
	struct wk_tree tree;
	bool ok;

	wk_tree_init(&tree, view.model, &selection->filter, &options);
	view.tree = &tree;
	view.by_weight = by_weight || tree.only_weights;
	ok = wk_renderer_folded.render(&view, out, err);
	if (ok)
		report_left_out(&tree, messages);
	wk_tree_fini(&tree);
	return ok;
}
