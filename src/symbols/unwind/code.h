/* Unwinding from machine code, if an image has no tables for it.
 *
 * Hand-written assembly and C libraries built without tables (such as musl's) leave gaps in the
 * middle of good stacks. For x86-64, wk_code_rules follows the instructions of a function from the
 * first to the sampled one, along branches, and tracks their effect on the stack pointer: the
 * result is a row like that of a table. The work is bounded by the size of the function and a
 * budget. Nothing is guessed: code that cannot be followed is rejected. */
#ifndef WK_SYMBOLS_UNWIND_CODE_H
#define WK_SYMBOLS_UNWIND_CODE_H

#include "base/bytes.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/frame.h"

/* Is this the code by which a signal handler returns to the kernel? `code` begins at the
 * handler's return address. */
#define WK_CODE_SIGRETURN_BYTES 9 /* on x86-64; in the system call, the place is right behind it   \
				   */
bool wk_code_is_sigreturn(struct wk_bytes code, enum wk_machine machine);

/* Does a coroutine of makecontext end here? `code` begins at the return address of its function,
 * which did not call that but was entered from nowhere. x86-64, glibc. */
bool wk_code_ends_context(struct wk_bytes code);

/* Is this the end of a thread: does the code pass its return value straight to the exit system
 * call? `code` begins at a return address. Linux, x86-64. */
bool wk_code_ends_thread(struct wk_bytes code);

/* Is this the start of a thread: does the code pop a function and its argument from the new stack
 * and call it? glibc's clone does; older ones have no table, or a wrong one, for that place. `code`
 * begins WK_CODE_THREAD_BYTES before a return address. x86-64. */
#define WK_CODE_THREAD_BYTES 4
bool wk_code_begins_thread(struct wk_bytes code);

/* The interrupted registers in the kernel's signal frame: register `reg` is the word places[reg]
 * words after the result, which is an offset in bytes from the stack pointer. */
uint64_t wk_code_signal_frame(const struct wk_unwind_machine *machine, uint8_t *places);

/* The state at `offset` in the x86-64 function with these bytes, from its start. `offset` may be
 * inside an instruction (a return address less one). False if no path from the start leads there or
 * the stack pointer cannot be followed. */
bool wk_code_rules(struct wk_bytes function, uint64_t offset, struct wk_cfi_state *state);

/* Likely starts of functions in code without symbols: targets of its call instructions, and
 * addresses that it loads, if the code before them has ended. */
struct wk_code_starts {
	uint64_t vaddr, size_bytes; /* the stretch */
	uint32_t *offsets;          /* rising, from `vaddr` on */
	size_t count, cap;
};

/* Searches `code`, which is at `vaddr`; replaces earlier results. */
void wk_code_starts_read(struct wk_code_starts *starts, struct wk_bytes code, uint64_t vaddr);
void wk_code_starts_fini(struct wk_code_starts *starts);

/* The last one at or before `vaddr`, and how far the next one or the end is from it. */
bool wk_code_starts_find(const struct wk_code_starts *starts, uint64_t vaddr, uint64_t *start,
			 uint64_t *size_bytes);

#endif
