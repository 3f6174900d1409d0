/* The layout of a module: its functions and the lines of its code, by address, without their
 * contents. A part of a large module can then be read without the rest.
 *
 * The symbols are cut into chapters. A chapter begins with a function and contains what follows up
 * to the next one: scopes, inlined calls, and separate parts of it. The symbols before all
 * functions are the first chapter. */
#ifndef WK_SYMBOLS_PDB_OUTLINE_H
#define WK_SYMBOLS_PDB_OUTLINE_H

#include "symbols/pdb/internal.h"

struct wk_pdb_chapter {
	uint32_t at;    /* in the symbols */
	uint32_t first; /* of its functions, in `procs`; mostly the only one */
};

/* A function, a thunk, or a separate part of a function. No two cover the same address: the first
 * at a place wins, and one in which another begins ends there. */
struct wk_pdb_outlined {
	uint32_t start, end; /* the same: it is hidden by another */
	uint32_t at;         /* its record, in the symbols */
	uint32_t chapter;
};

/* Lines of contiguous code. */
struct wk_pdb_stretch {
	uint32_t start, end;
	uint32_t from; /* before it, another interval has the lines */
	struct wk_bytes files;
};

/* The start of an inlined function. */
struct wk_pdb_inlinee {
	uint32_t file_id, line;
};

struct wk_pdb_outline {
	struct wk_msf_stream stream;
	struct wk_bytes symbols, line_parts, checksums; /* of it */

	struct wk_pdb_chapter *chapters; /* there is always one */
	size_t chapter_count, chapter_cap;
	struct wk_pdb_outlined *procs; /* in the order of the symbols */
	size_t proc_count, proc_cap;
	struct wk_sort_key *by_start; /* of `procs` */

	struct wk_pdb_stretch *stretches; /* by address */
	size_t stretch_count, stretch_cap;

	struct wk_map inlinee_of; /* id to its number in `inlinees` + 1 */
	struct wk_pdb_inlinee *inlinees;
	size_t inlinee_count, inlinee_cap;
};

/* NULL if the module's stream cannot be read. */
struct wk_pdb_outline *wk_pdb_outline_new(const struct wk_pdb *pdb,
					  const struct wk_pdb_module *module, struct wk_err *err);
void wk_pdb_outline_free(struct wk_pdb_outline *outline);

/* The first place in `by_start` that begins at `address` or later. */
size_t wk_pdb_procs_from(const struct wk_pdb_outline *outline, uint32_t address);

/* lines.c: the lines of a module, for its outline. */
void wk_pdb_outline_lines(const struct wk_pdb *pdb, struct wk_pdb_outline *outline);

#endif
