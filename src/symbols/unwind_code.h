/* What machine code itself tells where an image has no tables for it.
 *
 * Hand-written assembly and C libraries built without tables (musl's is) leave gaps in the
 * middle of good stacks. For x86-64, wk_code_rules follows a function's instructions from
 * its first to the sampled one, along branches, and keeps count of what they do to the
 * stack pointer: the result is a row as tables would have it. The work is bounded by the
 * function's size and a budget. Nothing here guesses: what can not be followed is refused. */
#ifndef WK_SYMBOLS_UNWIND_CODE_H
#define WK_SYMBOLS_UNWIND_CODE_H

#include "base/bytes.h"
#include "symbols/unwind_cfi.h"
#include "symbols/unwind_frame.h"

/* Is this the code by which a signal handler returns to the kernel? `code` begins at the
 * handler's return address. */
bool wk_code_is_sigreturn(struct wk_bytes code, enum wk_machine machine);

/* Is this the end of a thread: does the code pass what it was returned straight to the exit
 * system call? `code` begins at a return address. Linux, x86-64. */
bool wk_code_ends_thread(struct wk_bytes code);

/* Where the kernel's signal frame keeps the interrupted registers: register `reg` is the word
 * number places[reg] from the result on, counted in bytes from the stack pointer. */
uint64_t wk_code_signal_frame(const struct wk_unwind_machine *machine, uint8_t *places);

/* The state at `offset` in the x86-64 function whose bytes these are, from its first on.
 * `offset` may lie inside an instruction (a return address less one). False if no way from
 * the beginning leads there or the stack pointer can not be followed. */
bool wk_code_rules(struct wk_bytes function, uint64_t offset, struct wk_cfi_state *state);

#endif
