/* Symbols of whichever kind of file it is. */
#include "symbols/object/object_symbols.h"

struct wk_obj_tables wk_obj_tables(const struct wk_obj *obj)
{
	return obj->kind == WK_OBJ_PE ? wk_pe_tables(obj) : wk_elf_tables(obj);
}

uint64_t wk_obj_raw_count(const struct wk_obj *obj, const struct wk_obj_tables *tables,
			  enum wk_obj_table table)
{
	return obj->kind == WK_OBJ_PE ? wk_pe_raw_count(obj, table)
				      : wk_elf_raw_count(obj, tables, table);
}

void wk_obj_each_raw(const struct wk_obj *obj, const struct wk_obj_tables *tables,
		     wk_obj_add_raw take, void *context)
{
	if (obj->kind == WK_OBJ_PE)
		wk_pe_each_raw(obj, take, context);
	else
		wk_elf_each_raw(obj, tables, take, context);
}

size_t wk_obj_bounds(const struct wk_obj *obj, struct wk_obj_bound **bounds)
{
	*bounds = NULL;
	return obj->kind == WK_OBJ_PE ? wk_pe_bounds(obj, bounds) : 0;
}

struct wk_str wk_obj_versioned_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
				    uint32_t name)
{
	if (tables->is_pe)
		return wk_pe_raw_name(tables, table, name);
	return wk_obj_text(&tables->names[table], name, WK_OBJ_MOST_NAME);
}

struct wk_str wk_obj_raw_name(const struct wk_obj_tables *tables, enum wk_obj_table table,
			      uint32_t name)
{
	struct wk_str text = wk_obj_versioned_name(tables, table, name);
	const char *version = NULL;

	if (text.len > 1 && !tables->has_no_versions)
		version = memchr(text.at + 1, '@', text.len - 1);
	if (version)
		text.len = (size_t)(version - text.at);
	return tables->is_x86_windows ? wk_pe_plain_name(text) : text;
}

struct with_names {
	const struct wk_obj_tables *tables;
	bool (*take)(void *context, const struct wk_obj_symbol *symbol);
	void *context;
	uint64_t budget;
};

static bool read_named(void *context, const struct wk_obj_raw *raw)
{
	struct with_names *w = context;
	struct wk_obj_symbol symbol = {
		.name = wk_obj_raw_name(w->tables, raw->table, raw->name),
		.vaddr = raw->vaddr,
		.size_bytes = raw->size_bytes,
		.binding = raw->binding,
		.type = raw->type,
		.is_plt = raw->is_plt,
	};

	if (symbol.name.len > w->budget)
		return false;
	w->budget -= symbol.name.len;
	return symbol.name.len == 0 || w->take(w->context, &symbol);
}

/* Names may share bytes (a linker lets "bar" be the end of "foobar"), so a damaged table can
 * claim far more text than the file has. Real ones never come near four times. */
void wk_obj_each_symbol(const struct wk_obj *obj,
			bool (*take)(void *context, const struct wk_obj_symbol *symbol),
			void *context)
{
	struct wk_obj_tables tables = wk_obj_tables(obj);
	struct with_names w = {
		.tables = &tables,
		.take = take,
		.context = context,
		.budget = 4 * (uint64_t)obj->size_bytes,
	};

	wk_obj_each_raw(obj, &tables, read_named, &w);
}
