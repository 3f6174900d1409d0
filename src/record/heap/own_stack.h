/* Whether a stopped thread runs on its own stack, with space for a library to be loaded.
 *
 * Coroutines and signal handlers may run on stacks of the program's making. Those can be small, and
 * what is below them is other data of the program. */
#ifndef WK_RECORD_HEAP_OWN_STACK_H
#define WK_RECORD_HEAP_OWN_STACK_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

#include "record/heap/remote.h"

bool wk_own_stack(const struct wk_remote *remote, pid_t tid,
		  const struct user_regs_struct *registers);

#endif
