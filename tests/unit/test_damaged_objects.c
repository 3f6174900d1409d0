/* What is read from damaged programs and debug information: the inputs of the fuzz targets, cut and
 * with bytes changed. */
#define _GNU_SOURCE /* glob */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "digests.h"
#include "symbols/breakpad/internal.h"
#include "symbols/dwarf/internal.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/pe.h"
#include "symbols/object/symtab.h"
#include "symbols/pdb/internal.h"
#include "symbols/unwind/table.h"

#define MOST_CUTS  40
#define MOST_FLIPS 250

static uint64_t add_number(uint64_t digest, uint64_t number)
{
	return digest_add(digest, &number, sizeof(number));
}

static uint64_t add_text(uint64_t digest, struct wk_str text)
{
	return digest_add(add_number(digest, text.len), text.at, text.len);
}

/* Functions, lines and inlined calls where the inputs have code. */
static uint64_t add_index(uint64_t digest, const struct wk_code_index *index)
{
	struct wk_place places[8];

	for (uint64_t address = 0; address < 0x2000; address += 4) {
		size_t count = wk_code_index_places(index, address, places, 8);

		for (size_t i = 0; i < count; i++) {
			digest = add_text(digest, places[i].function);
			digest = add_text(digest, places[i].file);
			digest = add_number(add_number(digest, places[i].line), places[i].column);
		}
	}
	return digest;
}

static uint64_t add_symbols(uint64_t digest, const struct wk_symtab *table)
{
	for (uint32_t i = 0; i < wk_symtab_count(table); i++) {
		struct wk_obj_symbol row = wk_symtab_at(table, i);

		digest = add_number(add_number(digest, row.vaddr), row.size_bytes);
		digest = add_text(digest, row.name);
	}
	return digest;
}

static uint64_t read_object(uint64_t digest, struct wk_str bytes)
{
	struct wk_obj *obj = wk_obj_parse(bytes.at, bytes.len, NULL);
	struct wk_symtab *table;
	struct wk_obj_bound *bounds = NULL;
	struct wk_str link;
	size_t count;
	uint32_t crc;

	if (!obj)
		return add_number(digest, 1);
	digest = add_number(digest, obj->kind);
	digest = add_number(digest, obj->entry);
	digest = digest_add(digest, &obj->build_id, sizeof(obj->build_id));
	for (uint32_t i = 0; i < obj->section_count; i++) {
		struct wk_bytes content = wk_obj_bytes(obj, &obj->sections[i]);

		digest = add_text(digest, obj->sections[i].name);
		digest = add_number(digest, obj->sections[i].vaddr);
		digest = add_number(digest, wk_bytes_left(&content));
	}
	if (wk_obj_debuglink(obj, &link, &crc))
		digest = add_number(add_text(digest, link), crc);
	count = obj->kind == WK_OBJ_PE ? wk_obj_bounds(obj, &bounds) : 0;
	for (size_t i = 0; i < count; i++)
		digest = add_number(add_number(digest, bounds[i].start), bounds[i].end);
	table = wk_symtab_new(obj, obj->kind == WK_OBJ_PE ? NULL : obj);
	digest = add_symbols(digest, table);
	wk_symtab_free(table);
	wk_free(bounds);
	wk_obj_free(obj);
	return digest;
}

static bool add_public(void *context, const struct wk_pdb_public *symbol)
{
	uint64_t *digest = context;

	*digest = add_number(add_number(*digest, symbol->rva), symbol->is_function);
	*digest = add_text(*digest, symbol->name);
	return true;
}

static uint64_t read_pdb(uint64_t digest, struct wk_str bytes)
{
	struct wk_pdb *pdb = wk_pdb_open(bytes.at, bytes.len, NULL);
	struct wk_code_index *index;

	if (!pdb)
		return add_number(digest, 1);
	index = wk_code_index_new();
	wk_pdb_fill(pdb, index);
	for (uint32_t i = 0; i < pdb->unit_count; i++)
		digest = add_number(digest, wk_pdb_load(pdb, i, index, NULL));
	digest = add_index(digest, index);
	wk_pdb_each_public(pdb, add_public, &digest);
	for (uint64_t rva = 0; rva < 0x4000; rva += 0x400)
		digest = add_number(digest, wk_pdb_section_end(pdb, rva));
	wk_code_index_free(index);
	wk_pdb_free(pdb);
	return digest;
}

static uint64_t read_breakpad(uint64_t digest, struct wk_str bytes)
{
	struct wk_breakpad *breakpad = wk_breakpad_open(bytes.at, bytes.len, NULL);
	struct wk_code_index *index;
	struct wk_symtab *names;

	if (!breakpad)
		return add_number(digest, 1);
	index = wk_code_index_new();
	wk_breakpad_fill(breakpad, index);
	for (uint32_t i = 0; i < breakpad->unit_count; i++)
		digest = add_number(digest, wk_breakpad_load(breakpad, i, index, NULL));
	digest = add_index(digest, index);
	names = wk_breakpad_names(breakpad);
	digest = add_symbols(digest, names);
	wk_symtab_free(names);
	wk_code_index_free(index);
	wk_breakpad_free(breakpad);
	return digest;
}

