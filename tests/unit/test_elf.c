#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "elf_writer.h"
#include "os/os.h"

#define CODE (WK_SHF_ALLOC | WK_SHF_EXECINSTR)

/* A file with all that wk_obj_parse knows: two segments at different distances from their
 * file offsets, symbols, a build id, a debug link. */
struct sample {
	struct elf_spec spec;
	struct wk_buf file, note, symbols, names, link;
};

static void sample_init(struct sample *s, bool is_32, bool big_endian)
{
	static const char code[64], read_only[32];
	struct elf_spec *spec = &s->spec;

	memset(s, 0, sizeof(*s));
	spec->is_32 = is_32;
	spec->big_endian = big_endian;
	spec->type = WK_ET_DYN;
	spec->machine = is_32 ? WK_EM_386 : WK_EM_X86_64;
	spec->entry = 0x201000;
	elf_add_build_id(spec, &s->note, "\1\2\3\4\5\6\7\x08", 8);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "begin"), 0x201000, 16,
		       WK_STB_GLOBAL, WK_STT_FUNC, 3);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "copy@@V_2.1"), 0x201010, 8,
		       WK_STB_WEAK, WK_STT_GNU_IFUNC, 3);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "label"), 0x201020, 0,
		       WK_STB_LOCAL, WK_STT_NOTYPE, 3);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "data"), 0x100020, 4,
		       WK_STB_GLOBAL, 1, 1);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "wanted"), 0, 0, WK_STB_GLOBAL,
		       WK_STT_FUNC, 0);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "number"), 0x201030, 4,
		       WK_STB_GLOBAL, WK_STT_FUNC, 0xfff1);
	elf_add_symbol(spec, &s->symbols, elf_add_name(&s->names, "no_code"), 0x100000, 0,
		       WK_STB_GLOBAL, WK_STT_NOTYPE, 1);
	wk_buf_add(&s->link, "x.debug", 8);
	elf_put(&s->link, big_endian, 0x12345678, 4);
	elf_section(spec, 1, ".rodata", WK_SHT_PROGBITS, 2, 0x100000,
		    wk_str_of(read_only, sizeof(read_only)));
	elf_section(spec, 2, ".note.gnu.build-id", WK_SHT_NOTE, 2, 0x100020, wk_buf_str(&s->note));
	elf_section(spec, 3, ".text", WK_SHT_PROGBITS, CODE, 0x201000,
		    wk_str_of(code, sizeof(code)));
	elf_section(spec, 4, ".symtab", WK_SHT_SYMTAB, 0, 0, wk_buf_str(&s->symbols))->link = 5;
	elf_section(spec, 5, ".strtab", 3, 0, 0, wk_buf_str(&s->names));
	elf_section(spec, 6, ".gnu_debuglink", WK_SHT_PROGBITS, 0, 0, wk_buf_str(&s->link));
	elf_section(spec, 7, ".bss", WK_SHT_NOBITS, 3, 0x300000, wk_str_of(NULL, 1 << 20))
		->is_empty_in_file = true;
	spec->segments[0] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_R, 1, 2 };
	spec->segments[1] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_R | WK_PF_X, 3, 3 };
	spec->segments[2] = (struct elf_segment_spec){ WK_PT_NOTE, WK_PF_R, 2, 2 };
	elf_write(spec, &s->file);
}

static void sample_fini(struct sample *s)
{
	wk_buf_fini(&s->file);
	wk_buf_fini(&s->note);
	wk_buf_fini(&s->symbols);
	wk_buf_fini(&s->names);
	wk_buf_fini(&s->link);
}

struct listed {
	struct wk_buf text;
	unsigned count;
};

static bool list(void *context, const struct wk_obj_symbol *symbol)
{
	struct listed *l = context;

	wk_buf_add_fmt(&l->text, "%.*s%s %llx+%llx\n", WK_STR_ARG(symbol->name),
		       symbol->is_plt ? "@plt" : "", (unsigned long long)symbol->vaddr,
		       (unsigned long long)symbol->size_bytes);
	l->count++;
	return true;
}

static void check_symbols(const struct wk_obj *obj, const char *expected)
{
	struct listed l = { 0 };

	wk_obj_each_symbol(obj, list, &l);
	assert_string_equal(wk_buf_text(&l.text), expected);
	wk_buf_fini(&l.text);
}

