/* Windows programs of gcc and rustc with DWARF, held to what llvm-symbolizer says of every
 * instruction in them (X.truth.tsv beside X.exe), and what images tell of their PDBs. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"
#include "shared_path.h"
#include "symbols/image/symbols.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/pe.h"

#define MOST_FRAMES 16

struct tally {
	size_t lines, equal, padding, differ;
};

/* A fixture's path; skips the test where it is not there. */
static const char *fixture(const char *name)
{
	static char whole[PATH_MAX];
	const char *path = shared_path("fixtures/pdb/%s", name);

	if (!realpath(path, whole)) {
		print_message("# SKIPPED: %s is not here (set WICK_SHARED)\n", path);
		skip();
	}
	return whole;
}

/* "name|file:line <- name|file:line". The linked name of the function that the machine ran is as
 * good as that of debug information, which has scopes in front of it. */
static void say_chain(struct wk_image_symbols *image, uint64_t rva, bool is_linked,
		      struct wk_buf *out)
{
	struct wk_place places[MOST_FRAMES];
	size_t count = wk_image_places(image, rva, places, MOST_FRAMES);
	struct wk_symbol symbol;

	for (size_t i = 0; i < count; i++) {
		struct wk_str name = places[i].function;

		if (is_linked && i + 1 == count && wk_image_find(image, rva, &symbol))
			name = symbol.name;
		wk_buf_add_fmt(out, "%s%.*s|%.*s:%u", i ? " <- " : "", WK_STR_ARG(name),
			       WK_STR_ARG(places[i].file), places[i].line);
	}
}

/* The same of "name|demangled|file:line <- ...". */
static void say_truth(struct wk_str chain, struct wk_buf *out)
{
	unsigned bars = 0;

	for (size_t i = 0; i < chain.len; i++) {
		if (chain.at[i] == '|')
			bars++;
		else if (wk_str_starts(wk_str_skip(chain, i), " <- "))
			bars = 0;
		if (bars != 1)
			wk_buf_add_char(out, chain.at[i]);
	}
}

/* Where linkers and compilers fill up; nothing is said of it, or that it is in some table. */
static bool is_padding(struct wk_image_symbols *image, uint64_t rva, struct wk_str truth)
{
	struct wk_obj_bound *bounds;
	size_t count = wk_obj_bounds(wk_image_obj(image), &bounds);
	bool is_inside = false;

	for (size_t i = 0; i < count; i++)
		is_inside = is_inside || (rva >= bounds[i].start && rva < bounds[i].end);
	wk_free(bounds);
	return !is_inside || wk_str_ends(truth, "|:0");
}

static void check_line(struct wk_image_symbols *image, struct wk_str line, struct tally *tally)
{
	struct wk_buf came = { 0 }, linked = { 0 }, expected = { 0 };
	struct wk_str text, chain;
	uint64_t rva = 0;

	wk_str_split(line, '\t', &text, &chain);
	assert_true(wk_num_hex(text, &rva));
	say_chain(image, rva, false, &came);
	say_chain(image, rva, true, &linked);
	say_truth(chain, &expected);
	tally->lines++;
	if (wk_str_is(wk_buf_str(&came), wk_buf_text(&expected)) ||
	    wk_str_is(wk_buf_str(&linked), wk_buf_text(&expected))) {
		tally->equal++;
	} else if (is_padding(image, rva, chain)) {
		tally->padding++;
	} else {
		tally->differ++;
		print_message("# %llx: expected %s, came %s\n", (unsigned long long)rva,
			      wk_buf_text(&expected), wk_buf_text(&came));
	}
	wk_buf_fini(&expected);
	wk_buf_fini(&linked);
	wk_buf_fini(&came);
}

