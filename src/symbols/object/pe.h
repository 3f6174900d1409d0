/* What a PE image (.exe, .dll, .sys; a .debug file of mingw) has beyond a wk_obj.
 *
 * wk_obj_parse reads it (pe.c): sections by their full names, numbered from 1 as in the file
 * (section 0 is empty), and a segment for each, so that everything documented for ELF applies. Its
 * addresses are RVAs: relative to the image base. All texts and windows point into the file. */
#ifndef WK_SYMBOLS_OBJECT_PE_H
#define WK_SYMBOLS_OBJECT_PE_H

#include "base/buf.h"
#include "base/sort.h"
#include "event/pdb_id.h"
#include "symbols/object/object.h"

enum wk_pe_directory {
	WK_PE_EXPORTS = 0,
	WK_PE_EXCEPTIONS = 3, /* .pdata */
	WK_PE_DEBUG = 6,
	WK_PE_DIRECTORIES = 16,
};

struct wk_pe_range {
	uint32_t rva, size_bytes;
};

/* An exported function; data and forwards to other images are left out. */
struct wk_pe_export {
	uint32_t rva;
	uint32_t name; /* offset in the file or, past its end, in `made` */
};

struct wk_pe {
	uint32_t time_stamp;    /* seconds since 1970, or a hash; with image_bytes the key by
				 * which symbol stores keep the image */
	uint32_t image_bytes;   /* SizeOfImage */
	uint8_t linker_version; /* its first number: GNU's is 2, Microsoft's and LLVM's 14 */
	struct wk_pdb_id pdb;   /* all zero: there is no PDB */
	struct wk_str pdb_path; /* as linked; empty if unknown */
	struct wk_pe_range directories[WK_PE_DIRECTORIES];

	struct wk_bytes symbols; /* the COFF table: entries of 18 bytes */
	struct wk_bytes names;   /* those entries, and the COFF table of strings behind them */
	struct wk_pe_export *exports;
	size_t export_count;
	struct wk_buf made; /* names of exports that have only a number */

	struct wk_sort_key *by_rva; /* the segments that have bytes in the file, by address */
	size_t by_rva_count;
};

/* The bytes from an RVA to the end of its section in the file; empty if there are none. `start` is
 * the first of them. */
struct wk_bytes wk_pe_at(const struct wk_obj *pe, uint64_t rva);

/* The section that has code at an RVA, or NULL. */
const struct wk_obj_section *wk_pe_code_at(const struct wk_obj *pe, uint64_t rva);

/* Does its COFF table contain a symbol? Stripped images, and all that Microsoft's linker writes,
 * have only exports. */
bool wk_pe_has_symbols(const struct wk_obj *pe);

/* pe_symbols.c, for pe.c: fills `exports`. */
void wk_pe_read_exports(struct wk_obj *pe);

#endif