static void check_sample(const struct sample *s)
{
	struct wk_err err = { 0 };
	struct wk_obj *obj = wk_obj_parse(s->file.at, s->file.len, &err);
	struct wk_bytes text, bss;
	struct wk_str link;
	uint32_t crc;

	assert_non_null(obj);
	assert_int_equal(obj->is_64, !s->spec.is_32);
	assert_int_equal(obj->big_endian, s->spec.big_endian);
	assert_int_equal(obj->type, WK_ET_DYN);
	assert_int_equal(obj->entry, 0x201000);
	assert_int_equal(obj->segment_count, 3);
	assert_int_equal(obj->segments[1].flags, WK_PF_R | WK_PF_X);
	assert_int_equal(obj->segments[1].vaddr, 0x201000);
	assert_int_equal(obj->section_count, 9);
	assert_int_equal(obj->build_id.size, 8);
	assert_memory_equal(obj->build_id.bytes, "\1\2\3\4\5\6\7\x08", 8);
	text = wk_obj_bytes(obj, wk_obj_section(obj, ".text"));
	assert_int_equal(wk_bytes_left(&text), 64);
	assert_ptr_equal(text.start, text.at);
	assert_int_equal(text.big_endian, s->spec.big_endian);
	assert_null(wk_obj_section(obj, ".bss"));
	bss = wk_obj_bytes(obj, &obj->sections[7]);
	assert_int_equal(wk_bytes_left(&bss), 0);
	assert_true(wk_obj_debuglink(obj, &link, &crc));
	assert_true(wk_str_is(link, "x.debug"));
	assert_int_equal(crc, 0x12345678);
	check_symbols(obj, "begin 201000+10\ncopy 201010+8\nlabel 201020+0\n");
	wk_obj_free(obj);
}

static void both_classes_and_byte_orders_read_alike(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct sample s;

		sample_init(&s, form & 1, form & 2);
		check_sample(&s);
		sample_fini(&s);
	}
}

static void the_machine_is_known(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s, false, false);
	obj = wk_obj_parse(s.file.at, s.file.len, NULL);
	assert_int_equal(obj->machine, WK_MACHINE_X86_64);
	wk_obj_free(obj);
	sample_fini(&s);
	sample_init(&s, true, false);
	obj = wk_obj_parse(s.file.at, s.file.len, NULL);
	assert_int_equal(obj->machine, WK_MACHINE_X86);
	wk_obj_free(obj);
	sample_fini(&s);
}

static void addresses_follow_the_segment_that_holds_them(void **state)
{
	struct sample s;
	struct wk_obj *obj;
	uint64_t low, high, answer;

	(void)state;
	sample_init(&s, false, false);
	obj = wk_obj_parse(s.file.at, s.file.len, NULL);
	low = s.spec.sections[1].offset;
	high = s.spec.sections[3].offset;
	assert_true(wk_obj_vaddr_of(obj, low + 5, &answer));
	assert_int_equal(answer, 0x100005);
	assert_true(wk_obj_vaddr_of(obj, high + 63, &answer));
	assert_int_equal(answer, 0x20103f);
	assert_false(wk_obj_vaddr_of(obj, high + 64, &answer));
	assert_false(wk_obj_vaddr_of(obj, 0, &answer));
	assert_true(wk_obj_offset_of(obj, 0x201008, &answer));
	assert_int_equal(answer, high + 8);
	assert_false(wk_obj_offset_of(obj, 0x200fff, &answer));
	assert_false(wk_obj_offset_of(obj, UINT64_MAX, &answer));
	wk_obj_free(obj);
	sample_fini(&s);
}

static void a_file_without_section_headers_keeps_segments_and_build_id(void **state)
{
	struct sample s;
	struct wk_obj *obj;

	(void)state;
	sample_init(&s, false, false);
	s.spec.has_no_section_headers = true;
	elf_write(&s.spec, &s.file);
	obj = wk_obj_parse(s.file.at, s.file.len, NULL);
	assert_non_null(obj);
	assert_int_equal(obj->section_count, 0);
	assert_int_equal(obj->segment_count, 3);
	assert_int_equal(obj->build_id.size, 8);
	wk_obj_free(obj);
	sample_fini(&s);
}

