/* Programs that run while heaps or memory calls are recorded and whose are not, with the reason.
 *
 * A sink in front of another one. The file of a program is the first that it maps. Whether the
 * program has loaded the heap library is known when it ends or runs another one: by then the
 * library has made itself known to the recorder, if there is one. Files are read while the
 * recording goes on, each path once. */
#ifndef WK_SESSION_UNRECORDED_H
#define WK_SESSION_UNRECORDED_H

#include "base/buf.h"
#include "event/sink.h"
#include "session/heap/heap_symbols.h"

struct wk_unrecorded;

enum wk_unrecorded_of {
	WK_UNRECORDED_HEAP,    /* blocks, by the library */
	WK_UNRECORDED_CALLS,   /* memory calls, by the library */
	WK_UNRECORDED_32_BITS, /* memory calls, by tracepoints, which leave such programs out */
};

/* `symbols`: of programs that are recorded in another way. */
struct wk_unrecorded *wk_unrecorded_new(struct wk_sink next, enum wk_unrecorded_of of,
					const struct wk_heap_symbols *symbols);
void wk_unrecorded_free(struct wk_unrecorded *unrecorded);
struct wk_sink wk_unrecorded_sink(struct wk_unrecorded *unrecorded);

/* After the last event: adds a sentence for each program, one a line. */
void wk_unrecorded_add(struct wk_unrecorded *unrecorded, struct wk_buf *lines);

#endif
