/* The methods of .NET: names of addresses, and whether a thread in one of them waits.
 *
 * As in Windows traces (formats/etl/methods.h), methods that a rundown lists existed all the time,
 * unless an event logs their compilation. */
#ifndef WK_FORMATS_NETTRACE_METHODS_H
#define WK_FORMATS_NETTRACE_METHODS_H

#include "base/arena.h"
#include "base/map.h"
#include "event/sink.h"
#include "formats/clr/owners.h"
#include "formats/clr/payload.h"

/* What a thread does whose innermost frame is a method. */
enum wk_nettrace_leaf {
	WK_NETTRACE_LEAF_RUNS,
	WK_NETTRACE_LEAF_WAITS,
	WK_NETTRACE_LEAF_IS_STUB, /* ask its caller */
};

struct wk_nettrace_range {
	uint64_t start, stop;
	enum wk_nettrace_leaf leaf;
};

struct wk_nettrace_seen_method {
	uint64_t start, module;
	uint32_t pid, size_bytes;
	struct wk_str name;
};

struct wk_nettrace_methods {
	struct wk_arena texts;
	struct wk_nettrace_seen_method *seen;
	size_t seen_count, seen_cap;
	struct wk_map met;                /* pid and start, hashed */
	struct wk_nettrace_range *ranges; /* of those that do not run; sorted by wk_..._settle */
	size_t range_count, range_cap;
};

void wk_nettrace_methods_fini(struct wk_nettrace_methods *methods);

/* The first pass. `is_load`: it was compiled now; else it is there. False: the payload is short. */
bool wk_nettrace_methods_scan(struct wk_nettrace_methods *methods, uint32_t pid,
			      struct wk_bytes payload, bool is_load);
void wk_nettrace_methods_settle(struct wk_nettrace_methods *methods);

/* The second: those that were there all the time, and one that was compiled. */
bool wk_nettrace_methods_emit_seen(const struct wk_nettrace_methods *methods,
				   const struct wk_clr_owners *owners, const struct wk_sink *sink,
				   struct wk_err *err);
bool wk_nettrace_methods_emit(const struct wk_clr_owners *owners, uint32_t pid,
			      struct wk_bytes payload, uint64_t time_ns, const struct wk_sink *sink,
			      struct wk_err *err);

/* Does a thread with this stack wait, by the names of its innermost methods? */
bool wk_nettrace_methods_wait(const struct wk_nettrace_methods *methods, const uint64_t *chain,
			      size_t count);

#endif
