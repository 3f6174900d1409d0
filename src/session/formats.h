/* The formats that wick reads and writes, for lists and for checks of names. */
#ifndef WK_SESSION_FORMATS_H
#define WK_SESSION_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

struct wk_format {
	const char *name, *summary;
	const char *const *suffixes; /* of formats that are read; NULL-terminated */
};

/* By number; the one after the last has no name. Those for single samples are not listed: they are
 * choices of `wick export`. */
struct wk_format wk_format_read(size_t index);
struct wk_format wk_format_written(size_t index);

/* Whether there is a recording at `path`, by a reader that is certain of its first bytes. */
bool wk_is_recording(const char *path);

/* Whether there is a program or library of Linux at `path`. */
bool wk_is_elf(const char *path);

#endif
