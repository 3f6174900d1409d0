/* Any bytes as an ELF file: parse, list symbols, build the sorted table and look things up. */
#include <assert.h>
#include <stdlib.h>

#include "symbols/dwarf/sections.h"
#include "symbols/object/elf_unlinked.h"
#include "symbols/object/symtab.h"
#include "symtab_rows.h"

struct seen {
	const struct wk_obj *obj;
	uint64_t count, last;
};

/* Every byte of a name must be the file's own. */
static bool see(void *context, const struct wk_obj_symbol *symbol)
{
	struct seen *seen = context;
	const uint8_t *at = (const uint8_t *)symbol->name.at;

	assert(symbol->name.len > 0);
	assert(at >= seen->obj->at &&
	       at + symbol->name.len < seen->obj->at + seen->obj->size_bytes);
	seen->count += symbol->name.at[symbol->name.len - 1] != 0;
	seen->last = symbol->vaddr;
	return true;
}

static void check_plain(const struct wk_obj *obj, const struct wk_obj_section *section)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };
	struct wk_bytes bytes;
	size_t left;

	if (!wk_elf_plain(obj, section, &plain, &bytes, &err))
		assert(err.code != WK_OK && wk_bytes_left(&bytes) == 0);
	assert(plain.len == 0 || bytes.at == (const uint8_t *)plain.at);
	left = wk_bytes_left(&bytes);
	wk_elf_relocate(obj, section, &plain, &bytes);
	assert(wk_bytes_left(&bytes) == left);
	wk_buf_fini(&plain);
}

static void check_sections(const struct wk_obj *obj)
{
	struct wk_str name;
	uint64_t answer, back;
	uint32_t crc;

	/* Some thousand packed sections may share the same bytes, which is no fault of the reader.
	 */
	for (uint32_t i = 0; i < obj->section_count && i < 32; i++) {
		struct wk_bytes bytes = wk_obj_bytes(obj, &obj->sections[i]);

		assert(bytes.at >= obj->at && bytes.end <= obj->at + obj->size_bytes);
		check_plain(obj, &obj->sections[i]);
	}
	wk_obj_section(obj, ".text");
	wk_obj_debuglink(obj, &name, &crc);
	if (wk_obj_vaddr_of(obj, obj->entry, &answer))
		wk_obj_offset_of(obj, answer, &back);
}

/* A saved and loaded table answers as the one that was saved. */
static void check_saved(const struct wk_symtab *tab)
{
	struct wk_buf saved = { 0 };
	struct wk_obj_symbol a, b;
	struct wk_symtab *loaded;

	if (!wk_symtab_save(tab, &saved)) {
		wk_buf_fini(&saved);
		return;
	}
	loaded = wk_symtab_load(wk_bytes_of(saved.at, saved.len), NULL);
	assert(loaded && wk_symtab_count(loaded) == wk_symtab_count(tab));
	for (uint32_t i = 0; i < wk_symtab_count(tab); i++) {
		uint64_t vaddr = wk_symtab_at(tab, i).vaddr + i % 7;
		bool is_there = wk_symtab_find(tab, vaddr, &a);

		assert(wk_symtab_find(loaded, vaddr, &b) == is_there);
		assert(!is_there || (a.vaddr == b.vaddr && a.size_bytes == b.size_bytes &&
				     wk_str_eq(a.name, b.name)));
	}
	wk_symtab_free(loaded);
	wk_buf_fini(&saved);
}

static void check_table(const struct wk_obj *obj, uint64_t vaddr)
{
	struct wk_symtab *tab = wk_symtab_new(obj, obj);
	struct wk_obj_symbol found;

	check_rows(tab);
	if (wk_symtab_find(tab, vaddr, &found))
		assert(vaddr - found.vaddr < found.size_bytes);
	check_saved(tab);
	wk_symtab_free(tab);
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
	check_sections(obj);
	wk_obj_each_symbol(obj, see, &seen);
	check_table(obj, seen.last + 1);
	wk_obj_free(obj);
	return 0;
}
