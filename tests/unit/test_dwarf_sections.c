/* Sections of debug information: plain, packed in three ways, split, and packed badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_writer.h"
#include "symbols/dwarf/sections.h"

/* "information " 20 times. */
#define PLAIN_SIZE 240

static const char zlib_packed[] =
	"\x78\xda\xcb\xcc\x4b\xcb\x2f\xca\x4d\x2c\xc9\xcc\xcf\x53\xc8\x1c\x01\x6c\x00\x11\xdf\x5f"
	"\x79";
static const char zstd_packed[] =
	"\x28\xb5\x2f\xfd\x00\x68\x9d\x00\x00\x60\x69\x6e\x66\x6f\x72\x6d\x61\x74\x69\x6f\x6e\x20"
	"\x01\x00\xe1\x53\x25\x09";

enum { ZLIB = 1, ZSTD = 2, OLD = 3, PLAIN = 4 };

struct made {
	struct elf_spec spec;
	struct wk_buf section, file;
	struct wk_obj *obj;
	struct wk_dwarf_sections sections;
};

static struct wk_str packed_with(int how)
{
	return how == ZSTD ? wk_str_of(zstd_packed, sizeof(zstd_packed) - 1)
			   : wk_str_of(zlib_packed, sizeof(zlib_packed) - 1);
}

static void put_head(struct made *m, int how, uint64_t size)
{
	if (how == OLD) {
		wk_buf_add_text(&m->section, "ZLIB");
		elf_put(&m->section, true, size, 8);
		return;
	}
	elf_put(&m->section, m->spec.big_endian, (uint64_t)how, 4);
	if (!m->spec.is_32)
		elf_put(&m->section, m->spec.big_endian, 0, 4);
	elf_put_word(&m->spec, &m->section, size);
	elf_put_word(&m->spec, &m->section, 1);
}

/* A file with one section, packed as `how` says, which claims `size` plain bytes. */
static void make(struct made *m, const char *name, int how, uint64_t size, bool is_32, bool big)
{
	*m = (struct made){ .spec = { .is_32 = is_32, .big_endian = big, .type = WK_ET_DYN } };
	if (how == PLAIN) {
		wk_buf_add_text(&m->section, "plain text");
	} else {
		put_head(m, how, size);
		wk_buf_add_str(&m->section, packed_with(how));
	}
	elf_section(&m->spec, 1, name, WK_SHT_PROGBITS,
		    how != OLD && how != PLAIN ? WK_SHF_COMPRESSED : 0, 0, wk_buf_str(&m->section));
	elf_write(&m->spec, &m->file);
	m->obj = wk_obj_parse(m->file.at, m->file.len, NULL);
	assert_non_null(m->obj);
	wk_dwarf_sections_init(&m->sections, m->obj, wk_str_ends(wk_str_c(name), ".dwo"));
}

static void unmake(struct made *m)
{
	wk_dwarf_sections_fini(&m->sections);
	wk_obj_free(m->obj);
	wk_buf_fini(&m->section);
	wk_buf_fini(&m->file);
}

static void skip_without_library(const struct made *m)
{
	if (strstr(m->sections.err.text, "was built without"))
		skip();
}

static void check_plain(struct made *m, enum wk_dwarf_section which)
{
	struct wk_bytes bytes = wk_dwarf_section(&m->sections, which);

	skip_without_library(m);
	assert_string_equal(m->sections.err.text, "");
	assert_int_equal(wk_bytes_left(&bytes), PLAIN_SIZE);
	assert_memory_equal(bytes.at, "information information ", 24);
	assert_int_equal(bytes.big_endian, m->spec.big_endian);
	/* Asked again it is the same, not unpacked anew. */
	assert_ptr_equal(wk_dwarf_section(&m->sections, which).at, bytes.at);
}

static void check_every_class(const char *name, int how, enum wk_dwarf_section which)
{
	for (int i = 0; i < 4; i++) {
		struct made m;

		make(&m, name, how, PLAIN_SIZE, i & 1, i & 2);
		check_plain(&m, which);
		unmake(&m);
	}
}

static void zlib_sections_are_unpacked_in_both_classes_and_byte_orders(void **state)
{
	(void)state;
	check_every_class(".debug_info", ZLIB, WK_DWARF_INFO);
	check_every_class(".debug_line_str", ZLIB, WK_DWARF_LINE_STR);
}

static void zstd_sections_are_unpacked_in_both_classes_and_byte_orders(void **state)
{
	(void)state;
	check_every_class(".debug_str", ZSTD, WK_DWARF_STR);
}

