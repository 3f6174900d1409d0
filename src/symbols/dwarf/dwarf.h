/* DWARF debug information (versions 2 to 5) to a code index, one unit at a time.
 *
 * Read from the file that contains .debug_info (an image, or its separate debug file), with the
 * file that dwz shares between several (.gnu_debugaltlink) and split units (.dwo files or a .dwp
 * package) if they are available. Names come from the linkage name or, without one, from
 * DW_AT_name, through abstract origins and specifications, also in other units. Type units are
 * skipped.
 *
 * Order of calls: new, fill (the index learns the ranges of units), load for each unit that is
 * needed, free. The files must outlive it, and it must outlive the index, which borrows names from
 * it. Not thread-safe. */
#ifndef WK_SYMBOLS_DWARF_DWARF_H
#define WK_SYMBOLS_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbols/code_index/code_index.h"
#include "symbols/object/object.h"

struct wk_dwarf;

struct wk_dwarf_input {
	const struct wk_obj *obj;
	const struct wk_obj *alternate; /* what .gnu_debugaltlink names, or NULL */
	const struct wk_obj *package;   /* the .dwp, or NULL */

	/* Finds the file of a split unit; NULL if there is none. The callee owns the file, which
	 * must outlive the wk_dwarf. The callback may be NULL. */
	const struct wk_obj *(*open_split)(void *context, struct wk_str directory,
					   struct wk_str name, uint64_t id);
	void *context;

	bool skips_lines; /* functions only: no rows, no files of calls */
};

/* NULL, with a sentence, if the file has no debug information or it cannot be read at all. */
struct wk_dwarf *wk_dwarf_new(const struct wk_dwarf_input *input, struct wk_err *err);
void wk_dwarf_free(struct wk_dwarf *dwarf);

/* Sets the ranges of the index: from the root of each unit, or from .debug_aranges if the root has
 * none. */
void wk_dwarf_fill(struct wk_dwarf *dwarf, struct wk_code_index *index);

/* Adds one unit to the index. Damaged parts are left out; false if nothing of it could be read, and
 * the unit is then added empty. */
bool wk_dwarf_load(struct wk_dwarf *dwarf, uint32_t unit, struct wk_code_index *index,
		   struct wk_err *err);

/* What was needed and is missing, for users: split files, the alternate file, and range lists and
 * lines beyond the limit of a file. Empty if nothing is missing. */
struct wk_str wk_dwarf_missing(const struct wk_dwarf *dwarf);

/* The first missing split file, with the folder it was compiled in; empty if none is missing. */
struct wk_str wk_dwarf_missing_split(const struct wk_dwarf *dwarf);
bool wk_dwarf_lacks_alternate(const struct wk_dwarf *dwarf);

/* Nothing read so far was damaged or could not be unpacked. */
bool wk_dwarf_is_sound(const struct wk_dwarf *dwarf);

#endif
