/* Shared by the files of os/ for Windows: text in the form of its calls, its errors as errno,
 * handles behind descriptors. All paths use the wide calls, so that names of any alphabet and
 * length work; returned paths have '/' between their parts, which those calls accept as well. */
#ifndef WK_OS_WINDOWS_CALLS_H
#define WK_OS_WINDOWS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "os/os.h"

/* On the heap. */
wchar_t *wk_windows_wide(const char *text);
char *wk_windows_utf8(const wchar_t *text);

/* A path for the wide calls, on the heap: a long one as only its full form may be. */
wchar_t *wk_windows_path(const char *path);

/* A path from such a call, on the heap. */
char *wk_windows_slashes(const wchar_t *path);

/* Sets errno from the last error. Returns -1. */
int wk_windows_fail(void);

HANDLE wk_windows_handle(int fd);

/* INVALID_HANDLE_VALUE, with errno set, on failure. Other processes may read, write and rename the
 * open file, as elsewhere. */
HANDLE wk_windows_open(const char *path, DWORD rights, DWORD disposition, DWORD flags);

/* A descriptor for a handle, which it owns; -1 on failure. */
int wk_windows_descriptor(HANDLE handle, int flags);

uint64_t wk_windows_ns(FILETIME time); /* since 1970 */

/* A file that is deleted when it is closed, even by a kill. Its handle has the right to change
 * that. An existing name is EEXIST. */
HANDLE wk_windows_create_passing(const char *path);

/* It stays. */
bool wk_windows_keep(HANDLE handle);

/* Puts a closed file in the place of what may be there. */
bool wk_windows_replace(const char *from, const char *to);

#endif
