/* Functions of allocators that are recorded from outside: programs that the heap library cannot be
 * loaded into, and allocators of other names.
 *
 * Each function gets a uprobe where it begins and one where it returns, as tracepoints of a system
 * of their own in the kernel's trace file system (event/allocator_calls.h). They exist until
 * wk_heap_probes_free, which must come after their events are closed. Those of a recorder that was
 * killed are inactive, and are removed by the next one. */
#ifndef WK_RECORD_HEAP_PROBES_H
#define WK_RECORD_HEAP_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/allocator_calls.h"
#include "record/perf_names.h"

struct wk_heap_probe {
	const char *path;
	uint64_t offset;            /* of the function in the file */
	uint64_t vaddr, size_bytes; /* as its symbol has them; the size may be 0 */
	enum wk_allocator_call call;
	const char *function;
};

struct wk_heap_probes;

/* May this user make them, as far as is known without doing so? */
bool wk_heap_probes_are_allowed(struct wk_err *why);

struct wk_heap_probes *wk_heap_probes_new(const struct wk_heap_probe *probes, size_t count,
					  struct wk_err *err);

/* Their events; false after the last. */
bool wk_heap_probes_event_at(const struct wk_heap_probes *probes, size_t index,
			     struct wk_perf_event *event);
void wk_heap_probes_free(struct wk_heap_probes *probes);

#endif
