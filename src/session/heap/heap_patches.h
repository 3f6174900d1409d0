/* Functions of allocators that the heap library can patch (channel/patch.h), by their code. */
#ifndef WK_SESSION_HEAP_HEAP_PATCHES_H
#define WK_SESSION_HEAP_HEAP_PATCHES_H

#include "session/heap/heap_symbols.h"

/* Makes patches of all probes of each file whose functions can all be patched. `why` is filled if
 * others are left: the first reason. */
void wk_heap_patches_make(struct wk_heap_symbols *symbols, struct wk_err *why);

#endif
