#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "pe_writer.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/symtab.h"
#include "symbols/unwind/unwind.h"

#define FUNCTION 0x20
#define EXTERNAL 2
#define STATIC   3

/* Code at 0x1000, .rdata at 0x2000, .pdata at 0x3000. */
struct sample {
	struct pe_spec spec;
	struct wk_buf data, pdata, file;
	char code[0x200];
};

static void sample_init(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	memset(s->code, 0xcc, sizeof(s->code));
	s->spec.machine = 0x8664;
	s->spec.image_base = 0x140000000;
	s->spec.image_bytes = 0x8000;
	s->spec.time_stamp = 0x5f5e100;
	s->spec.entry = 0x1010;
}

static void as_32_bits(struct sample *s)
{
	s->spec.is_32 = true;
	s->spec.machine = 0x14c;
	s->spec.image_base = 0x400000;
}

static struct wk_obj *sample_write(struct sample *s)
{
	struct wk_err err = { 0 };
	struct wk_obj *obj;

	pe_section(&s->spec, 1, ".text", PE_CODE, 0x1000, wk_str_of(s->code, sizeof(s->code)));
	pe_section(&s->spec, 2, ".rdata", PE_DATA, 0x2000, wk_buf_str(&s->data));
	pe_section(&s->spec, 3, ".pdata", PE_DATA, 0x3000, wk_buf_str(&s->pdata));
	if (s->pdata.len)
		s->spec.directories[WK_PE_EXCEPTIONS] =
			(struct wk_pe_range){ 0x3000, (uint32_t)s->pdata.len };
	pe_write(&s->spec, &s->file);
	obj = wk_obj_parse(s->file.at, s->file.len, &err);
	if (!obj)
		fail_msg("%s", err.text);
	return obj;
}

static void sample_fini(struct sample *s)
{
	pe_spec_fini(&s->spec);
	wk_buf_fini(&s->data);
	wk_buf_fini(&s->pdata);
	wk_buf_fini(&s->file);
}

static bool list(void *context, const struct wk_obj_symbol *symbol)
{
	wk_buf_add_fmt(context, "%.*s %llx\n", WK_STR_ARG(symbol->name),
		       (unsigned long long)symbol->vaddr);
	return true;
}

static void check_symbols(const struct wk_obj *obj, const char *expected)
{
	struct wk_buf text = { 0 };

	wk_obj_each_symbol(obj, list, &text);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

/* "name start+size" of each row. */
static void check_table(const struct wk_obj *obj, const struct wk_obj *debug, const char *expected)
{
	struct wk_symtab *tab = wk_symtab_new(obj, debug);
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < wk_symtab_count(tab); i++) {
		struct wk_obj_symbol row = wk_symtab_at(tab, i);

		wk_buf_add_fmt(&text, "%.*s %llx+%llx\n", WK_STR_ARG(row.name),
			       (unsigned long long)row.vaddr, (unsigned long long)row.size_bytes);
	}
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_symtab_free(tab);
}

