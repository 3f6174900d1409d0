/* A private folder, for files that only wick writes and reads.
 *
 * It and its files are used only if they belong to this user and no one else can write them:
 * anything planted (a folder in /tmp, a link) is ignored. A file is replaced as a whole or not at
 * all, and leftovers of a killed writer are recognised, because a living one holds a lock. Names
 * contain no '/'.
 *
 * Order of calls: open, map, write, each ... any number of times, close. */
#ifndef WK_OS_FOLDER_H
#define WK_OS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "os/os.h"

struct wk_os_folder;

/* The absolute path, on the heap: links stay, and the file need not exist. */
char *wk_os_absolute(const char *path);

/* $XDG_CACHE_HOME/wick, or ~/.cache/wick, or %LOCALAPPDATA%\wick; allocated, NULL if no variable is
 * set. */
char *wk_os_cache_folder(void);

/* Creates a folder and its parents, for this user alone; true if it exists afterwards. */
bool wk_os_folder_make(const char *path, struct wk_err *err);

/* NULL if it is missing or not to be trusted. With `may_make` it is created with its parents, for
 * this user alone. */
struct wk_os_folder *wk_os_folder_open(const char *path, bool may_make, struct wk_err *err);
void wk_os_folder_close(struct wk_os_folder *folder);

/* A file's bytes, to be ended by wk_os_close, and the time of its last change or use. False if
 * there is no such file of ours. */
bool wk_os_folder_map(struct wk_os_folder *folder, const char *name, struct wk_os_file *file,
		      uint64_t *changed_ns);

/* Replaces the file by the pieces, one after the other. */
bool wk_os_folder_write(struct wk_os_folder *folder, const char *name, const struct wk_str *pieces,
			size_t count, struct wk_err *err);

/* Sets the time of a file to now; failing is not an error. */
void wk_os_folder_touch(struct wk_os_folder *folder, const char *name);

/* A file was read: sets its `used_ns` and leaves the time of its last change. */
void wk_os_note_use(const char *path);
bool wk_os_folder_remove(struct wk_os_folder *folder, const char *name);

struct wk_os_folder_file {
	const char *name;
	uint64_t size_bytes, changed_ns;
	uint64_t used_ns;    /* read or changed last, as far as that is known */
	bool is_left_behind; /* the leftover of a killed writer */
};

/* Our files in it. Those being written by others are left out; `take` returns false to stop. */
bool wk_os_folder_each(struct wk_os_folder *folder,
		       bool (*take)(void *context, const struct wk_os_folder_file *file),
		       void *context, struct wk_err *err);

#endif
