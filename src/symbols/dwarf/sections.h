/* The sections of debug information of one file, uncompressed.
 *
 * Sections compressed with zlib or zstd (SHF_COMPRESSED, and the older .zdebug_ names) are unpacked
 * on first use; the others are windows into the file. Split files (.dwo) have the same sections
 * under names that end in ".dwo". Those of an unlinked file are copied and relocated
 * (elf_unlinked.h). */
#ifndef WK_SYMBOLS_DWARF_SECTIONS_H
#define WK_SYMBOLS_DWARF_SECTIONS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "symbols/object/object.h"

enum wk_dwarf_section {
	WK_DWARF_INFO,
	WK_DWARF_ABBREV,
	WK_DWARF_STR,
	WK_DWARF_LINE,
	WK_DWARF_LINE_STR,
	WK_DWARF_RANGES,
	WK_DWARF_RNGLISTS,
	WK_DWARF_ADDR,
	WK_DWARF_STR_OFFSETS,
	WK_DWARF_ARANGES,
	WK_DWARF_CU_INDEX, /* of a .dwp */
	WK_DWARF_SECTIONS
};

struct wk_dwarf_sections {
	const struct wk_obj *obj;
	bool is_split; /* names end in ".dwo" */
	struct wk_bytes bytes[WK_DWARF_SECTIONS];
	struct wk_buf plain[WK_DWARF_SECTIONS]; /* of those that were packed */
	bool is_open[WK_DWARF_SECTIONS];
	struct wk_err err; /* the first section that could not be unpacked */
};

void wk_dwarf_sections_init(struct wk_dwarf_sections *sections, const struct wk_obj *obj,
			    bool is_split);
void wk_dwarf_sections_fini(struct wk_dwarf_sections *sections);

void wk_dwarf_section_open(struct wk_dwarf_sections *sections, enum wk_dwarf_section which);

/* Complete, in the file's byte order; empty if there is none or it cannot be unpacked. */
static inline struct wk_bytes wk_dwarf_section(struct wk_dwarf_sections *sections,
					       enum wk_dwarf_section which)
{
	if (!sections->is_open[which])
		wk_dwarf_section_open(sections, which);
	return sections->bytes[which];
}

/* Its size, as a bound for work; for a section packed far better than honest ones, no more than its
 * packed size makes plausible. */
uint64_t wk_dwarf_section_weight(struct wk_dwarf_sections *sections, enum wk_dwarf_section which);

/* The same for any section of a file (.eh_frame and .debug_frame may be packed as well): unpacks
 * into `plain` if needed. */
bool wk_elf_plain(const struct wk_obj *obj, const struct wk_obj_section *section,
		  struct wk_buf *plain, struct wk_bytes *bytes, struct wk_err *err);

#endif
