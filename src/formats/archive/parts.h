/* Recordings that are folders: a first file that identifies them, and parts with only records.
 * `perf record --threads` writes such folders: data, data.0, data.1 ... */
#ifndef WK_FORMATS_ARCHIVE_PARTS_H
#define WK_FORMATS_ARCHIVE_PARTS_H

#include "base/bytes.h"
#include "base/err.h"
#include "os/os.h"

struct wk_part {
	struct wk_bytes bytes;
	struct wk_os_file file;
};

/* The bytes of an open file, which may be empty. */
static inline struct wk_bytes wk_file_bytes(const struct wk_os_file *file)
{
	return wk_bytes_of(file->at ? (const void *)file->at : "", file->size_bytes);
}

struct wk_parts {
	struct wk_part *at;
	size_t count, cap;
};

/* The path of the first file of the recording `path`, for the caller to free; NULL if `path` is not
 * a folder with such a file. */
char *wk_parts_first(const char *path);

/* Opens data.0 and so on, up to the first that is not there. */
bool wk_parts_open(const char *path, struct wk_parts *parts, struct wk_err *err);

/* Adds one that was opened, which is theirs from then on. */
void wk_parts_add(struct wk_parts *parts, const struct wk_os_file *file);
void wk_parts_close(struct wk_parts *parts);

#endif
