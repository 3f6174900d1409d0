/* A saved symbol table, used in place: 16 bytes a row, followed by the names.
 *
 * It needs no ELF file. The bytes are borrowed and may be damaged: the answers are then wrong, but
 * every search ends and nothing outside the bytes is read. */
#ifndef WK_SYMBOLS_OBJECT_SYMTAB_PACKED_H
#define WK_SYMBOLS_OBJECT_SYMTAB_PACKED_H

#include <stdbool.h>

#include "base/buf.h"
#include "symbols/object/object.h"

struct wk_symtab_packed_row {
	uint32_t start, size_bytes; /* start: from the table's base */
	uint32_t name;              /* offset in the names */
	uint32_t bits;              /* enclosing row, binding, type */
};

struct wk_symtab_packed {
	uint64_t base;
	const struct wk_symtab_packed_row *rows;
	uint32_t count;
	const char *names;
	size_t names_len;
};

/* Makes a table of `count` rows in order of address at the end of `out`: begin, a row each, end. */
struct wk_symtab_packer {
	struct wk_buf *out;
	size_t begin, names; /* offsets in it */
	uint64_t base;
	uint32_t count;
	bool does_not_fit; /* addresses or names beyond 32 bits */
};

void wk_symtab_packer_begin(struct wk_symtab_packer *packer, uint64_t base, uint32_t count,
			    struct wk_buf *out);

/* `around` is the enclosing row, + 1; 0 for none. */
void wk_symtab_packer_add(struct wk_symtab_packer *packer, const struct wk_obj_symbol *symbol,
			  uint32_t around);

/* False, with `out` as it was, if it does not fit. */
bool wk_symtab_packer_end(struct wk_symtab_packer *packer);

bool wk_symtab_packed_open(struct wk_symtab_packed *packed, struct wk_bytes bytes,
			   struct wk_err *err);
struct wk_obj_symbol wk_symtab_packed_at(const struct wk_symtab_packed *packed, uint32_t row);

/* As wk_symtab_find (symtab.h). */
bool wk_symtab_packed_find(const struct wk_symtab_packed *packed, uint64_t vaddr, int most_nested,
			   struct wk_obj_symbol *symbol);

#endif
