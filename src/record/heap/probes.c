#include "record/heap/probes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "os/os.h"
#include "record/tracefs.h"

/* The kernel's limit for a name is 64. */
#define FUNCTION_LETTERS 36

/* Of the machine's calling convention. */
#if defined(__aarch64__)
#define ARGUMENTS "a=%x0:u64 b=%x1:u64 c=%x2:u64"
#define RESULT    "%x0"
#else
#define ARGUMENTS "a=%di:u64 b=%si:u64 c=%dx:u64"
#define RESULT    "%ax"
#endif

struct point {
	char name[WK_PERF_NAME_MAX];
	bool is_bare; /* its stack is not needed */
};

struct wk_heap_probes {
	char file[256]; /* that lists them */
	char system[32];
	struct point *points; /* that exist */
	size_t count, cap;
};

static bool find_file(char *path, size_t size, struct wk_err *err)
{
	const char *root = wk_tracefs_root(err);

	if (!root)
		return false;
	snprintf(path, size, "%s/uprobe_events", root);
	if (access(path, W_OK) == 0)
		return true;
	if (errno == ENOENT)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
	return wk_fail(err, WK_EPERM, WK_NOWHERE, "uprobes may be used by root only");
}

bool wk_heap_probes_are_allowed(struct wk_err *why)
{
	char path[256];

	if (geteuid() != 0)
		return wk_fail(why, WK_EPERM, WK_NOWHERE, "uprobes may be used by root only");
	return find_file(path, sizeof(path), why);
}

/* One line, which the kernel reads as a command. */
static bool command(const char *file, struct wk_str line)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	int cause = errno;
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, line.at, line.len) == (ssize_t)line.len;
	cause = errno;
	close(fd);
	errno = cause;
	return ok;
}

static void remove_point(const char *file, struct wk_str system_and_name)
{
	struct wk_buf line = { 0 };

	wk_buf_add_text(&line, "-:");
	wk_buf_add_str(&line, system_and_name);
	wk_buf_add_char(&line, '\n');
	command(file, wk_buf_str(&line)); /* one in use stays */
	wk_buf_fini(&line);
}

/* "p:wick_heap_123/enter_malloc_malloc /path:0x123 ..." of a recorder that is gone. */
static void remove_stale(const char *file, struct wk_str line)
{
	struct wk_str name, number, system;
	char digits[16];
	pid_t pid;

	wk_str_cut(&line, ':');
	name = wk_str_cut(&line, ' ');
	system = name;
	system = wk_str_cut(&system, '/');
	number = system;
	if (!wk_str_accept(&number, WK_HEAP_POINTS))
		return;
	snprintf(digits, sizeof(digits), "%.*s", WK_STR_ARG(number));
	pid = (pid_t)strtol(digits, NULL, 10);
	if (pid > 0 && (pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH)))
		remove_point(file, name);
}

static void remove_all_stale(const char *file)
{
	struct wk_buf text = { 0 };
	struct wk_str left;

	if (wk_os_read_small(file, &text)) {
		left = wk_buf_str(&text);
		while (left.len)
			remove_stale(file, wk_str_cut(&left, '\n'));
	}
	wk_buf_fini(&text);
}

static bool has_name(const struct wk_heap_probes *probes, const char *name)
{
	for (size_t i = 0; i < probes->count; i++)
		if (strcmp(probes->points[i].name, name) == 0)
			return true;
	return false;
}

