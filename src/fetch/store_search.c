#include "fetch/store_search.h"

struct wk_store_search wk_store_search_of(struct wk_store_file *file, struct wk_buf *why)
{
	*file = (struct wk_store_file){ 0 };
	wk_buf_reset(why);
	return (struct wk_store_search){ .file = file, .why = why };
}

bool wk_store_try(struct wk_store_search *search, const char *path)
{
	struct wk_store_file file;
	struct wk_err err = { 0 };

	if (path[0] == '\0')
		return false;
	if (!wk_store_open(path, &file, &err)) {
		if (err.code != WK_ENOTFOUND && search->why->len == 0)
			wk_buf_add_text(search->why, err.text);
		return false;
	}
	if (search->fits && !search->fits(search->context, &file)) {
		wk_buf_reset(search->why);
		wk_buf_add_fmt(search->why, "%s is of another build", path);
		wk_store_close(&file);
		return false;
	}
	*search->file = file;
	wk_buf_reset(search->why);
	return true;
}

bool wk_store_try_id(struct wk_store_search *search, const char *const *debug_dirs,
		     const struct wk_build_id *id)
{
	struct wk_buf path = { 0 }, own = { 0 };
	bool found = false;

	if (id->size < 2)
		return false;
	for (size_t i = 0; debug_dirs[i] && !found; i++) {
		wk_store_id_path(&path, debug_dirs[i], id, ".debug");
		found = wk_store_try(search, wk_buf_text(&path));
	}
	if (!found && wk_store_perf_dir(&own)) {
		wk_store_id_path(&path, wk_buf_text(&own), id, "/debug");
		found = wk_store_try(search, wk_buf_text(&path));
	}
	wk_buf_fini(&own);
	wk_buf_fini(&path);
	return found;
}
