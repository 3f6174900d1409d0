/* Images of Windows with their PDB beside them, as a wk_symbols finds and asks them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "own_folder.h"
#include "pdb_maker.h"
#include "pe_writer.h"
#include "symbols/image/symbols.h"

#define CODE_BYTES 0x1000

struct place {
	const char *pdb_name;
	struct pe_spec pe;
	struct pdb_spec pdb;
	struct wk_buf code, debug, exports, bounds;
	uint32_t time_stamp, image_bytes; /* as recorded */
	struct wk_symbols *symbols;
	struct wk_image_symbols *image;
};

static int enter(void **state)
{
	struct place *p = test_calloc(1, sizeof(*p));

	assert_int_equal(make_own_folder(state), 0);
	setenv("HOME", own_folder, 1);
	p->pe.machine = 0x8664;
	p->pdb_name = "a.pdb";
	*state = p;
	return 0;
}

static int leave(void **state)
{
	struct place *p = *state;

	wk_symbols_free(p->symbols);
	pdb_spec_fini(&p->pdb);
	wk_buf_fini(&p->pe.symbols);
	wk_buf_fini(&p->pe.strings);
	wk_buf_fini(&p->code);
	wk_buf_fini(&p->debug);
	wk_buf_fini(&p->exports);
	wk_buf_fini(&p->bounds);
	assert_int_equal(remove_own_folder(state), 0);
	test_free(p);
	return 0;
}

static void write_file(const char *name, const struct wk_buf *bytes)
{
	FILE *to = fopen(in_own_folder(name), "wb");

	assert_non_null(to);
	assert_int_equal(fwrite(bytes->at, 1, bytes->len, to), bytes->len);
	assert_int_equal(fclose(to), 0);
}

/* The directory of what is debugged, with one entry, of so many bytes behind it. */
static void put_debug_entry(struct place *p, uint32_t size_bytes)
{
	pe_fill(&p->debug, 12);
	pe_put(&p->debug, 2, 4);
	pe_put(&p->debug, size_bytes, 4);
	pe_put(&p->debug, 0x4000 + 28, 4);
	pe_put(&p->debug, 0, 4);
}

/* The PDB, by the GUID of pdb_maker.h and age 2. */
static void put_debug(struct place *p, uint8_t first_of_guid)
{
	size_t name_bytes = strlen(p->pdb_name) + 1;

	put_debug_entry(p, (uint32_t)(4 + 16 + 4 + name_bytes));
	wk_buf_add(&p->debug, "RSDS", 4);
	wk_buf_add_char(&p->debug, (char)first_of_guid);
	for (int i = 2; i <= 16; i++)
		wk_buf_add_char(&p->debug, (char)i);
	pe_put(&p->debug, 2, 4);
	wk_buf_add(&p->debug, p->pdb_name, name_bytes);
	p->pe.directories[WK_PE_DEBUG] = (struct wk_pe_range){ 0x4000, 28 };
	pe_section(&p->pe, 2, ".rdata", PE_DATA, 0x4000, wk_buf_str(&p->debug));
}

/* The same as linkers before Visual C++ 7 told it: by the time. */
static void put_old_debug(struct place *p, uint32_t time)
{
	put_debug_entry(p, 4 + 4 + 4 + 4 + 6);
	wk_buf_add(&p->debug, "NB10", 4);
	pe_put(&p->debug, 0, 4);
	pe_put(&p->debug, time, 4);
	pe_put(&p->debug, 2, 4);
	wk_buf_add(&p->debug, "a.pdb", 6);
	p->pe.directories[WK_PE_DEBUG] = (struct wk_pe_range){ 0x4000, 28 };
	pe_section(&p->pe, 2, ".rdata", PE_DATA, 0x4000, wk_buf_str(&p->debug));
}

/* Of .pdata, without anything to undo. */
static void add_bound(struct place *p, uint32_t start, uint32_t end)
{
	pe_put(&p->bounds, start, 4);
	pe_put(&p->bounds, end, 4);
	pe_put(&p->bounds, 0x4000, 4);
}

