/* The source position of code: one function of the calls that an address represents.
 *
 * A place in machine code is one function or, if calls were inlined, several: the innermost inlined
 * one first, the function that the machine runs last. Each has its source position: the innermost
 * from the line table, the others from where they call the previous one. */
#ifndef WK_SYMBOLS_CODE_INDEX_PLACE_H
#define WK_SYMBOLS_CODE_INDEX_PLACE_H

#include <stdint.h>

#include "base/str.h"

struct wk_place {
	struct wk_str function; /* the linked name if the debug information has it, otherwise as in
				 * the source; empty if unknown */
	struct wk_str file;     /* full path if the debug information has it */
	uint32_t line, column;  /* 0 if unknown */
	uint64_t copy_at;       /* for an inlined call: the address of the out-of-line copy of the
				 * same function, if it has no linked name here; otherwise 0 */
};

/* The same with texts as numbers, which are equal for equal texts; 0 is the empty text. For callers
 * that process each text once. */
struct wk_place_ids {
	uint32_t function, file;
	uint32_t line, column;
};

/* No compiler inlines more calls into one another; deeper chains are cut at the innermost call. */
#define WK_MOST_PLACES 256

#endif
