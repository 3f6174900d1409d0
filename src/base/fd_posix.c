#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

bool wk_fd_write(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t done = write(fd, at, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		at += done;
		len -= (size_t)done;
	}
	return true;
}
