#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/remote_internal.h"
#include "fetch/remote_misses.h"
#include "os/folder.h"
#include "symbols/cache/cache.h"

#define ASKED ".asked"

static bool read_word(struct wk_str *rest, const char *word)
{
	if (!wk_str_starts(*rest, word))
		return false;
	*rest = wk_str_skip(*rest, strlen(word));
	return true;
}

/* ID.debuginfo and ID.executable; of Windows programs ID.pdb, ID.sym and ID.image. In front of
 * `rest` of their names others lie beside them: what is remembered of servers, and what killed
 * writers left. */
static bool read_name_of_kept(struct wk_str *rest)
{
	static const char *const words[] = {
		".debuginfo", ".executable", ".pdb", ".sym", ".image" };
	size_t digits = 0;

	while (digits < rest->len && rest->at[digits] &&
	       strchr("0123456789abcdef", rest->at[digits]))
		digits++;
	*rest = wk_str_skip(*rest, digits);
	for (size_t i = 0; digits > 0 && i < sizeof(words) / sizeof(words[0]); i++)
		if (read_word(rest, words[i]))
			return true;
	return false;
}

static bool is_kept(const char *name)
{
	struct wk_str rest = wk_str_c(name);

	return read_name_of_kept(&rest) && rest.len == 0;
}

/* People may keep other files there, too. */
static bool is_ours(const struct wk_os_folder_file *file)
{
	struct wk_str rest = wk_str_c(file->name);

	if (file->is_left_behind)
		return true;
	return read_name_of_kept(&rest) &&
	       (rest.len == 0 || wk_str_is(rest, ASKED) || wk_str_ends(rest, ".tmp"));
}

struct look {
	bool (*take)(void *context, const struct wk_remote_cached *kept);
	void *context;
};

static bool read_kept(void *context, const struct wk_os_folder_file *file)
{
	const struct look *look = context;

	if (!is_kept(file->name))
		return true;
	return look->take(look->context, &(struct wk_remote_cached){
		.name = file->name,
		.size_bytes = file->size_bytes,
		.fetched_ns = file->changed_ns,
	});
}

/* NULL, and no fault, where nothing was ever fetched. */
static struct wk_os_folder *open_folder(const char *path)
{
	char *usual = path ? NULL : wk_remote_usual_folder();
	struct wk_os_folder *folder = NULL;

	if (path || usual)
		folder = wk_os_folder_open(path ? path : usual, false, NULL);
	wk_free(usual);
	return folder;
}

bool wk_remote_each_cached(const char *path,
			   bool (*take)(void *context, const struct wk_remote_cached *kept),
			   void *context, struct wk_err *err)
{
	struct wk_os_folder *folder = open_folder(path);
	struct look look = { take, context };
	bool ok = !folder || wk_os_folder_each(folder, read_kept, &look, err);

	wk_os_folder_close(folder);
	return ok;
}

/* The names first: a folder is not to change while it is read. */
struct names {
	char **at;
	size_t count, cap;
	uint64_t files, bytes;
};

static bool read_name(void *context, const struct wk_os_folder_file *file)
{
	struct names *names = context;

	if (!is_ours(file))
		return true;
	names->at = wk_grow(names->at, &names->cap, names->count + 1, sizeof(*names->at));
	names->at[names->count++] = wk_strndup(file->name, strlen(file->name));
	if (is_kept(file->name)) {
		names->files++;
		names->bytes += file->size_bytes;
	}
	return true;
}

bool wk_remote_clear(const char *path, uint64_t *files, uint64_t *bytes, struct wk_err *err)
{
	struct wk_os_folder *folder = open_folder(path);
	struct names names = { 0 };
	bool ok = !folder || wk_os_folder_each(folder, read_name, &names, err);

	for (size_t i = 0; i < names.count; i++) {
		if (ok && !wk_os_folder_remove(folder, names.at[i]))
			ok = wk_fail(err, WK_EIO, WK_NOWHERE, "cannot remove %s", names.at[i]);
		wk_free(names.at[i]);
	}
	wk_free(names.at);
	wk_os_folder_close(folder);
	*files = ok ? names.files : 0;
	*bytes = ok ? names.bytes : 0;
	return ok;
}

/* What the disk gives to a few lines. */
#define MEMORY_BYTES 4096

struct kept_file {
	char *name;
	uint64_t size_bytes, used_ns;
	bool is_worthless;
};

struct kept_files {
	struct kept_file *at;
	size_t count, cap;
	uint64_t size_bytes, now_ns;
};

/* What is only remembered is worth nothing when it holds no more. */
static bool is_worthless(const struct kept_files *kept, const struct wk_os_folder_file *file,
			 bool is_memory)
{
	uint64_t held_until_ns = file->changed_ns + WK_REMOTE_MEMORY_SECONDS * UINT64_C(1000000000);

	return file->is_left_behind || (is_memory && held_until_ns < kept->now_ns);
}

static bool read_file(void *context, const struct wk_os_folder_file *file)
{
	struct kept_files *kept = context;
	bool is_memory = wk_str_ends(wk_str_c(file->name), ASKED);
	struct kept_file taken = {
		.size_bytes = is_memory ? MEMORY_BYTES : file->size_bytes,
		.used_ns = file->used_ns,
		.is_worthless = is_worthless(kept, file, is_memory),
	};

	if (!is_ours(file))
		return true;
	taken.name = wk_strndup(file->name, strlen(file->name));
	kept->at = wk_grow(kept->at, &kept->cap, kept->count + 1, sizeof(*kept->at));
	kept->at[kept->count++] = taken;
	kept->size_bytes += taken.size_bytes;
	return true;
}

static int oldest_first(const void *left, const void *right)
{
	const struct kept_file *a = left, *b = right;

	if (a->is_worthless != b->is_worthless)
		return a->is_worthless ? -1 : 1;
	if (a->used_ns != b->used_ns)
		return a->used_ns < b->used_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

void wk_remote_trim(const char *path, const char *newest, uint64_t most_bytes)
{
	struct wk_os_folder *folder = wk_os_folder_open(path, false, NULL);
	struct kept_files kept = { .now_ns = wk_os_wall_ns() };

	if (folder)
		wk_os_folder_each(folder, read_file, &kept, NULL);
	if (kept.count > 0)
		qsort(kept.at, kept.count, sizeof(*kept.at), oldest_first);
	for (size_t i = 0; i < kept.count; i++) {
		struct kept_file *file = &kept.at[i];

		if ((file->is_worthless || kept.size_bytes > most_bytes) &&
		    strcmp(file->name, newest) != 0 && wk_os_folder_remove(folder, file->name))
			kept.size_bytes -= file->size_bytes;
		wk_free(file->name);
	}
	wk_free(kept.at);
	wk_os_folder_close(folder);
}

void wk_remote_trim_default(const char *folder, const char *newest)
{
	struct wk_buf complaint = { 0 }; /* that of the symbol cache is enough */

	wk_remote_trim(folder, newest ? newest : "", wk_cache_usual_bytes(&complaint));
	wk_buf_fini(&complaint);
}