/* One name at 0x1010. */
static void put_export(struct place *p, const char *name)
{
	const uint32_t words[] = { 0, 0, 0, 0, 1, 1, 1, 0x5028, 0x502c, 0x5030 };

	for (size_t i = 0; i < 10; i++)
		pe_put(&p->exports, words[i], 4);
	pe_put(&p->exports, 0x1010, 4);
	pe_put(&p->exports, 0x5034, 4);
	pe_put(&p->exports, 0, 4);
	wk_buf_add(&p->exports, name, strlen(name) + 1);
	p->pe.directories[WK_PE_EXPORTS] = (struct wk_pe_range){ 0x5000, (uint32_t)p->exports.len };
	pe_section(&p->pe, 3, ".edata", PE_DATA, 0x5000, wk_buf_str(&p->exports));
}

static void open_image(struct place *p)
{
	char path[128];
	struct wk_buf pe = { 0 }, pdb = { 0 };
	struct wk_image_key key = { .time_stamp = p->time_stamp, .image_bytes = p->image_bytes };

	pe_fill(&p->code, CODE_BYTES);
	pe_section(&p->pe, 1, ".text", PE_CODE, 0x1000, wk_buf_str(&p->code));
	if (p->bounds.len) {
		p->pe.directories[WK_PE_EXCEPTIONS] =
			(struct wk_pe_range){ 0x6000, (uint32_t)p->bounds.len };
		pe_section(&p->pe, pe_count_sections(&p->pe) + 1, ".pdata", PE_DATA, 0x6000,
			   wk_buf_str(&p->bounds));
	}
	pe_write(&p->pe, &pe);
	pdb_write(&p->pdb, &pdb);
	write_file("a.exe", &pe);
	write_file(p->pdb_name, &pdb);
	p->symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	snprintf(path, sizeof(path), "%s/a.exe", own_folder);
	key.path = wk_str_c(path);
	p->image = wk_symbols_image(p->symbols, &key);
	wk_buf_fini(&pe);
	wk_buf_fini(&pdb);
}

static const char *name_at(const struct place *p, uint64_t rva)
{
	static char text[100];
	struct wk_symbol symbol;

	if (!wk_image_find_of(p->image, rva, &symbol))
		return "";
	snprintf(text, sizeof(text), "%.*s", WK_STR_ARG(symbol.name));
	return text;
}

static void publics_name_code_up_to_the_next_one(void **state)
{
	struct place *p = *state;

	pdb_public(&p->pdb.records, 1, 0x10, "?work@@YAXXZ");
	pdb_public(&p->pdb.records, 1, 0x40, "other");
	pdb_public(&p->pdb.records, 2, 0, "data");
	put_debug(p, 1);
	open_image(p);
	assert_string_equal(name_at(p, 0x100f), "");
	assert_string_equal(name_at(p, 0x1010), "?work@@YAXXZ");
	assert_string_equal(name_at(p, 0x103f), "?work@@YAXXZ");
	assert_string_equal(name_at(p, 0x1fff), "other");
	assert_string_equal(name_at(p, 0x3000), "");
	assert_int_equal(wk_image_state(p->image), WK_IMAGE_NAMED);
	assert_non_null(strstr(wk_image_reason(p->image), "names from "));
	assert_non_null(strstr(wk_image_reason(p->image), "a.pdb"));
}

static void publics_end_where_the_image_says_that_functions_do(void **state)
{
	struct place *p = *state;

	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_debug(p, 1);
	put_export(p, "exported");
	add_bound(p, 0x1010, 0x1030);
	add_bound(p, 0x1050, 0x1060);
	open_image(p);
	assert_string_equal(name_at(p, 0x102f), "exported");
	assert_string_equal(name_at(p, 0x1030), "");
	assert_string_equal(name_at(p, 0x1055), "");
}

static void of_publics_at_one_place_the_last_counts(void **state)
{
	struct place *p = *state;

	pdb_public(&p->pdb.records, 1, 0x10, "??_EA@@AAA");
	pdb_public(&p->pdb.records, 1, 0x10, "??_GA@@AAA");
	put_debug(p, 1);
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "??_GA@@AAA");
}

