/* Where code came from: one function of the calls that an address stands for.
 *
 * A place in machine code is one function or, where calls were inlined, several: the innermost
 * inlined one first, the function that the machine runs last. Each says where in its source it
 * was: the innermost by the line table, the others by where they call the one before. */
#ifndef WK_SYMBOLS_CODE_INDEX_PLACE_H
#define WK_SYMBOLS_CODE_INDEX_PLACE_H

#include <stdint.h>

#include "base/str.h"

struct wk_place {
	struct wk_str function; /* as linked where the debug information says so, else as written
				 * in the source; empty where unknown */
	struct wk_str file;     /* whole path where the debug information has it */
	uint32_t line, column;  /* 0 where unknown */
	uint64_t copy_at;       /* of an inlined call: where the same function lies out of line
				 * (vaddr), where it is known by no linked name here; else 0 */
};

/* The same with texts by number, which is the same for the same text; 0 is the empty one. For who
 * makes something of each text once. */
struct wk_place_ids {
	uint32_t function, file;
	uint32_t line, column;
};

/* More calls are not inlined into one another by any compiler; what is deeper is cut at the
 * innermost. */
#define WK_MOST_PLACES 256

#endif
