/* The way back of a thread that is made to call a function: a frame on its stack like that which
 * the kernel makes for a signal's handler. A function that returns through it goes on where the
 * thread was stopped, with all registers and its mask of signals, even if nothing traces the thread
 * any more. x86-64. */
#ifndef WK_RECORD_HEAP_WAY_BACK_H
#define WK_RECORD_HEAP_WAY_BACK_H

#include "record/heap/stop.h"

/* Where the thread may go on without being traced: a system call in which it waited begins again,
 * or has been interrupted by a signal. */
struct user_regs_struct wk_way_back_registers(const struct wk_stopped *stopped);

/* Writes the frame below `top`. Returns its address, a multiple of 16: a stack pointer that is
 * there when rt_sigreturn is called leads back. 0 if it cannot be written. */
uint64_t wk_way_back_write(const struct wk_remote *remote, const struct wk_stopped *stopped,
			   uint64_t top);

#endif
