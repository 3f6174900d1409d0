/* Recordings that are folders: a file that begins them and says what they are, and parts that
 * hold no more than records. `perf record --threads` makes such: data, data.0, data.1 ... */
#ifndef WK_FORMATS_ARCHIVE_PARTS_H
#define WK_FORMATS_ARCHIVE_PARTS_H

#include "base/bytes.h"
#include "base/err.h"
#include "os/os.h"

struct wk_part {
	struct wk_bytes bytes;
	struct wk_os_file file;
};

struct wk_parts {
	struct wk_part *at;
	size_t count, cap;
};

/* The path of the file that begins the recording `path`, for the caller to free; NULL where
 * `path` is no folder with such a file. */
char *wk_parts_first(const char *path);

/* Opens data.0 and so on, up to the first that is not there. */
bool wk_parts_open(const char *path, struct wk_parts *parts, struct wk_err *err);

/* Adds one that was opened, which is theirs from then on. */
void wk_parts_add(struct wk_parts *parts, const struct wk_os_file *file);
void wk_parts_close(struct wk_parts *parts);

#endif
