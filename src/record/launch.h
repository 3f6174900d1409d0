/* Runs the command to be recorded, once everything is open.
 *
 * wk_launch_prepare forks; the child waits for a message from the parent and changes nothing else:
 * its standard streams, signals, limits and process group are those of wick's caller. wk_launch_go
 * lets it run and returns whether the program could be started. */
#ifndef WK_RECORD_LAUNCH_H
#define WK_RECORD_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct wk_launch {
	pid_t pid;      /* 0 while there is none */
	int go_fd;      /* a byte written here starts the program; closing it ends the child */
	int failure_fd; /* receives errno of a failed exec; nothing if it worked */
	bool began;     /* it was let go and could be run */
	bool has_ended;
	int wait_status;
	uint64_t user_ns, system_ns;  /* CPU time of it and of what it waited for, when it ended */
	uint64_t most_resident_bytes; /* of the largest of those processes */
};

/* Searches for the program first: WK_ENOTFOUND if there is none, WK_EPERM if it may not be run.
 * `folder` is its working folder; NULL: the current one. With `to_stderr`, standard error replaces
 * its standard output. */
struct wk_launch_how {
	const char *folder;
	bool to_stderr;
	char *variables[3]; /* "NAME=VALUE", in addition to the environment; or NULL */
};
bool wk_launch_prepare(struct wk_launch *launch, char *const *command,
		       const struct wk_launch_how *how, struct wk_err *err);

#define WK_LAUNCH_ENDED_EARLY "the command was ended before it began"

bool wk_launch_go(struct wk_launch *launch, const char *program, struct wk_err *err);

/* Has it ended? With `wait` it is waited for. */
bool wk_launch_ended(struct wk_launch *launch, bool wait);

/* A child that was never let go is ended; one that runs is left alone. */
void wk_launch_fini(struct wk_launch *launch);

#endif
