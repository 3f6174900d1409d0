#include "record/heap/attach.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "channel/channel.h"
#include "os/os.h"
#include "record/heap/inject.h"
#include "record/heap/remote.h"
#include "record/proc_scan.h"
#include "record/recorder.h"

#define PATIENCE_NS UINT64_C(500000000)
#define NAP_NS      1000000L

struct target {
	struct wk_remote remote;
	uint64_t at;    /* of its wk_heap_switch */
	uint64_t state; /* the address of its state */
	bool is_asked;
};

struct wk_heap_attach {
	struct target *targets;
	size_t count;
};

static bool fail_of_version(const struct wk_remote *remote, struct wk_err *err)
{
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "%s has loaded the " WK_HEAP_LIBRARY_NAME
		       " of another version of wick: restart it, or record it with that version",
		       wk_buf_text(&remote->who));
}

static bool read_switch(const struct target *target, struct wk_heap_switch *found)
{
	if (!wk_remote_read(&target->remote, target->at, found, sizeof(*found)))
		return false;
	found->name[sizeof(found->name) - 1] = '\0';
	return found->version == WK_CHANNEL_VERSION && found->bytes == sizeof(*found);
}

static bool is_restricted(pid_t pid, pid_t tid)
{
	static const char name[] = "\nSeccomp:\t";
	struct wk_buf text = { 0 };
	const char *at = NULL;
	char path[64];
	bool is_one;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	if (wk_os_read_small(path, &text))
		at = strstr(wk_buf_text(&text), name);
	is_one = at && at[sizeof(name) - 1] != '0';
	wk_buf_fini(&text);
	return is_one;
}

/* The kernel may kill a process for a call of the library's that its filter does not expect. Each
 * thread has filters of its own. */
static bool check_calls(const struct wk_remote *remote, struct wk_err *err)
{
	pid_t *tids;
	size_t count = wk_proc_threads(remote->pid, &tids);
	bool is_free = true;

	for (size_t i = 0; i < count && is_free; i++)
		is_free = !is_restricted(remote->pid, tids[i]);
	wk_free(tids);
	return is_free ||
	       wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "the heap of %s cannot be recorded: the system calls of one of its threads "
		       "are restricted (seccomp), and it could be killed for those of the library",
		       wk_buf_text(&remote->who));
}

static bool find_switch(struct target *target, bool may_load, struct wk_err *err)
{
	uint64_t base = wk_remote_find_file(&target->remote, WK_HEAP_LIBRARY_NAME);
	struct wk_heap_switch found;

	if (!base && may_load && !wk_heap_inject(&target->remote, err))
		return false;
	if (!base)
		base = wk_remote_find_file(&target->remote, WK_HEAP_LIBRARY_NAME);
	if (!base)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "%s has not loaded " WK_HEAP_LIBRARY_NAME,
			       wk_buf_text(&target->remote.who));
	target->at = wk_remote_find_symbol(&target->remote, base, WK_HEAP_SWITCH);
	if (!target->at || !read_switch(target, &found))
		return fail_of_version(&target->remote, err);
	target->state = found.state;
	return true;
}

static enum wk_heap_state state_of(const struct target *target)
{
	uint8_t state;

	return target->state && wk_remote_read(&target->remote, target->state, &state, 1)
		       ? state
		       : WK_HEAP_UNKNOWN;
}

