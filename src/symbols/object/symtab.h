/* The symbols of one image, sorted by virtual address, for binary search.
 *
 * Built from .symtab, .dynsym and the PLT of an ELF file and, if there is one, its separate debug
 * file; for a PE, from its COFF table, its exports and the publics of its PDB. A row has 24 bytes;
 * names stay in the files, which must outlive the table. Of several symbols at one address the best
 * is kept: with a size before without, global before weak before local, function before label,
 * fewer leading underscores, longer name. A symbol without a size reaches to the next one or to the
 * end of its section, and is dropped if another one with a size covers it. */
#ifndef WK_SYMBOLS_OBJECT_SYMTAB_H
#define WK_SYMBOLS_OBJECT_SYMTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "symbols/object/object.h"

struct wk_pdb;
struct wk_symtab;

/* Version of a saved table in the cache. Raise it if the bytes change, and whenever the same file
 * would give another table: tables saved by an older wick are then rebuilt. */
#define WK_SYMTAB_VERSION 3

/* `debug` may be NULL. Never NULL itself: a file without symbols gives an empty table. */
struct wk_symtab *wk_symtab_new(const struct wk_obj *obj, const struct wk_obj *debug);
/* As perf chooses among symbols at one address: with a size, then not weak, then global, then fewer
 * leading underscores, then the longer name; and with versions ("cfree@GLIBC_2.2.5"). */
struct wk_symtab *wk_symtab_new_as_perf(const struct wk_obj *obj, const struct wk_obj *debug);
/* Of an image with a PDB: with its publics. Without `obj` those are all there is. */
struct wk_symtab *wk_symtab_new_with_pdb(const struct wk_obj *obj, const struct wk_obj *debug,
					 struct wk_pdb *pdb);
/* Names from elsewhere, sorted by address and not nested; they are copied. NULL if they are more
 * than 4 GiB apart. */
struct wk_symtab *wk_symtab_new_of(const struct wk_obj_symbol *symbols, uint32_t count);
void wk_symtab_free(struct wk_symtab *tab);

uint32_t wk_symtab_count(const struct wk_symtab *tab);

/* The innermost symbol that covers `vaddr`; its size is what the table or the next symbol
 * gives. False if none does. */
bool wk_symtab_find(const struct wk_symtab *tab, uint64_t vaddr, struct wk_obj_symbol *symbol);

/* Row `index` in order of address, from 0 to count - 1. */
struct wk_obj_symbol wk_symtab_at(const struct wk_symtab *tab, uint32_t index);

/* To bytes and back, including names: a loaded table needs no ELF file, gives the same answers, and
 * is used in place in `bytes`, which must start at a multiple of 8 and outlive it. Loading reads
 * only a few numbers. Damaged bytes give an error or wrong answers, never a fault. Save returns
 * false and writes nothing for addresses more than 4 GiB apart and for a loaded table. */
bool wk_symtab_save(const struct wk_symtab *tab, struct wk_buf *out);
struct wk_symtab *wk_symtab_load(struct wk_bytes bytes, struct wk_err *err);

#endif
