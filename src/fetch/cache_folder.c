#include "fetch/cache_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/misses.h"
#include "os/folder.h"
#include "os/os.h"

#define MISSES_BYTES 4096 /* that a few lines occupy on disk */

struct file {
	char *name;
	uint64_t size_bytes, changed_ns, used_ns;
	bool is_fetched; /* not what accompanies a fetched file */
	bool is_misses, is_left_behind;
};

struct files {
	struct file *at;
	size_t count, cap;
	uint64_t size_bytes;
};

char *wk_fetch_cache_default(struct wk_err *err)
{
	const char *own = wk_os_env("WICK_CACHE_DIR");
	char *cache = !own ? wk_os_cache_folder() : own[0] ? wk_os_absolute(own) : NULL;
	struct wk_buf path = { 0 };

	if (!cache) {
		wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "%s",
			own ? "WICK_CACHE_DIR is empty" : "no variable HOME says where");
		return NULL;
	}
	wk_buf_add_fmt(&path, "%s/remote", cache);
	wk_buf_text(&path);
	wk_free(cache);
	return path.at;
}

/* What follows the key and the kind in the name; false if it is the name of another file. */
static bool read_name(const char *name, struct wk_str *rest)
{
	static const char *const kinds[] = {
		".debuginfo", ".executable", ".pdb", ".sym", ".image" };
	size_t digits = strspn(name, "0123456789abcdef");

	for (size_t i = 0; digits > 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		*rest = wk_str_c(name + digits);
		if (wk_str_starts(*rest, kinds[i])) {
			*rest = wk_str_skip(*rest, strlen(kinds[i]));
			return true;
		}
	}
	return false;
}

/* Users may keep other files there. */
static bool add_file(void *context, const struct wk_os_folder_file *found)
{
	struct files *files = context;
	struct wk_str rest = { 0 };
	bool is_ours = read_name(found->name, &rest);
	struct file file = {
		.size_bytes = found->size_bytes,
		.changed_ns = found->changed_ns,
		.used_ns = found->used_ns,
		.is_fetched = is_ours && rest.len == 0,
		.is_misses = is_ours && wk_str_is(rest, WK_FETCH_MISSES_SUFFIX),
		.is_left_behind =
			found->is_left_behind || (is_ours && wk_str_ends(rest, ".tmp")),
	};

	if (!file.is_fetched && !file.is_misses && !file.is_left_behind)
		return true;
	if (file.is_misses)
		file.size_bytes = MISSES_BYTES;
	file.name = wk_strndup(found->name, strlen(found->name));
	*WK_APPEND(files->at, files->count, files->cap) = file;
	files->size_bytes += file.size_bytes;
	return true;
}

/* A folder must not change while it is read, so all names are collected first. NULL, with no
 * fault, if nothing was ever fetched. */
static struct wk_os_folder *open_folder(const char *path, struct files *files, bool *ok,
					struct wk_err *err)
{
	char *usual = path ? NULL : wk_fetch_cache_default(NULL);
	struct wk_os_folder *folder = NULL;

	if (path || usual)
		folder = wk_os_folder_open(path ? path : usual, false, NULL);
	wk_free(usual);
	*ok = !folder || wk_os_folder_each(folder, add_file, files, err);
	return folder;
}

static void close_folder(struct wk_os_folder *folder, struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		wk_free(files->at[i].name);
	wk_free(files->at);
	wk_os_folder_close(folder);
}

bool wk_fetch_cache_each(const char *path,
			 bool (*take)(void *context, const struct wk_fetch_cached *file),
			 void *context, struct wk_err *err)
{
	struct files files = { 0 };
	bool ok, goes_on = true;
	struct wk_os_folder *folder = open_folder(path, &files, &ok, err);

	for (size_t i = 0; ok && goes_on && i < files.count; i++) {
		const struct file *file = &files.at[i];

		if (file->is_fetched)
			goes_on = take(context, &(struct wk_fetch_cached){
				.name = file->name, .size_bytes = file->size_bytes,
				.fetched_ns = file->changed_ns });
	}
	close_folder(folder, &files);
	return ok;
}

bool wk_fetch_cache_clear(const char *path, uint64_t *count, uint64_t *bytes, struct wk_err *err)
{
	struct files files = { 0 };
	bool ok;
	struct wk_os_folder *folder = open_folder(path, &files, &ok, err);

	*count = *bytes = 0;
	for (size_t i = 0; ok && i < files.count; i++) {
		const struct file *file = &files.at[i];

		if (!wk_os_folder_remove(folder, file->name))
			ok = wk_fail(err, WK_EIO, WK_NOWHERE, "cannot remove %s", file->name);
		*count += ok && file->is_fetched;
		*bytes += ok && file->is_fetched ? file->size_bytes : 0;
	}
	close_folder(folder, &files);
	return ok;
}

/* Expired misses have no value. */
static bool is_worthless(const struct file *file)
{
	uint64_t until_ns = file->changed_ns + WK_MISS_SECONDS * UINT64_C(1000000000);

	return file->is_left_behind || (file->is_misses && until_ns < wk_os_wall_ns());
}

static int longest_unused_first(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	if (a->used_ns != b->used_ns)
		return a->used_ns < b->used_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void remove_file(struct wk_os_folder *folder, struct files *files, struct file *file,
			const char *newest)
{
	if (newest && strcmp(file->name, newest) == 0)
		return;
	if (file->size_bytes != UINT64_MAX && wk_os_folder_remove(folder, file->name)) {
		files->size_bytes -= file->size_bytes;
		file->size_bytes = UINT64_MAX; /* it is gone */
	}
}

void wk_fetch_cache_trim(const char *path, const char *newest, uint64_t most_bytes)
{
	struct files files = { 0 };
	bool ok;
	struct wk_os_folder *folder = open_folder(path, &files, &ok, NULL);

	if (files.count > 0)
		qsort(files.at, files.count, sizeof(*files.at), longest_unused_first);
	for (size_t i = 0; i < files.count; i++)
		if (is_worthless(&files.at[i]))
			remove_file(folder, &files, &files.at[i], newest);
	for (size_t i = 0; i < files.count && files.size_bytes > most_bytes; i++)
		remove_file(folder, &files, &files.at[i], newest);
	close_folder(folder, &files);
}