/* A function that nobody else sees has no public: it is not part of the one in front of it. */
static void a_function_of_a_module_comes_before_publics_and_exports(void **state)
{
	struct place *p = *state;
	struct wk_symbol symbol;

	pdb_public(&p->pdb.records, 1, 0x10, "?work@@YAXXZ");
	pdb_function(&p->pdb.symbols[0], 0x10, 0x10, "work");
	pdb_function_end(&p->pdb.symbols[0]);
	pdb_function(&p->pdb.symbols[0], 0x30, 0x10, "hidden");
	pdb_function_end(&p->pdb.symbols[0]);
	pdb_contribution(&p->pdb, &p->pdb.contributions, 0, 0x100, 0);
	put_debug(p, 1);
	put_export(p, "exported");
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "?work@@YAXXZ");
	assert_string_equal(name_at(p, 0x1030), "hidden");
	assert_string_equal(name_at(p, 0x103f), "hidden");
	assert_string_equal(name_at(p, 0x1025), "?work@@YAXXZ");
	assert_true(wk_image_find_of(p->image, 0x1038, &symbol));
	assert_int_equal(symbol.start, 0x1030);
	assert_int_equal(symbol.size_bytes, 0x10);
}

static void names_of_c_are_as_written_on_32_bits(void **state)
{
	struct place *p = *state;

	p->pe.is_32 = true;
	p->pe.machine = p->pdb.machine = 0x14c;
	pdb_public(&p->pdb.records, 1, 0x10, "_work");
	pdb_public(&p->pdb.records, 1, 0x20, "?f@@YAXXZ");
	wk_buf_add_u32(&p->pdb.by_address, pdb_public(&p->pdb.records, 1, 0x30, "_known"));
	pdb_function(&p->pdb.symbols[0], 0x30, 0x10, "known");
	pdb_function_end(&p->pdb.symbols[0]);
	pdb_contribution(&p->pdb, &p->pdb.contributions, 0, 0x100, 0);
	pdb_public(&p->pdb.records, 1, 0x50, "_standard@12");
	pdb_public(&p->pdb.records, 1, 0x60, "@fast@8");
	wk_buf_add_u32(&p->pdb.by_address, pdb_public(&p->pdb.records, 1, 0x70, "vector@@16"));
	pdb_function(&p->pdb.symbols[0], 0x70, 0x10, "vector");
	pdb_function_end(&p->pdb.symbols[0]);
	put_debug(p, 1);
	open_image(p);
	assert_string_equal(name_at(p, 0x1050), "standard");
	assert_string_equal(name_at(p, 0x1060), "fast");
	assert_string_equal(name_at(p, 0x1070), "vector");
	assert_string_equal(name_at(p, 0x1010), "work");
	assert_string_equal(name_at(p, 0x1020), "?f@@YAXXZ");
	assert_string_equal(name_at(p, 0x1030), "known");
}

/* COFF symbols, which mingw's linker writes, and what is exported. */
static void decorations_are_left_out_without_a_pdb_too(void **state)
{
	struct place *p = *state;

	p->pe.is_32 = true;
	p->pe.machine = p->pdb.machine = 0x14c;
	pe_add_symbol(&p->pe, "_ours@8", 1, 0x20, 0x20, 2, 0);
	pe_add_symbol(&p->pe, "@fast@8", 1, 0x30, 0x20, 2, 0);
	pe_add_symbol(&p->pe, "_odd@name", 1, 0x40, 0x20, 2, 0);
	pe_add_symbol(&p->pe, "_@8", 1, 0x50, 0x20, 2, 0);
	put_debug(p, 99);
	put_export(p, "exported@4");
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "exported");
	assert_string_equal(name_at(p, 0x1020), "ours");
	assert_string_equal(name_at(p, 0x1030), "fast");
	assert_string_equal(name_at(p, 0x1040), "odd@name");
	assert_string_equal(name_at(p, 0x1050), "@8");
}

static void a_pdb_of_another_build_names_nothing(void **state)
{
	struct place *p = *state;
	struct wk_image_used used;

	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_debug(p, 99);
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "");
	assert_non_null(strstr(wk_image_places_reason(p->image), "is of another build"));
	wk_image_used(p->image, &used);
	assert_non_null(strstr(used.pdb_trouble.at, "is of another build"));
}

