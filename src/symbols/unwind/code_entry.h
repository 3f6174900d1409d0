/* The first instructions of an x86-64 function, to be replaced by a jump and run elsewhere.
 *
 * What is relative to the program counter is rewritten: branches with the longest distance,
 * operands with a fix, and a call as a push of its return address and a jump, so that a stack shows
 * the function itself. Nothing is guessed: what cannot be moved is refused. */
#ifndef WK_SYMBOLS_UNWIND_CODE_ENTRY_H
#define WK_SYMBOLS_UNWIND_CODE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "channel/patch.h"

/* `code` begins with the function, and may go on behind it; `size_bytes` is the function's, 0 if
 * that is not known. On failure, `why` is a sentence about the function without a subject. */
bool wk_code_entry_read(struct wk_bytes code, uint64_t size_bytes, struct wk_patch_code *entry,
			const char **why);

/* Does the function at `offset`, or one that it calls, call through a pointer, as those of other
 * libraries are? Then its callers expect it to change all registers that a call may change. Of
 * another function compilers know which it leaves alone, and rely on that. */
bool wk_entry_calls_others(struct wk_bytes code, uint64_t offset);

struct wk_entry_range {
	uint64_t vaddr;
	uint64_t size_bytes;
	bool is_reached; /* a branch leads behind the range's first byte */
};

/* Marks ranges that branches with long distances lead into, wherever in `code`, at `vaddr`, they
 * are. Bytes that only look like such a branch to one are as good as none in any program. */
void wk_entry_ranges_reached(struct wk_bytes code, uint64_t vaddr, struct wk_entry_range *ranges,
			     size_t count);

#endif
