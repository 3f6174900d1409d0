/* Types of events, as metadata describes them.
 *
 * Metadata numbers the types. Versions of an event have numbers of their own, but are one type
 * here. Rows stay in place until wk_nettrace_types_fini; adding may move them. */
#ifndef WK_FORMATS_NETTRACE_TYPES_H
#define WK_FORMATS_NETTRACE_TYPES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/map.h"

/* What is done with the events of a type. */
enum wk_nettrace_use {
	WK_NETTRACE_COUNT, /* samples of its own source if it has stacks */
	WK_NETTRACE_SAMPLE,
	WK_NETTRACE_METHOD_LOADED,
	WK_NETTRACE_METHOD_SEEN,
	WK_NETTRACE_MODULE,
	WK_NETTRACE_THREAD,
	WK_NETTRACE_COMMAND,
	WK_NETTRACE_RUNTIME,
	WK_NETTRACE_ALLOCATION,
	WK_NETTRACE_IGNORED, /* its stacks say nothing */
	/* Of collectors for whole machines: */
	WK_NETTRACE_VALUE,
	WK_NETTRACE_PROCESS_SEEN,
	WK_NETTRACE_PROCESS_START,
	WK_NETTRACE_PROCESS_EXIT,
	WK_NETTRACE_MAPPING,
	WK_NETTRACE_SYMBOL,
};

/* Fields of those, in the order of the payload. */
enum wk_nettrace_field {
	WK_NETTRACE_OTHER_FIELD,
	WK_NETTRACE_ID,
	WK_NETTRACE_PID,
	WK_NETTRACE_START,
	WK_NETTRACE_STOP,
	WK_NETTRACE_OFFSET,
	WK_NETTRACE_MAPPED,
	WK_NETTRACE_WEIGHT,
	WK_NETTRACE_NUMBERS, /* those before are numbers */
	WK_NETTRACE_NAME = WK_NETTRACE_NUMBERS,
	WK_NETTRACE_OTHER_TEXT,
};

#define WK_NETTRACE_MOST_FIELDS 8

struct wk_nettrace_type {
	struct wk_str provider, name; /* "Microsoft-Windows-DotNETRuntime", "GC/Start" */
	enum wk_nettrace_use use;
	uint8_t fields[WK_NETTRACE_MOST_FIELDS]; /* enum wk_nettrace_field */
	uint8_t field_count;
	bool has_stacks; /* some of its events */
	uint64_t count;
};

struct wk_nettrace_types {
	struct wk_arena texts;
	struct wk_nettrace_type *at;
	uint32_t count;
	size_t cap;
	struct wk_map row_of;  /* by the number of its metadata: row + 1 */
	struct wk_map same_as; /* by provider and name, hashed: row + 1 */
};

void wk_nettrace_types_fini(struct wk_nettrace_types *types);

/* A block of metadata. False if it ends inside a row. */
bool wk_nettrace_types_add(struct wk_nettrace_types *types, struct wk_bytes block, bool is_v6);

/* Numbers are given anew from here on. */
void wk_nettrace_types_forget(struct wk_nettrace_types *types);

/* The row of a type, or UINT32_MAX. */
static inline uint32_t wk_nettrace_types_find(const struct wk_nettrace_types *types,
					      uint32_t metadata)
{
	return wk_map_find(&types->row_of, metadata) - 1;
}

#endif
