/* Program databases (.pdb, MSF 7.00): functions, inlined calls and lines to a code index, a module
 * at a time; public names; and the identity by which an image asks for one.
 *
 * docs/formats/pdb.md tells what is read. Addresses are the image's own, counted from where it is
 * loaded (RVA). Modules are the units, and pieces of the code of large ones: which addresses are
 * of which one is known from the contributions to sections (wk_pdb_fill), and one that is never
 * asked for is never read. A function has its linked name where a public begins at the same
 * address, else the name that its module has, with scopes and without parameters. What has only a
 * public (wk_pdb_each_public) is not in the index.
 *
 * The bytes stay the caller's and must outlive it; the index borrows nothing of them. Order of
 * calls: open, fill, load for each unit that is asked for, free. Not for several threads at
 * once. */
#ifndef WK_SYMBOLS_PDB_PDB_H
#define WK_SYMBOLS_PDB_PDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "event/pdb_id.h"
#include "symbols/code_index/code_index.h"

struct wk_pdb;

/* Does a file begin as one, of whichever kind? Not all of them can be opened. */
bool wk_pdb_is(struct wk_bytes file);

/* A PDB says how many pages it has. One that has fewer was cut: what is missing may be anything. */
bool wk_pdb_is_whole(struct wk_bytes pdb);

/* NULL, with a sentence that says which kind of file it is, where it cannot be read. */
struct wk_pdb *wk_pdb_open(const void *at, size_t size_bytes, struct wk_err *err);
void wk_pdb_free(struct wk_pdb *pdb);

/* The age is that of the DBI stream, which images name. */
const struct wk_pdb_id *wk_pdb_id(const struct wk_pdb *pdb);

/* Has it public names only: it was stripped, was linked from objects without debug information, or
 * with /DEBUG:FASTLINK, which leaves the rest in those? */
bool wk_pdb_is_stripped(const struct wk_pdb *pdb);
/* Why, in a few words that follow a colon; only of such a one. */
const char *wk_pdb_why_stripped(const struct wk_pdb *pdb);
/* Is it /DEBUG:FASTLINK? */
bool wk_pdb_refers_to_objects(const struct wk_pdb *pdb);

/* Is it of a 32-bit program for Intel's processors? */
bool wk_pdb_is_x86(const struct wk_pdb *pdb);

/* What it was linked from, object files mostly. */
size_t wk_pdb_module_count(const struct wk_pdb *pdb);

size_t wk_pdb_unit_count(struct wk_pdb *pdb);

/* Sets the index' ranges. */
void wk_pdb_fill(struct wk_pdb *pdb, struct wk_code_index *index);

/* Adds one unit to the index. What is broken in it is left out; false if nothing of it could be
 * read, and it is then added empty. */
bool wk_pdb_load(struct wk_pdb *pdb, uint32_t unit, struct wk_code_index *index,
		 struct wk_err *err);

/* A public name as linked (mangled); its end is the next one's begin or its section's end. What was
 * written in C has its plain name in 32-bit programs, too (wk_pe_plain_name). */
struct wk_pdb_public {
	uint64_t rva;
	struct wk_str name; /* in wk_pdb_public_names */
	bool is_function;
};

/* In no order; of several at one address debuggers show the last. `take` returns false to stop. */
void wk_pdb_each_public(struct wk_pdb *pdb,
			bool (*take)(void *context, const struct wk_pdb_public *symbol),
			void *context);

/* The bytes that all of them lie in. */
struct wk_bytes wk_pdb_public_names(struct wk_pdb *pdb);

/* The image's sections as the PDB has them, from 0 on. */
struct wk_pdb_section {
	uint32_t rva, size_bytes;
	bool is_code;
};
size_t wk_pdb_section_count(const struct wk_pdb *pdb);
struct wk_pdb_section wk_pdb_section_at(const struct wk_pdb *pdb, size_t i);

/* Where that of `rva` ends; 0 outside of all. */
uint64_t wk_pdb_section_end(const struct wk_pdb *pdb, uint64_t rva);

#endif
