#include "formats/archive/parts.h"

#include "base/buf.h"
#include "base/mem.h"

#define MOST_PARTS 8192 /* one a CPU */

char *wk_parts_first(const char *path)
{
	struct wk_buf first = { 0 };

	if (!wk_os_is_folder(path))
		return NULL;
	wk_buf_add_fmt(&first, "%s/data", path);
	if (wk_os_is_there(first.at))
		return first.at;
	wk_buf_fini(&first);
	return NULL;
}

void wk_parts_add(struct wk_parts *parts, const struct wk_os_file *file)
{
	*WK_APPEND(parts->at, parts->count, parts->cap) = (struct wk_part){
		.bytes = wk_file_bytes(file),
		.file = *file,
	};
}

bool wk_parts_open(const char *path, struct wk_parts *parts, struct wk_err *err)
{
	struct wk_buf name = { 0 };
	struct wk_os_file file;
	bool ok = true;

	while (ok && parts->count < MOST_PARTS) {
		wk_buf_reset(&name);
		wk_buf_add_fmt(&name, "%s/data.%zu", path, parts->count);
		if (!wk_os_is_there(wk_buf_text(&name)))
			break;
		ok = wk_os_open_named(wk_buf_text(&name), &file, NULL, err);
		if (ok)
			wk_parts_add(parts, &file);
	}
	wk_buf_fini(&name);
	return ok;
}

void wk_parts_close(struct wk_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		wk_os_close(&parts->at[i].file);
	wk_free(parts->at);
	*parts = (struct wk_parts){ 0 };
}
