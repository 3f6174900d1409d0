#define _GNU_SOURCE /* O_TMPFILE */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static char *name_beside(const char *path)
{
	static atomic_uint number; /* several threads may keep files */
	size_t len = strlen(path) + 48;
	char *name = wk_alloc(len);

	snprintf(name, len, "%s.%ld-%u.tmp", path, (long)getpid(), atomic_fetch_add(&number, 1));
	return name;
}

static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? wk_strndup(path, (size_t)(slash - path) + 1) : wk_strndup(".", 1);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	wk_free(folder);
	return fd;
}

static void forget_undone(struct wk_undo *undo)
{
	close((int)undo->number);
	if (undo->at)
		unlink(undo->at);
}

bool wk_os_keep_open(struct wk_os_keep *keep, const char *path, struct wk_err *err)
{
	*keep = (struct wk_os_keep){ .fd = -1, .undo = wk_undo_new() };
	keep->path = wk_strndup(path, strlen(path));
	keep->temporary = name_beside(path);
	keep->fd = open_nameless(path);
	keep->is_nameless = keep->fd >= 0;
	if (keep->fd < 0) /* not every file system can */
		keep->fd = open(keep->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
				0600);
	if (keep->fd >= 0) {
		wk_undo_arm(keep->undo, forget_undone, keep->is_nameless ? NULL : keep->temporary,
			    (size_t)keep->fd);
		return true;
	}
	wk_fail_os(err, errno, "cannot write %s", keep->temporary);
	wk_undo_free(keep->undo);
	WK_FREE_ALL(keep->path, keep->temporary);
	*keep = (struct wk_os_keep){ .fd = -1 };
	return false;
}

/* A link cannot replace a file, but a file with a name can. */
static bool give_name(const struct wk_os_keep *keep)
{
	char self[64];

	if (!keep->is_nameless)
		return true;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", keep->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, keep->temporary, AT_SYMLINK_FOLLOW) == 0;
}

bool wk_os_keep_end(struct wk_os_keep *keep, bool is_whole)
{
	bool is_named = !keep->is_nameless || (is_whole && give_name(keep));
	bool ok = is_named && is_whole;
	int cause = is_named ? 0 : errno;

	if (close(keep->fd) != 0 && ok) {
		cause = errno;
		ok = false;
	}
	if (ok && rename(keep->temporary, keep->path) != 0) {
		cause = errno;
		ok = false;
	}
	if (is_named && !ok)
		unlink(keep->temporary);
	wk_undo_free(keep->undo);
	WK_FREE_ALL(keep->path, keep->temporary);
	*keep = (struct wk_os_keep){ .fd = -1 };
	errno = cause;
	return ok || !is_whole;
}
