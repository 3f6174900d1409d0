/* Debug files, and what they refer to. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/packed/unpack.h"
#include "fetch/store_search.h"

/* Bytes behind a file's last section: the table of sections, and what was added to it. */
#define MOST_UNLISTED ((uint64_t)64 << 20)

static bool try_dirs(struct wk_store_search *s, const char *const *dirs, const char *between,
		     struct wk_str path, const char *suffix)
{
	for (; *dirs; dirs++)
		if (wk_store_try(s, "%s%s%.*s%s", *dirs, between, WK_STR_ARG(path), suffix))
			return true;
	return false;
}

/* In one of the build-id trees: the debug directories' and perf's own. */
static bool try_id(struct wk_store_search *s, const char *const *debug_dirs,
		   const struct wk_build_id *id)
{
	struct wk_buf tree = { 0 }, own = { 0 };
	bool found;

	if (id->size < 2)
		return false;
	wk_store_add_id_path(&tree, id);
	found = try_dirs(s, debug_dirs, "", wk_buf_str(&tree), ".debug") ||
		(wk_store_perf_dir(&own) &&
		 wk_store_try(s, "%s%s/debug", wk_buf_text(&own), wk_buf_text(&tree)));
	WK_BUF_FINI_ALL(&own, &tree);
	return found;
}

/* With the '/' at its end; empty for a file of the working directory. */
static struct wk_str directory_of(const struct wk_store_file *file)
{
	struct wk_str path = wk_str_c(file->path);

	return wk_str_of(path.at, path.len - wk_str_basename(path).len);
}

/* "/proc/12/root" of a file that was found there, otherwise empty. */
static struct wk_str root_of(const struct wk_store_file *file)
{
	struct wk_str path = wk_str_c(file->path);

	return wk_str_of(path.at, path.len - wk_store_without_root(path).len);
}

static bool is_absolute(struct wk_str path)
{
	return wk_str_starts(path, "/");
}

static bool report_other_build(struct wk_store_search *s, const char *path)
{
	return wk_store_report(s, WK_IMAGE_DIFFERS, "%s is of another build", path);
}

/* ---- the debug file, by the image's build id or its link */

struct wanted_debug {
	const struct wk_store_file *image;
	struct wk_str link; /* empty if the image has none */
	uint32_t crc;
};

/* Computing the CRC of a sparse file of many gigabytes would take minutes: a file much longer than
 * its sections is no debug file, whatever its CRC is. */
static bool is_mostly_sections(const struct wk_obj *obj)
{
	uint64_t end = 0, own;

	for (uint32_t i = 0; i < obj->section_count; i++) {
		struct wk_bytes bytes = wk_obj_bytes(obj, &obj->sections[i]);

		own = (uint64_t)wk_bytes_left(&bytes);
		if (own > 0 && obj->sections[i].offset + own > end)
			end = obj->sections[i].offset + own;
	}
	return obj->size_bytes <= end + MOST_UNLISTED;
}

static bool is_debug_file(struct wk_store_search *s, const char *path,
			  const struct wk_store_file *file)
{
	const struct wanted_debug *wanted = s->context;
	const struct wk_build_id *id = &wanted->image->obj->build_id;
	bool fits;

	if (id->size > 0 && file->obj->build_id.size > 0)
		fits = wk_store_same_id(id, &file->obj->build_id);
	else
		fits = wanted->link.len > 0 && is_mostly_sections(file->obj) &&
		       wk_crc32(0, file->bytes.at, file->bytes.size_bytes) == wanted->crc;
	return fits || report_other_build(s, path);
}

/* An unstripped copy may name itself. */
static bool try_link(struct wk_store_search *s, const char *prefix, struct wk_str dir,
		     const char *between)
{
	const struct wanted_debug *wanted = s->context;
	struct wk_str own = wk_str_c(wanted->image->path);
	bool is_own = !*prefix && !*between && wk_str_eq(wk_str_basename(own), wanted->link);

	return !is_own && wk_store_try(s, "%s%.*s%s%.*s", prefix, WK_STR_ARG(dir), between,
				       WK_STR_ARG(wanted->link));
}

static bool try_by_link(struct wk_store_search *s, const struct wanted_debug *wanted,
			const char *const *dirs)
{
	struct wk_str dir = directory_of(wanted->image);

	if (wanted->link.len == 0 || memchr(wanted->link.at, '/', wanted->link.len))
		return false;
	if (try_link(s, "", dir, "") || try_link(s, "", dir, ".debug/"))
		return true;
	for (size_t i = 0; dirs[i]; i++)
		if (try_link(s, dirs[i], wk_store_without_root(dir), "") ||
		    try_link(s, dirs[i], wk_str_c("/"), ""))
			return true;
	return false;
}

