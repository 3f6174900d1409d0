/* What lies where in a module: its functions and the lines of its code, by address, without a look
 * inside. A piece of a large module is then read without the rest of it.
 *
 * The symbols are cut into chapters. One begins with a function and has what follows up to the next
 * one: scopes, inlined calls, and parts of it that lie elsewhere. What is in front of all functions
 * is the first. */
#ifndef WK_SYMBOLS_PDB_OUTLINE_H
#define WK_SYMBOLS_PDB_OUTLINE_H

#include "symbols/pdb/internal.h"

struct wk_pdb_chapter {
	uint32_t at;    /* in the symbols */
	uint32_t first; /* of its functions, in `procs`; mostly the only one */
};

/* A function, a thunk, or a part of a function that lies elsewhere. No two cover the same address:
 * the first at a place has it, and one that another begins in ends there. */
struct wk_pdb_outlined {
	uint32_t start, end; /* the same: it is hidden by another */
	uint32_t at;         /* its record, in the symbols */
	uint32_t chapter;
};

/* Lines of code that lies in one piece. */
struct wk_pdb_stretch {
	uint32_t start, end;
	uint32_t from; /* before it, another stretch has told */
	struct wk_bytes files;
};

/* Where an inlined function begins. */
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

/* NULL where the module's stream cannot be read. */
struct wk_pdb_outline *wk_pdb_outline_new(const struct wk_pdb *pdb,
					  const struct wk_pdb_module *module, struct wk_err *err);
void wk_pdb_outline_free(struct wk_pdb_outline *outline);

/* The first place in `by_start` that begins at `address` or later. */
size_t wk_pdb_procs_from(const struct wk_pdb_outline *outline, uint32_t address);

/* pdb_lines.c: of a module, into its outline. */
void wk_pdb_outline_lines(const struct wk_pdb *pdb, struct wk_pdb_outline *outline);

#endif
