/* JIT code, as .NET's runtime and engines of JavaScript log it: which method is at which address of
 * which process, and since when.
 *
 * Methods in a rundown existed all the time, unless an event logs their compilation. A method that
 * is unloaded has its name for the time before. If other code is placed at the same address, the
 * later event names it from then on.
 *
 * Order of calls: the handlers of the first pass; emit_seen; the handlers of the second. */
#ifndef WK_FORMATS_ETL_METHODS_H
#define WK_FORMATS_ETL_METHODS_H

#include "base/arena.h"
#include "base/map.h"
#include "event/event.h"

struct wk_etl_trace;

struct wk_etl_seen_method {
	uint32_t pid, size_bytes;
	uint64_t start, module;
	bool is_clr;
	struct wk_str name;
	struct wk_jit_map_line line; /* of a script; its line is 0 where that is unknown */
};

/* All zero is empty. */
struct wk_etl_methods {
	struct wk_arena texts;
	struct wk_etl_seen_method *seen;
	size_t seen_count, seen_cap;
	struct wk_map met;      /* pid and start, hashed */
	struct wk_str *sources; /* files of scripts */
	size_t source_count, source_cap;
	struct wk_map source_of; /* pid and number, hashed: row + 1 */
};

void wk_etl_methods_fini(struct wk_etl_methods *methods);

/* Methods that already existed, as SYMBOL events of time 0, once all modules have been scanned. */
bool wk_etl_methods_emit_seen(const struct wk_etl_trace *trace);

#endif
