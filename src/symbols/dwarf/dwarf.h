/* DWARF debug information (versions 2 to 5) to a code index: a unit at a time.
 *
 * Read from one file that holds .debug_info (an image, or its separate debug file), with the
 * file that dwz shares between several (.gnu_debugaltlink) and split units (.dwo files or a
 * .dwp package) where they are at hand. Names come from the linkage name or, where there is
 * none, DW_AT_name, through abstract origins and specifications, in other units too.
 * Units of types are passed over.
 *
 * Order of calls: new, fill (the index learns which unit covers what), load for each unit that
 * is asked for, free. The files must outlive it, and it the index, which borrows names from it.
 * Not for several threads at once. */
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

	/* Finds a split unit's file; NULL where there is none. The file stays the giver's and
	 * must outlive the wk_dwarf. May itself be NULL. */
	const struct wk_obj *(*open_split)(void *context, struct wk_str directory,
					   struct wk_str name, uint64_t id);
	void *context;

	bool skips_lines; /* functions only: no rows, no files of calls */
};

/* NULL, with a sentence, where the file has no debug information or it cannot be read at all. */
struct wk_dwarf *wk_dwarf_new(const struct wk_dwarf_input *input, struct wk_err *err);
void wk_dwarf_free(struct wk_dwarf *dwarf);

size_t wk_dwarf_unit_count(const struct wk_dwarf *dwarf);

/* Sets the index' ranges: by each unit's own root, or .debug_aranges where that says nothing. */
void wk_dwarf_fill(struct wk_dwarf *dwarf, struct wk_code_index *index);

/* Adds one unit to the index. What is broken in it is left out; false if nothing of it could be
 * read, and it is then added empty. */
bool wk_dwarf_load(struct wk_dwarf *dwarf, uint32_t unit, struct wk_code_index *index,
		   struct wk_err *err);

/* What was asked for and is not there, for people: split files, the alternate file, and
 * lists of ranges and lines past what a file may cost. Empty where nothing is missing. */
struct wk_str wk_dwarf_missing(const struct wk_dwarf *dwarf);

/* The first split file of those, with the folder it was compiled in; empty where none is gone. */
struct wk_str wk_dwarf_missing_split(const struct wk_dwarf *dwarf);
bool wk_dwarf_lacks_alternate(const struct wk_dwarf *dwarf);

/* Nothing of what was read so far was broken or could not be unpacked. */
bool wk_dwarf_is_sound(const struct wk_dwarf *dwarf);

#endif
