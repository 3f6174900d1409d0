#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_writer.h"
#include "symbols/object/elf_unlinked.h"
#include "symbols/object/symtab.h"

#define CODE (WK_SHF_ALLOC | WK_SHF_EXECINSTR)

enum { TEXT = 1, COLD, INFO, STRINGS, RELA, SYMTAB, STRTAB, GROUPED };

/* A file with two sections of code, each with a function at its begin, and a section of debug
 * information that refers to them. */
struct object {
	struct elf_spec spec;
	struct wk_buf symbols, names, relocations, file;
	struct wk_obj *obj;
};

static void add_relocation(struct object *o, uint64_t offset, uint32_t symbol, uint32_t type,
			   int64_t addend)
{
	elf_put_word(&o->spec, &o->relocations, offset);
	elf_put_word(&o->spec, &o->relocations, (uint64_t)symbol << 32 | type);
	elf_put_word(&o->spec, &o->relocations, (uint64_t)addend);
}

static void object_init(struct object *o, uint16_t machine)
{
	static const char code[0x2000], info[24] = "................";

	*o = (struct object){ .spec = { .type = WK_ET_REL, .machine = machine } };
	elf_section(&o->spec, TEXT, ".text", WK_SHT_PROGBITS, CODE, 0, wk_str_of(code, 0x30));
	elf_section(&o->spec, COLD, ".text.cold", WK_SHT_PROGBITS, CODE, 0,
		    wk_str_of(code, sizeof(code)));
	elf_section(&o->spec, INFO, ".debug_info", WK_SHT_PROGBITS, 0, 0,
		    wk_str_of(info, sizeof(info)));
	elf_section(&o->spec, STRINGS, ".debug_str", WK_SHT_PROGBITS, 0, 0, wk_str_of(code, 64));
	elf_add_symbol(&o->spec, &o->symbols, 0, 0, 0, WK_STB_LOCAL, 3, COLD); /* 1: the section */
	elf_add_symbol(&o->spec, &o->symbols, 0, 0, 0, WK_STB_LOCAL, 3, STRINGS);
	elf_add_symbol(&o->spec, &o->symbols, elf_add_name(&o->names, "hot"), 0, 0x30,
		       WK_STB_GLOBAL, WK_STT_FUNC, TEXT);
	elf_add_symbol(&o->spec, &o->symbols, elf_add_name(&o->names, "cold"), 0, 0x20,
		       WK_STB_GLOBAL, WK_STT_FUNC, COLD);
	elf_add_symbol(&o->spec, &o->symbols, elf_add_name(&o->names, "elsewhere"), 0, 0,
		       WK_STB_GLOBAL, WK_STT_NOTYPE, 0);
}

static void object_write(struct object *o)
{
	elf_section(&o->spec, RELA, ".rela.debug_info", WK_SHT_RELA, 0, 0,
		    wk_buf_str(&o->relocations));
	o->spec.sections[RELA].link = SYMTAB;
	o->spec.sections[RELA].info = INFO;
	elf_section(&o->spec, SYMTAB, ".symtab", WK_SHT_SYMTAB, 0, 0, wk_buf_str(&o->symbols))
		->link = STRTAB;
	elf_section(&o->spec, STRTAB, ".strtab", 3, 0, 0, wk_buf_str(&o->names));
	elf_write(&o->spec, &o->file);
	o->obj = wk_obj_parse(o->file.at, o->file.len, NULL);
	assert_non_null(o->obj);
}

static void object_fini(struct object *o)
{
	wk_obj_free(o->obj);
	wk_buf_fini(&o->file);
	wk_buf_fini(&o->symbols);
	wk_buf_fini(&o->names);
	wk_buf_fini(&o->relocations);
}

static void each_section_with_code_has_addresses_of_its_own(void **state)
{
	const struct wk_obj_section *text, *cold;
	struct object o;

	(void)state;
	object_init(&o, WK_EM_X86_64);
	object_write(&o);
	text = wk_obj_section(o.obj, ".text");
	cold = wk_obj_section(o.obj, ".text.cold");
	assert_true(text->vaddr > UINT32_MAX);
	assert_true(cold->vaddr > text->vaddr + text->size_bytes);
	assert_int_equal(wk_obj_section(o.obj, ".debug_info")->vaddr, 0);
	assert_ptr_equal(wk_elf_code_at(o.obj, text->vaddr + 0x2f), text);
	assert_null(wk_elf_code_at(o.obj, text->vaddr + 0x30));
	assert_ptr_equal(wk_elf_code_at(o.obj, cold->vaddr), cold);
	assert_null(wk_elf_code_at(o.obj, 0));
	object_fini(&o);
}

static void an_address_without_a_section_is_of_the_first_that_is_large_enough(void **state)
{
	struct object o;

	(void)state;
	object_init(&o, WK_EM_X86_64);
	object_write(&o);
	assert_true(wk_str_is(wk_elf_code_with(o.obj, 0x2f)->name, ".text"));
	assert_true(wk_str_is(wk_elf_code_with(o.obj, 0x30)->name, ".text.cold"));
	assert_null(wk_elf_code_with(o.obj, 0x2000));
	object_fini(&o);
}

