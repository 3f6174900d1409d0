/* The symbols of a PE: its COFF table, which mingw's linker writes, and its exports. */
#include "symbols/object/pe.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbols/object/object_kinds.h"
#include "symbols/object/object_symbols.h"

#define SYMBOL_BYTES 18
#define SHORT_NAME   8

enum {
	CLASS_EXTERNAL = 2,
	CLASS_STATIC = 3,
	CLASS_LABEL = 6,

	TYPE_FUNCTION = 0x20,
};

struct coff_symbol {
	struct wk_bytes short_name;
	uint32_t name, value;
	uint16_t section, type;
	uint8_t storage, more; /* entries behind it that are of it */
};

static struct coff_symbol read_symbol(struct wk_bytes *in)
{
	struct coff_symbol symbol = { .short_name = wk_bytes_slice(in, SHORT_NAME) };
	struct wk_bytes name = symbol.short_name;

	if (wk_u32le(&name) == 0)
		symbol.name = wk_u32le(&name);
	symbol.value = wk_u32le(in);
	symbol.section = wk_u16le(in);
	symbol.type = wk_u16le(in);
	symbol.storage = wk_u8(in);
	symbol.more = wk_u8(in);
	return symbol;
}

/* Sections have symbols as well, and gcc, gas and clang name some labels themselves. */
static bool is_marker(uint8_t first)
{
	return first == 0 || first == '.' || first == '$';
}

/* The position of the name in wk_pe.names; false if it is not the name of a function. 32-bit
 * Windows adds a '_' in front of C names, which debug information does not; other decorations are
 * removed later. */
static bool place_name(const struct wk_obj *pe, struct coff_symbol *symbol, uint64_t index)
{
	const struct wk_pe *own = pe->pe;
	uint64_t at = index * SYMBOL_BYTES;
	struct wk_bytes first;
	uint8_t c;

	if (symbol->name)
		at = wk_bytes_left(&own->symbols) + symbol->name;
	first = wk_bytes_at(&own->names, at, 1);
	c = wk_u8(&first);
	if (is_marker(c) || at >= UINT32_MAX)
		return false;
	symbol->name = (uint32_t)(at + (pe->machine == WK_MACHINE_X86 && c == '_'));
	return true;
}

/* Symbols that the compiler marks as functions come first: mingw's linker puts labels such as
 * ___crt_xt_end__ at the start of the first function and marks them external. */
static bool as_raw(const struct wk_obj *pe, struct coff_symbol *symbol, uint64_t index,
		   struct wk_obj_raw *raw)
{
	bool is_function = (symbol->type & 0xf0) == TYPE_FUNCTION;
	const struct wk_obj_section *section;

	if (symbol->section == 0 || symbol->section >= pe->section_count ||
	    (symbol->storage != CLASS_EXTERNAL && symbol->storage != CLASS_STATIC &&
	     symbol->storage != CLASS_LABEL))
		return false;
	section = &pe->sections[symbol->section];
	if (!(section->flags & WK_SHF_EXECINSTR) || symbol->value >= section->size_bytes ||
	    !place_name(pe, symbol, index))
		return false;
	*raw = (struct wk_obj_raw){
		.vaddr = section->vaddr + symbol->value,
		.name = symbol->name,
		.section = symbol->section,
		.table = WK_OBJ_SYMTAB,
		.binding = is_function && symbol->storage == CLASS_EXTERNAL ? WK_STB_GLOBAL
									    : WK_STB_LOCAL,
		.type = is_function ? WK_STT_FUNC : WK_STT_NOTYPE,
	};
	return true;
}

static bool each_symbol(const struct wk_obj *pe, wk_obj_add_raw take, void *context)
{
	struct wk_bytes in = pe->pe->symbols;
	struct wk_obj_raw raw;

	for (uint64_t i = 0; wk_bytes_left(&in) >= SYMBOL_BYTES;) {
		struct coff_symbol symbol = read_symbol(&in);

		if (as_raw(pe, &symbol, i, &raw) && !take(context, &raw))
			return false;
		i += 1u + symbol.more;
		wk_bytes_skip(&in, (uint64_t)symbol.more * SYMBOL_BYTES);
	}
	return true;
}

/* Something with a name of its own is better than a number. */
static bool each_export(const struct wk_obj *pe, wk_obj_add_raw take, void *context)
{
	const struct wk_pe *own = pe->pe;

	for (size_t i = 0; i < own->export_count; i++) {
		bool is_named = own->exports[i].name < pe->size_bytes;
		struct wk_obj_raw raw = {
			.vaddr = own->exports[i].rva,
			.name = own->exports[i].name,
			.table = WK_OBJ_DYNSYM,
			.binding = is_named ? WK_STB_GLOBAL : WK_STB_LOCAL,
			.type = is_named ? WK_STT_FUNC : WK_STT_NOTYPE,
		};

		if (!take(context, &raw))
			return false;
	}
	return true;
}

void wk_pe_each_raw(const struct wk_obj *pe, wk_obj_add_raw take, void *context)
{
	if (each_symbol(pe, take, context))
		each_export(pe, take, context);
}

uint64_t wk_pe_raw_count(const struct wk_obj *pe, enum wk_obj_table table)
{
	return table == WK_OBJ_SYMTAB ? wk_bytes_left(&pe->pe->symbols) / SYMBOL_BYTES
				      : pe->pe->export_count;
}

struct wk_obj_tables wk_pe_tables(const struct wk_obj *pe)
{
	struct wk_bytes none = wk_obj_bytes(pe, NULL);