/* As tests/fuzz/fuzz_dwarf.c lays it out: a byte of switches, sizes of sections, their bytes. */
static uint64_t read_dwarf(uint64_t digest, struct wk_str bytes)
{
	static const char *const names[] = {
		".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_line_str",
		".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
		".debug_aranges", ".debug_cu_index" };
	enum { KINDS = sizeof(names) / sizeof(names[0]) };
	struct wk_obj_section sections[KINDS + 1] = { 0 };
	struct wk_bytes in = wk_bytes_of(bytes.at, bytes.len), sizes;
	uint8_t flags = wk_u8(&in);
	struct wk_obj obj = { .at = (const uint8_t *)bytes.at, .size_bytes = bytes.len,
			      .is_64 = !(flags & 2), .big_endian = flags & 1,
			      .sections = sections, .section_count = KINDS + 1 };
	struct wk_dwarf_input input = { .obj = &obj };
	struct wk_code_index *index;
	struct wk_dwarf *dwarf;

	sizes = wk_bytes_slice(&in, 2 * KINDS);
	for (int i = 0; i < KINDS; i++) {
		uint64_t size = wk_u16le(&sizes), left = wk_bytes_left(&in);

		sections[i] = (struct wk_obj_section){ .name = wk_str_c(names[i]),
						       .type = WK_SHT_PROGBITS,
						       .offset = wk_bytes_offset(&in),
						       .size_bytes = size < left ? size : left };
		wk_bytes_skip(&in, sections[i].size_bytes);
	}
	sections[KINDS] = (struct wk_obj_section){ .name = WK_STR(".text"),
						   .flags = WK_SHF_EXECINSTR | WK_SHF_ALLOC,
						   .vaddr = 0x1000, .size_bytes = 0x100000 };
	dwarf = wk_dwarf_new(&input, NULL);
	if (!dwarf)
		return add_number(digest, 1);
	index = wk_code_index_new();
	wk_dwarf_fill(dwarf, index);
	for (uint32_t i = 0; i < dwarf->main->unit_count; i++)
		digest = add_number(digest, wk_dwarf_load(dwarf, i, index, NULL));
	digest = add_number(add_index(digest, index), wk_dwarf_missing(dwarf).len > 0);
	wk_code_index_free(index);
	wk_dwarf_free(dwarf);
	return digest;
}

/* A byte of switches and one of no use here, then tables of calls. */
static uint64_t read_unwind(uint64_t digest, struct wk_str bytes)
{
	struct wk_obj_section section = { .type = 1 };
	struct wk_obj obj = { .is_64 = true, .sections = &section, .section_count = 1 };
	struct wk_unwind_table *table;

	if (bytes.len < 2)
		return add_number(digest, 1);
	obj.machine = bytes.at[0] & 1 ? WK_MACHINE_AARCH64 : WK_MACHINE_X86_64;
	obj.is_64 = !(bytes.at[0] & 0x10);
	obj.at = (const uint8_t *)bytes.at + 2;
	obj.size_bytes = section.size_bytes = bytes.len - 2;
	section.name = wk_str_c(bytes.at[0] & 2 ? ".debug_frame" : ".eh_frame");
	table = wk_unwind_table_new(&obj, NULL);
	for (uint64_t vaddr = 0; vaddr < obj.size_bytes; vaddr += 3) {
		const struct wk_rules *rules = wk_unwind_table_rules(table, vaddr);

		digest = add_number(digest, rules != NULL);
		digest = add_number(digest, wk_unwind_is_root(table, vaddr));
	}
	wk_unwind_table_free(table);
	return digest;
}

static uint64_t cut(uint64_t (*read)(uint64_t digest, struct wk_str bytes), struct wk_str bytes)
{
	uint64_t digest = read(DIGEST_OF_NOTHING, bytes);

	for (size_t len = 0; len < bytes.len; len += bytes.len / MOST_CUTS + 1)
		digest = read(digest, wk_str_of(bytes.at, len));
	return digest;
}

static uint64_t changed(uint64_t (*read)(uint64_t digest, struct wk_str bytes), struct wk_str bytes)
{
	char *copy = wk_strndup(bytes.at, bytes.len);
	uint64_t digest = DIGEST_OF_NOTHING;

	for (size_t at = 0; at < bytes.len; at += bytes.len / MOST_FLIPS + 1) {
		copy[at]++;
		digest = read(digest, wk_str_of(copy, bytes.len));
		copy[at] = (char)(copy[at] ^ 0x81);
		digest = read(digest, wk_str_of(copy, bytes.len));
		copy[at] = bytes.at[at];
	}
	wk_free(copy);
	return digest;
}

static void add_rows(const char *kind, uint64_t (*read)(uint64_t digest, struct wk_str bytes),
		     struct wk_buf *table)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/tests/fuzz/corpus/%s/*", digests_root(), kind);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i], *name = path + strlen(digests_root()) + 1;
		struct wk_os_file file;
		struct wk_str bytes;

		assert_true(wk_os_open(path, &file, NULL));
		bytes = wk_str_of((const char *)file.at, file.size_bytes);
		wk_buf_add_fmt(table, "%s\tcut\t%016llx\n", name,
			       (unsigned long long)cut(read, bytes));
		wk_buf_add_fmt(table, "%s\tchanged\t%016llx\n", name,
			       (unsigned long long)changed(read, bytes));
		wk_os_close(&file);
	}
	globfree(&found);
}

static void damaged_objects_are_read_as_before(void **state)
{
	struct wk_buf table = { 0 };

	(void)state;
	add_rows("elf", read_object, &table);
	add_rows("pe", read_object, &table);
	add_rows("pdb", read_pdb, &table);
	add_rows("breakpad", read_breakpad, &table);
	add_rows("dwarf", read_dwarf, &table);
	add_rows("unwind", read_unwind, &table);
	assert_digests("damaged_objects.tsv", wk_buf_str(&table));
	wk_buf_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_objects_are_read_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
