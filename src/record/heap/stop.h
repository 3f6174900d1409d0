/* A thread of another process, stopped where it can be made to call a function: not inside the
 * allocator or the loader, whose locks and tables it would meet again.
 *
 * Only that thread is stopped; the others go on. Afterwards it goes on as if nothing had happened:
 * all its registers and its mask of signals are as before, and a system call in which it waited is
 * continued. */
#ifndef WK_RECORD_HEAP_STOP_H
#define WK_RECORD_HEAP_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"
#include "record/heap/remote.h"

struct wk_code_range {
	uint64_t from, to;
};

/* Code that may not be on the thread's stack. */
struct wk_stop_where {
	struct wk_code_range loader, libc, allocator;
};

struct wk_stopped {
	pid_t tid; /* 0: none */
	struct user_regs_struct registers;
	uint64_t signal_mask;
	uint8_t *state; /* all other registers */
	size_t state_bytes;
	bool is_elsewhere; /* a thread was at a safe place, but not on its own stack */
};

/* Tries for some seconds. */
bool wk_stop_thread(const struct wk_remote *remote, const struct wk_stop_where *where,
		    struct wk_stopped *stopped, struct wk_err *err);

enum wk_stop_came { WK_STOP_CAME, WK_STOP_LATE, WK_STOP_GONE };

/* Waits until the thread stops again; late if it does not for two seconds, gone if it has ended. */
enum wk_stop_came wk_stop_wait(pid_t tid, int *status);

/* Sets its registers, and those that only `stopped` has. */
bool wk_stop_put_back(const struct wk_stopped *stopped, const struct user_regs_struct *registers);

/* Lets it go on from where it was stopped first. It has to be stopped now; false if it is not. */
bool wk_stop_end(struct wk_stopped *stopped);

#endif
