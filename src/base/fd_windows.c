#include "base/fd.h"

#include <errno.h>
#include <io.h>
#include <windows.h>

#define MOST_AT_ONCE (1u << 20)

bool wk_fd_write(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		int done = _write(fd, at, len < MOST_AT_ONCE ? (unsigned)len : MOST_AT_ONCE);

		if (done <= 0) {
			/* What the C library knows no number for. */
			if (GetLastError() == ERROR_PIPE_NOT_CONNECTED)
				errno = EPIPE;
			return false;
		}
		at += done;
		len -= (size_t)done;
	}
	return true;
}
