/* The structure of an object file: segments, sections, symbols, build id, links to debug files. A
 * program, a library, or a separate debug file.
 *
 * wk_obj_parse detects the kind (object_kinds.h), checks the bytes once and stores bounded
 * descriptions in ELF terms, to which the other kinds are converted. The bytes belong to the caller
 * and must outlive it. Both classes and both byte orders are read. A file whose section headers are
 * stripped or broken still has its segments, and its build id from PT_NOTE. Unlinked files have
 * addresses assigned by wick (elf_unlinked.h). Addresses of a PE are relative to the image base
 * (RVAs); pe.h has what only a PE contains. Order of calls: parse, query, free. */
#ifndef WK_SYMBOLS_OBJECT_OBJECT_H
#define WK_SYMBOLS_OBJECT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "event/event.h"

/* Constants of the ELF specification that wick needs, without a system header. */
enum {
	WK_ET_REL = 1,
	WK_ET_EXEC = 2,
	WK_ET_DYN = 3,

	WK_EM_386 = 3,
	WK_EM_ARM = 40,
	WK_EM_X86_64 = 62,
	WK_EM_AARCH64 = 183,

	WK_PT_LOAD = 1,
	WK_PT_DYNAMIC = 2,
	WK_PT_INTERP = 3,
	WK_PT_NOTE = 4,
	WK_PT_GNU_EH_FRAME = 0x6474e550,

	WK_PF_X = 1,
	WK_PF_W = 2,
	WK_PF_R = 4,

	WK_SHT_PROGBITS = 1,
	WK_SHT_SYMTAB = 2,
	WK_SHT_RELA = 4,
	WK_SHT_NOTE = 7,
	WK_SHT_NOBITS = 8,
	WK_SHT_REL = 9,
	WK_SHT_DYNSYM = 11,
	WK_SHT_GNU_VERSYM = 0x6fffffff,
	WK_SHT_X86_64_UNWIND = 0x70000001,

	WK_SHF_ALLOC = 2,
	WK_SHF_EXECINSTR = 4,
	WK_SHF_GROUP = 0x200,
	WK_SHF_COMPRESSED = 0x800,

	WK_STB_LOCAL = 0,
	WK_STB_GLOBAL = 1,
	WK_STB_WEAK = 2,

	WK_STT_NOTYPE = 0,
	WK_STT_FUNC = 2,
	WK_STT_GNU_IFUNC = 10,
};

struct wk_obj_segment {
	uint32_t type, flags; /* PT_*, PF_* */
	uint64_t offset, vaddr, file_size, memory_size;
};

struct wk_obj_section {
	struct wk_str name;
	uint32_t type, link, info;
	uint64_t flags, vaddr, offset, size_bytes, entry_size;
};

enum wk_obj_kind { WK_OBJ_ELF, WK_OBJ_PE };

struct wk_pe;

struct wk_obj {
	enum wk_obj_kind kind;
	const uint8_t *at;
	size_t size_bytes;
	bool is_64, big_endian;
	uint16_t type, machine_code; /* ET_*, EM_* */
	enum wk_machine machine;
	uint64_t entry;
	struct wk_obj_segment *segments;
	uint32_t segment_count;
	struct wk_obj_section *sections;
	uint32_t section_count;
	struct wk_build_id build_id;
	uint64_t image_base; /* debug information has it in its addresses, and no vaddr has; 0 of
			      * an ELF file */
	struct wk_pe *pe;    /* NULL: it is none */
};

struct wk_obj *wk_obj_parse(const void *at, size_t size_bytes, struct wk_err *err);
void wk_obj_free(struct wk_obj *obj);

/* The first section of that name with contents in the file, or NULL. Sections of a group, which
 * unlinked files have for each type and function of a header, come last. */
const struct wk_obj_section *wk_obj_section(const struct wk_obj *obj, const char *name);

/* Text of at most `limit` bytes at `offset` of a string table; empty if no NUL ends it before the
 * end of the table or the limit. */
struct wk_str wk_obj_text(const struct wk_bytes *table, uint64_t offset, size_t limit);

/* The bytes of a section; empty for SHT_NOBITS or if they are not in the file. Compressed sections
 * (SHF_COMPRESSED) are returned as stored. `start` is the start of the section, and wk_u16, wk_u32,
 * wk_u64 read in the file's byte order. A NULL section is empty. */
struct wk_bytes wk_obj_bytes(const struct wk_obj *obj, const struct wk_obj_section *section);

/* The same for the bytes that a segment has in the file. */
struct wk_bytes wk_obj_segment_bytes(const struct wk_obj *obj,
				     const struct wk_obj_segment *segment);

/* The bytes from `vaddr` to the end of its segment; empty and `bad` if the file has none. */
struct wk_bytes wk_obj_bytes_from(const struct wk_obj *obj, uint64_t vaddr);

/* A number of the file's word size: 8 bytes in a 64-bit file, else 4. */
static inline uint64_t wk_obj_word(const struct wk_obj *obj, struct wk_bytes *in)
{
	return obj->is_64 ? wk_u64(in) : wk_u32(in);
}

/* Converts between addresses as recordings store them and virtual addresses. In ELF the former are
 * file offsets, and the PT_LOAD that contains the address decides (a file has several with
 * different distances: there is no single bias); in a PE both are RVAs. False for addresses outside
 * the image. */
bool wk_obj_vaddr_of(const struct wk_obj *obj, uint64_t file_offset, uint64_t *vaddr);
bool wk_obj_offset_of(const struct wk_obj *obj, uint64_t vaddr, uint64_t *file_offset);

/* .gnu_debuglink: the file name and CRC-32; false if there is none. */
bool wk_obj_debuglink(const struct wk_obj *obj, struct wk_str *name, uint32_t *crc);

/* Does the dynamic section list this library ("libc.so.6")? */
bool wk_elf_needs(const struct wk_obj *elf, const char *library);

struct wk_obj_symbol {
	struct wk_str name; /* as linked; version suffix (@@GLIBC_2.2.5) not included */
	uint64_t vaddr, size_bytes;
	uint8_t binding, type; /* STB_*, STT_* */
	bool is_plt;           /* from a PLT slot: the name is that of the called function */
};

/* .gnu_debugaltlink: path and build id of the file in which dwz put what several files share. */
bool wk_obj_debugaltlink(const struct wk_obj *obj, struct wk_str *path, struct wk_build_id *id);

/* Every defined function-like symbol of .symtab and .dynsym (STT_FUNC, STT_GNU_IFUNC, and
 * STT_NOTYPE in executable sections), and one for each PLT slot; for a PE, those of its COFF table
 * and its exports. `take` returns false to stop. */
void wk_obj_each_symbol(const struct wk_obj *obj,
			bool (*take)(void *context, const struct wk_obj_symbol *symbol),
			void *context);

#endif
