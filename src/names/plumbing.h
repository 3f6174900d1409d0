/* Small functions of standard libraries that are written everywhere and do next to nothing by
 * themselves: moves, comparisons, accessors, steps of iterators, what the library calls inside.
 *
 * Without inlining nobody sees them; if debug information names every inlined call, they would
 * hide the functions that they are part of. */
#ifndef WK_NAMES_PLUMBING_H
#define WK_NAMES_PLUMBING_H

#include "base/str.h"

/* `name` is the readable name of a function of a standard library. */
bool wk_name_is_plumbing(struct wk_str name);

/* Whether it is a part of what a library allocates memory with: allocators, smart pointers,
 * containers, and what fills these. Blocks that it allocates are those of its caller. */
bool wk_name_allocates(struct wk_str name);

/* Whether it does nothing but call an allocator, for a caller that it says nothing about. */
bool wk_name_wraps_allocator(struct wk_str name);

/* Whether it is libc's function for a system call that changes the address space, or what makes the
 * stacks of threads with it. */
bool wk_name_maps(struct wk_str name);

#endif
