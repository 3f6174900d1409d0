/* Unlinked files (ET_REL: .o, .ko): the addresses of each section start at 0, and debug information
 * refers to addresses and other sections through relocations that are not applied yet.
 *
 * wk_obj_parse lays out the code of such a file as a linker would, one section after the other, so
 * that everything that works with addresses works here; the symbols of object_symbols.h follow. The
 * first address is far above any code size, so a reference that was not relocated leads nowhere.
 * Messages show a section and an offset in it instead of such an address. */
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

/* Applies the relocations of a section of debug information, whose bytes are the file's own or
 * those of `plain` (then all of them). The result is in `plain`, and `bytes` then points there.
 * Does nothing if there are no relocations. */
void wk_elf_relocate(const struct wk_obj *elf, const struct wk_obj_section *section,
		     struct wk_buf *plain, struct wk_bytes *bytes);

#endif
