/* Program databases (.pdb, MSF 7.00): functions, inlined calls and lines to a code index, one
 * module at a time; public names; and the identity by which an image refers to its PDB.
 *
 * docs/formats/pdb.md describes what is read. Addresses are relative to the image base (RVA). Units
 * are modules, or parts of large ones: their addresses are known from the section contributions
 * (wk_pdb_fill), and a unit that is never needed is never read. A function has its linked name if a
 * public begins at the same address, otherwise the name in its module, with scopes and without
 * parameters. Code that has only a public (wk_pdb_each_public) is not in the index.
 *
 * The bytes belong to the caller and must outlive it; the index borrows nothing of them. Order of
 * calls: open, fill, load for each unit that is needed, free. Not thread-safe. */
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

/* A PDB contains its number of pages. One that has fewer was cut off: anything may be missing. */
bool wk_pdb_is_whole(struct wk_bytes pdb);

/* NULL, with a sentence that names the kind of file, if it cannot be read. */
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

/* Is it for a 32-bit x86 program? */
bool wk_pdb_is_x86(const struct wk_pdb *pdb);

/* The inputs of the linker, mostly object files. */
size_t wk_pdb_module_count(const struct wk_pdb *pdb);

/* Sets the index' ranges. */
void wk_pdb_fill(struct wk_pdb *pdb, struct wk_code_index *index);

/* Adds one unit to the index. Damaged parts are left out; false if nothing of it could be read, and
 * the unit is then added empty. */
bool wk_pdb_load(struct wk_pdb *pdb, uint32_t unit, struct wk_code_index *index,
		 struct wk_err *err);

/* A public name as linked (mangled); it ends at the start of the next one or at the end of its
 * section. C names are undecorated in 32-bit programs as well (wk_pe_plain_name). */
struct wk_pdb_public {
	uint64_t rva;
	struct wk_str name; /* in wk_pdb_public_names */
	bool is_function;
};

/* Unsorted; of several at one address debuggers show the last. `take` returns false to stop. */
void wk_pdb_each_public(struct wk_pdb *pdb,
			bool (*take)(void *context, const struct wk_pdb_public *symbol),
			void *context);

/* The bytes that contain all of them. */
struct wk_bytes wk_pdb_public_names(struct wk_pdb *pdb);

/* The image's sections as the PDB has them, from 0 on. */
struct wk_pdb_section {
	uint32_t rva, size_bytes;
	bool is_code;
};
size_t wk_pdb_section_count(const struct wk_pdb *pdb);
struct wk_pdb_section wk_pdb_section_at(const struct wk_pdb *pdb, size_t i);

/* The end of the section that contains `rva`; 0 if there is none. */
uint64_t wk_pdb_section_end(const struct wk_pdb *pdb, uint64_t rva);

#endif
