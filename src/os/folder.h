/* A folder of the user's own, for files that only wick writes and reads.
 *
 * It and its files are used only where they are this user's and nobody else can write them: what
 * somebody else planted (a folder in /tmp, a link) is as if it were not there. A file takes its
 * place whole or not at all, and what a killed writer left behind is known to be left behind,
 * since a living one holds a lock on it. Names hold no '/'.
 *
 * Order of calls: open, map, write, each ... as often as wished, close. */
#ifndef WK_OS_FOLDER_H
#define WK_OS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "os/os.h"

struct wk_os_folder;

/* The path as it is from anywhere, on the heap: links stay, nothing need be there. */
char *wk_os_absolute(const char *path);

/* $XDG_CACHE_HOME/wick, or ~/.cache/wick, or %LOCALAPPDATA%\wick; on the heap, NULL where no
 * variable says. */
char *wk_os_cache_folder(void);

/* Makes a folder with those above it, for this user alone; true where there is one. */
bool wk_os_folder_make(const char *path, struct wk_err *err);

/* NULL where it is not there or not to be trusted. With `may_make` it is made, with those above
 * it, for this user alone. */
struct wk_os_folder *wk_os_folder_open(const char *path, bool may_make, struct wk_err *err);
void wk_os_folder_close(struct wk_os_folder *folder);

/* A file's bytes, ended by wk_os_close, and when it was changed or touched last. False where
 * there is no such file of ours. */
bool wk_os_folder_map(struct wk_os_folder *folder, const char *name, struct wk_os_file *file,
		      uint64_t *changed_ns);

/* The pieces, one behind the other, in the place of what was there. */
bool wk_os_folder_write(struct wk_os_folder *folder, const char *name, const struct wk_str *pieces,
			size_t count, struct wk_err *err);

/* Sets the time of a file to now; it is no fault where that cannot be done. */
void wk_os_folder_touch(struct wk_os_folder *folder, const char *name);

/* A file was read: sets its `used_ns` and leaves the time of its last change. */
void wk_os_note_use(const char *path);
bool wk_os_folder_remove(struct wk_os_folder *folder, const char *name);

struct wk_os_folder_file {
	const char *name;
	uint64_t size_bytes, changed_ns;
	uint64_t used_ns;    /* read or changed last, as far as that is known */
	bool is_left_behind; /* what a killed writer had begun */
};

/* Its files of ours. Those that others are writing are left out; `take` returns false to stop. */
bool wk_os_folder_each(struct wk_os_folder *folder,
		       bool (*take)(void *context, const struct wk_os_folder_file *file),
		       void *context, struct wk_err *err);

#endif
