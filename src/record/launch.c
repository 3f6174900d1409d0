#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In this folder, where no shell looks for it either. */
static bool is_here(const char *program)
{
	struct stat info;

	return program[0] && !strchr(program, '/') && stat(program, &info) == 0 &&
	       S_ISREG(info.st_mode) && access(program, X_OK) == 0;
}

static bool fail_exec(struct wk_err *err, const char *program, int cause)
{
	/* exec also reports "not found" for a script whose interpreter does not exist. */
	if (cause == ENOENT && strchr(program, '/') && access(program, F_OK) == 0)
		return wk_fail(err, WK_ENOTRUNNABLE, WK_NOWHERE,
			       "cannot run %s: the interpreter that it asks for is not there",
			       program);
	if (cause == ENOENT || cause == ENOTDIR)
		return wk_fail(err, WK_ENOCOMMAND, WK_NOWHERE, "command not found: %s%s%s", program,
			       is_here(program) ? "; there is one in this folder: ./" : "",
			       is_here(program) ? program : "");
	return wk_fail(err, WK_ENOTRUNNABLE, WK_NOWHERE, "cannot run %s: %s", program,
		       strerror(cause));
}

/* 0 if `path` may be run, else why not. */
static int check_file(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return errno;
	if (S_ISDIR(info.st_mode))
		return EISDIR;
	return access(path, X_OK) == 0 ? 0 : errno;
}

/* Searches as execvp will: a file that exists but is not executable is remembered while the rest of
 * PATH is tried. */
static int check_program(const char *program)
{
	const char *path = getenv("PATH");
	int answer = ENOENT;

	if (program[0] == '\0')
		return ENOENT;
	if (strchr(program, '/'))
		return check_file(program);
	for (const char *at = path ? path : "/bin:/usr/bin"; at;) {
		const char *colon = strchr(at, ':');
		int len = colon ? (int)(colon - at) : (int)strlen(at);
		char candidate[4096];
		int cause = ENAMETOOLONG;

		if (snprintf(candidate, sizeof(candidate), "%.*s%s%s", len, at, len ? "/" : "",
			     program) < (int)sizeof(candidate))
			cause = check_file(candidate);
		if (cause == 0)
			return 0;
		if (cause == EACCES)
			answer = EACCES;
		at = colon ? colon + 1 : NULL;
	}
	return answer;
}

/* A pair that no exec passes on; a write without a reader can be an error without a signal. */
static bool private_pair(int fds[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0;
}

/* The child: waits for its byte, then becomes the program. Never returns. */
static void become(char *const *command, const struct wk_launch_how *how, int go_fd, int failure_fd)
{
	char word;
	ssize_t got;
	int cause;

	do {
		got = read(go_fd, &word, 1);
	} while (got < 0 && errno == EINTR);
	if (got == 1) {
		for (size_t i = 0; i < sizeof(how->variables) / sizeof(*how->variables); i++)
			if (how->variables[i])
				putenv(how->variables[i]);
		if (!how->folder || chdir(how->folder) == 0)
			execvp(command[0], command);
		cause = errno;
		while (write(failure_fd, &cause, sizeof(cause)) < 0 && errno == EINTR)
			continue;
	}
	_exit(127);
}

static void close_pair(int fds[2])
{
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

bool wk_launch_prepare(struct wk_launch *launch, char *const *command,
		       const struct wk_launch_how *how, struct wk_err *err)
{
	int go[2] = { -1, -1 }, failure[2] = { -1, -1 };
	int cause = check_program(command[0]);

	*launch = (struct wk_launch){ .go_fd = -1, .failure_fd = -1 };
	if (cause)
		return fail_exec(err, command[0], cause);
	if (!private_pair(go) || !private_pair(failure) || (launch->pid = fork()) < 0) {
		cause = errno;
		launch->pid = 0;
		close_pair(go);
		close_pair(failure);
		return wk_fail_os(err, cause, "cannot start a process");
	}
	if (launch->pid == 0) {
		close(go[1]);
		if (how->to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		become(command, how, go[0], failure[1]);
	}
	close(go[0]);
	close(failure[1]);
	launch->go_fd = go[1];
	launch->failure_fd = failure[0];
	return true;
}

static bool send_word(int go_fd)
{
	ssize_t sent;

	do {
		sent = send(go_fd, "", 1, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	close(go_fd);
	return sent == 1;
}

bool wk_launch_go(struct wk_launch *launch, const char *program, struct wk_err *err)
{
	int cause = 0, go_fd = launch->go_fd;
	ssize_t got;

	/* From here on a signal that came to us alone is passed on. */
	launch->go_fd = -1;
	if (!send_word(go_fd)) {
		wk_launch_ended(launch, true);
		return wk_fail(err, WK_EIO, WK_NOWHERE, WK_LAUNCH_ENDED_EARLY);
	}
	/* The exec closes the other end; before that, only the cause of a failure arrives. */
	do {
		got = read(launch->failure_fd, &cause, sizeof(cause));
	} while (got < 0 && errno == EINTR);
	close(launch->failure_fd);
	launch->failure_fd = -1;
	launch->began = got != (ssize_t)sizeof(cause);
	if (launch->began)
		return true;
	wk_launch_ended(launch, true);
	return fail_exec(err, program, cause);
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

bool wk_launch_ended(struct wk_launch *launch, bool wait)
{
	struct rusage usage = { 0 };
	pid_t got;

	if (launch->has_ended || launch->pid == 0)
		return true;
	do {
		got = wait4(launch->pid, &launch->wait_status, wait ? 0 : WNOHANG, &usage);
	} while (got < 0 && errno == EINTR);
	/* Another part of the program may have waited for all children: the child has ended, with
	 * an unknown status. */
	launch->has_ended = got == launch->pid || (got < 0 && errno == ECHILD);
	launch->user_ns = ns_of(usage.ru_utime);
	launch->system_ns = ns_of(usage.ru_stime);
	launch->most_resident_bytes = (uint64_t)usage.ru_maxrss << 10;
	return launch->has_ended;
}

void wk_launch_fini(struct wk_launch *launch)
{
	bool was_let_go = launch->go_fd < 0;

	if (launch->go_fd >= 0)
		close(launch->go_fd);
	if (launch->failure_fd >= 0)
		close(launch->failure_fd);
	if (launch->pid && !was_let_go)
		wk_launch_ended(launch, true);
	*launch = (struct wk_launch){ .go_fd = -1, .failure_fd = -1 };
}
