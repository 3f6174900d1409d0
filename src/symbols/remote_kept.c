#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/folder.h"
#include "symbols/remote_internal.h"

#define ASKED ".asked"

struct look {
	bool (*take)(void *context, const struct wk_remote_kept *kept);
	void *context;
};

static bool take_kept(void *context, const struct wk_os_folder_file *file)
{
	const struct look *look = context;

	if (wk_str_ends(wk_str_c(file->name), ASKED) || file->is_left_behind)
		return true;
	return look->take(look->context, &(struct wk_remote_kept){
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
	free(usual);
	return folder;
}

bool wk_remote_each_kept(const char *path,
			 bool (*take)(void *context, const struct wk_remote_kept *kept),
			 void *context, struct wk_err *err)
{
	struct wk_os_folder *folder = open_folder(path);
	struct look look = { take, context };
	bool ok = !folder || wk_os_folder_each(folder, take_kept, &look, err);

	wk_os_folder_close(folder);
	return ok;
}

/* The names first: a folder is not to change while it is read. */
struct names {
	char **at;
	size_t count, cap;
	uint64_t files, bytes;
};

static bool take_name(void *context, const struct wk_os_folder_file *file)
{
	struct names *names = context;

	names->at = wk_grow(names->at, &names->cap, names->count + 1, sizeof(*names->at));
	names->at[names->count++] = wk_strndup(file->name, strlen(file->name));
	if (!wk_str_ends(wk_str_c(file->name), ASKED)) {
		names->files++;
		names->bytes += file->size_bytes;
	}
	return true;
}

bool wk_remote_clear(const char *path, uint64_t *files, uint64_t *bytes, struct wk_err *err)
{
	struct wk_os_folder *folder = open_folder(path);
	struct names names = { 0 };
	bool ok = !folder || wk_os_folder_each(folder, take_name, &names, err);

	for (size_t i = 0; i < names.count; i++) {
		if (ok && !wk_os_folder_remove(folder, names.at[i]))
			ok = wk_fail(err, WK_EIO, WK_NOWHERE, "cannot remove %s", names.at[i]);
		free(names.at[i]);
	}
	free(names.at);
	wk_os_folder_close(folder);
	*files = ok ? names.files : 0;
	*bytes = ok ? names.bytes : 0;
	return ok;
}
