/* Any bytes as a Windows image: parse, list symbols, build the sorted table, look things up, and
 * read debug information where there is some. */
#include <assert.h>
#include <stdlib.h>

#include "symbols/dwarf/internal.h"
#include "base/mem.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/pe.h"
#include "symbols/object/symtab.h"
#include "symtab_rows.h"

struct seen {
	const struct wk_obj *obj;
	uint64_t count, last;
};

static bool is_within(const char *at, size_t len, const void *start, size_t size)
{
	const char *begin = start;

	return begin && at >= begin && at + len <= begin + size;
}

/* A name is the file's own, or one of those that were made. */
static bool see(void *context, const struct wk_obj_symbol *symbol)
{
	struct seen *seen = context;
	const struct wk_buf *made = &seen->obj->pe->made;

	assert(symbol->name.len > 0);
	assert(is_within(symbol->name.at, symbol->name.len, seen->obj->at, seen->obj->size_bytes) ||
	       is_within(symbol->name.at, symbol->name.len, made->at, made->len));
	seen->count += symbol->name.at[symbol->name.len - 1] != 0;
	seen->last = symbol->vaddr;
	return true;
}

static void check_bounds(const struct wk_obj *obj)
{
	struct wk_obj_bound *bounds;
	size_t count = wk_obj_bounds(obj, &bounds);

	assert(count <= obj->size_bytes / 8);
	for (size_t i = 0; i < count; i++) {
		assert(bounds[i].start < bounds[i].end);
		assert(i == 0 || bounds[i - 1].end <= bounds[i].start);
	}
	wk_free(bounds);
}

static void check_sections(const struct wk_obj *obj)
{
	struct wk_str name;
	uint32_t crc;

	for (uint32_t i = 0; i < obj->section_count; i++) {
		const struct wk_obj_section *section = &obj->sections[i];
		struct wk_bytes bytes = wk_obj_bytes(obj, section);

		assert(bytes.at >= obj->at && bytes.end <= obj->at + obj->size_bytes);
		bytes = wk_pe_at(obj, section->vaddr + section->size_bytes / 2);
		assert(bytes.at >= obj->at && bytes.end <= obj->at + obj->size_bytes);
		wk_pe_code_at(obj, section->vaddr + section->size_bytes - 1);
	}
	wk_obj_debuglink(obj, &name, &crc);
	assert(obj->build_id.size == 0 || obj->build_id.size == 20);
	assert(obj->pe->export_count <= obj->size_bytes / 2);
}

static void check_table(const struct wk_obj *obj)
{
	struct wk_symtab *tab = wk_symtab_new(obj, NULL);

	check_rows(tab);
	wk_symtab_free(tab);
}

/* Every unit; places are asked for where code begins. */
static void check_places(const struct wk_obj *obj)
{
	struct wk_dwarf *dwarf = wk_dwarf_new(&(struct wk_dwarf_input){ .obj = obj }, NULL);
	struct wk_code_index *index;
	struct wk_place places[4];

	if (!dwarf)
		return;
	index = wk_code_index_new();
	wk_dwarf_fill(dwarf, index);
	for (uint32_t i = 0; i < dwarf->main->unit_count && i < 16; i++)
		wk_dwarf_load(dwarf, i, index, NULL);
	for (uint32_t i = 0; i < obj->section_count && i < 16; i++)
		wk_code_index_places(index, obj->sections[i].vaddr, places, 4);
	wk_code_index_free(index);
	wk_dwarf_free(dwarf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_obj *obj = wk_obj_parse(data, size, &err);
	struct seen seen = { .obj = obj };

	if (!obj) {
		assert(err.code != WK_OK);
		return 0;
	}
	if (obj->kind == WK_OBJ_PE) {
		check_sections(obj);
		check_bounds(obj);
		wk_obj_each_symbol(obj, see, &seen);
		check_table(obj);
		check_places(obj);
	}
	wk_obj_free(obj);
	return 0;
}
