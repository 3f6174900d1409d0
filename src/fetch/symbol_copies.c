/* Copies of what was found: in the caches of the path, as stores keep files, and in wick's own
 * folder. */
#include "fetch/symbol_files_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "os/folder.h"

struct wk_str wk_symbol_cache_at(const struct wk_symbol_files *files, size_t place, size_t n)
{
	const struct wk_symbol_path *path = &files->path;
	struct wk_str cache = path->caches[path->places[place].first_cache + n];

	return wk_os_has_drives() || !wk_str_is_windows_path(cache) ? cache : wk_str_c("");
}

static const char *own_kind(const struct wk_symbol_search *s)
{
	if (!wk_symbol_wants_pdb(s->want))
		return ".image";
	return s->found->breakpad ? ".sym" : ".pdb";
}

/* Where a copy lies in a store. */
static bool place_in(struct wk_symbol_search *s, struct wk_str cache, struct wk_buf *path)
{
	struct wk_symbol_place store = {
		.kind = WK_SYMBOL_STORE, .where = cache,
		.is_windows = wk_str_is_windows_path(cache) };
	struct wk_symbol_spot spot = { 0 };
	bool is_text = s->found->breakpad != NULL, found = false;

	store.tiers =
		wk_symbol_is_three_tiered(&store) ? WK_SYMBOL_THREE_TIERS : WK_SYMBOL_TWO_TIERS;
	for (size_t n = 0; !found && wk_symbol_spot(&store, &s->wish, n, &spot); n++)
		found = spot.kind == (is_text ? WK_SYMBOL_SPOT_BREAKPAD : WK_SYMBOL_SPOT_FILE);
	wk_buf_reset(path);
	wk_buf_add_str(path, wk_buf_str(&spot.path));
	wk_buf_fini(&spot.path);
	return found;
}

static bool make_folder_of(const char *path, struct wk_err *err)
{
	size_t len = strlen(path) - wk_str_basename(wk_str_c(path)).len;
	char *folder = wk_strndup(path, len > 1 ? len - 1 : len);
	bool ok = wk_os_folder_make(folder, err);

	wk_free(folder);
	return ok;
}

static bool write_copy(const char *path, struct wk_str bytes, struct wk_err *err)
{
	struct wk_os_keep keep;
	bool ok;

	if (!wk_os_keep_open(&keep, path, err))
		return false;
	ok = wk_os_write(keep.fd, bytes.at, bytes.len) ||
	     wk_fail_os(err, errno, "cannot write %s", path);
	return wk_os_keep_end(&keep, ok) ? ok : wk_fail_os(err, errno, "cannot keep %s", path);
}

static void note_newest(struct wk_symbol_search *s, const char *path)
{
	struct wk_str name = wk_str_basename(wk_str_c(path));

	wk_free(s->newest);
	s->newest = wk_strndup(name.at, name.len);
}

static bool copy_to_own(struct wk_symbol_search *s, struct wk_buf *path, struct wk_err *err)
{
	if (!wk_symbol_files_folder(s->files, true))
		return wk_fail(err, WK_EIO, WK_NOWHERE, "%s", s->files->no_folder.text);
	wk_buf_reset(path);
	wk_buf_add_fmt(path, "%s%s", wk_buf_text(&s->own), own_kind(s));
	if (!write_copy(wk_buf_text(path), wk_symbol_found_bytes(s->found), err))
		return false;
	note_newest(s, wk_buf_text(path));
	return true;
}

static bool copy_to(struct wk_symbol_search *s, struct wk_str cache, struct wk_buf *path,
		    struct wk_err *err)
{
	if (wk_symbol_is_own(s->files, cache))
		return copy_to_own(s, path, err);
	return place_in(s, cache, path) && make_folder_of(wk_buf_text(path), err) &&
	       write_copy(wk_buf_text(path), wk_symbol_found_bytes(s->found), err);
}

/* It is of use all the same, but what a server sent costs as much the next time. */
static void note_no_copy(struct wk_symbol_search *s, size_t place, const struct wk_err *err)
{
	const struct wk_symbol_files *files = s->files;
	bool is_server = files->path.places[place].kind == WK_SYMBOL_SERVER;
	struct wk_buf text = { 0 };

	if (is_server && strcmp(err->text, files->no_folder.text) == 0)
		wk_fetch_quota_add_remark(&text, err);
	else
		wk_buf_add_text(&text, err->text);
	if (err->text[0])
		wk_symbol_note_complaint(s, place, wk_buf_text(&text));
	wk_buf_fini(&text);
}

void wk_symbol_keep(struct wk_symbol_search *s, size_t place, struct wk_buf *path)
{
	const struct wk_symbol_place *from = &s->files->path.places[place];
	struct wk_buf copy = { 0 };
	struct wk_err err = { 0 };

	wk_buf_reset(path);
	for (size_t n = from->cache_count; n-- > 0; err = (struct wk_err){ 0 }) {
		struct wk_str cache = wk_symbol_cache_at(s->files, place, n);

		if (cache.len && copy_to(s, cache, &copy, &err)) {
			wk_buf_reset(path);
			wk_buf_add_str(path, wk_buf_str(&copy));
		}
		note_no_copy(s, place, &err);
	}
	if (path->len == 0 && (from->kind == WK_SYMBOL_SERVER || s->found->file.plain.len) &&
	    !copy_to_own(s, path, &err)) {
		wk_buf_reset(path);
		if (from->kind == WK_SYMBOL_SERVER)
			note_no_copy(s, place, &err);
	}
	wk_buf_fini(&copy);
}

void wk_symbol_use_copy(struct wk_symbol_search *s, const struct wk_buf *path)
{
	struct wk_symbol_found unpacked = *s->found;

	if (unpacked.file.plain.len == 0 || path->len == 0)
		return;
	if (wk_symbol_use_file(s, wk_buf_text(path), NULL))
		wk_symbol_found_close(&unpacked);
	else
		*s->found = unpacked;
}
