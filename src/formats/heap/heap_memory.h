/* Calls that the heap library saw to MEMORY events, by what the tracepoints of these calls mean
 * (formats/perf/space_calls.h). */
#ifndef WK_FORMATS_HEAP_HEAP_MEMORY_H
#define WK_FORMATS_HEAP_HEAP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "event/sink.h"
#include "formats/heap/heap_stacks.h"

struct wk_heap_calls;

struct wk_heap_call_read {
	uint8_t call; /* enum wk_heap_call */
	uint32_t pid, tid;
	uint64_t time_ns, result;
	const uint64_t *arguments; /* WK_HEAP_CALL_ARGUMENTS of them */
	const struct wk_heap_stacks *stacks;
	uint32_t stack;
};

struct wk_heap_calls *wk_heap_calls_new(void);
void wk_heap_calls_free(struct wk_heap_calls *calls);

bool wk_heap_calls_add(struct wk_heap_calls *calls, const struct wk_heap_call_read *call,
		       const struct wk_sink *sink, struct wk_err *err);

/* A row SPACE from its flags on; what is wrong with it is counted in `damaged`. */
bool wk_heap_calls_see(struct wk_heap_calls *calls, uint64_t time_ns, struct wk_bytes row,
		       uint64_t *damaged, const struct wk_sink *sink, struct wk_err *err);

#endif
