/* Which addresses an input names itself, for whoever would look for their names elsewhere.
 *
 * Order of calls: zeroed, _add for each symbol, _sort, _has, fini. As a reader will find it, what
 * begins last before an address names it, if it reaches so far. */
#ifndef WK_STAGES_SUPPLIED_NAMES_H
#define WK_STAGES_SUPPLIED_NAMES_H

#include "base/strtab.h"
#include "event/event.h"

struct wk_given_name {
	uint64_t start, size_bytes;
	uint32_t path;
	struct wk_build_id build_id;
};

struct wk_given_names {
	struct wk_strtab *paths; /* NULL: nothing was added */
	struct wk_given_name *rows;
	size_t count, cap;
};

/* Code made at run time, which is of no image, is passed over. */
void wk_given_names_add(struct wk_given_names *names, const struct wk_event_symbol *symbol);
void wk_given_names_sort(struct wk_given_names *names);
bool wk_given_names_has(const struct wk_given_names *names, struct wk_str path,
			const struct wk_build_id *build_id, uint64_t address);
void wk_given_names_fini(struct wk_given_names *names);

#endif
