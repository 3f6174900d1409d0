/* Which addresses an input names itself, for whoever would look for their names elsewhere.
 *
 * Order of calls: zeroed, _add for each symbol, _sort, _has, fini. As a reader will find it, what
 * begins last before an address names it, if it reaches so far. */
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

/* Code made at run time, which is of no image, is passed over. */
void wk_supplied_names_add(struct wk_supplied_names *names, const struct wk_event_symbol *symbol);
void wk_supplied_names_sort(struct wk_supplied_names *names);
bool wk_supplied_names_has(const struct wk_supplied_names *names, struct wk_str path,
			   const struct wk_build_id *build_id, uint64_t address);
void wk_supplied_names_fini(struct wk_supplied_names *names);

#endif