static void check_key(struct place *p, uint32_t time_stamp, uint32_t image_bytes,
		      enum wk_image_state state, const char *reason)
{
	p->pe.time_stamp = 0x5f5f5f5f;
	p->pe.image_bytes = 0x8000;
	p->time_stamp = time_stamp;
	p->image_bytes = image_bytes;
	pe_add_symbol(&p->pe, "ours", 1, 0x20, 0x20, 2, 0);
	open_image(p);
	assert_int_equal(wk_image_state(p->image), state);
	assert_non_null(strstr(wk_image_reason(p->image), reason));
}

static void a_file_has_the_time_stamp_and_the_size_that_were_recorded(void **state)
{
	check_key(*state, 0x5f5f5f5f, 0x8000, WK_IMAGE_NAMED, "");
}

static void a_file_of_another_time_stamp_is_another(void **state)
{
	check_key(*state, 0x5f5f5f5e, 0x8000, WK_IMAGE_DIFFERS,
		  "time stamp 5F5F5F5F, recorded 5F5F5F5E");
}

static void a_file_of_another_size_in_memory_is_another(void **state)
{
	check_key(*state, 0x5f5f5f5f, 0x9000, WK_IMAGE_DIFFERS,
		  "it needs 32768 bytes in memory, recorded 36864");
}

/* It lies there, as it may on this system. */
static void a_pdb_with_the_name_of_a_device_is_not_looked_for(void **state)
{
	struct place *p = *state;
	struct wk_image_used used;

	p->pdb_name = "Aux.pdb";
	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_debug(p, 1);
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "");
	wk_image_used(p->image, &used);
	assert_string_equal(used.pdb_trouble.at, "Aux.pdb was not looked for: no file of Windows "
						 "can be called so");
}

static void the_pdb_of_an_old_image_is_known_by_its_time(void **state)
{
	struct place *p = *state;

	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_old_debug(p, 0x5f5f5f5f);
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "work");
}

static void a_pdb_of_another_time_names_nothing(void **state)
{
	struct place *p = *state;

	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_old_debug(p, 0x5f5f5f5e);
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "");
}

static void a_pdb_that_leaves_all_to_the_objects_says_so(void **state)
{
	struct place *p = *state;
	struct wk_image_used used;

	p->pdb.is_minimal = true;
	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_debug(p, 1);
	open_image(p);
	assert_string_equal(name_at(p, 0x1010), "work");
	assert_int_equal(wk_image_places_state(p->image), WK_PLACES_NONE);
	assert_non_null(strstr(wk_image_places_reason(p->image),
			       "a.pdb has public names only: it was linked with /DEBUG:FASTLINK"));
	wk_image_used(p->image, &used);
	assert_true(used.pdb_trouble.len > 0);
}

static void what_was_linked_without_debug_information_says_so(void **state)
{
	struct place *p = *state;
	struct wk_image_used used;

	pdb_public(&p->pdb.records, 1, 0x10, "work");
	put_debug(p, 1);
	open_image(p);
	assert_non_null(strstr(wk_image_places_reason(p->image), "had no debug information"));
	wk_image_used(p->image, &used);
	assert_int_equal(used.pdb_trouble.len, 0);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(publics_name_code_up_to_the_next_one),
		IN_PLACE(publics_end_where_the_image_says_that_functions_do),
		IN_PLACE(of_publics_at_one_place_the_last_counts),
		IN_PLACE(a_function_of_a_module_comes_before_publics_and_exports),
		IN_PLACE(names_of_c_are_as_written_on_32_bits),
		IN_PLACE(decorations_are_left_out_without_a_pdb_too),
		IN_PLACE(a_pdb_of_another_build_names_nothing),
		IN_PLACE(a_file_has_the_time_stamp_and_the_size_that_were_recorded),
		IN_PLACE(a_file_of_another_time_stamp_is_another),
		IN_PLACE(a_file_of_another_size_in_memory_is_another),
		IN_PLACE(a_pdb_with_the_name_of_a_device_is_not_looked_for),
		IN_PLACE(the_pdb_of_an_old_image_is_known_by_its_time),
		IN_PLACE(a_pdb_of_another_time_names_nothing),
		IN_PLACE(a_pdb_that_leaves_all_to_the_objects_says_so),
		IN_PLACE(what_was_linked_without_debug_information_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