/* Letters, digits and underscores; another number if two files have a function of that name. */
static void choose_name(const struct wk_heap_probes *probes, const struct wk_heap_probe *probe,
			const char *prefix, char name[WK_PERF_NAME_MAX])
{
	char function[FUNCTION_LETTERS + 1];

	snprintf(function, sizeof(function), "%s", probe->function);
	for (char *at = function; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	snprintf(name, WK_PERF_NAME_MAX, "%s%s_%s", prefix, wk_allocator_call_word(probe->call),
		 function);
	for (int i = 2; has_name(probes, name); i++)
		snprintf(name, WK_PERF_NAME_MAX, "%s%s_%s_%d", prefix,
			 wk_allocator_call_word(probe->call), function, i);
}

static void add_stack_words(struct wk_buf *line)
{
	for (int i = 0; i < WK_HEAP_STACK_WORDS; i++)
		wk_buf_add_fmt(line, " w%d=+%d(%%sp):u64", i, 8 * i);
}

static bool add_point(struct wk_heap_probes *probes, const struct wk_heap_probe *probe, int fd,
		      bool is_exit)
{
	struct point point = { .is_bare = is_exit || probe->call == WK_ALLOCATOR_FREE };
	struct wk_buf line = { 0 };
	bool ok;

	choose_name(probes, probe, is_exit ? WK_HEAP_EXIT : WK_HEAP_ENTER, point.name);
	/* The path may contain blanks, and the file may be replaced. */
	wk_buf_add_fmt(&line, "%c:%s/%s /proc/%d/fd/%d:0x%llx", is_exit ? 'r' : 'p', probes->system,
		       point.name, (int)getpid(), fd, (unsigned long long)probe->offset);
	wk_buf_add_text(&line, is_exit ? " result=" RESULT ":u64 sp=%sp:u64"
				       : " " ARGUMENTS " sp=%sp:u64");
	if (is_exit && probe->call == WK_ALLOCATOR_POSIX_MEMALIGN)
		add_stack_words(&line);
	wk_buf_add_char(&line, '\n');
	ok = command(probes->file, wk_buf_str(&line));
	if (ok)
		*WK_APPEND(probes->points, probes->count, probes->cap) = point;
	wk_buf_fini(&line);
	return ok;
}

static bool add_probe(struct wk_heap_probes *probes, const struct wk_heap_probe *probe,
		      struct wk_err *err)
{
	int fd = open(probe->path, O_RDONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return wk_fail_os(err, errno, "cannot open %s", probe->path);
	ok = add_point(probes, probe, fd, false) &&
	     (probe->call == WK_ALLOCATOR_FREE || add_point(probes, probe, fd, true));
	if (!ok)
		wk_fail_os(err, errno, "the kernel refuses a uprobe on %s of %s", probe->function,
			   probe->path);
	close(fd);
	return ok;
}

struct wk_heap_probes *wk_heap_probes_new(const struct wk_heap_probe *probes, size_t count,
					  struct wk_err *err)
{
	struct wk_heap_probes *made = wk_alloc_zeroed(1, sizeof(*made));
	bool ok = find_file(made->file, sizeof(made->file), err);

	snprintf(made->system, sizeof(made->system), WK_HEAP_POINTS "%d", (int)getpid());
	if (ok)
		remove_all_stale(made->file);
	for (size_t i = 0; i < count && ok; i++)
		ok = add_probe(made, &probes[i], err);
	if (ok)
		return made;
	wk_heap_probes_free(made);
	return NULL;
}

bool wk_heap_probes_event_at(const struct wk_heap_probes *probes, size_t index,
			     struct wk_perf_event *event)
{
	struct wk_buf name = { 0 };

	if (!probes || index >= probes->count)
		return false;
	wk_buf_add_fmt(&name, "%s:%s", probes->system, probes->points[index].name);
	wk_perf_name_parse(wk_buf_str(&name), event, NULL);
	wk_buf_fini(&name);
	event->is_memory = true;
	event->is_heap = true;
	event->is_bare = probes->points[index].is_bare;
	return true;
}

void wk_heap_probes_free(struct wk_heap_probes *probes)
{
	if (!probes)
		return;
	for (size_t i = 0; i < probes->count; i++) {
		struct wk_buf name = { 0 };

		wk_buf_add_fmt(&name, "%s/%s", probes->system, probes->points[i].name);
		remove_point(probes->file, wk_buf_str(&name));
		wk_buf_fini(&name);
	}
	WK_FREE_ALL(probes->points, probes);
}
