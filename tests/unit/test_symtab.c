#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf_writer.h"
#include "symbols/object/symtab.h"

#define CODE (WK_SHF_ALLOC | WK_SHF_EXECINSTR)

/* An image with code at 0x1000 to 0x2000 (section 1) and 0x2000 to 0x2100 (section 2), and
 * symbols that a test adds. */
struct image {
	struct elf_spec spec;
	struct wk_buf symbols, names, file;
	struct wk_obj *obj;
};

static void add(struct image *image, const char *name, uint64_t vaddr, uint64_t size,
		unsigned binding, unsigned type)
{
	elf_add_symbol(&image->spec, &image->symbols, elf_add_name(&image->names, name), vaddr,
		       size, binding, type, vaddr < 0x2000 ? 1 : 2);
}

static void add_function(struct image *image, const char *name, uint64_t vaddr, uint64_t size)
{
	add(image, name, vaddr, size, WK_STB_GLOBAL, WK_STT_FUNC);
}

static void build_rest(struct image *image)
{
	static const char code[0x1100];
	struct elf_spec *spec = &image->spec;

	spec->type = WK_ET_DYN;
	spec->machine = WK_EM_X86_64;
	elf_section(spec, 1, ".text", 1, CODE, 0x1000, wk_str_of(code, 0x1000));
	elf_section(spec, 2, ".fini", 1, CODE, 0x2000, wk_str_of(code + 0x1000, 0x100));
	elf_section(spec, 4, ".strtab", 3, 0, 0, wk_buf_str(&image->names));
	spec->segments[0] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_X, 1, 2 };
	elf_write(spec, &image->file);
	image->obj = wk_obj_parse(image->file.at, image->file.len, NULL);
	assert_non_null(image->obj);
}

static void build(struct image *image)
{
	elf_section(&image->spec, 3, ".symtab", WK_SHT_SYMTAB, 0, 0, wk_buf_str(&image->symbols))
		->link = 4;
	build_rest(image);
}

static void fini(struct image *image)
{
	wk_obj_free(image->obj);
	wk_buf_fini(&image->symbols);
	wk_buf_fini(&image->names);
	wk_buf_fini(&image->file);
}

/* "name start+size", or "none". */
static const char *at(const struct wk_symtab *tab, uint64_t vaddr)
{
	static char text[200];
	struct wk_obj_symbol s;

	if (!wk_symtab_find(tab, vaddr, &s))
		return "none";
	snprintf(text, sizeof(text), "%.*s %llx+%llx", WK_STR_ARG(s.name),
		 (unsigned long long)s.vaddr, (unsigned long long)s.size_bytes);
	return text;
}

static void a_symbol_covers_its_bytes_and_no_more(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add_function(&image, "second", 0x1100, 0x10);
	add_function(&image, "first", 0x1020, 0x40);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_int_equal(wk_symtab_count(tab), 2);
	assert_string_equal(at(tab, 0x101f), "none");
	assert_string_equal(at(tab, 0x1020), "first 1020+40");
	assert_string_equal(at(tab, 0x105f), "first 1020+40");
	assert_string_equal(at(tab, 0x1060), "none");
	assert_string_equal(at(tab, 0x110f), "second 1100+10");
	assert_string_equal(at(tab, 0x1110), "none");
	assert_string_equal(at(tab, 0), "none");
	assert_string_equal(at(tab, UINT64_MAX), "none");
	wk_symtab_free(tab);
	fini(&image);
}