static void check_terms(bool is_32)
{
	struct sample s;
	struct wk_obj *obj;
	struct wk_bytes text;
	uint64_t answer;

	sample_init(&s);
	if (is_32)
		as_32_bits(&s);
	wk_buf_add_text(&s.data, "read only");
	pe_section(&s.spec, 4, ".bss", 0xc0000080, 0x4000, wk_str_c(""))->memory_bytes = 0x1234;
	obj = sample_write(&s);
	assert_int_equal(obj->kind, WK_OBJ_PE);
	assert_int_equal(obj->is_64, !is_32);
	assert_int_equal(obj->machine, is_32 ? WK_MACHINE_X86 : WK_MACHINE_X86_64);
	assert_int_equal(obj->machine_code, is_32 ? WK_EM_386 : WK_EM_X86_64);
	assert_int_equal(obj->type, WK_ET_EXEC);
	assert_int_equal(obj->entry, 0x1010);
	assert_int_equal(obj->image_base, s.spec.image_base);
	assert_int_equal(obj->pe->time_stamp, 0x5f5e100);
	assert_int_equal(obj->pe->image_bytes, 0x8000);
	assert_int_equal(obj->build_id.size, 0);
	assert_int_equal(obj->section_count, 5);
	assert_true(wk_str_is(obj->sections[1].name, ".text"));
	assert_int_equal(obj->sections[1].flags, WK_SHF_ALLOC | WK_SHF_EXECINSTR);
	assert_int_equal(obj->sections[1].vaddr, 0x1000);
	assert_int_equal(obj->sections[2].size_bytes, 9); /* and not the 512 of the file */
	assert_int_equal(obj->sections[4].type, WK_SHT_NOBITS);
	assert_int_equal(obj->sections[4].size_bytes, 0x1234);
	assert_int_equal(obj->segments[1].offset, 0x400);
	assert_int_equal(obj->segments[1].flags, WK_PF_R | WK_PF_X);
	text = wk_obj_bytes(obj, wk_obj_section(obj, ".text"));
	assert_int_equal(wk_bytes_left(&text), sizeof(s.code));
	text = wk_pe_at(obj, 0x2005);
	assert_memory_equal(text.at, "only", 4);
	assert_true(wk_obj_vaddr_of(obj, 0x1005, &answer));
	assert_int_equal(answer, 0x1005);
	assert_false(wk_obj_vaddr_of(obj, 0x8000, &answer));
	wk_obj_free(obj);
	sample_fini(&s);
}

static void a_pe_is_put_in_the_terms_of_elf(void **state)
{
	(void)state;
	check_terms(false);
	check_terms(true);
}

static void long_names_of_sections_are_in_the_table_of_strings(void **state)
{
	struct sample s;
	struct wk_obj *obj;
	size_t header;

	(void)state;
	sample_init(&s);
	pe_section(&s.spec, 4, ".debug_info", PE_DATA, 0x4000, wk_str_c("12"));
	pe_section(&s.spec, 5, ".debug_line_str", PE_DATA, 0x5000, wk_str_c("123"));
	obj = sample_write(&s);
	assert_non_null(wk_obj_section(obj, ".debug_info"));
	assert_int_equal(wk_obj_section(obj, ".debug_line_str")->size_bytes, 3);
	wk_obj_free(obj);

	/* The same offset in 64 digits; and one that leads nowhere. */
	header = PE_HEADER_AT + 24 + 112 + 8 * WK_PE_DIRECTORIES + 4 * 40;
	memcpy(s.file.at + header, "//AAAAAQ", 8);
	memcpy(s.file.at + header - 40, "/99999\0", 8);
	obj = wk_obj_parse(s.file.at, s.file.len, NULL);
	assert_non_null(wk_obj_section(obj, ".debug_line_str"));
	assert_null(wk_obj_section(obj, ".debug_info"));
	assert_true(wk_str_is(obj->sections[4].name, "/99999"));
	wk_obj_free(obj);

	/* Where the strings are cut off the names are, too, and nothing else. */
	obj = wk_obj_parse(s.file.at, s.file.len - 40, NULL);
	assert_null(wk_obj_section(obj, ".debug_line_str"));
	assert_non_null(wk_obj_section(obj, ".text"));
	wk_obj_free(obj);
	sample_fini(&s);
}

static void add_debug_entry(struct wk_buf *out, uint32_t type, uint32_t size, uint32_t rva,
			    uint32_t offset)
{
	pe_put(out, 0, 4);
	pe_put(out, 7, 4);
	pe_put(out, 0, 4);
	pe_put(out, type, 4);
	pe_put(out, size, 4);
	pe_put(out, rva, 4);
	pe_put(out, offset, 4);
}

/* The directory at 0x2000, the record 0x80 behind. */
static void sample_debug(struct sample *s, uint32_t offset, const char *record, size_t len)
{
	add_debug_entry(&s->data, 16, 4, 0x2000, 0);
	add_debug_entry(&s->data, 2, (uint32_t)len, 0x2080, offset);
	add_debug_entry(&s->data, 2, 4, 0x2000, 0);
	s->spec.directories[WK_PE_DEBUG] = (struct wk_pe_range){ 0x2000, 3 * 28 };
	pe_fill(&s->data, 0x80);
	wk_buf_add(&s->data, record, len);
}

