/* What a Windows program (PE) or a PDB contains, and where the PDB of a program was searched for:
 * rows for `wick doctor` and `wick symbols`, with the same search as for recordings. */
#ifndef WK_SESSION_IMAGES_WINDOWS_FILE_H
#define WK_SESSION_IMAGES_WINDOWS_FILE_H

#include "session/doctor/findings.h"
#include "session/symbolizer.h"

/* Does the file begin like one of them? */
bool wk_windows_file_is(const char *path);

/* Adds its rows, without the symbol cache: they describe the files of now. False if the options are
 * invalid. */
bool wk_windows_file_print(struct wk_findings *findings, const char *path,
			   const struct wk_naming_options *options,
			   const struct wk_messages *messages, struct wk_err *err);

/* The rows of a PDB (windows_pdb.c). */
void wk_windows_pdb_print(struct wk_findings *findings, const char *path);

/* How to get more than public names into a PDB, by the reason why it has no more. */
const char *wk_windows_pdb_fix(const char *stripped);

#endif