static void the_best_of_several_names_is_kept(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add(&image, "sized_local", 0x1000, 8, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "unsized_global", 0x1000, 0, WK_STB_GLOBAL, WK_STT_FUNC);
	add(&image, "weak", 0x1010, 8, WK_STB_WEAK, WK_STT_FUNC);
	add(&image, "global", 0x1010, 8, WK_STB_GLOBAL, WK_STT_FUNC);
	add(&image, "local", 0x1010, 8, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "local_function", 0x1020, 8, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "weak_function", 0x1020, 8, WK_STB_WEAK, WK_STT_FUNC);
	add_function(&image, "__read", 0x1030, 8);
	add_function(&image, "read", 0x1030, 8);
	add_function(&image, "copy", 0x1040, 8);
	add_function(&image, "copy_all", 0x1040, 8);
	add(&image, "some_label", 0x1050, 8, WK_STB_GLOBAL, WK_STT_NOTYPE);
	add_function(&image, "cfree@GLIBC_2.2.5", 0x1060, 8);
	add(&image, "free@@GLIBC_2.2.5", 0x1060, 8, WK_STB_WEAK, WK_STT_FUNC);
	add_function(&image, "old_sized@V1", 0x1070, 8);
	add_function(&image, "unsized", 0x1070, 0);
	add(&image, "func", 0x1050, 8, WK_STB_GLOBAL, WK_STT_FUNC);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_int_equal(wk_symtab_count(tab), 8);
	assert_string_equal(at(tab, 0x1001), "sized_local 1000+8");
	assert_string_equal(at(tab, 0x1011), "global 1010+8");
	assert_string_equal(at(tab, 0x1021), "weak_function 1020+8");
	assert_string_equal(at(tab, 0x1031), "read 1030+8");
	assert_string_equal(at(tab, 0x1041), "copy_all 1040+8");
	assert_string_equal(at(tab, 0x1051), "func 1050+8");
	assert_string_equal(at(tab, 0x1061), "free 1060+8");
	assert_string_equal(at(tab, 0x1071), "old_sized 1070+8");
	wk_symtab_free(tab);
	fini(&image);
}

/* The names of libraries without debug information have their versions in a table beside. */
static void a_name_of_an_older_version_is_not_the_best(void **state)
{
	static const char versions[] = { 0, 0, 2, 0, 3, (char)0x80, 2, 0, 3, (char)0x80 };
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add_function(&image, "free", 0x1000, 8);
	add_function(&image, "cfree", 0x1000, 8);
	add_function(&image, "copy", 0x1010, 8);
	add_function(&image, "only_old", 0x1020, 8);
	elf_section(&image.spec, 3, ".dynsym", WK_SHT_DYNSYM, 0, 0, wk_buf_str(&image.symbols))
		->link = 4;
	elf_section(&image.spec, 5, ".gnu.version", WK_SHT_GNU_VERSYM, 0, 0,
		    wk_str_of(versions, sizeof(versions)));
	build_rest(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_string_equal(at(tab, 0x1001), "free 1000+8");
	assert_string_equal(at(tab, 0x1011), "copy 1010+8");
	assert_string_equal(at(tab, 0x1021), "only_old 1020+8");
	wk_symtab_free(tab);
	fini(&image);
}

/* As perf 6.1 answers for libc. */
static void perf_has_its_own_best_name(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add(&image, "open", 0x1000, 8, WK_STB_WEAK, WK_STT_FUNC);
	add(&image, "__libc_open64", 0x1000, 8, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "__GI___libc_open", 0x1000, 8, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "free", 0x1010, 8, WK_STB_GLOBAL, WK_STT_FUNC);
	add(&image, "cfree@GLIBC_2.2.5", 0x1010, 8, WK_STB_GLOBAL, WK_STT_FUNC);
	add(&image, "__libc_free", 0x1010, 8, WK_STB_GLOBAL, WK_STT_FUNC);
	add(&image, "longer_label", 0x1020, 8, WK_STB_GLOBAL, WK_STT_NOTYPE);
	add(&image, "function", 0x1020, 8, WK_STB_GLOBAL, WK_STT_FUNC);
	add(&image, "weak_with_size", 0x1030, 8, WK_STB_WEAK, WK_STT_FUNC);
	add(&image, "global", 0x1030, 0, WK_STB_GLOBAL, WK_STT_FUNC);
	build(&image);
	tab = wk_symtab_new_as_perf(image.obj, NULL);
	assert_string_equal(at(tab, 0x1001), "__GI___libc_open 1000+8");
	assert_string_equal(at(tab, 0x1011), "cfree@GLIBC_2.2.5 1010+8");
	assert_string_equal(at(tab, 0x1021), "longer_label 1020+8");
	assert_string_equal(at(tab, 0x1031), "weak_with_size 1030+8");
	wk_symtab_free(tab);
	fini(&image);
}

static void a_worse_name_still_names_what_lies_behind_the_better_one(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add(&image, "whole", 0x1000, 0x100, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "begin", 0x1000, 0x10, WK_STB_GLOBAL, WK_STT_FUNC);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_string_equal(at(tab, 0x100f), "begin 1000+10");
	assert_string_equal(at(tab, 0x1010), "whole 1000+100");
	assert_string_equal(at(tab, 0x1100), "none");
	wk_symtab_free(tab);
	fini(&image);
}

static void a_symbol_without_size_reaches_to_the_next_or_to_its_sections_end(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add(&image, "by_hand", 0x1100, 0, WK_STB_GLOBAL, WK_STT_NOTYPE);
	add_function(&image, "sized", 0x1180, 0x20);
	add_function(&image, "last", 0x1f00, 0);
	add_function(&image, "behind", 0x2010, 0);
	add(&image, "_etext", 0x2100, 0, WK_STB_GLOBAL, WK_STT_NOTYPE);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_string_equal(at(tab, 0x117f), "by_hand 1100+80");
	assert_string_equal(at(tab, 0x1180), "sized 1180+20");
	assert_string_equal(at(tab, 0x11a0), "none");
	assert_string_equal(at(tab, 0x1fff), "last 1f00+100");
	assert_string_equal(at(tab, 0x2000), "none");
	assert_string_equal(at(tab, 0x20ff), "behind 2010+f0");
	assert_string_equal(at(tab, 0x2100), "none");
	wk_symtab_free(tab);
	fini(&image);
}

static void a_label_inside_a_function_does_not_hide_it(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add_function(&image, "function", 0x1000, 0x100);
	add(&image, "loop", 0x1040, 0, WK_STB_LOCAL, WK_STT_NOTYPE);
	add_function(&image, "inner", 0x1060, 0x10);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_string_equal(at(tab, 0x1048), "function 1000+100");
	assert_string_equal(at(tab, 0x1068), "inner 1060+10");
	assert_string_equal(at(tab, 0x1078), "function 1000+100");
	wk_symtab_free(tab);
	fini(&image);
}

static void the_debug_file_adds_its_symbols(void **state)
{
	struct image image = { 0 }, debug = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add_function(&image, "exported", 0x1000, 0x10);
	add_function(&debug, "exported", 0x1000, 0x10);
	add(&debug, "hidden", 0x1010, 0x10, WK_STB_LOCAL, WK_STT_FUNC);
	build(&image);
	build(&debug);
	tab = wk_symtab_new(image.obj, debug.obj);
	assert_int_equal(wk_symtab_count(tab), 2);
	assert_string_equal(at(tab, 0x1008), "exported 1000+10");
	assert_string_equal(at(tab, 0x1018), "hidden 1010+10");
	wk_symtab_free(tab);
	fini(&image);
	fini(&debug);
}

static void a_file_without_symbols_gives_an_empty_table(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_int_equal(wk_symtab_count(tab), 0);
	assert_string_equal(at(tab, 0x1000), "none");
	wk_symtab_free(tab);
	fini(&image);
}

static void sizes_and_addresses_at_the_limits_are_harmless(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add_function(&image, "endless", 0x1000, UINT64_MAX);
	add_function(&image, "highest", UINT64_MAX, 1);
	add_function(&image, "high", UINT64_MAX - 15, UINT64_MAX);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_string_equal(at(tab, 0x1500), "endless 1000+ffffffff");
	assert_string_equal(at(tab, UINT64_MAX), "highest ffffffffffffffff+1");
	assert_string_equal(at(tab, UINT64_MAX - 1), "high fffffffffffffff0+ffffffff");
	wk_symtab_free(tab);
	fini(&image);
}

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % limit;
}