static void the_pdb_is_told_by_guid_age_and_path(void **state)
{
	static const char record[] = "RSDS\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\x10"
				     "\3\0\0\0C:\\a.pdb";
	const uint32_t offsets[] = { 0x680, 0, 0x400 };

	(void)state;
	/* By the offset in the file; where that tells nothing by the address. */
	for (size_t i = 0; i < 3; i++) {
		struct sample s;
		struct wk_obj *obj;

		sample_init(&s);
		sample_debug(&s, offsets[i], record, sizeof(record));
		obj = sample_write(&s);
		assert_int_equal(obj->pe->pdb.age, 3);
		assert_memory_equal(obj->pe->pdb.guid, record + 4, 16);
		assert_true(wk_str_is(obj->pe->pdb_path, "C:\\a.pdb"));
		assert_int_equal(obj->build_id.size, 20);
		assert_memory_equal(obj->build_id.bytes, record + 4, 20);
		wk_obj_free(obj);
		sample_fini(&s);
	}
}

static void an_old_pdb_is_told_by_its_time(void **state)
{
	static const char record[] = "NB10\0\0\0\0\4\3\2\1\2\0\0\0old.pdb";
	struct sample s;
	struct wk_obj *obj;
	struct wk_buf key = { 0 };

	(void)state;
	sample_init(&s);
	sample_debug(&s, 0, record, sizeof(record) - 1); /* the path is not ended */
	obj = sample_write(&s);
	wk_pdb_id_add(&key, &obj->pe->pdb);
	assert_string_equal(wk_buf_text(&key), "010203042");
	assert_true(wk_str_is(obj->pe->pdb_path, "old.pdb"));
	wk_buf_fini(&key);
	wk_obj_free(obj);
	sample_fini(&s);
}

static void a_record_that_is_cut_tells_of_no_pdb(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	sample_debug(&s, 0x680, "RSDS\1\2\3\4\5\6\7\x8", 12);
	obj = sample_write(&s);
	assert_true(wk_pdb_id_is_none(&obj->pe->pdb));
	assert_int_equal(obj->build_id.size, 0);
	wk_obj_free(obj);
	sample_fini(&s);
}