/* A recorder that has ended does not listen any more. */
static bool is_recorder_there(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(name);
	bool is_there;
	int fd;

	if (!length || length >= sizeof(address.sun_path) - 1)
		return false;
	memcpy(address.sun_path + 1, name, length);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	is_there = fd >= 0 &&
		   connect(fd, (struct sockaddr *)&address,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0;
	if (fd >= 0)
		close(fd);
	return is_there;
}

static bool check_state(const struct target *target, struct wk_err *err)
{
	enum wk_heap_state state = state_of(target);
	struct wk_heap_switch found;

	if (!read_switch(target, &found))
		return fail_of_version(&target->remote, err);
	if (state != WK_HEAP_OFF && is_recorder_there(found.name))
		return wk_fail(err, WK_EIO, WK_NOWHERE, "the heap of %s is already being recorded",
			       wk_buf_text(&target->remote.who));
	if (state == WK_HEAP_ON || state == WK_HEAP_OFF || state == WK_HEAP_LOSING ||
	    state == WK_HEAP_WANTED)
		return true;
	return wk_fail(err, WK_EIO, WK_NOWHERE,
		       "%s cannot be recorded now: its " WK_HEAP_LIBRARY_NAME
		       " is just beginning to work; try again",
		       wk_buf_text(&target->remote.who));
}

struct wk_heap_attach *wk_heap_attach_new(const pid_t *pids, size_t count, struct wk_err *err)
{
	struct wk_heap_attach *attach = wk_alloc_zeroed(1, sizeof(*attach));
	bool ok = true;

	attach->targets = wk_alloc_zeroed(count, sizeof(*attach->targets));
	for (; attach->count < count && ok; attach->count++) {
		struct target *target = &attach->targets[attach->count];

		ok = wk_remote_open(&target->remote, pids[attach->count], err) &&
		     check_calls(&target->remote, err) && find_switch(target, true, err) &&
		     check_state(target, err);
	}
	if (ok)
		return attach;
	wk_heap_attach_free(attach);
	return NULL;
}

static bool put_state(const struct target *target, enum wk_heap_state state)
{
	uint8_t byte = (uint8_t)state;

	return wk_remote_write(&target->remote, target->state, &byte, sizeof(byte));
}

/* The name before the state: the process reads it when it sees that. */
static bool switch_on(struct target *target, const char *name, struct wk_err *err)
{
	char bytes[sizeof(((struct wk_heap_switch *)NULL)->name)] = "";

	if (!check_state(target, err))
		return false;
	strncpy(bytes, name, sizeof(bytes) - 1);
	if (!wk_remote_write(&target->remote, target->at + offsetof(struct wk_heap_switch, name),
			     bytes, sizeof(bytes)) ||
	    !put_state(target, WK_HEAP_WANTED))
		return wk_fail(err, WK_EIO, WK_NOWHERE,
			       "the memory of %s cannot be written: it has just ended, or runs "
			       "another program",
			       wk_buf_text(&target->remote.who));
	target->is_asked = true;
	return true;
}

/* False while it may still begin. */
static bool has_decided(const struct target *target, uint64_t until_ns)
{
	enum wk_heap_state state = state_of(target);

	return (state != WK_HEAP_WANTED && state != WK_HEAP_BEGINNING) ||
	       wk_os_clock_ns() >= until_ns;
}

static bool wait_for(const struct target *target, uint64_t until_ns, struct wk_err *err)
{
	struct timespec moment = { .tv_nsec = NAP_NS };

	while (!has_decided(target, until_ns))
		nanosleep(&moment, NULL);
	return state_of(target) != WK_HEAP_OFF ||
	       wk_fail(err, WK_EIO, WK_NOWHERE,
		       "%s could not be recorded: it has no memory or descriptors left, is in "
		       "another network namespace, or one of its threads was stopped "
		       "in " WK_HEAP_LIBRARY_NAME,
		       wk_buf_text(&target->remote.who));
}

bool wk_heap_attach_begin(struct wk_heap_attach *attach, const char *name, struct wk_err *err)
{
	uint64_t until_ns = wk_os_clock_ns() + PATIENCE_NS;
	bool ok = true;

	for (size_t i = 0; i < attach->count && ok; i++)
		ok = switch_on(&attach->targets[i], name, err);
	for (size_t i = 0; i < attach->count && ok; i++)
		ok = wait_for(&attach->targets[i], until_ns, err);
	return ok;
}

void wk_heap_attach_free(struct wk_heap_attach *attach)
{
	if (!attach)
		return;
	for (size_t i = 0; i < attach->count; i++) {
		struct target *target = &attach->targets[i];

		if (target->is_asked && state_of(target) == WK_HEAP_WANTED)
			put_state(target, WK_HEAP_OFF);
		wk_remote_fini(&target->remote);
	}
	WK_FREE_ALL(attach->targets, attach);
}

bool wk_heap_attach_find_recorder(pid_t pid, struct wk_buf *name)
{
	struct wk_err ignored = { 0 };
	struct wk_heap_switch found;
	struct target target = { 0 };
	bool is_found = wk_remote_open(&target.remote, pid, &ignored) &&
			find_switch(&target, false, &ignored) && state_of(&target) == WK_HEAP_ON &&
			read_switch(&target, &found) && found.name[0];

	if (is_found)
		wk_buf_add_text(name, found.name);
	wk_remote_fini(&target.remote);
	return is_found;
}
