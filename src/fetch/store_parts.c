/* Where the parts of debug information are that lie outside the debug file. */
#include "fetch/store_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/packed/unpack.h"

bool wk_store_minidebug(const struct wk_store_file *image, struct wk_store_file *file,
			struct wk_buf *why)
{
	const struct wk_obj_section *section = wk_obj_section(image->obj, ".gnu_debugdata");
	struct wk_err err = { 0 };
	struct wk_buf path = { 0 };

	*file = (struct wk_store_file){ 0 };
	if (!section)
		return false;
	wk_buf_reset(why);
	if (wk_unpack(wk_obj_bytes(image->obj, section), &file->plain, &err))
		file->obj = wk_obj_parse(file->plain.at, file->plain.len, &err);
	if (!file->obj) {
		wk_store_close(file);
		wk_buf_add_fmt(why, "%s: .gnu_debugdata: %s", image->path, err.text);
		return false;
	}
	wk_buf_add_fmt(&path, "%s (.gnu_debugdata)", image->path);
	file->path = wk_strndup(wk_buf_text(&path), path.len);
	wk_buf_fini(&path);
	return true;
}

/* A candidate: four pieces, one behind the other. */
static bool try_pieces(struct wk_store_search *s, struct wk_str a, struct wk_str b,
		       const char *between, struct wk_str c)
{
	struct wk_buf path = { 0 };
	bool found;

	wk_buf_add_str(&path, a);
	wk_buf_add_str(&path, b);
	wk_buf_add_text(&path, between);
	wk_buf_add_str(&path, c);
	found = !memchr(wk_buf_text(&path), '\0', path.len) && wk_store_try(s, wk_buf_text(&path));
	wk_buf_fini(&path);
	return found;
}

/* With the '/' at its end; empty for a file of the working directory. */
static struct wk_str directory_of(const struct wk_store_file *file)
{
	struct wk_str path = wk_str_c(file->path);

	return wk_str_of(path.at, path.len - wk_str_basename(path).len);
}

/* "/proc/12/root" of a file that was found there, else empty. */
static struct wk_str root_of(const struct wk_store_file *file)
{
	struct wk_str path = wk_str_c(file->path);

	return wk_str_of(path.at, path.len - wk_store_without_root(path).len);
}

static bool is_absolute(struct wk_str path)
{
	return wk_str_starts(path, "/");
}

/* The path is the one that dwz was told: absolute, or from where the debug file lies. A debug
 * file found by a link in a build-id tree lies elsewhere than its path says, and the system
 * follows that link before "..". */
static bool try_shared_path(struct wk_store_search *s, const struct wk_store_file *debug,
			    const char *const *dirs, struct wk_str path)
{
	struct wk_str none = { "", 0 };

	if (is_absolute(path)) {
		if (root_of(debug).len && try_pieces(s, root_of(debug), path, "", none))
			return true;
		if (try_pieces(s, path, none, "", none))
			return true;
	} else if (try_pieces(s, directory_of(debug), path, "", none)) {
		return true;
	}
	for (size_t i = 0; dirs[i]; i++)
		if (try_pieces(s, wk_str_c(dirs[i]), none, "/.dwz/", wk_str_basename(path)))
			return true;
	return false;
}

/* The one build that is wanted. */
static bool is_build(const void *context, const struct wk_store_file *file)
{
	return wk_store_same_id(context, &file->obj->build_id);
}

bool wk_store_alternate(const struct wk_store_file *debug, const char *const *debug_dirs,
			struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_store_search s = wk_store_search_of(file, why);
	struct wk_build_id id;
	struct wk_str path;

	if (!wk_obj_debugaltlink(debug->obj, &path, &id))
		return false;
	s.fits = is_build;
	s.context = &id;
	if (wk_store_try_id(&s, debug_dirs, &id) || try_shared_path(&s, debug, debug_dirs, path))
		return true;
	if (why->len == 0)
		wk_buf_add_fmt(why, "%s shares debug information with %.*s, which is not there",
			       debug->path, WK_STR_ARG(path));
	return false;
}

/* A package carries no build id as a rule; one that has another than the image is not its. */
static bool may_be_of_image(const void *context, const struct wk_store_file *file)
{
	const struct wk_store_file *image = context;

	return image->obj->build_id.size == 0 || file->obj->build_id.size == 0 ||
	       wk_store_same_id(&image->obj->build_id, &file->obj->build_id);
}

static bool try_package(struct wk_store_search *s, struct wk_str dir, struct wk_str path)
{
	return try_pieces(s, dir, path, ".dwp", (struct wk_str){ "", 0 });
}

bool wk_store_package(const struct wk_store_file *image, const struct wk_store_file *debug,
		      const char *const *debug_dirs, struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_store_search s = wk_store_search_of(file, why);
	struct wk_str none = { "", 0 }, path = wk_str_c(image->path), bare;

	s.fits = may_be_of_image;
	s.context = image;
	if (try_package(&s, none, path))
		return true;
	if (debug && debug->path) {
		bare = wk_str_c(debug->path);
		if (try_package(&s, none, bare))
			return true;
		if (wk_str_ends(bare, ".debug")) {
			bare.len -= strlen(".debug");
			if (try_package(&s, none, bare))
				return true;
		}
	}
	for (size_t i = 0; debug_dirs[i]; i++)
		if (try_package(&s, wk_str_c(debug_dirs[i]), wk_store_without_root(path)))
			return true;
	return false;
}

/* Below a debug directory, paths are those that the recorded process sees. */
static bool try_below(struct wk_store_search *s, const char *const *dirs, struct wk_str directory,
		      const char *between, struct wk_str name)
{
	for (size_t i = 0; dirs[i]; i++)
		if (try_pieces(s, wk_str_c(dirs[i]), directory, between, name))
			return true;
	return false;
}

bool wk_store_split(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_str directory, struct wk_str name, struct wk_store_file *file,
		    struct wk_buf *why)
{
	struct wk_store_search s = wk_store_search_of(file, why);
	struct wk_str none = { "", 0 }, beside = directory_of(image), root = root_of(image);
	const char *slash = wk_str_ends(directory, "/") ? "" : "/";

	if (name.len == 0)
		return false;
	if (is_absolute(name)) {
		directory = none;
		slash = "";
	}
	if (is_absolute(name) || is_absolute(directory)) {
		if ((root.len && try_pieces(&s, root, directory, slash, name)) ||
		    try_pieces(&s, none, directory, slash, name) ||
		    try_below(&s, debug_dirs, directory, slash, name))
			return true;
	} else if (try_pieces(&s, beside, directory, directory.len ? slash : "", name)) {
		return true;
	}
	return (!is_absolute(name) && try_pieces(&s, beside, none, "", name)) ||
	       try_pieces(&s, beside, none, "", wk_str_basename(name)) ||
	       try_below(&s, debug_dirs, none, "/", wk_str_basename(name));
}