/* The file of this process that has a mapping with this name. */
static void find_mapped(const char *name, char *path, size_t room)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	*path = 0;
	assert_non_null(maps);
	while (!*path && fgets(line, sizeof(line), maps)) {
		char *at = strchr(line, '/');

		if (at && strstr(at, name)) {
			at[strcspn(at, "\n")] = 0;
			snprintf(path, room, "%s", at);
		}
	}
	fclose(maps);
}

static bool needs(const char *path, const char *library)
{
	struct wk_os_file file = { 0 };
	struct wk_obj *obj;
	bool result;

	assert_true(wk_os_open(path, &file, NULL));
	obj = wk_obj_parse(file.at, file.size_bytes, NULL);
	assert_non_null(obj);
	result = wk_elf_needs(obj, library);
	wk_obj_free(obj);
	wk_os_close(&file);
	return result;
}

static void a_program_needs_the_c_library_which_does_not_need_itself(void **state)
{
	char library[4096];

	(void)state;
	find_mapped("/libc.so.6", library, sizeof(library));
	if (!*library)
		skip(); /* a C library of another name, or none that is shared */
	assert_true(needs("/proc/self/exe", "libc.so.6"));
	assert_false(needs("/proc/self/exe", "libc.so"));
	assert_false(needs("/proc/self/exe", "libc.so.66"));
	assert_false(needs(library, "libc.so.6"));
}

/* Touches all that a parsed file offers. Each byte is read, so that a sanitizer sees any that
 * is not the file's. */
static void touch(const struct wk_obj *obj)
{
	struct listed l = { 0 };
	struct wk_str name;
	uint32_t crc;
	uint64_t answer;
	unsigned sum = 0;

	for (uint32_t i = 0; i < obj->section_count; i++) {
		struct wk_bytes bytes = wk_obj_bytes(obj, &obj->sections[i]);

		assert_true(bytes.at >= obj->at && bytes.end <= obj->at + obj->size_bytes);
		while (wk_bytes_left(&bytes) > 0)
			sum += wk_u8(&bytes);
	}
	wk_obj_each_symbol(obj, list, &l);
	wk_obj_debuglink(obj, &name, &crc);
	wk_obj_vaddr_of(obj, sum, &answer);
	wk_elf_needs(obj, "libc.so.6");
	wk_buf_fini(&l.text);
}

static void a_file_cut_at_any_byte_is_refused_or_read_within_its_bounds(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct sample s;

		sample_init(&s, form & 1, form & 2);
		for (size_t len = 0; len < s.file.len; len++) {
			/* Not one byte more than `len` belongs to the file. */
			char *copy = wk_alloc(len ? len : 1);
			struct wk_err err = { 0 };
			struct wk_obj *obj;

			memcpy(copy, s.file.at, len);
			obj = wk_obj_parse(copy, len, &err);
			if (obj)
				touch(obj);
			else
				assert_true(err.code != WK_OK && err.text[0] != '\0');
			wk_obj_free(obj);
			wk_free(copy);
		}
		sample_fini(&s);
	}
}

static void any_byte_may_lie(void **state)
{
	static const uint8_t lies[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

	(void)state;
	for (int form = 0; form < 4; form++) {
		struct sample s;

		sample_init(&s, form & 1, form & 2);
		for (size_t at = 0; at < s.file.len * sizeof(lies); at++) {
			char *byte = &s.file.at[at / sizeof(lies)], kept = *byte;
			struct wk_obj *obj;

			*byte = (char)lies[at % sizeof(lies)];
			obj = wk_obj_parse(s.file.at, s.file.len, NULL);
			if (obj)
				touch(obj);
			wk_obj_free(obj);
			*byte = kept;
		}
		sample_fini(&s);
	}
}

static void check_refused(const struct wk_buf *file, size_t len, const char *sentence)
{
	struct wk_err err = { 0 };

	assert_null(wk_obj_parse(file->at, len, &err));
	assert_non_null(strstr(err.text, sentence));
}

static void what_is_wrong_is_said(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s, false, false);
	check_refused(&s.file, 0, "it begins as none of them");
	check_refused(&s.file, 40, "ends inside its ELF header, at 40 bytes");
	s.file.at[56] = 12;
	s.file.at[57] = 2;
	check_refused(&s.file, s.file.len, "524 program headers do not fit");
	s.file.at[54] = 7;
	check_refused(&s.file, s.file.len, "program headers of 7 bytes are too short");
	s.file.at[5] = 9;
	check_refused(&s.file, s.file.len, "byte order is 9");
	s.file.at[4] = 3;
	check_refused(&s.file, s.file.len, "class is 3");
	s.file.at[0] = '#';
	check_refused(&s.file, s.file.len, "not an ELF file");
	sample_fini(&s);
}

