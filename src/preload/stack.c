/* The mapping that a stack is in.
 *
 * pthread_getattr_np would know a thread's own, but holds a lock of the thread's while it
 * allocates: called from inside that, it would wait for itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/internal.h"

#define MOST_STACK_BYTES (UINT64_C(1) << 30) /* that the main thread's is expected to grow to */

#define MOST_TRIES 1000 /* of a process */

/* ---- by asking for one address: Linux 6.11
 *
 * PROCMAP_QUERY of linux/fs.h, which older headers do not have. A list grows with each thread, so
 * reading it takes a time that does. */

#define QUERY_READABLE 1u

struct query {
	uint64_t size, flags, address;
	uint64_t start, end;
	uint64_t mapping_flags, page_size, offset, inode;
	uint32_t device_major, device_minor;
	uint32_t name_bytes, build_id_bytes;
	uint64_t name, build_id;
};

#define QUERY _IOWR('f', 17, struct query)

static _Atomic bool has_no_query;

enum found { FOUND, NOT_THERE, UNKNOWN };

static void take_range(uintptr_t start, uintptr_t end, bool is_main, uintptr_t *low,
		       uintptr_t *high)
{
	*low = start;
	*high = end;
	if (is_main)
		*low = end > MOST_STACK_BYTES ? end - MOST_STACK_BYTES : 0;
}

static enum found ask(int fd, uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	char name[sizeof("[stack]")] = "";
	struct query query = { .size = sizeof(query), .flags = QUERY_READABLE, .address = address,
			       .name = (uintptr_t)name, .name_bytes = sizeof(name) };
	long result;

	if (atomic_load_explicit(&has_no_query, memory_order_relaxed))
		return UNKNOWN;
	result = syscall(SYS_ioctl, fd, QUERY, &query);
	/* A name that is longer is not that of a stack. */
	if (result != 0 && errno == ENAMETOOLONG) {
		query.name_bytes = 0;
		query.name = 0;
		result = syscall(SYS_ioctl, fd, QUERY, &query);
	}
	if (result == 0) {
		take_range(query.start, query.end, strcmp(name, "[stack]") == 0, low, high);
		return FOUND;
	}
	if (errno == ENOENT)
		return NOT_THERE;
	atomic_store_explicit(&has_no_query, true, memory_order_relaxed);
	return UNKNOWN;
}

/* ---- by reading all */

/* A line of maps: "FROM-TO rw-p ... [stack]". */
static const char *read_hex(const char *at, uintptr_t *number)
{
	for (*number = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*number = *number << 4 | (uintptr_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*number = *number << 4 | (uintptr_t)(*at - 'a' + 10);
		else
			return at;
	}
}

static bool take_line(const char *line, uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	uintptr_t start, end;
	const char *rights = read_hex(line, &start);

	rights = read_hex(rights + 1, &end);
	if (address < start || address >= end || rights[1] != 'r')
		return false;
	take_range(start, end, strstr(rights, "[stack]"), low, high);
	return true;
}

/* If a handler forks meanwhile, its child goes on reading the same open file: each reads from where
 * it has come itself. */
static bool look_through(int fd, uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	char text[1024], line[128];
	size_t used = 0;
	off_t done = 0;
	ssize_t got;

	for (; (got = syscall(SYS_pread64, fd, text, sizeof(text), done)) > 0; done += got)
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] != '\n' && used < sizeof(line) - 1) {
				line[used++] = text[i];
			} else if (text[i] == '\n') {
				line[used] = '\0';
				used = 0;
				if (take_line(line, address, low, high))
					return true;
			}
		}
	return false;
}

/* That of the first thread, /proc/self, is empty once it has ended. If a program uses up its
 * descriptors, another thread may have the last one for a moment: it is waited for, but not often.
 */
static int open_maps(void)
{
	static _Atomic uint32_t tries;
	int fd;

	for (;;) {
		fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps",
				  O_RDONLY | O_CLOEXEC);
		if (fd >= 0 || errno != EMFILE || atomic_fetch_add(&tries, 1) >= MOST_TRIES)
			return fd;
		wk_heap_nap();
	}
}

bool wk_heap_find_stack(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	int saved = errno, fd = open_maps();
	enum found found = NOT_THERE;

	if (fd >= 0)
		found = ask(fd, address, low, high);
	if (found == UNKNOWN)
		found = look_through(fd, address, low, high) ? FOUND : NOT_THERE;
	if (fd >= 0)
		syscall(SYS_close, fd);
	errno = saved;
	return found == FOUND;
}
