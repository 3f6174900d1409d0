#include "os/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/os.h"

const char *const wk_os_shell[2] = { "sh", "-c" };
const char *const wk_os_opener = "xdg-open";

bool wk_os_has_display(void)
{
	const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x11 && *x11) || (wayland && *wayland);
}

/* In the child: becomes the program, or writes the reason of a failure to `failure_fd`. Never
 * returns. */
static void become(const char *const *words, const struct wk_os_program_io *io, int output,
		   int failure_fd)
{
	int cause;

	if (io->input >= 0)
		dup2(io->input, STDIN_FILENO);
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	if (io->is_mute || io->is_detached)
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	if (io->is_detached) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
		setsid();
	}
	execvp(words[0], (char *const *)(uintptr_t)words);
	cause = errno;
	if (write(failure_fd, &cause, sizeof(cause)) != (ssize_t)sizeof(cause))
		_exit(126);
	_exit(127);
}

static void read_all(int fd, struct wk_buf *text)
{
	char part[65536];
	ssize_t got;

	do {
		got = read(fd, part, sizeof(part));
		if (got > 0)
			wk_buf_add(text, part, (size_t)got);
	} while (got > 0 || (got < 0 && errno == EINTR));
}

static int wait_for(pid_t pid)
{
	int status = 0;
	pid_t ended;

	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool private_pipe(int fds[2], struct wk_err *err)
{
	return pipe2(fds, O_CLOEXEC) == 0 || wk_fail_os(err, errno, "cannot create a pipe");
}

/* 0 if the child became its program, else the cause why not. */
static int failure_of(int fd)
{
	int cause = 0;
	ssize_t got;

	do
		got = read(fd, &cause, sizeof(cause));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(cause) ? cause : 0;
}

struct collecting {
	int fd;
	struct wk_buf *text;
};

static void collect(void *context)
{
	const struct collecting *collecting = context;

	read_all(collecting->fd, collecting->text);
}

int wk_os_program_run(const char *const *words, struct wk_os_program_io io, struct wk_err *err)
{
	int failure[2] = { -1, -1 }, output[2] = { -1, -1 };
	int exit_code = -1, cause;
	void (*before)(int) = SIG_DFL;
	pid_t pid;

	if (!private_pipe(failure, err) || (io.collect && !private_pipe(output, err)))
		goto out;
	pid = fork();
	if (pid < 0) {
		wk_fail_os(err, errno, "cannot start %s", words[0]);
		goto out;
	}
	if (pid == 0)
		become(words, &io, io.collect ? output[1] : io.output, failure[1]);
	if (io.outlives_interrupt)
		before = signal(SIGINT, SIG_IGN);
	close_end(&failure[1]);
	if (io.collect) {
		close_end(&output[1]);
		/* The child is waited for and the pipes are closed even if memory runs out. */
		wk_heap_run(wk_heap_current(), collect,
			    &(struct collecting){ output[0], io.collect });
		close_end(&output[0]);
	}
	cause = failure_of(failure[0]);
	exit_code = io.is_detached && !cause ? 0 : wait_for(pid);
	if (io.outlives_interrupt)
		signal(SIGINT, before);
	if (cause) {
		exit_code = -1;
		wk_fail_os(err, cause, "cannot run %s", words[0]);
	}
out:
	for (int i = 0; i < 2; i++) {
		close_end(&failure[i]);
		close_end(&output[i]);
	}
	wk_heap_check();
	return exit_code;
}

static bool is_program(const char *path)
{
	struct stat info;

	return access(path, X_OK) == 0 && stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

char *wk_os_program_find(const char *name)
{
	const char *path = getenv("PATH");

	if (wk_os_is_path(name))
		return is_program(name) ? wk_strndup(name, strlen(name)) : NULL;
	for (const char *at = path; at && *at;) {
		size_t len = strcspn(at, ":");
		struct wk_buf candidate = { 0 };

		wk_buf_add_fmt(&candidate, "%.*s/%s", (int)len, at, name);
		if (len && is_program(wk_buf_text(&candidate)))
			return candidate.at;
		wk_buf_fini(&candidate);
		at += len + (at[len] == ':');
	}
	return NULL;
}