static void counts_too_large_for_the_header_come_from_section_0(void **state)
{
	struct sample s;
	struct wk_obj *obj;
	uint64_t sections_at;

	(void)state;
	sample_init(&s, false, false);
	sections_at = s.file.len - 9 * 64;
	s.file.at[60] = 0; /* e_shnum */
	s.file.at[62] = (char)0xff;
	s.file.at[63] = (char)0xff; /* e_shstrndx */
	s.file.at[sections_at + 32] = 9;
	s.file.at[sections_at + 40] = 8;
	check_sample(&s);
	s.file.at[sections_at + 36] = 1; /* 2^32 + 9 sections: not believed */
	obj = wk_obj_parse(s.file.at, s.file.len, NULL);
	assert_non_null(obj);
	assert_int_equal(obj->section_count, 0);
	wk_obj_free(obj);
	sample_fini(&s);
}

/* A program with a dynamic table but no section headers. */
static void check_dynamic(bool is_32, const struct wk_buf *hash, uint64_t hash_tag)
{
	static const char code[32];
	struct elf_spec spec = { .is_32 = is_32,
				 .type = WK_ET_DYN,
				 .machine = WK_EM_X86_64,
				 .has_no_section_headers = true };
	struct wk_buf symbols = { 0 }, names = { 0 }, dynamic = { 0 }, file = { 0 };
	struct wk_obj *obj;
	uint64_t where;

	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "first"), 0x1000, 8, WK_STB_GLOBAL,
		       WK_STT_FUNC, 1);
	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "second"), 0x1010, 0, WK_STB_GLOBAL,
		       WK_STT_NOTYPE, 1);
	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "third"), 0x2010, 0, WK_STB_GLOBAL,
		       WK_STT_NOTYPE, 1);
	for (int pass = 0; pass < 2; pass++) {
		uint64_t values[][2] = {
			{ 5, 0 }, { 6, 0 }, { 10, names.len }, { hash_tag, 0 }, { 0, 0 }
		};

		elf_section(&spec, 1, ".text", 1, 0, 0x1000, wk_str_of(code, sizeof(code)));
		elf_section(&spec, 2, ".dynstr", 3, 0, 0x5000, wk_buf_str(&names));
		elf_section(&spec, 3, ".dynsym", 11, 0, 0, wk_buf_str(&symbols));
		elf_section(&spec, 4, ".hash", 5, 0, 0, wk_str_of(hash->at, hash->len));
		elf_section(&spec, 5, ".dynamic", 6, 0, 0, wk_buf_str(&dynamic));
		spec.segments[0] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_X, 1, 1 };
		spec.segments[1] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_R, 2, 5 };
		spec.segments[2] = (struct elf_segment_spec){ WK_PT_DYNAMIC, WK_PF_R, 5, 5 };
		elf_write(&spec, &file);
		where = spec.sections[2].offset - 0x5000;
		values[0][1] = 0x5000;
		values[1][1] = spec.sections[3].offset - where;
		values[3][1] = spec.sections[4].offset - where;
		wk_buf_reset(&dynamic);
		for (size_t i = 0; i < 10; i++)
			elf_put_word(&spec, &dynamic, values[i / 2][i % 2]);
	}
	obj = wk_obj_parse(file.at, file.len, NULL);
	assert_non_null(obj);
	check_symbols(obj, "first 1000+8\nsecond 1010+0\n");
	wk_obj_free(obj);
	wk_buf_fini(&symbols);
	wk_buf_fini(&names);
	wk_buf_fini(&dynamic);
	wk_buf_fini(&file);
}

static void symbols_are_found_by_the_dynamic_table_where_sections_are_gone(void **state)
{
	struct elf_spec little = { 0 };
	struct wk_buf hash = { 0 };

	(void)state;
	/* DT_HASH: one bucket, four symbols. */
	for (int i = 0; i < 7; i++)
		elf_put(&hash, little.big_endian, i == 0 ? 1 : i == 1 ? 4 : 0, 4);
	check_dynamic(false, &hash, 4);
	check_dynamic(true, &hash, 4);
	wk_buf_reset(&hash);
	/* DT_GNU_HASH: two buckets, first hashed symbol 1, one bloom word, chains end at 3. */
	for (int i = 0; i < 4; i++)
		elf_put(&hash, false, (uint64_t[]){ 2, 1, 1, 6 }[i], 4);
	elf_put(&hash, false, 0, 8);
	for (int i = 0; i < 5; i++)
		elf_put(&hash, false, (uint64_t[]){ 1, 2, 0x10 | 1, 0x20, 0x30 | 1 }[i], 4);
	check_dynamic(false, &hash, 0x6ffffef5);
	wk_buf_fini(&hash);
}