static void check_fixture(const char *image_name, const char *truth_name, size_t lines,
			  size_t padding)
{
	struct wk_symbols *symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	struct wk_image_key key = { .path = wk_str_c(fixture(image_name)) };
	struct wk_image_symbols *image = wk_symbols_image(symbols, &key);
	struct wk_os_file file = { 0 };
	struct wk_str text, line;
	struct tally tally = { 0 };

	assert_true(wk_os_open(fixture(truth_name), &file, NULL));
	if (!wk_image_obj(image))
		fail_msg("%s", wk_image_reason(image));
	text = wk_str_of((const char *)file.at, file.size_bytes);
	while (text.len > 0) {
		wk_str_split(text, '\n', &line, &text);
		if (line.len > 0 && line.at[0] != '#')
			check_line(image, line, &tally);
	}
	print_message("# %s: %zu lines, %zu equal, %zu padding, %zu differ\n", image_name,
		      tally.lines, tally.equal, tally.padding, tally.differ);
	wk_os_close(&file);
	wk_symbols_free(symbols);
	assert_int_equal(tally.differ, 0);
	assert_int_equal(tally.lines, lines);
	assert_int_equal(tally.padding, padding);
}

static void gcc_with_dwarf_5(void **state)
{
	(void)state;
	check_fixture("mingw-dwarf5.exe", "mingw-dwarf5.truth.tsv", 219, 5);
}

static void gcc_with_dwarf_4(void **state)
{
	(void)state;
	check_fixture("mingw-dwarf4.exe", "mingw-dwarf4.truth.tsv", 219, 5);
}

static void a_stripped_program_finds_its_debug_file(void **state)
{
	(void)state;
	fixture("mingw-split.debug");
	check_fixture("mingw-split.exe", "mingw-dwarf5.truth.tsv", 219, 5);
}

static void a_debug_file_alone_says_the_same(void **state)
{
	(void)state;
	check_fixture("mingw-split.debug", "mingw-dwarf5.truth.tsv", 219, 0);
}

static void rust_with_new_names(void **state)
{
	(void)state;
	check_fixture("rust-gnu-v0.exe", "rust-gnu-v0.truth.tsv", 43, 9);
}

static void rust_with_legacy_names(void **state)
{
	(void)state;
	check_fixture("rust-gnu-legacy.exe", "rust-gnu-legacy.truth.tsv", 43, 9);
}

static void check_identity(const char *name, const char *key, const char *path)
{
	struct wk_os_file file = { 0 };
	struct wk_buf text = { 0 };
	struct wk_obj *obj;

	assert_true(wk_os_open(fixture(name), &file, NULL));
	obj = wk_obj_parse(file.at, file.size_bytes, NULL);
	assert_non_null(obj);
	wk_pdb_id_add(&text, &obj->pe->pdb);
	assert_string_equal(wk_buf_text(&text), key);
	assert_true(wk_str_ends(obj->pe->pdb_path, path));
	assert_int_equal(obj->build_id.size, 20);
	wk_buf_fini(&text);
	wk_obj_free(obj);
	wk_os_close(&file);
}

static void images_tell_which_pdb_is_theirs(void **state)
{
	(void)state;
	check_identity("c-O2.exe", "83FA1D6E2C1E837C4C4C44205044422E1", "c-O2.pdb");
	check_identity("rust-v0.exe", "1073A4510F3D0DFC4C4C44205044422E1", "rust-v0.pdb");
	check_identity("cpp-O2-arm64.exe", "CC9FA5CA6DE021C14C4C44205044422E1", "cpp-O2-arm64.pdb");
	/* LLVM puts it into a section .buildid for mingw. */
	check_identity("cpp-mingw-O2.exe", "AA17DEAAE61A42BE4C4C44205044422E1", "cpp-mingw-O2.pdb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_with_dwarf_5),
		cmocka_unit_test(gcc_with_dwarf_4),
		cmocka_unit_test(a_stripped_program_finds_its_debug_file),
		cmocka_unit_test(a_debug_file_alone_says_the_same),
		cmocka_unit_test(rust_with_new_names),
		cmocka_unit_test(rust_with_legacy_names),
		cmocka_unit_test(images_tell_which_pdb_is_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
