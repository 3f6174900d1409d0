/* Where the debug file of an image is: by its build id, or by the link that it has. */
#include <string.h>

#include "base/hash.h"
#include "fetch/store_search.h"

/* Bytes behind a file's last section: the table of sections, and what was added to it. */
#define MOST_UNTOLD ((uint64_t)64 << 20)

/* What is known of the debug file that is looked for. */
struct wanted {
	const struct wk_store_file *image;
	struct wk_str link; /* empty where the image has none */
	uint32_t crc;
};

/* A file whose tables tell of far less than it has is no debug file, though its sum may be had
 * right: it costs nothing on disk to be thousands of gigabytes long. */
static bool is_reported_of(const struct wk_obj *obj)
{
	uint64_t end = 0, own;

	for (uint32_t i = 0; i < obj->section_count; i++) {
		struct wk_bytes bytes = wk_obj_bytes(obj, &obj->sections[i]);

		own = (uint64_t)wk_bytes_left(&bytes);
		if (own > 0 && obj->sections[i].offset + own > end)
			end = obj->sections[i].offset + own;
	}
	return obj->size_bytes <= end + MOST_UNTOLD;
}

static bool fits(const void *context, const struct wk_store_file *file)
{
	const struct wanted *wanted = context;
	const struct wk_build_id *ours = &wanted->image->obj->build_id;

	if (ours->size > 0 && file->obj->build_id.size > 0)
		return wk_store_same_id(ours, &file->obj->build_id);
	return wanted->link.len > 0 && is_reported_of(file->obj) &&
	       wk_crc32(0, file->bytes.at, file->bytes.size_bytes) == wanted->crc;
}

/* One candidate of the link: PREFIX, the image's directory, BETWEEN, the link's name. */
static bool try_link(struct wk_store_search *search, const struct wanted *wanted,
		     const char *prefix, struct wk_str dir, const char *between)
{
	struct wk_buf path = { 0 };
	bool found;

	wk_buf_add_text(&path, prefix);
	wk_buf_add_str(&path, dir);
	wk_buf_add_text(&path, between);
	wk_buf_add_str(&path, wanted->link);
	/* An unstripped copy may name itself. */
	found = strcmp(wk_buf_text(&path), wanted->image->path) != 0 &&
		wk_store_try(search, wk_buf_text(&path));
	wk_buf_fini(&path);
	return found;
}

static bool try_by_link(struct wk_store_search *search, const struct wanted *wanted,
			const char *const *dirs)
{
	struct wk_str path = wk_str_c(wanted->image->path), dir;

	if (wanted->link.len == 0 || memchr(wanted->link.at, '/', wanted->link.len))
		return false;
	dir = wk_str_of(path.at, path.len - wk_str_basename(path).len);
	if (try_link(search, wanted, "", dir, "") || try_link(search, wanted, "", dir, ".debug/"))
		return true;
	for (size_t i = 0; dirs[i]; i++)
		if (try_link(search, wanted, dirs[i], wk_store_without_root(dir), "") ||
		    try_link(search, wanted, dirs[i], wk_str_c("/"), ""))
			return true;
	return false;
}

bool wk_store_debug(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_store_search search = wk_store_search_of(file, why);
	struct wanted wanted = { .image = image };

	if (!wk_obj_debuglink(image->obj, &wanted.link, &wanted.crc))
		wanted.link.len = 0;
	search.fits = fits;
	search.context = &wanted;
	return wk_store_try_id(&search, debug_dirs, &image->obj->build_id) ||
	       try_by_link(&search, &wanted, debug_dirs);
}