/* A program whose PLT calls "alpha" by .rela.plt, "beta" by .rela.dyn, and an indirect
 * function whose resolver is "chosen". */
static void check_plt(bool is_32, uint16_t machine, const void *plt, size_t plt_bytes,
		      uint64_t entry_size, uint32_t indirect, const char *expected)
{
	struct elf_spec spec = { .is_32 = is_32, .type = WK_ET_DYN, .machine = machine };
	struct wk_buf symbols = { 0 }, names = { 0 }, by_plt = { 0 }, by_dyn = { 0 }, file = { 0 };
	static const char code[64], got[64] = { [32] = 0x10, [33] = 0x20 };
	unsigned shift = is_32 ? 8 : 32;
	struct wk_obj *obj;

	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "alpha"), 0, 0, 1, WK_STT_FUNC, 0);
	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "beta"), 0, 0, 1, WK_STT_FUNC, 0);
	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "weak_name"), 0x2010, 8, WK_STB_WEAK,
		       WK_STT_GNU_IFUNC, 2);
	elf_add_symbol(&spec, &symbols, elf_add_name(&names, "chosen"), 0x2010, 8, WK_STB_GLOBAL,
		       WK_STT_GNU_IFUNC, 2);
	for (int i = 0; i < 3; i++) {
		struct wk_buf *to = i == 1 ? &by_dyn : &by_plt;
		uint64_t info[] = { (uint64_t)1 << shift | 7, (uint64_t)2 << shift | 6, indirect };

		elf_put_word(&spec, to, 0x3010 + (uint64_t)i * 8);
		elf_put_word(&spec, to, info[i]);
		if (!is_32)
			elf_put_word(&spec, to, i == 2 ? 0x2010 : 0);
	}
	elf_section(&spec, 1, ".plt", 1, CODE, 0x1000, wk_str_of(plt, plt_bytes))->entry_size =
		entry_size;
	elf_section(&spec, 2, ".text", 1, CODE, 0x2000, wk_str_of(code, sizeof(code)));
	elf_section(&spec, 3, ".got.plt", 1, 3, 0x3000, wk_str_of(got, sizeof(got)));
	elf_section(&spec, 4, ".dynsym", WK_SHT_DYNSYM, 2, 0, wk_buf_str(&symbols))->link = 5;
	elf_section(&spec, 5, ".dynstr", 3, 2, 0, wk_buf_str(&names));
	elf_section(&spec, 6, is_32 ? ".rel.plt" : ".rela.plt", is_32 ? WK_SHT_REL : WK_SHT_RELA, 2,
		    0, wk_buf_str(&by_plt))
		->link = 4;
	elf_section(&spec, 7, is_32 ? ".rel.dyn" : ".rela.dyn", is_32 ? WK_SHT_REL : WK_SHT_RELA, 2,
		    0, wk_buf_str(&by_dyn))
		->link = 4;
	spec.segments[0] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_X, 1, 1 };
	spec.segments[1] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_X, 2, 2 };
	spec.segments[2] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_R, 3, 3 };
	elf_write(&spec, &file);
	obj = wk_obj_parse(file.at, file.len, NULL);
	assert_non_null(obj);
	check_symbols(obj, expected);
	wk_obj_free(obj);
	wk_buf_fini(&symbols);
	wk_buf_fini(&names);
	wk_buf_fini(&by_plt);
	wk_buf_fini(&by_dyn);
	wk_buf_fini(&file);
}

#define IFUNCS "weak_name 2010+8\nchosen 2010+8\n"

static void put_x86_slot(struct wk_buf *plt, const char *before, uint32_t operand)
{
	size_t end = plt->len + 16;

	wk_buf_add_text(plt, before);
	elf_put(plt, false, operand, 4);
	while (plt->len < end)
		wk_buf_add_char(plt, (char)0x90);
}