static void functions_lie_in_their_sections(void **state)
{
	struct wk_obj_symbol found;
	struct wk_symtab *tab;
	struct object o;

	(void)state;
	object_init(&o, WK_EM_X86_64);
	object_write(&o);
	tab = wk_symtab_new(o.obj, NULL);
	assert_int_equal(wk_symtab_count(tab), 2);
	assert_true(wk_symtab_find(tab, wk_obj_section(o.obj, ".text")->vaddr + 4, &found));
	assert_true(wk_str_is(found.name, "hot"));
	assert_true(wk_symtab_find(tab, wk_obj_section(o.obj, ".text.cold")->vaddr + 4, &found));
	assert_true(wk_str_is(found.name, "cold"));
	assert_false(wk_symtab_find(tab, 4, &found));
	wk_symtab_free(tab);
	object_fini(&o);
}

/* The debug information of `o` as a linker would leave it. */
static struct wk_bytes relocated(const struct object *o, struct wk_buf *plain)
{
	const struct wk_obj_section *info = wk_obj_section(o->obj, ".debug_info");
	struct wk_bytes bytes = wk_obj_bytes(o->obj, info);

	wk_elf_relocate(o->obj, info, plain, &bytes);
	assert_int_equal(wk_bytes_left(&bytes), 24);
	return bytes;
}

static void check_relocations(uint16_t machine, uint32_t wide, uint32_t narrow)
{
	struct wk_buf plain = { 0 };
	struct wk_bytes bytes;
	struct object o;
	uint64_t cold;

	object_init(&o, machine);
	add_relocation(&o, 0, 1, wide, 0x10); /* a place in .text.cold, by its section */
	add_relocation(&o, 8, 4, wide, -1);   /* by its function */
	add_relocation(&o, 16, 2, narrow, 7); /* in .debug_str */
	object_write(&o);
	cold = wk_obj_section(o.obj, ".text.cold")->vaddr;
	bytes = relocated(&o, &plain);
	assert_true(wk_u64(&bytes) == cold + 0x10);
	assert_true(wk_u64(&bytes) == cold - 1);
	assert_int_equal(wk_u32(&bytes), 7);
	assert_int_equal(wk_u32(&bytes), 0);
	wk_buf_fini(&plain);
	object_fini(&o);
}

static void what_a_linker_would_put_in_is_put_in(void **state)
{
	(void)state;
	check_relocations(WK_EM_X86_64, 1, 10);
	check_relocations(WK_EM_X86_64, 1, 11);
	check_relocations(WK_EM_AARCH64, 257, 258);
}

static void what_leads_out_of_the_section_or_is_not_known_is_left(void **state)
{
	struct wk_buf plain = { 0 };
	struct wk_bytes bytes;
	struct object o;

	(void)state;
	object_init(&o, WK_EM_X86_64);
	add_relocation(&o, 17, 1, 1, 0); /* ends a byte behind it */
	add_relocation(&o, 24, 1, 10, 0);
	add_relocation(&o, UINT64_MAX - 2, 1, 1, 0);
	add_relocation(&o, 0, 99, 1, 0);  /* no such symbol */
	add_relocation(&o, 0, 1, 257, 0); /* another machine's */
	add_relocation(&o, 0, 1, 2, 0);   /* from where it stands */
	object_write(&o);
	bytes = relocated(&o, &plain);
	assert_memory_equal(bytes.at, "................\0\0\0\0\0\0\0\0", 24);
	wk_buf_fini(&plain);
	object_fini(&o);
}

static void other_machines_and_linked_files_are_left_as_they_are(void **state)
{
	static const struct { uint16_t type, machine; } files[] = {
		{ WK_ET_REL, WK_EM_386 }, { WK_ET_REL, 243 }, { WK_ET_DYN, WK_EM_X86_64 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct wk_buf plain = { 0 };
		struct object o;

		object_init(&o, files[i].machine);
		o.spec.type = files[i].type;
		add_relocation(&o, 0, 1, 1, 0);
		object_write(&o);
		relocated(&o, &plain);
		assert_int_equal(plain.len, 0);
		object_fini(&o);
	}
}

/* Each type that headers share is in a .debug_info of its own, before the unit's. */
static void sections_of_groups_stand_back(void **state)
{
	static const char type[8];
	struct object o;

	(void)state;
	object_init(&o, WK_EM_X86_64);
	o.spec.sections[GROUPED] = o.spec.sections[INFO];
	elf_section(&o.spec, INFO, ".debug_info", WK_SHT_PROGBITS, WK_SHF_GROUP, 0,
		    wk_str_of(type, sizeof(type)));
	object_write(&o);
	assert_int_equal(wk_obj_section(o.obj, ".debug_info")->size_bytes, 24);
	object_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_section_with_code_has_addresses_of_its_own),
		cmocka_unit_test(an_address_without_a_section_is_of_the_first_that_is_large_enough),
		cmocka_unit_test(functions_lie_in_their_sections),
		cmocka_unit_test(what_a_linker_would_put_in_is_put_in),
		cmocka_unit_test(what_leads_out_of_the_section_or_is_not_known_is_left),
		cmocka_unit_test(other_machines_and_linked_files_are_left_as_they_are),
		cmocka_unit_test(sections_of_groups_stand_back),
	};

	return cmocka_run_group_tests_name("elf_unlinked", tests, NULL, NULL);
}
