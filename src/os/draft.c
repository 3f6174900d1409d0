#include "os/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

/* Names of descriptors opened by a shell: the file behind them is not ours to replace. */
static bool names_descriptor(const char *path)
{
	struct wk_str text = wk_str_c(path);

	return wk_str_starts(text, "/dev/std") || wk_str_starts(text, "/dev/fd/") ||
	       wk_str_starts(text, "/proc/");
}

static bool is_open_output(const struct stat *info)
{
	struct stat open_one;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &open_one) == 0 && open_one.st_dev == info->st_dev &&
		    open_one.st_ino == info->st_ino)
			return true;
	return false;
}

/* The final path of the draft, links followed; NULL for what is written in place. */
static char *target_of(const char *path, struct stat *there, bool *is_there)
{
	struct stat link;

	*is_there = stat(path, there) == 0;
	if (names_descriptor(path))
		return NULL;
	if (!*is_there) /* a dangling link is left to the system */
		return lstat(path, &link) == 0 ? NULL : wk_strndup(path, strlen(path));
	if (!S_ISREG(there->st_mode) || is_open_output(there) || access(path, W_OK) != 0)
		return NULL;
	return wk_os_real_path(path);
}

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

/* A name links it through /proc; -1 if that is missing, or if the file system cannot. */
static int open_nameless(const char *target, mode_t mode)
{
	size_t len = folder_length(target);
	char *folder = len ? wk_strndup(target, len) : wk_strdup(".");
	int fd = access("/proc/self/fd", X_OK) == 0
			 ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode)
			 : -1;

	wk_free(folder);
	return fd;
}

static void open_temporary(struct wk_os_draft *draft, mode_t mode)
{
	draft->fd = open_nameless(draft->target, mode);
	draft->is_nameless = draft->fd >= 0;
	if (draft->fd < 0)
		draft->fd = open(draft->temporary,
				 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

static bool looks_as(int fd, const struct stat *there)
{
	struct stat made;

	if (fstat(fd, &made) != 0)
		return false;
	if ((made.st_uid != there->st_uid || made.st_gid != there->st_gid) &&
	    fchown(fd, there->st_uid, there->st_gid) != 0)
		return false;
	return fchmod(fd, there->st_mode & 07777) == 0;
}

static void forget(struct wk_os_draft *draft)
{
	WK_FREE_ALL(draft->target, draft->temporary);
	*draft = (struct wk_os_draft){ .fd = -1 };
}

static void forget_undone(struct wk_undo *undo)
{
	close((int)undo->number);
	if (undo->at)
		unlink(undo->at);
}

static bool open_beside(struct wk_os_draft *draft, const char *path)
{
	struct stat there;
	bool is_there;

	draft->target = target_of(path, &there, &is_there);
	if (!draft->target)
		return false;
	/* In the folder of the target: a file can replace another only within a file system. */
	draft->temporary = wk_os_unique_name(wk_str_of(draft->target, folder_length(draft->target)),
					     ".wick-", "");
	open_temporary(draft, 0666);
	if (draft->fd >= 0 && (!is_there || looks_as(draft->fd, &there)))
		return true;
	if (draft->fd >= 0)
		close(draft->fd);
	if (draft->fd >= 0 && !draft->is_nameless)
		unlink(draft->temporary);
	forget(draft);
	return false;
}

static bool arm(struct wk_os_draft *draft, struct wk_undo *undo)
{
	if (draft->fd < 0) {
		wk_undo_free(undo);
		return false;
	}
	draft->undo = undo;
	wk_undo_arm(undo, forget_undone, draft->is_nameless ? NULL : draft->temporary,
		    (size_t)draft->fd);
	return true;
}

bool wk_os_draft_open(struct wk_os_draft *draft, const char *path, struct wk_err *err)
{
	struct wk_undo *undo = wk_undo_new();

	*draft = (struct wk_os_draft){ .fd = -1 };
	if (!open_beside(draft, path))
		draft->fd = wk_os_create(path, false, err);
	return arm(draft, undo);
}

bool wk_os_draft_open_private(struct wk_os_draft *draft, const char *path, struct wk_err *err)
{
	struct wk_undo *undo = wk_undo_new();

	*draft = (struct wk_os_draft){ .target = wk_strdup(path) };
	draft->temporary = wk_os_unique_name(wk_str_c(path), ".", ".tmp");
	open_temporary(draft, 0600);
	if (draft->fd < 0) {
		wk_fail_os(err, errno, "cannot write %s", draft->temporary);
		forget(draft);
	}
	return arm(draft, undo);
}

static bool copy(int from, int to)
{
	char block[16384];
	off_t at = 0;

	for (;;) {
		ssize_t got = pread(from, block, sizeof(block), at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		if (!wk_os_write(to, block, (size_t)got))
			return false;
		at += got;
	}
}

static int copy_over(const struct wk_os_draft *draft)
{
	int from = open(draft->temporary, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : open(draft->target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	int cause = to >= 0 && copy(from, to) ? 0 : errno;

	if (to >= 0 && close(to) != 0 && cause == 0)
		cause = errno;
	if (from >= 0)
		close(from);
	return cause;
}

/* A link cannot replace a file, but a file with a name can: it has one for a moment. */
static int give_name(const struct wk_os_draft *draft)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", draft->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, draft->temporary, AT_SYMLINK_FOLLOW) == 0 ? 0
											  : errno;
}

bool wk_os_draft_end(struct wk_os_draft *draft, bool keep)
{
	int cause = keep && draft->is_nameless ? give_name(draft) : 0;
	bool is_beside = draft->temporary && (!draft->is_nameless || (keep && cause == 0));

	if (close(draft->fd) != 0 && cause == 0)
		cause = errno;
	if (is_beside && keep && cause == 0) {
		is_beside = rename(draft->temporary, draft->target) != 0;
		cause = is_beside ? errno : 0;
		/* A mount of its own, as containers have them for a file, cannot be replaced. */
		if (cause == EBUSY)
			cause = copy_over(draft);
	}
	if (is_beside)
		unlink(draft->temporary);
	wk_undo_free(draft->undo);
	forget(draft);
	errno = cause;
	return cause == 0;
}