static void the_older_names_are_known(void **state)
{
	(void)state;
	check_every_class(".zdebug_line", OLD, WK_DWARF_LINE);
}

static void split_files_have_names_of_their_own(void **state)
{
	(void)state;
	check_every_class(".debug_info.dwo", ZLIB, WK_DWARF_INFO);
	check_every_class(".zdebug_abbrev.dwo", OLD, WK_DWARF_ABBREV);
}

static void what_is_not_packed_is_a_window_onto_the_file(void **state)
{
	struct made m;
	struct wk_bytes bytes;

	(void)state;
	make(&m, ".debug_abbrev", PLAIN, 0, false, false);
	bytes = wk_dwarf_section(&m.sections, WK_DWARF_ABBREV);
	assert_int_equal(wk_bytes_left(&bytes), strlen("plain text"));
	assert_true(bytes.at > m.obj->at && bytes.end < m.obj->at + m.obj->size_bytes);
	assert_ptr_equal(bytes.start, bytes.at);
	bytes = wk_dwarf_section(&m.sections, WK_DWARF_INFO);
	assert_int_equal(wk_bytes_left(&bytes), 0);
	unmake(&m);
}

static void check_refused(int how, uint64_t size, const char *says)
{
	struct made m;
	struct wk_bytes bytes;

	make(&m, how == OLD ? ".zdebug_info" : ".debug_info", how, size, false, false);
	bytes = wk_dwarf_section(&m.sections, WK_DWARF_INFO);
	skip_without_library(&m);
	assert_int_equal(wk_bytes_left(&bytes), 0);
	assert_non_null(strstr(m.sections.err.text, says));
	unmake(&m);
}

static void a_size_that_is_not_so_is_refused(void **state)
{
	(void)state;
	check_refused(ZLIB, PLAIN_SIZE + 1,
		      "section .debug_info: the zlib data ends after 240 of the 241 bytes");
	check_refused(ZSTD, PLAIN_SIZE + 1, "the zstd data ends after 240 of the 241 bytes");
	check_refused(OLD, PLAIN_SIZE + 1, "section .zdebug_info: the zlib data ends after 240");
	check_refused(ZLIB, 9 << 20, "packed with zlib claim to be 9437184 bytes of plain data");
	check_refused(ZLIB, 1ull << 40,
		      "packed with zlib claim to be 1099511627776 bytes of plain data");
	check_refused(OLD, UINT64_MAX, "claim to be 18446744073709551615 bytes of plain data");
}

static void what_is_packed_behind_the_told_size_is_not_looked_at(void **state)
{
	struct made m;
	struct wk_bytes bytes;

	(void)state;
	make(&m, ".debug_info", ZLIB, PLAIN_SIZE - 40, false, false);
	bytes = wk_dwarf_section(&m.sections, WK_DWARF_INFO);
	skip_without_library(&m);
	assert_int_equal(wk_bytes_left(&bytes), PLAIN_SIZE - 40);
	assert_memory_equal(bytes.at, "information information ", 24);
	unmake(&m);
}

static void a_packing_that_is_not_known_is_named(void **state)
{
	(void)state;
	check_refused(7, PLAIN_SIZE, "compressed in a way that is not known (type 7)");
}

static void broken_packing_is_said(void **state)
{
	struct made m;
	struct wk_bytes bytes;

	(void)state;
	make(&m, ".debug_info", ZLIB, PLAIN_SIZE, false, false);
	((char *)(uintptr_t)wk_obj_bytes(m.obj, wk_obj_section(m.obj, ".debug_info")).at)[24] = 0;
	bytes = wk_dwarf_section(&m.sections, WK_DWARF_INFO);
	skip_without_library(&m);
	assert_int_equal(wk_bytes_left(&bytes), 0);
	assert_non_null(strstr(m.sections.err.text, "the zlib data is broken"));
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zlib_sections_are_unpacked_in_both_classes_and_byte_orders),
		cmocka_unit_test(zstd_sections_are_unpacked_in_both_classes_and_byte_orders),
		cmocka_unit_test(the_older_names_are_known),
		cmocka_unit_test(split_files_have_names_of_their_own),
		cmocka_unit_test(what_is_not_packed_is_a_window_onto_the_file),
		cmocka_unit_test(a_size_that_is_not_so_is_refused),
		cmocka_unit_test(what_is_packed_behind_the_told_size_is_not_looked_at),
		cmocka_unit_test(a_packing_that_is_not_known_is_named),
		cmocka_unit_test(broken_packing_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
