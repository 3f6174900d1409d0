/* DWARF expressions as call frame information uses them.
 *
 * Evaluation is bounded: at most a few hundred operations on a stack of fixed depth, whatever
 * the bytes say, and loads come from the copy of the stack only. Operations that need more
 * than registers and memory (type conversions, calls, thread-local storage) are refused. */
#ifndef WK_SYMBOLS_UNWIND_EXPR_H
#define WK_SYMBOLS_UNWIND_EXPR_H

#include "base/bytes.h"
#include "symbols/unwind/frame.h"

/* `initial` (may be NULL) is pushed first: the CFA, for register rules. False if the expression is
 * damaged, too long, or needs a value that the frame does not have. */
bool wk_expr_run(struct wk_bytes code, struct wk_frame *frame, const uint64_t *initial,
		 uint64_t *result);

/* The expression that linkers write for .plt, where a slot pushes once: CFA = sp + base + ((pc &
 * mask) >= threshold ? extra : 0). */
struct wk_expr_plt {
	uint8_t base, mask, threshold, extra;
};

/* Is it of that form, on x86-64? */
bool wk_expr_is_plt(struct wk_bytes code, struct wk_expr_plt *plt);

#endif
