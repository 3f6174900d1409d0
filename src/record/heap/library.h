/* The heap library's file, and what a program needs in its environment to be loaded with it. */
#ifndef WK_RECORD_HEAP_LIBRARY_H
#define WK_RECORD_HEAP_LIBRARY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Beside the program, where a build puts it, or where it is installed. */
bool wk_heap_library_find(struct wk_buf *path, struct wk_err *err);

/* "LD_PRELOAD=LIBRARY", before what the user has there. */
void wk_heap_library_preload(const char *library, struct wk_buf *variable);

/* "ASAN_OPTIONS=...", with what the user has there: the address sanitizer's library ends programs
 * in which it is not the first one. */
void wk_heap_library_sanitizer(struct wk_buf *variable);

#endif
