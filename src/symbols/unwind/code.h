/* What machine code itself tells where an image has no tables for it.
 *
 * Hand-written assembly and C libraries built without tables (musl's is) leave gaps in the
 * middle of good stacks. For x86-64, wk_code_rules follows a function's instructions from
 * its first to the sampled one, along branches, and keeps count of what they do to the
 * stack pointer: the result is a row as tables would have it. The work is bounded by the
 * function's size and a budget. Nothing here guesses: what cannot be followed is refused. */
#ifndef WK_SYMBOLS_UNWIND_CODE_H
#define WK_SYMBOLS_UNWIND_CODE_H

#include "base/bytes.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/frame.h"

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
 * the beginning leads there or the stack pointer cannot be followed. */
bool wk_code_rules(struct wk_bytes function, uint64_t offset, struct wk_cfi_state *state);

/* Where functions seem to begin in a stretch of code without symbols: what its own
 * instructions call, and what they take the address of where code before it has ended. */
struct wk_code_starts {
	uint64_t vaddr, size_bytes; /* the stretch */
	uint32_t *offsets;          /* rising, from `vaddr` on */
	size_t count, cap, sorted;
};

/* Looks through `code`, which lies at `vaddr`; replaces what was there. */
void wk_code_starts_read(struct wk_code_starts *starts, struct wk_bytes code, uint64_t vaddr);
void wk_code_starts_fini(struct wk_code_starts *starts);

/* The last one at or before `vaddr`, and how far the next one or the end is from it. */
bool wk_code_starts_find(const struct wk_code_starts *starts, uint64_t vaddr, uint64_t *start,
			 uint64_t *size_bytes);

#endif