struct plain {
	uint32_t vaddr, size;
};

/* Where the innermost of the symbols that cover `vaddr` begins: the one that begins last. */
static int64_t slowly(const struct plain *all, size_t count, uint32_t vaddr)
{
	int64_t best = -1;

	for (size_t i = 0; i < count; i++)
		if (vaddr >= all[i].vaddr && vaddr - all[i].vaddr < all[i].size &&
		    (int64_t)all[i].vaddr > best)
			best = all[i].vaddr;
	return best;
}

static void answers_equal_those_of_a_slow_search(void **state)
{
	uint32_t seed = 2026;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct plain all[40];
		size_t count = 1 + random_below(&seed, 40);
		struct image image = { 0 };
		struct wk_symtab *tab;

		for (size_t i = 0; i < count; i++) {
			char name[16];

			all[i].vaddr = 0x1000 + random_below(&seed, 0x200);
			all[i].size = 1 + random_below(&seed, i % 4 ? 0x10 : 0x200);
			snprintf(name, sizeof(name), "s%zu", i);
			add_function(&image, name, all[i].vaddr, all[i].size);
		}
		build(&image);
		tab = wk_symtab_new(image.obj, NULL);
		for (uint32_t vaddr = 0xff0; vaddr < 0x1420; vaddr++) {
			struct wk_obj_symbol found;
			bool any = wk_symtab_find(tab, vaddr, &found);

			assert_int_equal(any ? (int64_t)found.vaddr : -1,
					 slowly(all, count, vaddr));
		}
		wk_symtab_free(tab);
		fini(&image);
	}
}

