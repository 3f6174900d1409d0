#include "record/heap/snapshot.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/os.h"
#include "channel/channel.h"
#include "record/heap/attach.h"
#include "record/proc_scan.h"

#define PATIENCE_SECONDS 5

_Static_assert(WK_SNAPSHOT_LABEL_BYTES == WK_HEAP_TEXT_BYTES, "a label fits a request");

/* "process 1234 (app)" */
struct who {
	pid_t pid;
	struct wk_buf text;
};

static bool fail_unreadable(const struct who *who, struct wk_err *err)
{
	if (kill(who->pid, 0) != 0 && errno == ESRCH)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "no process %d", (int)who->pid);
	return wk_fail(err, WK_EPERM, WK_NOWHERE,
		       geteuid() == 0 ? "%s cannot be examined: the system does not let root read "
					"its environment"
				      : "%s cannot be examined: it belongs to another user, or has "
					"more rights than its user; only root can do that",
		       who->text.at);
}

/* Of the recorder that switched the library on; or the value in the environment that the process
 * began with. */
static bool find_socket(const struct who *who, struct wk_buf *name, struct wk_err *err)
{
	static const char variable[] = WK_HEAP_VARIABLE "=";
	struct wk_buf environment = { 0 };
	struct wk_str rest;
	char path[64];
	bool ok;

	if (wk_heap_attach_find_recorder(who->pid, name))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)who->pid);
	ok = wk_os_read_small(path, &environment) || fail_unreadable(who, err);
	for (rest = wk_buf_str(&environment); ok && rest.len && !name->len;) {
		const char *end = memchr(rest.at, '\0', rest.len);
		struct wk_str entry = { rest.at, end ? (size_t)(end - rest.at) : rest.len };

		if (wk_str_starts(entry, variable))
			wk_buf_add_str(name, wk_str_skip(entry, strlen(variable)));
		rest = wk_str_skip(rest, entry.len + 1);
	}
	wk_buf_fini(&environment);
	if (ok && !name->len)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "the heap of %s is not recorded; to record it from now on, run "
			       "`wick record --heap -p %d` (where uprobes record it, only "
			       "--snapshot-every takes snapshots)",
			       who->text.at, (int)who->pid);
	return ok;
}

static int connect_to(const struct who *who, struct wk_str name, struct wk_err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name.len);
	int fd;

	if (name.len >= sizeof(address.sun_path)) {
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			WK_HEAP_VARIABLE " in the environment of %s is not that of a recorder",
			who->text.at);
		return -1;
	}
	memcpy(address.sun_path + 1, name.at, name.len);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		wk_fail_os(err, errno, "cannot make a socket");
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, length) == 0)
		return fd;
	if (errno == ECONNREFUSED)
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			"the recording of %s has ended, or its recorder is in another network "
			"namespace",
			who->text.at);
	else
		wk_fail_os(err, errno, "cannot connect to the recorder of %s", who->text.at);
	close(fd);
	return -1;
}

static bool exchange(int fd, const struct wk_channel_request *request,
		     struct wk_channel_reply *reply)
{
	ssize_t got;

	if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) != (ssize_t)sizeof(*request))
		return false;
	do {
		got = recv(fd, reply, sizeof(*reply), 0);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(*reply);
}

static bool check_reply(const struct who *who, const struct wk_channel_reply *reply,
			struct wk_err *err)
{
	switch (reply->result) {
	case WK_CHANNEL_DONE:
		return true;
	case WK_CHANNEL_NO_PROCESS:
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "the heap of %s is not recorded, although it was started by "
			       "`wick record --heap`: a program that is linked statically or has "
			       "more rights than its user does not load the heap library",
			       who->text.at);
	case WK_CHANNEL_NO_RIGHT:
		return wk_fail(err, WK_EPERM, WK_NOWHERE,
			       "%s belongs to another user; only that user and root may take "
			       "snapshots of its heap",
			       who->text.at);
	default:
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "%s is recorded by another version of wick; use that one for "
			       "snapshots as well",
			       who->text.at);
	}
}

static bool request_from(const struct who *who, int fd, struct wk_str label, uint32_t *number,
			 struct wk_err *err)
{
	struct wk_channel_request request = {
		.version = WK_CHANNEL_REQUEST_VERSION,
		.kind = WK_CHANNEL_SNAPSHOT,
		.pid = (uint32_t)who->pid,
		.label_bytes = (uint32_t)label.len,
	};
	struct wk_channel_reply reply = { 0 };

	assert(label.len <= sizeof(request.label));
	memcpy(request.label, label.at, label.len);
	if (!exchange(fd, &request, &reply))
		return wk_fail(
			err, WK_EIO, WK_NOWHERE,
			"the recorder of %s gave no answer: it has just ended, is stopped, or "
			"is of another version of wick",
			who->text.at);
	*number = reply.number;
	return check_reply(who, &reply, err);
}

bool wk_heap_snapshot_request(pid_t pid, struct wk_str label, struct wk_taken_snapshot *taken,
			      struct wk_err *err)
{
	struct who who = { .pid = wk_proc_of_thread(pid) };
	struct wk_buf socket_name = { 0 };
	bool ok = false;
	int fd = -1;

	*taken = (struct wk_taken_snapshot){ .pid = who.pid };
	wk_buf_add_fmt(&who.text, "process %d", (int)who.pid);
	if (wk_proc_name(who.pid, &taken->name))
		wk_buf_add_fmt(&who.text, " (%s)", wk_buf_text(&taken->name));
	if (find_socket(&who, &socket_name, err))
		fd = connect_to(&who, wk_buf_str(&socket_name), err);
	if (fd >= 0) {
		ok = request_from(&who, fd, label, &taken->number, err);
		close(fd);
	}
	WK_BUF_FINI_ALL(&socket_name, &who.text);
	return ok;
}

void wk_taken_snapshot_fini(struct wk_taken_snapshot *taken)
{
	wk_buf_fini(&taken->name);
}
