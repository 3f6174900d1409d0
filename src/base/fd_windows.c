#include "base/fd.h"

#include <errno.h>
#include <io.h>
#include <windows.h>

#include "base/windows_error.h"

#define MOST_AT_ONCE (1u << 20)

/* Not by the C library's _write: if a reader goes away in the middle, some versions report a
 * partial write as an unknown error. */
bool wk_fd_write(int fd, const void *bytes, size_t len)
{
	intptr_t handle = _get_osfhandle(fd);
	const char *at = bytes;

	if (handle == -1 || handle == -2) {
		errno = EBADF;
		return false;
	}
	while (len) {
		DWORD done = 0;

		SetLastError(ERROR_SUCCESS);
		if (!WriteFile((HANDLE)handle, at, len < MOST_AT_ONCE ? (DWORD)len : MOST_AT_ONCE,
			       &done, NULL) ||
		    done == 0) {
			errno = wk_windows_error_number(GetLastError());
			return false;
		}
		at += done;
		len -= done;
	}
	return true;
}
