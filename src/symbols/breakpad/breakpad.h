/* Breakpad symbol files (.sym), which dump_syms writes from an image's debug information, to a
 * code index, one part at a time.
 *
 *	MODULE windows x86_64 83FA1D6E2C1E837C4C4C44205044422E1 app.pdb
 *	FILE 0 C:\src\main.c
 *	INLINE_ORIGIN 0 add
 *	FUNC 1000 30 0 main
 *	INLINE 0 12 0 0 1008 10
 *	1000 8 11 0
 *	PUBLIC 2000 0 start
 *
 * Addresses are relative to the image base: RVAs for PE, for ELF from the first segment. Names
 * are used as they are, usually demangled. FUNC records with their INLINE records and lines
 * become the functions, chains and lines of the index; if two begin at the same address the first
 * one counts. Units are parts of the text, read on demand. STACK records are skipped. A last line
 * without a newline was cut off, and is ignored.
 *
 * Order of calls: open, fill, load for each unit that is needed, free. The text belongs to the
 * caller and must outlive it. Not thread-safe. */
#ifndef WK_SYMBOLS_BREAKPAD_BREAKPAD_H
#define WK_SYMBOLS_BREAKPAD_BREAKPAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "symbols/code_index/code_index.h"
#include "symbols/object/symtab.h"

struct wk_breakpad;

/* What the MODULE record says. */
struct wk_breakpad_module {
	struct wk_str system, machine;
	struct wk_str key;  /* of the build: GUID and age of a PDB, in the form that symbol stores
			     * use */
	struct wk_str name; /* of the debug file */
};

struct wk_breakpad_public {
	uint64_t address;
	struct wk_str name;
};

bool wk_breakpad_is(struct wk_bytes first);

/* NULL, with a sentence, if it is not a Breakpad file. Reads all of the text once. */
struct wk_breakpad *wk_breakpad_open(const void *text, size_t size_bytes, struct wk_err *err);
void wk_breakpad_free(struct wk_breakpad *breakpad);

const struct wk_breakpad_module *wk_breakpad_module(const struct wk_breakpad *breakpad);

/* Sets the index' ranges: those of the functions. Each index begins with this. */
void wk_breakpad_fill(struct wk_breakpad *breakpad, struct wk_code_index *index);

/* Adds one unit to the index; false if there is no such unit. */
bool wk_breakpad_load(struct wk_breakpad *breakpad, uint32_t unit, struct wk_code_index *index,
		      struct wk_err *err);

/* The names of PUBLIC records, for addresses outside functions; each ends where the next one or a
 * function begins. Never NULL; borrows nothing. */
struct wk_symtab *wk_breakpad_names(const struct wk_breakpad *breakpad);

#endif
