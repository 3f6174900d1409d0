#include "session/picture.h"

#include <errno.h>
#include <inttypes.h>

#include "base/num.h"
#include "os/os.h"
#include "render/renderers.h"

static bool read_map(struct wk_picture *picture, const char *path, struct wk_err *err)
{
	struct wk_colouring *colouring = picture->colouring;
	struct wk_bad_lines *bad = &picture->bad_colours;
	struct wk_os_identity identity;
	struct wk_os_file file;
	bool ok;

	if (!wk_os_identify(path, &identity, NULL))
		return wk_colouring_read_map(colouring, wk_str_c(""), bad, err);
	if (!wk_os_open_aside(path, &file, err))
		return false;
	ok = wk_colouring_read_map(colouring, wk_str_of((const char *)file.at, file.size_bytes),
				   bad, err) ||
	     wk_err_in(err, path);
	wk_os_close(&file);
	return ok;
}

static bool write_map(const struct wk_colouring *colouring, const char *path, struct wk_err *err)
{
	struct wk_os_draft draft;
	struct wk_out out;
	bool ok;

	if (!wk_os_draft_open(&draft, path, err))
		return false;
	out = wk_out_to_fd(draft.fd);
	wk_colouring_write_map(colouring, &out);
	ok = wk_out_end(&out) || wk_fail_os(err, out.error_number, "cannot write %s", path);
	if (!wk_os_draft_end(&draft, ok) && ok)
		ok = wk_fail_os(err, errno, "cannot write %s", path);
	return ok;
}

bool wk_picture_colour(struct wk_picture *picture, const struct wk_colouring_options *options,
		       const char *colour_map, struct wk_err *err)
{
	picture->colouring = picture->drawing.colouring = wk_colouring_new(options);
	picture->colours_changes = options->is_comparison;
	picture->colour_map = colour_map;
	return !colour_map || read_map(picture, colour_map, err);
}

bool wk_picture_attributes(struct wk_picture *picture, const char *path,
			   wk_name_attributes_report report, void *context, struct wk_err *err)
{
	struct wk_os_file file;

	if (!wk_os_open_aside(path, &file, err))
		return false;
	wk_name_attributes_init(&picture->attributes,
				wk_str_of((const char *)file.at, file.size_bytes), report, context);
	picture->drawing.attributes = &picture->attributes;
	wk_os_close(&file);
	return true;
}

/* For the key that shows all inlined functions; a chart has none. */
static void fold_full(struct wk_picture *picture, const struct wk_selection *selection)
{
	struct wk_tree_options all = picture->folding;

	if (!all.hides_plumbing || all.is_chart || picture->drawing.has_no_script)
		return;
	all.hides_plumbing = false;
	wk_tree_init(&picture->full, picture->model, &selection->filter, &all);
	if (picture->full.count == picture->tree.count)
		wk_tree_fini(&picture->full);
	else
		wk_tree_find_lines(&picture->full, picture->model, &selection->filter, &all);
}

void wk_picture_fold(struct wk_picture *picture, const struct wk_selection *selection)
{
	picture->model = selection->quality.model;
	picture->quality = &selection->quality;
	wk_tree_init(&picture->tree, picture->model, &selection->filter, &picture->folding);
	wk_tree_find_lines(&picture->tree, picture->model, &selection->filter, &picture->folding);
	fold_full(picture, selection);
}

bool wk_picture_fold_all(struct wk_picture *picture, const struct wk_model *model,
			 struct wk_err *err)
{
	struct wk_filter filter;

	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, err))
		return false;
	picture->model = model;
	wk_tree_init(&picture->tree, model, &filter, &picture->folding);
	wk_filter_fini(&filter);
	return true;
}

static bool has_function(const struct wk_model *model, const char *name)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_str_is(wk_model_str(model, model->functions[id].name), name))
			return true;
	return false;
}

bool wk_picture_bad_colours(const struct wk_picture *picture, struct wk_buf *text)
{
	const struct wk_bad_lines *bad = &picture->bad_colours;

	if (bad->count == 0)
		return false;
	wk_buf_add_fmt(text, "%s: ", picture->colour_map);
	wk_num_add_counted(text, bad->count, " line is", " lines are");
	wk_buf_add_fmt(text, " skipped (the first is line %" PRIu64 "): expected %s",
		       bad->first_number, bad->expected);
	return true;
}

void wk_picture_warn(const struct wk_picture *picture, const struct wk_messages *messages)
{
	const struct wk_tree *tree = &picture->tree;
	const char *const *skips = picture->folding.skip_after;
	struct wk_buf words = { 0 };

	if (wk_picture_bad_colours(picture, &words))
		wk_warn_buf(messages, &words);
	for (size_t i = 0; skips && skips[i]; i++)
		if (!has_function(picture->model, skips[i]))
			wk_warn_fmt(messages, "--skip-after: no function is named \"%s\"",
				    skips[i]);
	if (picture->drawing.total && tree->total[0] > picture->drawing.total) {
		wk_buf_add_fmt(&words,
			       "--total %" PRIu64 " is less than the samples add up to; the "
			       "flame graph uses ",
			       picture->drawing.total);
		wk_num_add_grouped(&words, tree->total[0]);
		wk_buf_add_fmt(&words, tree->unit.len ? " %.*s" : "%.*s", WK_STR_ARG(tree->unit));
		wk_buf_add_text(&words, " instead");
		wk_warn_buf(messages, &words);
	}
}

bool wk_picture_draw(const struct wk_picture *picture, struct wk_out *out, struct wk_err *err)
{
	const struct wk_view view = {
		.model = picture->model,
		.quality = picture->quality,
		.tree = &picture->tree,
		.full = picture->full.count ? &picture->full : NULL,
		.drawing = picture->drawing,
	};

	if (picture->tree.total_before && picture->colouring && !picture->colours_changes)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the colours of a comparison show what changed; leave out --palette "
			       "and other options for colours");
	return wk_renderer_svg.render(&view, out, err);
}

bool wk_picture_end(struct wk_picture *picture, bool ok, struct wk_err *err)
{
	bool is_saved = !ok || !picture->colour_map ||
			write_map(picture->colouring, picture->colour_map, err);

	wk_picture_fini(picture);
	return is_saved;
}

void wk_picture_fini(struct wk_picture *picture)
{
	wk_tree_fini(&picture->tree);
	wk_tree_fini(&picture->full);
	wk_colouring_free(picture->colouring);
	wk_name_attributes_fini(&picture->attributes);
	*picture = (struct wk_picture){ 0 };
}