/* A hundred thousand symbols at one address: time in line with the count. */
static void many_symbols_at_one_address_cost_no_square(void **state)
{
	struct image image = { 0 };
	struct wk_symtab *tab;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		add_function(&image, "same", 0x1000, i);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_string_equal(at(tab, 0x1000), "same 1000+1");
	for (uint64_t vaddr = 0x1000; vaddr < 0x2000; vaddr++)
		at(tab, vaddr);
	wk_symtab_free(tab);
	fini(&image);
}

static void a_loaded_table_answers_the_same_without_the_file(void **state)
{
	struct image image = { 0 };
	struct wk_buf saved = { 0 };
	struct wk_symtab *tab;
	char wanted[0x1200][40];

	(void)state;
	add_function(&image, "outer", 0x1010, 0x800);
	add_function(&image, "inner", 0x1100, 0x100);
	add(&image, "innermost", 0x1110, 8, WK_STB_LOCAL, WK_STT_FUNC);
	add(&image, "unsized", 0x2010, 0, WK_STB_WEAK, WK_STT_NOTYPE);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	for (unsigned i = 0; i < 0x1200; i++)
		snprintf(wanted[i], sizeof(wanted[i]), "%s", at(tab, 0x1000 + i));
	assert_true(wk_symtab_save(tab, &saved));
	wk_symtab_free(tab);
	fini(&image);
	tab = wk_symtab_load(wk_bytes_of(saved.at, saved.len), NULL);
	assert_non_null(tab);
	for (unsigned i = 0; i < 0x1200; i++)
		assert_string_equal(at(tab, 0x1000 + i), wanted[i]);
	assert_string_equal(at(tab, 0), "none");
	assert_string_equal(at(tab, UINT64_MAX), "none");
	assert_int_equal(wk_symtab_count(tab), 4);
	assert_int_equal(wk_symtab_at(tab, 2).binding, WK_STB_LOCAL);
	assert_int_equal(wk_symtab_at(tab, 3).type, WK_STT_NOTYPE);
	wk_symtab_free(tab);
	for (size_t len = 0; len < saved.len; len++)
		assert_null(wk_symtab_load(wk_bytes_of(saved.at, len), NULL));
	wk_buf_fini(&saved);
}

static void a_table_that_spans_too_much_is_not_saved(void **state)
{
	struct image image = { 0 };
	struct wk_buf saved = { 0 };
	struct wk_symtab *tab;

	(void)state;
	add_function(&image, "low", 0x1000, 0x10);
	add_function(&image, "high", 0x200001000, 0x10);
	build(&image);
	tab = wk_symtab_new(image.obj, NULL);
	assert_int_equal(wk_symtab_count(tab), 2);
	assert_false(wk_symtab_save(tab, &saved));
	assert_int_equal(saved.len, 0);
	wk_symtab_free(tab);
	fini(&image);
	wk_buf_fini(&saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_covers_its_bytes_and_no_more),
		cmocka_unit_test(the_best_of_several_names_is_kept),
		cmocka_unit_test(a_name_of_an_older_version_is_not_the_best),
		cmocka_unit_test(perf_has_its_own_best_name),
		cmocka_unit_test(a_worse_name_still_names_what_lies_behind_the_better_one),
		cmocka_unit_test(a_symbol_without_size_reaches_to_the_next_or_to_its_sections_end),
		cmocka_unit_test(a_label_inside_a_function_does_not_hide_it),
		cmocka_unit_test(the_debug_file_adds_its_symbols),
		cmocka_unit_test(a_file_without_symbols_gives_an_empty_table),
		cmocka_unit_test(sizes_and_addresses_at_the_limits_are_harmless),
		cmocka_unit_test(answers_equal_those_of_a_slow_search),
		cmocka_unit_test(many_symbols_at_one_address_cost_no_square),
		cmocka_unit_test(a_loaded_table_answers_the_same_without_the_file),
		cmocka_unit_test(a_table_that_spans_too_much_is_not_saved),
	};

	return cmocka_run_group_tests_name("symtab", tests, NULL, NULL);
}
