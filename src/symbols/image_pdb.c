/* The PDB of an image: where it lies, and whether it is of the same build. */
#include "symbols/image.h"

#include "base/mem.h"
#include "os/os.h"
#include "symbols/pe.h"

/* The PDB's own name, as it was linked: the last part, whichever slashes it has. */
static struct wk_str name_of(struct wk_str path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.at[i - 1] == '/' || path.at[i - 1] == '\\')
			return wk_str_skip(path, i);
	return path;
}

static void say(struct wk_buf *why, const char *path, const char *what)
{
	wk_buf_add_fmt(why, "%s%s %s", why->len ? "; " : "", path, what);
}

/* True if what lies at `path` is the image's; then it is open. */
static bool try_path(struct wk_image_symbols *image, const char *path)
{
	struct wk_image_debug *places = &image->places;
	struct wk_store_file file = { 0 };
	struct wk_err err = { 0 };

	if (!wk_os_is_there(path))
		return false;
	if (wk_os_open_named(path, &file.bytes, &file.identity, &err))
		places->pdb = wk_pdb_open(file.bytes.at, file.bytes.size_bytes, &err);
	if (!places->pdb) {
		say(&places->reason, path, err.text);
	} else if (!wk_pdb_id_same_build(wk_pdb_id(places->pdb), &image->file.obj->pe->pdb)) {
		say(&places->reason, path, "is of another build");
		wk_pdb_free(places->pdb);
		places->pdb = NULL;
	}
	if (!places->pdb) {
		wk_os_close(&file.bytes);
		return false;
	}
	file.path = wk_strndup(path, strlen(path));
	places->pdb_file = file;
	return true;
}

static bool try_beside(struct wk_image_symbols *image, struct wk_str name, struct wk_buf *path)
{
	struct wk_str folder = wk_str_c(image->file.path);

	folder.len -= wk_str_basename(folder).len;
	wk_buf_reset(path);
	wk_buf_add_str(path, folder);
	wk_buf_add_str(path, name);
	return try_path(image, wk_buf_text(path));
}

/* As it is in a folder, and as symbol stores keep it: NAME/KEY/NAME. */
static bool try_folder(struct wk_image_symbols *image, const char *folder, struct wk_str name,
		       struct wk_buf *path)
{
	wk_buf_reset(path);
	wk_buf_add_fmt(path, "%s/%.*s", folder, WK_STR_ARG(name));
	if (!wk_os_is_folder(wk_buf_text(path)))
		return try_path(image, wk_buf_text(path));
	wk_buf_add_char(path, '/');
	wk_pdb_id_add(path, &image->file.obj->pe->pdb);
	wk_buf_add_fmt(path, "/%.*s", WK_STR_ARG(name));
	return try_path(image, wk_buf_text(path));
}

bool wk_image_open_pdb(struct wk_image_symbols *image)
{
	const struct wk_pe *pe = image->file.obj ? image->file.obj->pe : NULL;
	struct wk_buf path = { 0 };
	struct wk_str name;
	bool found;

	if (image->places.pdb_was_searched)
		return image->places.pdb != NULL;
	image->places.pdb_was_searched = true;
	if (!pe || wk_pdb_id_is_none(&pe->pdb))
		return false;
	name = name_of(pe->pdb_path);
	if (!wk_store_is_name(name))
		return false;
	found = try_beside(image, name, &path);
	for (size_t i = 0; !found && image->owner->debug_dirs && image->owner->debug_dirs[i]; i++)
		found = try_folder(image, image->owner->debug_dirs[i], name, &path);
	wk_buf_fini(&path);
	return found;
}
