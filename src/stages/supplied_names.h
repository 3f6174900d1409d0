/* The addresses that an input names itself, for stages that would look up their names.
 *
 * Order of calls: zeroed, _add for each symbol, _sort, _has, fini. As for a reader, the last symbol
 * that begins before an address names it, if it reaches that far. */
#ifndef WK_STAGES_SUPPLIED_NAMES_H
#define WK_STAGES_SUPPLIED_NAMES_H

#include "base/strtab.h"
#include "event/event.h"

struct wk_supplied_name {
	uint64_t start, size_bytes;
	uint32_t path;
	struct wk_build_id build_id;
};

struct wk_supplied_names {
	struct wk_strtab *paths; /* NULL: nothing was added */
	struct wk_supplied_name *rows;
	size_t count, cap;
};

/* JIT code, which belongs to no image, is ignored. */
void wk_supplied_names_add(struct wk_supplied_names *names, const struct wk_event_symbol *symbol);
void wk_supplied_names_sort(struct wk_supplied_names *names);
bool wk_supplied_names_has(const struct wk_supplied_names *names, struct wk_str path,
			   const struct wk_build_id *build_id, uint64_t address);
void wk_supplied_names_fini(struct wk_supplied_names *names);

#endif