static void functions_come_before_the_linkers_labels(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	pe_add_symbol(&s.spec, ".text", 1, 0, 0, STATIC, 1);
	pe_add_symbol(&s.spec, "@feat.00", 0xffff, 0, 0, STATIC, 0);
	pe_add_symbol(&s.spec, "a_longer_name_than_eight", 1, 0, FUNCTION, STATIC, 0);
	pe_add_symbol(&s.spec, "eight_by", 1, 0x10, FUNCTION, EXTERNAL, 1);
	pe_add_symbol(&s.spec, "data", 2, 0, 0, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "___crt_xt_end__", 1, 0, 0, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "__behind_its_section", 1, 0x1000, 0, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "?f@@YAXXZ", 1, 0x20, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "wanted", 0, 0, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "nowhere", 77, 0, FUNCTION, EXTERNAL, 0);
	wk_buf_add_text(&s.data, "data");
	obj = sample_write(&s);
	assert_true(wk_pe_has_symbols(obj));
	check_symbols(obj, "a_longer_name_than_eight 1000\neight_by 1010\n"
			   "___crt_xt_end__ 1000\n?f@@YAXXZ 1020\n");
	check_table(obj, NULL,
		    "a_longer_name_than_eight 1000+10\neight_by 1010+10\n"
		    "?f@@YAXXZ 1020+1e0\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

static void decorations_of_c_are_taken_off_in_32_bits(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	as_32_bits(&s);
	pe_add_symbol(&s.spec, "_main", 1, 0, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "_shorter", 1, 4, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "__Z4workv", 1, 8, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "_call@12", 1, 12, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "@fast@8", 1, 16, FUNCTION, EXTERNAL, 0);
	obj = sample_write(&s);
	check_symbols(obj, "main 1000\nshorter 1004\n_Z4workv 1008\ncall 100c\n"
			   "fast 1010\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

/* The directory at 0x2000: functions at 0x2028, names at 0x2080, numbers at 0x20c0, texts at
 * 0x2100. */
static void sample_exports(struct sample *s, const uint32_t *functions, uint32_t function_count,
			   uint32_t name_count)
{
	static const char texts[] = "one\0two\0OTHER.three\0four";
	static const uint32_t names[] = { 0x2100, 0x2104, 0x2108, 0x2114, 0x9000, 0 };
	static const uint16_t numbers[] = { 1, 0, 3, 4, 1, 77 };
	struct wk_buf *out = &s->data;

	pe_fill(out, 16);
	pe_put(out, 5, 4);
	pe_put(out, function_count, 4);
	pe_put(out, name_count, 4);
	pe_put(out, 0x2028, 4);
	pe_put(out, 0x2080, 4);
	pe_put(out, 0x20c0, 4);
	for (uint32_t i = 0; i < function_count; i++)
		pe_put(out, functions[i], 4);
	pe_fill(out, 0x80);
	for (size_t i = 0; i < 6; i++)
		pe_put(out, names[i], 4);
	pe_fill(out, 0xc0);
	for (size_t i = 0; i < 6; i++)
		pe_put(out, numbers[i], 2);
	pe_fill(out, 0x100);
	wk_buf_add(out, texts, sizeof(texts));
	s->spec.directories[WK_PE_EXPORTS] = (struct wk_pe_range){ 0x2000, 0x200 };
}

static void exports_have_names_or_numbers(void **state)
{
	/* two, one, by number only, a name in another image, no code, nothing */
	const uint32_t functions[] = { 0x1040, 0x1000, 0x1080, 0x2108, 0x2400, 0 };
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	sample_exports(&s, functions, 6, 6);
	obj = sample_write(&s);
	check_symbols(obj, "one 1000\ntwo 1040\nOrdinal7 1080\n");
	assert_false(wk_pe_has_symbols(obj));
	wk_obj_free(obj);
	sample_fini(&s);
}

static void an_export_without_a_name_yields_to_a_symbol(void **state)
{
	const uint32_t functions[] = { 0x1040 };
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	sample_exports(&s, functions, 1, 0);
	pe_add_symbol(&s.spec, "own", 1, 0x40, FUNCTION, STATIC, 0);
	obj = sample_write(&s);
	check_symbols(obj, "own 1040\nOrdinal5 1040\n");
	check_table(obj, NULL, "own 1040+1c0\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

static void counts_of_exports_that_lie_cost_what_is_there(void **state)
{
	const uint32_t functions[] = { 0x1040, 0x1000 };
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	sample_exports(&s, functions, 2, 6);
	memset(s.data.at + 20, 0xff, 8);
	obj = sample_write(&s);
	assert_true(obj->pe->export_count < 300);
	wk_obj_free(obj);
	sample_fini(&s);
}

static void put_function(struct wk_buf *out, uint32_t start, uint32_t end, uint32_t unwind)
{
	pe_put(out, start, 4);
	pe_put(out, end, 4);
	pe_put(out, unwind, 4);
}

static void check_bounds(const struct wk_obj *obj, const char *expected)
{
	struct wk_obj_bound *bounds;
	size_t count = wk_obj_bounds(obj, &bounds);
	struct wk_buf text = { 0 };

	for (size_t i = 0; i < count; i++)
		wk_buf_add_fmt(&text, "%llx-%llx of %llx\n", (unsigned long long)bounds[i].start,
			       (unsigned long long)bounds[i].end,
			       (unsigned long long)bounds[i].function);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_free(bounds);
}

/* Unwind information at 0x2000: plain; at 0x2008 of two codes and of a part of the first. */
static void add_unwind(struct wk_buf *out)
{
	wk_buf_add(out, "\1\0\0\0\0\0\0\0", 8);
	wk_buf_add(out, "\x21\0\1\0\0\0\0\0", 8);
	put_function(out, 0x1000, 0x1020, 0x2000);
}

static void symbols_end_where_their_function_does(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	add_unwind(&s.data);
	put_function(&s.pdata, 0x1000, 0x1020, 0x2000);
	put_function(&s.pdata, 0x1020, 0x1030, 0x2008); /* goes on with the first */
	put_function(&s.pdata, 0x1080, 0x10a0, 0x2000);
	put_function(&s.pdata, 0x1100, 0x1120, 0x2000);
	put_function(&s.pdata, 0x1104, 0x1108, 0x3001 + 3 * 12); /* a part inside of it */
	put_function(&s.pdata, 0x1140, 0x1150, 0x2008); /* a part of the first, elsewhere */
	put_function(&s.pdata, 0x1180, 0x1190, 0x3001 + 5 * 12); /* by that entry */
	pe_add_symbol(&s.spec, "first", 1, 0, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "label_inside", 1, 8, 0, STATIC, 0);
	pe_add_symbol(&s.spec, "leaf", 1, 0x40, FUNCTION, STATIC, 0); /* has no entry */
	pe_add_symbol(&s.spec, "second", 1, 0x80, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "entry_inside", 1, 0x90, FUNCTION, EXTERNAL, 0);
	obj = sample_write(&s);
	check_bounds(obj, "1000-1030 of 1000\n1080-10a0 of 1080\n1100-1120 of 1100\n"
			  "1140-1150 of 1000\n1180-1190 of 1000\n");
	check_table(obj, NULL,
		    "first 1000+30\nleaf 1040+40\nsecond 1080+20\n"
		    "entry_inside 1090+10\nfirst 1140+10\nfirst 1180+10\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

static void functions_without_names_have_bounds(void **state)
{
	struct sample s;
	struct wk_obj *obj;
	struct wk_unwind_table *table;
	uint64_t start, size;

	(void)state;
	sample_init(&s);
	add_unwind(&s.data);
	put_function(&s.pdata, 0x1000, 0x1020, 0x2000);
	put_function(&s.pdata, 0x1080, 0x10a0, 0x2000);
	obj = sample_write(&s);
	table = wk_unwind_table_new(obj, NULL);
	assert_true(wk_unwind_function(table, 0x109f, &start, &size));
	assert_int_equal(start, 0x1080);
	assert_int_equal(size, 0x20);
	assert_true(wk_unwind_function(table, 0x1000, &start, &size));
	assert_false(wk_unwind_function(table, 0x1020, &start, &size));
	assert_false(wk_unwind_function(table, 0xfff, &start, &size));
	wk_unwind_table_free(table);
	wk_obj_free(obj);
	sample_fini(&s);
}

static void functions_of_arm_tell_their_length_in_words(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	s.spec.machine = 0xaa64;
	pe_put(&s.data, 0xfffc0000 | 8, 4); /* .xdata: 8 words */
	pe_put(&s.pdata, 0x1000, 4);
	pe_put(&s.pdata, 0xffffe001 | 4 << 2, 4);
	pe_put(&s.pdata, 0x1020, 4);
	pe_put(&s.pdata, 0x2000, 4);
	obj = sample_write(&s);
	check_bounds(obj, "1000-1010 of 1000\n1020-1040 of 1020\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

static void bounds_that_lie_are_put_in_order(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s);
	add_unwind(&s.data);
	put_function(&s.pdata, 0x1100, 0xffffffff, 0x2000);
	put_function(&s.pdata, 0x1000, 0x1180, 0x2000);
	put_function(&s.pdata, 0x1010, 0x1010, 0x2000);          /* empty */
	put_function(&s.pdata, 0x1020, 0x1030, 0x3001 + 3 * 12); /* a part of itself */
	put_function(&s.pdata, 0x1020, 0x1040, 0xfffffff0);
	obj = sample_write(&s);
	check_bounds(obj, "1000-1020 of 1000\n1020-1040 of 1020\n1100-ffffffff of 1100\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

static void sections_over_each_other_are_read_within_bounds(void **state)
{
	struct sample s;
	struct wk_obj *obj;
	struct wk_bytes at;

	(void)state;
	sample_init(&s);
	pe_section(&s.spec, 4, "over", PE_CODE, 0x1100, wk_str_c("over all"));
	pe_section(&s.spec, 5, "far", PE_CODE, 0xfffffff0, wk_str_c("far"))->memory_bytes =
		0xffffffff;
	pe_add_symbol(&s.spec, "far_away", 5, 0xffffffff, FUNCTION, EXTERNAL, 0);
	pe_add_symbol(&s.spec, "f", 4, 0, FUNCTION, EXTERNAL, 0);
	obj = sample_write(&s);
	at = wk_pe_at(obj, 0x1105);
	assert_memory_equal(at.at, "all", 3);
	assert_ptr_equal(wk_pe_code_at(obj, 0x1104), &obj->sections[4]);
	assert_ptr_equal(wk_pe_code_at(obj, 0x1004), &obj->sections[1]);
	at = wk_pe_at(obj, 0xffffffffffff);
	assert_int_equal(wk_bytes_left(&at), 0);
	check_table(obj, NULL, "f 1100+8\n");
	wk_obj_free(obj);
	sample_fini(&s);
}

static void a_separate_debug_file_has_the_names_and_the_image_their_ends(void **state)
{
	struct sample image, debug;
	struct wk_obj *obj, *other;
	struct wk_str link;
	uint32_t crc;

	(void)state;
	sample_init(&image);
	add_unwind(&image.data);
	put_function(&image.pdata, 0x1000, 0x1028, 0x2000);
	pe_section(&image.spec, 4, ".gnu_debuglink", PE_DATA, 0x4000,
		   wk_str_of("a.debug\0\4\3\2\1", 12));
	obj = sample_write(&image);
	assert_true(wk_obj_debuglink(obj, &link, &crc));
	assert_true(wk_str_is(link, "a.debug"));
	assert_int_equal(crc, 0x01020304);

	sample_init(&debug);
	pe_add_symbol(&debug.spec, "first", 1, 0, FUNCTION, EXTERNAL, 0);
	pe_section(&debug.spec, 1, ".text", PE_CODE, 0x1000,
		   wk_str_of(debug.code, sizeof(debug.code)))
		->is_empty_in_file = true;
	pe_write(&debug.spec, &debug.file);
	other = wk_obj_parse(debug.file.at, debug.file.len, NULL);
	assert_int_equal(other->sections[1].type, WK_SHT_NOBITS);
	assert_int_equal(other->sections[1].size_bytes, sizeof(debug.code));
	check_table(obj, other, "first 1000+28\n");
	wk_obj_free(other);
	wk_obj_free(obj);
	sample_fini(&debug);
	sample_fini(&image);
}

static void check_error(const struct wk_buf *file, size_t len, const char *expected)
{
	struct wk_err err = { 0 };

	assert_null(wk_obj_parse(file->at, len, &err));
	if (!strstr(err.text, expected))
		fail_msg("\"%s\" says nothing of \"%s\"", err.text, expected);
}

static void headers_that_lie_are_told_of(void **state)
{
	struct sample s;
	struct wk_obj *obj;
	uint8_t *head;

	(void)state;
	sample_init(&s);
	obj = sample_write(&s);
	wk_obj_free(obj);
	head = (uint8_t *)s.file.at + PE_HEADER_AT;
	check_error(&s.file, 2, "for DOS");
	check_error(&s.file, PE_HEADER_AT + 30, "ends inside its PE headers");
	check_error(&s.file, PE_HEADER_AT + 24 + 240 + 39, "section headers do not fit");
	head[20] = 40; /* the optional header's size */
	check_error(&s.file, s.file.len, "before it tells the image's size");
	head[20] = 240;
	head[24] = 7;
	check_error(&s.file, s.file.len, "magic is 0x207");
	head[24] = 0xb;
	head[7] = 0xff; /* the number of sections */
	check_error(&s.file, s.file.len, "more than any image has");
	head[7] = 0;
	s.file.at[0x3f] = 0x7f;
	check_error(&s.file, s.file.len, "for DOS");
	sample_fini(&s);
}

/* Its symbols, its table, all that its sections have. */
static void use(const struct wk_obj *obj)
{
	struct wk_symtab *tab = wk_symtab_new(obj, obj);
	struct wk_obj_symbol found;

	for (uint32_t i = 0; i < wk_symtab_count(tab); i++)
		wk_symtab_find(tab, wk_symtab_at(tab, i).vaddr, &found);
	for (uint32_t i = 0; i < obj->section_count; i++)
		wk_obj_bytes(obj, &obj->sections[i]);
	wk_symtab_free(tab);
}

/* A file with everything, cut at each byte and with each byte of its tables set. */
static void no_damage_is_fatal(void **state)
{
	const uint32_t functions[] = { 0x1040, 0x1000, 0x1080 };
	struct sample s;
	struct wk_obj *obj;
	char *copy;

	(void)state;
	sample_init(&s);
	sample_exports(&s, functions, 3, 4);
	put_function(&s.pdata, 0x1000, 0x1020, 0x2010);
	put_function(&s.pdata, 0x1020, 0x1040, 0x3001);
	pe_add_symbol(&s.spec, "some_long_name", 1, 0, FUNCTION, EXTERNAL, 1);
	pe_add_symbol(&s.spec, "short", 1, 0x10, FUNCTION, STATIC, 0);
	pe_section(&s.spec, 4, ".debug_info", PE_DATA, 0x4000, wk_str_c("12"));
	obj = sample_write(&s);
	use(obj);
	wk_obj_free(obj);
	for (size_t len = 0; len < s.file.len; len++) {
		copy = wk_alloc(len + 1); /* of that size, for whoever watches memory */
		memcpy(copy, s.file.at, len);
		obj = wk_obj_parse(copy, len, NULL);
		if (obj)
			use(obj);
		wk_obj_free(obj);
		wk_free(copy);
	}
	for (size_t i = 0; i < s.file.len; i++) {
		char kept = s.file.at[i];

		s.file.at[i] = (char)(kept ? 0xff : 0x80);
		obj = wk_obj_parse(s.file.at, s.file.len, NULL);
		if (obj)
			use(obj);
		wk_obj_free(obj);
		s.file.at[i] = kept;
	}
	sample_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pe_is_put_in_the_terms_of_elf),
		cmocka_unit_test(long_names_of_sections_are_in_the_table_of_strings),
		cmocka_unit_test(the_pdb_is_told_by_guid_age_and_path),
		cmocka_unit_test(an_old_pdb_is_told_by_its_time),
		cmocka_unit_test(a_record_that_is_cut_tells_of_no_pdb),
		cmocka_unit_test(functions_come_before_the_linkers_labels),
		cmocka_unit_test(decorations_of_c_are_taken_off_in_32_bits),
		cmocka_unit_test(exports_have_names_or_numbers),
		cmocka_unit_test(an_export_without_a_name_yields_to_a_symbol),
		cmocka_unit_test(counts_of_exports_that_lie_cost_what_is_there),
		cmocka_unit_test(symbols_end_where_their_function_does),
		cmocka_unit_test(functions_without_names_have_bounds),
		cmocka_unit_test(functions_of_arm_tell_their_length_in_words),
		cmocka_unit_test(bounds_that_lie_are_put_in_order),
		cmocka_unit_test(sections_over_each_other_are_read_within_bounds),
		cmocka_unit_test(a_separate_debug_file_has_the_names_and_the_image_their_ends),
		cmocka_unit_test(headers_that_lie_are_told_of),
		cmocka_unit_test(no_damage_is_fatal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
