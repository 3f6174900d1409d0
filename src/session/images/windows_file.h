/* What a program of Windows (PE) or a PDB has, and where the PDB of a program was looked for: the
 * same rows for `wick doctor` and for `wick symbols`, of the same search as names of recordings
 * have. */
#ifndef WK_SESSION_IMAGES_WINDOWS_FILE_H
#define WK_SESSION_IMAGES_WINDOWS_FILE_H

#include "session/doctor/findings.h"
#include "session/symbolizer.h"

/* Does a file begin as one of them? */
bool wk_windows_file_is(const char *path);

/* Adds its rows. What is kept from before is not asked: they say what is there now. False where
 * the options make no sense. */
bool wk_windows_file_print(struct wk_findings *findings, const char *path,
			   const struct wk_naming_options *options,
			   const struct wk_messages *messages, struct wk_err *err);

/* The rows of a PDB (windows_pdb.c). */
void wk_windows_pdb_print(struct wk_findings *findings, const char *path);

/* What brings a PDB more than public names, by why it has no more; NULL: nothing. */
const char *wk_windows_pdb_fix(const char *stripped);

/* The last part of what Windows may call a file, also of a path that begins nowhere. */
struct wk_str wk_windows_basename(struct wk_str path);

#endif
