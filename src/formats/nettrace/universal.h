/* Events of collectors that record whole machines (version 6): processes, mapped files, names of
 * addresses, and values with stacks, such as samples of the CPU. */
#ifndef WK_FORMATS_NETTRACE_UNIVERSAL_H
#define WK_FORMATS_NETTRACE_UNIVERSAL_H

#include "base/arena.h"
#include "base/map.h"
#include "event/sink.h"
#include "formats/nettrace/types.h"

struct wk_nettrace_mapping {
	uint64_t start, stop, offset;
	struct wk_str path;
};

struct wk_nettrace_universal {
	struct wk_map mapping_of; /* its number: row + 1 */
	struct wk_nettrace_mapping *mappings;
	size_t count, cap;
	struct wk_arena texts;
};

/* The fields of a payload. */
struct wk_nettrace_fields {
	uint64_t numbers[WK_NETTRACE_NUMBERS]; /* by enum wk_nettrace_field */
	bool has_pid;
	struct wk_str name;
};

void wk_nettrace_universal_fini(struct wk_nettrace_universal *universal);

/* False if the payload is short. */
bool wk_nettrace_fields_read(const struct wk_nettrace_type *type, struct wk_bytes payload,
			     struct wk_nettrace_fields *fields);

/* An event of a process, a mapping or a symbol: `event` has its time and thread. */
bool wk_nettrace_universal_emit(struct wk_nettrace_universal *universal, enum wk_nettrace_use use,
				const struct wk_nettrace_fields *fields, struct wk_event *event,
				const struct wk_sink *sink, struct wk_err *err);

#endif
