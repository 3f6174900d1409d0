#include "stages/jit/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* File times lag behind, and clocks are compared a moment after one another. */
#define SLACK_NS UINT64_C(1000000000)

static bool read_of(uint32_t pid, const char *file, struct wk_buf *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	return wk_os_read_small(path, out) && out->len > 0;
}

/* The last number on the line "Name:\t1 2 3" of /proc/PID/status; nested namespaces have one
 * each, the innermost last. */
static bool last_number(const char *status, const char *name, uint32_t *value)
{
	const char *at = strstr(status, name);
	unsigned number;
	int len;

	if (!at)
		return false;
	at += strlen(name);
	if (sscanf(at, "%u%n", &number, &len) != 1)
		return false;
	do {
		*value = number;
		at += len;
	} while (*at != '\n' && sscanf(at, "%u%n", &number, &len) == 1);
	return true;
}

static bool first_number(const char *status, const char *name, uint32_t *value)
{
	const char *at = strstr(status, name);

	return at && sscanf(at + strlen(name), "%u", value) == 1;
}

/* When the process began: field 22, in ticks since the machine did. The name in front of the
 * others may hold anything. */
static bool read_begin(uint32_t pid, struct wk_buf *text, uint64_t *begin_ns)
{
	struct timespec up;
	unsigned long long ticks;
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), up_ns, since_ns;
	const char *at;

	if (!read_of(pid, "stat", text) || clock_gettime(CLOCK_BOOTTIME, &up) != 0)
		return false;
	at = strrchr(text->at, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, " %llu", &ticks) != 1 || hz == 0)
		return false;
	up_ns = (uint64_t)up.tv_sec * NS_PER_S + (uint64_t)up.tv_nsec;
	since_ns = ticks / hz * NS_PER_S + ticks % hz * (NS_PER_S / hz);
	*begin_ns = wk_os_wall_ns() - (up_ns > since_ns ? up_ns - since_ns : 0);
	return true;
}

bool wk_jit_owner_ask(uint32_t pid, bool keep_folder, struct wk_jit_owner *owner)
{
	struct wk_buf text = { 0 };
	char path[64];
	bool ok;

	*owner = (struct wk_jit_owner){ .pid = pid, .own_pid = pid, .folder_fd = -1 };
	ok = read_begin(pid, &text, &owner->begin_ns) && read_of(pid, "status", &text);
	if (ok) {
		last_number(text.at, "\nNSpid:", &owner->own_pid);
		owner->has_user = first_number(text.at, "\nUid:", &owner->user);
	}
	if (ok && keep_folder) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp", pid);
		owner->undo = wk_undo_new();
		owner->folder_fd =
			wk_os_undo_fd(owner->undo, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	}
	wk_buf_fini(&text);
	return ok;
}

static uint64_t modified_ns(const struct stat *info)
{
	return (uint64_t)info->st_mtim.tv_sec * NS_PER_S + (uint64_t)info->st_mtim.tv_nsec;
}

/* Says why the file cannot be the process' own; empty if it can. */
static void add_objection(const struct wk_jit_owner *owner, const struct stat *info,
			  struct wk_buf *why)
{
	bool is_trusted = info->st_uid == 0 || info->st_uid == geteuid() ||
			  (owner->has_user && info->st_uid == owner->user);

	if (!S_ISREG(info->st_mode))
		wk_buf_add_text(why, "it is not a plain file");
	else if (!is_trusted)
		wk_buf_add_fmt(why,
			       "it belongs to user %u, neither to the process' user nor to "
			       "you",
			       (unsigned)info->st_uid);
	else if (owner->begin_ns && modified_ns(info) + SLACK_NS < owner->begin_ns)
		wk_buf_add_text(why, "it is older than the process");
	else if (owner->successor_ns && modified_ns(info) > owner->successor_ns)
		wk_buf_add_text(why, "a later process with the same number wrote it");
}

/* Does not wait for the other end of a pipe. */
static int open_at_once(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* A link leads wherever its creator wants: only one's own links, or the system's, are followed. */
static bool is_strange_link(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != 0 &&
	       info.st_uid != geteuid();
}

static struct wk_jit_identity identity_of(const struct stat *info)
{
	return (struct wk_jit_identity){
		.device = (uint64_t)info->st_dev,
		.inode = (uint64_t)info->st_ino,
		.size_bytes = (uint64_t)info->st_size,
		.modified_ns = modified_ns(info),
	};
}

/* The checked file is the one that is read: the name may refer to another file at any moment. */
enum wk_jit_answer wk_jit_open_checked(const struct wk_jit_owner *owner, const char *path,
				       size_t most_bytes, struct wk_os_file *file,
				       struct wk_jit_identity *identity, struct wk_buf *why)
{
	struct wk_err err = { 0 };
	struct wk_undo *undo = wk_undo_new();
	struct stat info;
	int fd = wk_os_undo_fd(undo, open_at_once(path));

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		wk_undo_free(undo);
		return WK_JIT_NO_FILE;
	}
	if (fd < 0 || fstat(fd, &info) != 0)
		wk_buf_add_fmt(why, "it cannot be opened: %s", strerror(errno));
	else if (is_strange_link(path))
		wk_buf_add_text(why, "it is a link of another user to another file");
	else
		add_objection(owner, &info, why);
	if (why->len == 0 && !wk_os_open_fd(fd, "it", most_bytes, file, &err))
		wk_buf_add_text(why, err.text);
	if (why->len == 0)
		*identity = identity_of(&info);
	wk_os_close_fd(fd, undo);
	return why->len ? WK_JIT_REFUSED : WK_JIT_READ;
}

int wk_jit_keep_dump(uint32_t pid, const char *path)
{
	struct wk_buf whole = { 0 };
	struct stat info;
	int fd;

	wk_buf_add_fmt(&whole, "/proc/%u/root%s", pid, path);
	fd = open_at_once(wk_buf_text(&whole));
	wk_buf_fini(&whole);
	if (fd < 0 || (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)))
		return fd;
	close(fd);
	return -1;
}

bool wk_jit_may_use(const struct wk_jit_owner *owner, int fd)
{
	struct wk_buf why = { 0 };
	struct stat info;
	bool ok = fstat(fd, &info) == 0;

	if (ok)
		add_objection(owner, &info, &why);
	ok = ok && why.len == 0;
	wk_buf_fini(&why);
	return ok;
}
