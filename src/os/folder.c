#include "os/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "os/input.h"

#define DRAFT    ".draft-"
#define YOUNG_NS ((uint64_t)2 * 1000000000)

struct wk_os_folder {
	int fd;
	struct wk_undo *undo;
	char *path;
};

char *wk_os_absolute(const char *path)
{
	struct wk_buf whole = { 0 };
	char here[PATH_MAX];

	if (path[0] != '/' && getcwd(here, sizeof(here)))
		wk_buf_add_fmt(&whole, "%s/", here);
	wk_buf_add_text(&whole, path);
	return whole.at;
}

char *wk_os_cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct wk_buf path = { 0 };

	if (cache && cache[0] == '/')
		wk_buf_add_fmt(&path, "%s/wick", cache);
	else if (home && home[0] == '/')
		wk_buf_add_fmt(&path, "%s/.cache/wick", home);
	return path.at;
}

/* Creates the missing folders of the path, from the top. */
static bool make_path(const char *path)
{
	char *part = wk_strndup(path, strlen(path));
	bool ok = true;

	for (char *slash = part + 1; ok && *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		ok = mkdir(part, 0700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
		*slash = '/';
	}
	ok = ok && (mkdir(part, 0700) == 0 || errno == EEXIST);
	wk_free(part);
	return ok;
}

bool wk_os_folder_make(const char *path, struct wk_err *err)
{
	return make_path(path) || wk_fail_os(err, errno, "cannot make the folder %s", path);
}

static bool is_ours(const struct stat *info)
{
	return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int open_folder(const char *path, bool may_make)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && may_make && make_path(path))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

struct wk_os_folder *wk_os_folder_open(const char *path, bool may_make, struct wk_err *err)
{
	struct wk_os_folder *folder = wk_alloc_zeroed(1, sizeof(*folder));
	struct stat info;

	folder->path = wk_strdup(path);
	folder->undo = wk_undo_new();
	folder->fd = wk_os_undo_fd(folder->undo, open_folder(path, may_make));
	if (folder->fd >= 0 && fstat(folder->fd, &info) == 0 && is_ours(&info))
		return folder;
	if (folder->fd < 0)
		wk_fail_os(err, errno, "cannot use the folder %s", path);
	else
		wk_fail(err, WK_EPERM, WK_NOWHERE,
			"the folder %s is not used: it is another user's, or others can write to "
			"it",
			path);
	wk_os_folder_close(folder);
	return NULL;
}

void wk_os_folder_close(struct wk_os_folder *folder)
{
	if (!folder)
		return;
	wk_os_close_fd(folder->fd, folder->undo);
	WK_FREE_ALL(folder->path, folder);
}

static uint64_t ns_of(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool wk_os_folder_map(struct wk_os_folder *folder, const char *name, struct wk_os_file *file,
		      uint64_t *changed)
{
	struct wk_undo *undo = wk_undo_new();
	int fd =
		openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat info;
	void *at = MAP_FAILED;

	*file = (struct wk_os_file){ 0 };
	if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && is_ours(&info) &&
	    info.st_size > 0)
		at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED) {
		wk_undo_free(undo);
		return false;
	}
	*file = (struct wk_os_file){ .at = at, .size_bytes = (size_t)info.st_size };
	wk_os_input_undo(file, undo);
	*changed = ns_of(info.st_mtim);
	return true;
}

/* The lock shows that its writer lives, and ends with it. On a file system without locks a draft
 * may be deleted under its writer, which then has saved nothing. */
static int open_draft(struct wk_os_folder *folder, char *name, size_t size)
{
	static atomic_uint number; /* several threads may write */
	int fd = -1;

	for (int tries = 0; fd < 0 && tries < 100; tries++) {
		snprintf(name, size, DRAFT "%ld-%u", (long)getpid(), atomic_fetch_add(&number, 1));
		fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			    0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* The draft replaces the file while it is still locked. */
bool wk_os_folder_write(struct wk_os_folder *folder, const char *name, const struct wk_str *pieces,
			size_t count, struct wk_err *err)
{
	char draft[64];
	int fd = open_draft(folder, draft, sizeof(draft));
	bool ok;

	if (fd < 0)
		return wk_fail_os(err, errno, "cannot write into %s", folder->path);
	ok = wk_os_write_pieces(fd, pieces, count) &&
	     renameat(folder->fd, draft, folder->fd, name) == 0;
	if (!ok) {
		wk_fail_os(err, errno, "cannot write %s/%s", folder->path, name);
		unlinkat(folder->fd, draft, 0);
	}
	if (close(fd) != 0 && ok)
		return wk_fail_os(err, errno, "cannot write %s/%s", folder->path, name);
	return ok;
}

void wk_os_folder_touch(struct wk_os_folder *folder, const char *name)
{
	(void)!utimensat(folder->fd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

void wk_os_note_use(const char *path)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };

	(void)!utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

bool wk_os_folder_remove(struct wk_os_folder *folder, const char *name)
{
	return unlinkat(folder->fd, name, 0) == 0;
}

static const char *skip_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* As open_draft creates them: a file of the user called .draft-of-mine is not ours. */
static bool is_draft(const char *name)
{
	size_t len = strlen(DRAFT);
	const char *dash;

	if (strncmp(name, DRAFT, len) != 0)
		return false;
	dash = skip_digits(name + len);
	return dash > name + len && *dash == '-' && skip_digits(dash + 1) > dash + 1 &&
	       *skip_digits(dash + 1) == '\0';
}

/* A young one may be about to be locked. */
static bool is_left_behind(struct wk_os_folder *folder, const char *name, uint64_t age_ns)
{
	int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	bool is_free = fd >= 0 && age_ns > YOUNG_NS && flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return is_free;
}

static bool read_one(struct wk_os_folder *folder, const char *name,
		     bool (*take)(void *context, const struct wk_os_folder_file *file),
		     void *context)
{
	struct wk_os_folder_file file = { .name = name };
	uint64_t now = wk_os_wall_ns(), age_ns, read_ns;
	struct stat info;

	if (fstatat(folder->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode) ||
	    !is_ours(&info))
		return true;
	file.size_bytes = (uint64_t)info.st_size;
	file.changed_ns = ns_of(info.st_mtim);
	read_ns = ns_of(info.st_atim);
	file.used_ns = read_ns > file.changed_ns ? read_ns : file.changed_ns;
	age_ns = now > file.changed_ns ? now - file.changed_ns : 0;
	file.is_left_behind = is_draft(name) && is_left_behind(folder, name, age_ns);
	return (is_draft(name) && !file.is_left_behind) || take(context, &file);
}

static void close_list(struct wk_undo *undo)
{
	closedir(undo->at);
}

bool wk_os_folder_each(struct wk_os_folder *folder,
		       bool (*take)(void *context, const struct wk_os_folder_file *file),
		       void *context, struct wk_err *err)
{
	struct wk_undo *undo = wk_undo_new();
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		int cause = errno;

		wk_os_close_fd(fd, undo);
		return wk_fail_os(err, cause, "cannot list %s", folder->path);
	}
	wk_undo_arm(undo, close_list, dir, 0);
	while ((entry = readdir(dir)) != NULL)
		if (!read_one(folder, entry->d_name, take, context))
			break;
	closedir(dir);
	wk_undo_free(undo);
	return true;
}