bool wk_store_debug(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_store_search s = wk_store_search_of(file, why);
	struct wanted_debug wanted = { .image = image };

	if (!wk_obj_debuglink(image->obj, &wanted.link, &wanted.crc))
		wanted.link.len = 0;
	s.fits = is_debug_file;
	s.context = &wanted;
	return try_id(&s, debug_dirs, &image->obj->build_id) ||
	       try_by_link(&s, &wanted, debug_dirs);
}

/* ---- what images and debug files refer to */

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

/* The path is the one dwz was run with: absolute, or relative to the debug file. If that was found
 * by a link in a build-id tree it is elsewhere, and the system follows the link before "..". */
static bool try_shared_path(struct wk_store_search *s, const struct wk_store_file *debug,
			    const char *const *dirs, struct wk_str path)
{
	struct wk_str base = is_absolute(path) ? root_of(debug) : directory_of(debug);

	return wk_store_try(s, "%.*s%.*s", WK_STR_ARG(base), WK_STR_ARG(path)) ||
	       (is_absolute(path) && base.len && wk_store_try(s, "%.*s", WK_STR_ARG(path))) ||
	       try_dirs(s, dirs, "/.dwz/", wk_str_basename(path), "");
}

static bool is_build(struct wk_store_search *s, const char *path, const struct wk_store_file *file)
{
	return wk_store_same_id(s->context, &file->obj->build_id) || report_other_build(s, path);
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
	return try_id(&s, debug_dirs, &id) || try_shared_path(&s, debug, debug_dirs, path) ||
	       wk_store_report(&s, WK_IMAGE_MISSING,
			       "%s shares debug information with %.*s, which is missing",
			       debug->path, WK_STR_ARG(path));
}

/* Packages usually have no build id. */
static bool may_be_of_image(struct wk_store_search *s, const char *path,
			    const struct wk_store_file *file)
{
	const struct wk_store_file *image = s->context;

	return image->obj->build_id.size == 0 || file->obj->build_id.size == 0 ||
	       wk_store_same_id(&image->obj->build_id, &file->obj->build_id) ||
	       report_other_build(s, path);
}

bool wk_store_package(const struct wk_store_file *image, const struct wk_store_file *debug,
		      const char *const *debug_dirs, struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_store_search s = wk_store_search_of(file, why);
	struct wk_str bare = wk_str_c(debug && debug->path ? debug->path : "");

	s.fits = may_be_of_image;
	s.context = image;
	if (wk_store_try(&s, "%s.dwp", image->path) ||
	    (bare.len && wk_store_try(&s, "%s.dwp", debug->path)))
		return true;
	if (wk_str_ends(bare, ".debug")) {
		bare.len -= strlen(".debug");
		if (wk_store_try(&s, "%.*s.dwp", WK_STR_ARG(bare)))
			return true;
	}
	return try_dirs(&s, debug_dirs, "", wk_store_without_root(wk_str_c(image->path)), ".dwp");
}

/* Below the debug directories, paths are those that the recorded process sees. */
static bool try_split(struct wk_store_search *s, const struct wk_store_file *image,
		      const char *const *debug_dirs, struct wk_str path, struct wk_str name)
{
	struct wk_str beside = directory_of(image), root = root_of(image);
	struct wk_str bare = wk_str_basename(name);

	if (is_absolute(path)) {
		if ((root.len && wk_store_try(s, "%.*s%.*s", WK_STR_ARG(root), WK_STR_ARG(path))) ||
		    wk_store_try(s, "%.*s", WK_STR_ARG(path)) ||
		    try_dirs(s, debug_dirs, "", path, ""))
			return true;
	} else if (wk_store_try(s, "%.*s%.*s", WK_STR_ARG(beside), WK_STR_ARG(path))) {
		return true;
	}
	return (!is_absolute(name) &&
		wk_store_try(s, "%.*s%.*s", WK_STR_ARG(beside), WK_STR_ARG(name))) ||
	       wk_store_try(s, "%.*s%.*s", WK_STR_ARG(beside), WK_STR_ARG(bare)) ||
	       try_dirs(s, debug_dirs, "/", bare, "");
}

bool wk_store_split(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_str directory, struct wk_str name, struct wk_store_file *file,
		    struct wk_buf *why)
{
	struct wk_store_search s = wk_store_search_of(file, why);
	struct wk_buf path = { 0 };
	bool found;

	if (directory.len && !is_absolute(name)) {
		wk_buf_add_str(&path, directory);
		if (!wk_str_ends(directory, "/"))
			wk_buf_add_char(&path, '/');
	}
	wk_buf_add_str(&path, name);
	found = name.len && try_split(&s, image, debug_dirs, wk_buf_str(&path), name);
	wk_buf_fini(&path);
	return found;
}