static void plt_slots_are_named_after_what_they_call(void **state)
{
	struct wk_buf plt = { 0 };

	(void)state;
	/* The first slot pushes and jumps through words that no relocation fills. */
	put_x86_slot(&plt, "\xff\x35", 0x2002);
	put_x86_slot(&plt, "\xff\x25", 0x3010 - 0x1016);
	put_x86_slot(&plt, "\xf3\x0f\x1e\xfa\xf2\xff\x25", 0x3018 - 0x102b);
	put_x86_slot(&plt, "\xff\x25", 0x3020 - 0x1036);
	check_plt(false, WK_EM_X86_64, plt.at, plt.len, 16, 37,
		  IFUNCS "alpha@plt 1010+10\nbeta@plt 1020+10\nchosen@plt 1030+10\n");
	wk_buf_fini(&plt);
}

static void plt_slots_of_i386_are_absolute_or_relative_to_the_table(void **state)
{
	struct wk_buf plt = { 0 };

	(void)state;
	put_x86_slot(&plt, "\xff\x25", 0x3010);
	put_x86_slot(&plt, "\xff\xa3", 0x18);
	put_x86_slot(&plt, "\xff\xa3", 0x20);
	check_plt(true, WK_EM_386, plt.at, plt.len, 16, 42,
		  IFUNCS "alpha@plt 1000+10\nbeta@plt 1010+10\nchosen@plt 1020+10\n");
	wk_buf_fini(&plt);
}

static void put_arm64_slot(struct wk_buf *plt, unsigned word, bool has_bti)
{
	if (has_bti)
		wk_buf_add_u32(plt, 0xd503245f);
	wk_buf_add_u32(plt, 0xd0000010);              /* adrp x16, 2 pages on */
	wk_buf_add_u32(plt, 0xf9400211 | word << 10); /* ldr x17, [x16, #word * 8] */
	wk_buf_add_u32(plt, 0x91000210 | word << 13); /* add x16, x16, #word * 8 */
	wk_buf_add_u32(plt, 0xd61f0220);              /* br x17 */
}

static void plt_slots_of_aarch64_are_known_by_their_instructions(void **state)
{
	struct wk_buf plt = { 0 };

	(void)state;
	put_arm64_slot(&plt, 2, false);
	put_arm64_slot(&plt, 3, true);
	put_arm64_slot(&plt, 4, false);
	check_plt(false, WK_EM_AARCH64, plt.at, plt.len, 16, 1032,
		  IFUNCS "alpha@plt 1000+10\nbeta@plt 1010+14\nchosen@plt 1024+10\n");
	wk_buf_fini(&plt);
}

static void a_text_may_be_as_long_as_its_limit(void **state)
{
	struct wk_bytes table = wk_bytes_of("abc\0def", 7); /* no NUL at the end */

	(void)state;
	assert_true(wk_str_is(wk_obj_text(&table, 0, 4), "abc"));
	assert_true(wk_str_is(wk_obj_text(&table, 0, 3), "abc"));
	assert_int_equal(wk_obj_text(&table, 0, 2).len, 0);
	assert_true(wk_str_is(wk_obj_text(&table, 2, 1), "c"));
	assert_int_equal(wk_obj_text(&table, 4, 3).len, 0);
	assert_int_equal(wk_obj_text(&table, 7, 3).len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_may_be_as_long_as_its_limit),
		cmocka_unit_test(both_classes_and_byte_orders_read_alike),
		cmocka_unit_test(the_machine_is_known),
		cmocka_unit_test(addresses_follow_the_segment_that_holds_them),
		cmocka_unit_test(a_file_without_section_headers_keeps_segments_and_build_id),
		cmocka_unit_test(a_program_needs_the_c_library_which_does_not_need_itself),
		cmocka_unit_test(a_file_cut_at_any_byte_is_refused_or_read_within_its_bounds),
		cmocka_unit_test(any_byte_may_lie),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(counts_too_large_for_the_header_come_from_section_0),
		cmocka_unit_test(symbols_are_found_by_the_dynamic_table_where_sections_are_gone),
		cmocka_unit_test(plt_slots_are_named_after_what_they_call),
		cmocka_unit_test(plt_slots_of_i386_are_absolute_or_relative_to_the_table),
		cmocka_unit_test(plt_slots_of_aarch64_are_known_by_their_instructions),
	};

	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
