/* Symbols as they lie in an ELF file: without their names, which are read when wanted.
 *
 * Names are most of what a symbol table weighs, and most are never asked for. So a raw
 * symbol says where its name is: an offset in one of the file's two string tables. This is
 * what symtab.c builds its table from; wk_elf_each_symbol (elf.h) is the same with names.
 * elf_symbols.c reads the tables, elf_plt.c the slots of the procedure linkage table. */
#ifndef WK_SYMBOLS_ELF_SYMBOLS_H
#define WK_SYMBOLS_ELF_SYMBOLS_H

#include "symbols/elf.h"

enum wk_elf_table { WK_ELF_SYMTAB, WK_ELF_DYNSYM, WK_ELF_TABLES };

/* Where the symbols are; windows into the file, empty for what it does not have. */
struct wk_elf_tables {
	struct wk_bytes symbols[WK_ELF_TABLES];
	struct wk_bytes names[WK_ELF_TABLES];
};

struct wk_elf_raw {
	uint64_t vaddr, size_bytes;
	uint32_t name;    /* offset in names[table] */
	uint32_t section; /* SHN_*; 0 for PLT slots */
	uint8_t table;    /* enum wk_elf_table */
	uint8_t binding, type;
	bool is_plt;
};

/* Returns false to stop. */
typedef bool (*wk_elf_take_raw)(void *context, const struct wk_elf_raw *raw);

/* By section headers or, where there are none, by PT_DYNAMIC. */
struct wk_elf_tables wk_elf_tables(const struct wk_elf *elf);

/* The symbols of wk_elf_each_symbol, PLT slots last. */
void wk_elf_each_raw(const struct wk_elf *elf, const struct wk_elf_tables *tables,
		     wk_elf_take_raw take, void *context);

/* Any symbol of a table, without judging it; false past the table's end. In a file that is not
 * linked addresses are those of elf_unlinked.h. */
bool wk_elf_raw_at(const struct wk_elf *elf, const struct wk_elf_tables *tables,
		   enum wk_elf_table table, uint64_t index, struct wk_elf_raw *raw);
uint64_t wk_elf_raw_count(const struct wk_elf *elf, const struct wk_elf_tables *tables,
			  enum wk_elf_table table);

/* A symbol for each PLT slot whose function is known. */
void wk_elf_each_plt(const struct wk_elf *elf, const struct wk_elf_tables *tables,
		     wk_elf_take_raw take, void *context);

/* The name of a raw symbol, without its version. */
struct wk_str wk_elf_raw_name(const struct wk_elf_tables *tables, enum wk_elf_table table,
			      uint32_t name);
/* With the version that the linker wrote behind it: "cfree@GLIBC_2.2.5". */
struct wk_str wk_elf_versioned_name(const struct wk_elf_tables *tables, enum wk_elf_table table,
				    uint32_t name);

#endif
