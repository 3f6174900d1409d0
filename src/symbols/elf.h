/* An ELF file's structure: segments, sections, symbols, build id, links to debug files.
 *
 * wk_elf_parse checks the bytes once and keeps bounded descriptions; the bytes stay the
 * caller's and must outlive it. Both classes and both byte orders are read. A file whose
 * section headers are stripped or broken still gives its segments, and the build id from
 * PT_NOTE. The order of calls: parse, ask, free. */
#ifndef WK_SYMBOLS_ELF_H
#define WK_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "event/event.h"

struct wk_elf_segment {
	uint32_t type, flags; /* PT_*, PF_* */
	uint64_t offset, vaddr, file_size, memory_size;
};

struct wk_elf_section {
	struct wk_str name;
	uint32_t type, link, info;
	uint64_t flags, vaddr, offset, size_bytes, entry_size;
};

struct wk_elf {
	const uint8_t *at;
	size_t size_bytes;
	bool is_64, big_endian;
	uint16_t type, machine_code;  /* ET_*, EM_* */
	enum wk_machine machine;
	uint64_t entry;
	struct wk_elf_segment *segments;
	uint32_t segment_count;
	struct wk_elf_section *sections;
	uint32_t section_count;
	struct wk_build_id build_id;
};

struct wk_elf *wk_elf_parse(const void *at, size_t size_bytes, struct wk_err *err);
void wk_elf_free(struct wk_elf *elf);

/* The first section of that name with contents in the file, or NULL. */
const struct wk_elf_section *wk_elf_section(const struct wk_elf *elf, const char *name);

/* The bytes of a section; empty for SHT_NOBITS or where they are not in the file. Compressed
 * sections (SHF_COMPRESSED) come as they lie in the file. `start` is the section's begin. */
struct wk_bytes wk_elf_bytes(const struct wk_elf *elf, const struct wk_elf_section *section);

/* Between file offsets and virtual addresses, by the PT_LOAD that holds them (files have
 * several with different distances: there is no single bias). False if none does. */
bool wk_elf_vaddr_of(const struct wk_elf *elf, uint64_t file_offset, uint64_t *vaddr);
bool wk_elf_offset_of(const struct wk_elf *elf, uint64_t vaddr, uint64_t *file_offset);

/* .gnu_debuglink: the file name and CRC-32; false if there is none. */
bool wk_elf_debuglink(const struct wk_elf *elf, struct wk_str *name, uint32_t *crc);

struct wk_elf_symbol {
	struct wk_str name;   /* as linked; version suffix (@@GLIBC_2.2.5) not included */
	uint64_t vaddr, size_bytes;
	uint8_t binding, type; /* STB_*, STT_* */
	bool is_plt;           /* made from a PLT slot: name is that of the function called */
};

/* Every defined function-like symbol of .symtab and .dynsym (STT_FUNC, STT_GNU_IFUNC, and
 * STT_NOTYPE in executable sections), and one for each PLT slot. `take` returns false to stop. */
void wk_elf_each_symbol(const struct wk_elf *elf,
			bool (*take)(void *context, const struct wk_elf_symbol *symbol),
			void *context);

#endif