	return (struct wk_obj_tables){
		.symbols = { pe->pe->symbols, none },
		.names = { pe->pe->names, wk_obj_whole(pe) },
		.short_names_end = wk_bytes_left(&pe->pe->symbols),
		.made_names = wk_bytes_of(wk_buf_text(&pe->pe->made), pe->pe->made.len),
		.is_pe = true,
		.is_x86_windows = pe->machine == WK_MACHINE_X86,
		.has_no_versions = true, /* names of Windows have an '@' of their own */
	};
}

struct wk_str wk_pe_plain_name(struct wk_str name)
{
	size_t at = name.len;

	while (at > 0 && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
		at--;
	if (at < 2 || at == name.len || name.at[at - 1] != '@' || name.at[0] == '?')
		return name;
	at--;
	at -= at > 1 && name.at[at - 1] == '@';
	name.len = at;
	return at > 1 && name.at[0] == '@' ? wk_str_skip(name, 1) : name;
}

struct wk_str wk_pe_raw_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
			     uint32_t name)
{
	const struct wk_bytes *names = &tables->names[table];
	uint64_t size = wk_bytes_left(names), into = name % SYMBOL_BYTES;
	const char *at = (const char *)names->start;

	if (table == WK_OBJ_DYNSYM && name >= size)
		return wk_obj_text(&tables->made_names, name - size, WK_OBJ_MOST_NAME);
	if (table == WK_OBJ_SYMTAB && name < tables->short_names_end && into < SHORT_NAME)
		return wk_str_of(at + name, strnlen(at + name, SHORT_NAME - into));
	return wk_obj_text(names, name, WK_OBJ_MOST_NAME);
}

/* The export directory and its three tables. */
struct exports {
	struct wk_obj *pe;
	uint32_t first_number; /* of the first function */
	uint32_t function_count;
	struct wk_bytes functions, names, numbers;
	uint8_t *has_name; /* a bit for each function */
	size_t cap;
};

static struct wk_bytes table_at(const struct wk_obj *pe, uint32_t rva, uint32_t count,
				unsigned entry_bytes)
{
	struct wk_bytes table = wk_pe_at(pe, rva);

	if ((uint64_t)count * entry_bytes < wk_bytes_left(&table))
		table.end = table.at + (uint64_t)count * entry_bytes;
	return table;
}

static bool open_exports(struct exports *e, struct wk_obj *pe)
{
	const struct wk_pe_range *range = &pe->pe->directories[WK_PE_EXPORTS];
	uint32_t name_count, functions, names, numbers;
	struct wk_bytes in = wk_pe_at(pe, range->rva);

	if (range->rva == 0 || range->size_bytes == 0)
		return false;
	wk_bytes_skip(&in, 16); /* flags, time, version, the image's name */
	e->pe = pe;
	e->first_number = wk_u32le(&in);
	e->function_count = wk_u32le(&in);
	name_count = wk_u32le(&in);
	functions = wk_u32le(&in);
	names = wk_u32le(&in);
	numbers = wk_u32le(&in);
	if (in.bad)
		return false;
	e->functions = table_at(pe, functions, e->function_count, 4);
	e->names = table_at(pe, names, name_count, 4);
	e->numbers = table_at(pe, numbers, name_count, 2);
	e->function_count = (uint32_t)(wk_bytes_left(&e->functions) / 4);
	return true;
}

/* The code of a function; false if there is none, or if the address points to text in the
 * directory: a forward to a function of another image. */
static bool function_at(const struct exports *e, uint32_t index, uint32_t *rva)
{
	const struct wk_pe_range *range = &e->pe->pe->directories[WK_PE_EXPORTS];
	struct wk_bytes in = wk_bytes_at(&e->functions, (uint64_t)index * 4, 4);

	*rva = wk_u32le(&in);
	return *rva != 0 && *rva - range->rva >= range->size_bytes && wk_pe_code_at(e->pe, *rva);
}

static void add_export(struct exports *e, uint32_t rva, uint64_t name)
{
	struct wk_pe *own = e->pe->pe;

	if (name > UINT32_MAX)
		return;
	*WK_APPEND(own->exports, own->export_count, e->cap) =
		(struct wk_pe_export){ rva, (uint32_t)name };
}

static void add_named(struct exports *e)
{
	while (wk_bytes_left(&e->names) >= 4 && wk_bytes_left(&e->numbers) >= 2) {
		struct wk_bytes name = wk_pe_at(e->pe, wk_u32le(&e->names));
		uint16_t index = wk_u16le(&e->numbers);
		uint32_t rva;

		if (index >= e->function_count || wk_bytes_left(&name) == 0 || *name.at == 0)
			continue;
		e->has_name[index / 8] |= (uint8_t)(1u << index % 8);
		if (function_at(e, index, &rva))
			add_export(e, rva, (uint64_t)(name.at - e->pe->at));
	}
}

static void add_numbered(struct exports *e)
{
	struct wk_buf *made = &e->pe->pe->made;
	uint32_t rva;

	for (uint32_t i = 0; i < e->function_count; i++) {
		if (e->has_name[i / 8] >> i % 8 & 1 || !function_at(e, i, &rva))
			continue;
		add_export(e, rva, (uint64_t)e->pe->size_bytes + made->len);
		wk_buf_add_fmt(made, "Ordinal%u", (unsigned)(e->first_number + i));
		wk_buf_add_char(made, 0);
	}
}

void wk_pe_read_exports(struct wk_obj *pe)
{
	struct exports e = { 0 };

	if (!open_exports(&e, pe))
		return;
	e.has_name = wk_alloc_zeroed(e.function_count / 8 + 1, 1);
	add_named(&e);
	add_numbered(&e);
	wk_free(e.has_name);
}
