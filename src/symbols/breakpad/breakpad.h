/* Breakpad symbol files (.sym): text that dump_syms makes of an image's debug information, to a
 * code index, a part at a time.
 *
 *	MODULE windows x86_64 83FA1D6E2C1E837C4C4C44205044422E1 app.pdb
 *	FILE 0 C:\src\main.c
 *	INLINE_ORIGIN 0 add
 *	FUNC 1000 30 0 main
 *	INLINE 0 12 0 0 1008 10
 *	1000 8 11 0
 *	PUBLIC 2000 0 start
 *
 * Addresses are counted from where the image is loaded: RVAs for PE, for ELF from its first
 * segment. Names are as the file has them, demangled as a rule. FUNC records with their INLINE
 * records and lines become the index's functions, chains and lines; where two begin at the same
 * address the first has it. Units are stretches of the text, which are read when they are asked
 * for. STACK records are passed over. A last line without its end was cut, and is left out.
 *
 * Order of calls: open, fill, load for each unit that is asked for, free. The text stays the
 * caller's and must outlive it. Not for several threads at once. */
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
	struct wk_str key;  /* of the build: GUID and age of a PDB, as symbol stores write them */
	struct wk_str name; /* of the debug file */
};

struct wk_breakpad_public {
	uint64_t address;
	struct wk_str name;
};

bool wk_breakpad_is(struct wk_bytes first);

/* NULL, with a sentence, where it is none. Goes through all of the text once. */
struct wk_breakpad *wk_breakpad_open(const void *text, size_t size_bytes, struct wk_err *err);
void wk_breakpad_free(struct wk_breakpad *breakpad);

const struct wk_breakpad_module *wk_breakpad_module(const struct wk_breakpad *breakpad);

size_t wk_breakpad_unit_count(const struct wk_breakpad *breakpad);

/* Sets the index' ranges: those of the functions. Each index begins with this. */
void wk_breakpad_fill(struct wk_breakpad *breakpad, struct wk_code_index *index);

/* Adds one unit to the index; false where there is no such unit. */
bool wk_breakpad_load(struct wk_breakpad *breakpad, uint32_t unit, struct wk_code_index *index,
		      struct wk_err *err);

/* PUBLIC records, in the file's order: names of places of which no more is known. They end where
 * the next one or a function begins. */
const struct wk_breakpad_public *wk_breakpad_publics(const struct wk_breakpad *breakpad,
						     size_t *count);

/* The same as a table, for what lies in no function: where functions begin these end, too. Never
 * NULL; it borrows nothing. */
struct wk_symtab *wk_breakpad_names(const struct wk_breakpad *breakpad);

/* Lines that are of no known form, passed over: at open those outside of functions, and with each
 * unit that is loaded those in it. */
uint64_t wk_breakpad_bad_lines(const struct wk_breakpad *breakpad);

#endif
