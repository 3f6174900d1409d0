/* Symbols as they lie in an object file: without their names, which are read when wanted.
 *
 * Names are most of what a symbol table weighs, and most are never asked for. So a raw
 * symbol says where its name is: an offset in one of the file's two string tables. This is
 * what symtab.c builds its table from; wk_obj_each_symbol (object.h) is the same with names.
 * elf_symbols.c reads the tables, elf_plt.c the slots of the procedure linkage table; pe_symbols.c
 * the COFF table of a PE, which stands for the first of them, and its exports, for the second. */
#ifndef WK_SYMBOLS_OBJECT_OBJECT_SYMBOLS_H
#define WK_SYMBOLS_OBJECT_OBJECT_SYMBOLS_H

#include "symbols/object/object.h"

enum wk_obj_table { WK_OBJ_SYMTAB, WK_OBJ_DYNSYM, WK_OBJ_TABLES };

/* Where the symbols are; windows into the file, empty for what it does not have. */
struct wk_obj_tables {
	struct wk_bytes symbols[WK_OBJ_TABLES];
	struct wk_bytes names[WK_OBJ_TABLES];

	/* Of a PE: names before this offset of the first table have eight bytes and need no NUL. */
	uint64_t short_names_end;
	struct wk_bytes made_names; /* of the second table, behind the others: "Ordinal7" */
	bool is_pe;
	bool has_no_versions; /* an '@' in a name is the name's own */
	bool is_x86_windows;  /* of 32 bits: names of C are decorated, see wk_pe_plain_name */
};

struct wk_obj_raw {
	uint64_t vaddr, size_bytes;
	uint32_t name;    /* offset in names[table] */
	uint32_t section; /* SHN_*; 0 for PLT slots */
	uint8_t table;    /* enum wk_obj_table */
	uint8_t binding, type;
	bool is_plt;
};

/* Returns false to stop. */
typedef bool (*wk_obj_add_raw)(void *context, const struct wk_obj_raw *raw);

/* By section headers or, where there are none, by PT_DYNAMIC. */
struct wk_obj_tables wk_obj_tables(const struct wk_obj *obj);
struct wk_obj_tables wk_elf_tables(const struct wk_obj *elf);
struct wk_obj_tables wk_pe_tables(const struct wk_obj *pe);

/* The symbols of wk_obj_each_symbol, PLT slots last. */
void wk_obj_each_raw(const struct wk_obj *obj, const struct wk_obj_tables *tables,
		     wk_obj_add_raw take, void *context);
void wk_elf_each_raw(const struct wk_obj *elf, const struct wk_obj_tables *tables,
		     wk_obj_add_raw take, void *context);
void wk_pe_each_raw(const struct wk_obj *pe, wk_obj_add_raw take, void *context);

/* How many there are at the most, but for PLT slots. */
uint64_t wk_obj_raw_count(const struct wk_obj *obj, const struct wk_obj_tables *tables,
			  enum wk_obj_table table);
uint64_t wk_elf_raw_count(const struct wk_obj *elf, const struct wk_obj_tables *tables,
			  enum wk_obj_table table);
uint64_t wk_pe_raw_count(const struct wk_obj *pe, enum wk_obj_table table);

/* Any symbol of a table of an ELF file, without judging it; false past the table's end. In a file
 * that is not linked addresses are those of elf_unlinked.h. */
bool wk_obj_raw_at(const struct wk_obj *obj, const struct wk_obj_tables *tables,
		   enum wk_obj_table table, uint64_t index, struct wk_obj_raw *raw);

/* A symbol for each PLT slot whose function is known. */
void wk_elf_each_plt(const struct wk_obj *obj, const struct wk_obj_tables *tables,
		     wk_obj_add_raw take, void *context);

/* No name is longer: C++ writes some of ten thousand bytes. Longer ones are not shown. */
#define WK_OBJ_MOST_NAME (64 * 1024)

/* The name of a raw symbol, without its version. */
struct wk_str wk_obj_raw_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
			      uint32_t name);
/* With the version that the linker wrote behind it: "cfree@GLIBC_2.2.5". */
struct wk_str wk_obj_versioned_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
				    uint32_t name);
struct wk_str wk_pe_raw_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
			     uint32_t name);

/* What was written in C by its name there: `f`, `f@8`, `@f@8` and `f@@16` are all f, called in
 * several ways, behind the '_' that most have in front. */
struct wk_str wk_pe_plain_name(struct wk_str name);

/* Where code begins and ends by another table than that of symbols, in order of address, and none
 * of them in another: the functions of a PE's .pdata, of which symbols have no sizes. */
struct wk_obj_bound {
	uint64_t start, end;
	uint64_t function; /* where the function begins that it is of; mostly its own start */
};

/* How many there are, and in `bounds` those, which the caller frees. */
size_t wk_obj_bounds(const struct wk_obj *obj, struct wk_obj_bound **bounds);
size_t wk_pe_bounds(const struct wk_obj *pe, struct wk_obj_bound **bounds);

#endif
