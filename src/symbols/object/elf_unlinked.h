/* Files that are not linked (ET_REL: .o, .ko): each section's addresses begin at 0, and what debug
 * information says of addresses and of other sections is still to be put in.
 *
 * wk_obj_parse lays out the code of such a file as a linker would, one section behind the other, so
 * that all that works with addresses works with these, too; the symbols of object_symbols.h follow.
 * The first address is far above what code is large: what was not put in leads nowhere. Whoever
 * speaks of an address to somebody says its section and its offset there. */
#ifndef WK_SYMBOLS_OBJECT_ELF_UNLINKED_H
#define WK_SYMBOLS_OBJECT_ELF_UNLINKED_H

#include "base/buf.h"
#include "symbols/object/object.h"

static inline bool wk_elf_is_unlinked(const struct wk_obj *elf)
{
	return elf->type == WK_ET_REL;
}

/* elf.c: gives the sections with code their addresses. */
void wk_elf_lay_out(struct wk_obj *elf);

/* The section with code that has this address, or NULL. */
const struct wk_obj_section *wk_elf_code_at(const struct wk_obj *elf, uint64_t vaddr);

/* The first with code that is as large, for an address of which no section is known; or NULL. */
const struct wk_obj_section *wk_elf_code_with(const struct wk_obj *elf, uint64_t offset);

/* How many with code are as large. */
uint32_t wk_elf_code_count(const struct wk_obj *elf, uint64_t offset);

/* Whether wick knows this machine's relocations. */
bool wk_elf_can_relocate(const struct wk_obj *elf);

/* Puts into the bytes of a section of debug information, which may be the file's own or those of
 * `plain` (then all of them), what a linker would: into `plain`, which `bytes` then shows. Nothing
 * is done where there is nothing to put in. */
void wk_elf_relocate(const struct wk_obj *elf, const struct wk_obj_section *section,
		     struct wk_buf *plain, struct wk_bytes *bytes);

#endif
