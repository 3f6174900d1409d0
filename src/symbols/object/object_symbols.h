/* Symbols as stored in an object file: without their names, which are read on demand.
 *
 * Names are most of the size of a symbol table, and most are never needed. A raw symbol therefore
 * stores the position of its name: an offset in one of the two string tables. symtab.c builds its
 * table from these; wk_obj_each_symbol (object.h) returns the same with names. elf_symbols.c reads
 * the tables, elf_plt.c the slots of the procedure linkage table; pe_symbols.c reads the COFF table
 * of a PE in place of the first and its exports in place of the second. */
#ifndef WK_SYMBOLS_OBJECT_OBJECT_SYMBOLS_H
#define WK_SYMBOLS_OBJECT_OBJECT_SYMBOLS_H

#include "symbols/object/object.h"

enum wk_obj_table { WK_OBJ_SYMTAB, WK_OBJ_DYNSYM, WK_OBJ_TABLES };

/* Windows into the file with the symbols, empty if the file has none. */
struct wk_obj_tables {
	struct wk_bytes symbols[WK_OBJ_TABLES];
	struct wk_bytes names[WK_OBJ_TABLES];
	struct wk_bytes versions; /* two bytes for each symbol of the second table; ELF only */

	/* PE only: names before this offset of the first table have eight bytes and need no NUL. */
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
	bool is_old; /* kept for programs that were linked with an older version */
};

/* Returns false to stop. */
typedef bool (*wk_obj_add_raw)(void *context, const struct wk_obj_raw *raw);

/* From section headers or, if there are none, from PT_DYNAMIC. */
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

/* Any symbol of an ELF table, unfiltered; false past the end of the table. In an unlinked file the
 * addresses are those of elf_unlinked.h. */
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
/* With the version that the linker wrote behind it: "cfree@GLIBC_2.2.5", and behind "@@" that of
 * new programs. */
struct wk_str wk_obj_versioned_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
				    uint32_t name);
struct wk_str wk_pe_raw_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
			     uint32_t name);

/* The C source name: `f`, `f@8`, `@f@8` and `f@@16` are all f with different calling conventions,
 * after the '_' that most have in front. */
struct wk_str wk_pe_plain_name(struct wk_str name);

/* Start and end of code from a table other than the symbols, sorted by address and not nested: the
 * functions of a PE's .pdata, whose symbols have no sizes. */
struct wk_obj_bound {
	uint64_t start, end;
	uint64_t function; /* start of the function it belongs to; usually its own start */
};

/* How many there are, and in `bounds` those, which the caller frees. */
size_t wk_obj_bounds(const struct wk_obj *obj, struct wk_obj_bound **bounds);
size_t wk_pe_bounds(const struct wk_obj *pe, struct wk_obj_bound **bounds);

#endif
