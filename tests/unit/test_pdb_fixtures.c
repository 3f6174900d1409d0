/* The reader against PDBs of clang, clang-cl and rustc, held to what llvm-symbolizer says of every
 * instruction in their images (X.truth.tsv beside X.pdb). Where that is known to misread them, the
 * table has a better answer beside it (ALT), which is as good. */
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
#include "symbols/pdb/pdb.h"

#define MOST_FRAMES 16

struct opened {
	struct wk_os_file file;
	struct wk_pdb *pdb;
	struct wk_code_index *index;
	struct wk_pdb_public *publics;
	size_t public_count, public_cap;
};

struct tally {
	size_t lines, equal, alternate, padding, differ;
};

static bool keep_public(void *context, const struct wk_pdb_public *symbol)
{
	struct opened *o = context;

	o->publics = wk_grow(o->publics, &o->public_cap, o->public_count + 1, sizeof(*o->publics));
	o->publics[o->public_count++] = *symbol;
	return true;
}

/* Skips the test where it is not there. */
static void open_fixture(const char *name, struct opened *o)
{
	const char *path = shared_path("fixtures/pdb/%s.pdb", name);
	struct wk_err err = { 0 };

	*o = (struct opened){ 0 };
	if (!wk_os_open(path, &o->file, &err)) {
		print_message("# SKIPPED: %s is not here (set WICK_SHARED)\n", path);
		skip();
	}
	o->pdb = wk_pdb_open(o->file.at, o->file.size_bytes, &err);
	if (!o->pdb)
		fail_msg("%s: %s", path, err.text);
	o->index = wk_code_index_new();
	wk_pdb_fill(o->pdb, o->index);
	wk_pdb_each_public(o->pdb, keep_public, o);
}

static void close_fixture(struct opened *o)
{
	wk_code_index_free(o->index);
	wk_pdb_free(o->pdb);
	wk_free(o->publics);
	wk_os_close(&o->file);
}

static size_t by_public(const struct opened *o, uint64_t rva, struct wk_place *places)
{
	const struct wk_pdb_public *found = NULL;

	for (size_t i = 0; i < o->public_count; i++)
		if (o->publics[i].rva <= rva && (!found || found->rva <= o->publics[i].rva))
			found = &o->publics[i];
	if (!found || wk_pdb_section_end(o->pdb, found->rva) != wk_pdb_section_end(o->pdb, rva))
		return 0;
	places[0] = (struct wk_place){ .function = found->name };
	return 1;
}

static size_t ask(struct opened *o, uint64_t rva, struct wk_place *places)
{
	uint32_t unit = wk_code_index_unit_at(o->index, rva);
	struct wk_err err = { 0 };
	size_t count;

	if (unit != WK_NO_UNIT && !wk_code_index_has(o->index, unit) &&
	    !wk_pdb_load(o->pdb, unit, o->index, &err))
		fail_msg("unit %u: %s", unit, err.text);
	count = wk_code_index_places(o->index, rva, places, MOST_FRAMES);
	return count ? count : by_public(o, rva, places);
}

/* Splits at the last `mark`. */
static struct wk_str cut_last(struct wk_str *text, char mark)
{
	size_t at = text->len;
	struct wk_str right;

	while (at > 0 && text->at[at - 1] != mark)
		at--;
	right = wk_str_skip(*text, at);
	text->len = at ? at - 1 : 0;
	return right;
}

/* name[|demangled]|file:line */
static struct wk_place parse_frame(struct wk_str text)
{
	struct wk_place place = { 0 };
	struct wk_str file = cut_last(&text, '|'), rest, number = cut_last(&file, ':');
	uint64_t line = 0;

	wk_str_split(text, '|', &place.function, &rest);
	place.file = file;
	wk_num_u64(number, &line);
	place.line = (uint32_t)line;
	return place;
}

static size_t parse_chain(struct wk_str text, struct wk_place *places)
{
	size_t count = 0;

	while (text.len > 0 && count < MOST_FRAMES) {
		size_t at = 0;

		while (at + 4 <= text.len && memcmp(text.at + at, " <- ", 4) != 0)
			at++;
		if (at + 4 > text.len)
			at = text.len;
		places[count++] = parse_frame(wk_str_of(text.at, at));
		text = wk_str_skip(text, at + 4 < text.len ? at + 4 : text.len);
	}
	return count;
}

/* Slashes either way are the same path. */
static bool same_path(struct wk_str a, struct wk_str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (a.at[i] != b.at[i] &&
		    !((a.at[i] == '/' || a.at[i] == '\\') && (b.at[i] == '/' || b.at[i] == '\\')))
			return false;
	return true;
}

static bool same_chain(const struct wk_place *a, size_t a_count, const struct wk_place *b,
		       size_t b_count, const struct wk_place *names)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (a[i].line != b[i].line || !same_path(a[i].file, b[i].file) ||
		    !(wk_str_eq(a[i].function, b[i].function) ||
		      wk_str_eq(a[i].function, names[i].function)))
			return false;
	return true;
}

/* Padding, that nothing is in. */
static bool is_nothing(const struct wk_place *places, size_t count)
{
	return count == 1 && places[0].line == 0 && places[0].function.len == 0;
}

static void print_chain(const char *what, const struct wk_place *places, size_t count)
{
	print_message("#   %s:", what);
	for (size_t i = 0; i < count; i++)
		print_message("%s%.*s %.*s:%u", i ? " <- " : " ", WK_STR_ARG(places[i].function),
			      WK_STR_ARG(places[i].file), places[i].line);
	print_message("\n");
}

static void check_line(struct opened *o, struct wk_str line, struct tally *tally)
{
	struct wk_place places[MOST_FRAMES], truth[MOST_FRAMES], other[MOST_FRAMES];
	struct wk_str rva_text, rest, chain, alternate;
	size_t count, truth_count, other_count;
	uint64_t rva = 0;

	wk_str_split(line, '\t', &rva_text, &rest);
	wk_str_split(rest, '\t', &chain, &alternate);
	assert_true(wk_num_hex(rva_text, &rva));
	truth_count = parse_chain(chain, truth);
	other_count = alternate.len > 4 ? parse_chain(wk_str_skip(alternate, 4), other) : 0;
	count = ask(o, rva, places);
	tally->lines++;
	if (same_chain(places, count, truth, truth_count, truth)) {
		tally->equal++;
	} else if (other_count && other_count <= truth_count &&
		   same_chain(places, count, other, other_count, truth)) {
		tally->alternate++;
	} else if (is_nothing(truth, truth_count) && count == 0) {
		tally->padding++;
	} else {
		tally->differ++;
		print_message("# %llx\n", (unsigned long long)rva);
		print_chain("expected", truth, truth_count);
		print_chain("came", places, count);
	}
}

static void check_fixture(const char *name, size_t lines)
{
	struct opened o;
	struct wk_os_file file = { 0 };
	struct wk_str text, line;
	struct tally tally = { 0 };

	open_fixture(name, &o);
	assert_true(wk_os_open(shared_path("fixtures/pdb/%s.truth.tsv", name), &file, NULL));
	text = wk_str_of((const char *)file.at, file.size_bytes);
	while (text.len > 0) {
		wk_str_split(text, '\n', &line, &text);
		if (line.len > 0 && line.at[0] != '#')
			check_line(&o, line, &tally);
	}
	print_message("# %s: %zu lines, %zu equal, %zu equal by ALT, %zu padding, %zu differ\n",
		      name, tally.lines, tally.equal, tally.alternate, tally.padding, tally.differ);
	wk_os_close(&file);
	close_fixture(&o);
	assert_int_equal(tally.differ, 0);
	assert_int_equal(tally.lines, lines);
}

static void c_without_optimization(void **state)
{
	(void)state;
	check_fixture("c-O0", 520);
}

static void c_with_inlined_calls(void **state)
{
	(void)state;
	check_fixture("c-O2", 313);
}

static void large_blocks_say_the_same(void **state)
{
	(void)state;
	check_fixture("c-O2-page16k", 313);
}

static void publics_alone_give_names(void **state)
{
	(void)state;
	check_fixture("c-publics", 278);
}

static void cxx_without_optimization(void **state)
{
	(void)state;
	check_fixture("cpp-O0", 557);
}

static void cxx_with_inlined_members(void **state)
{
	(void)state;
	check_fixture("cpp-O2", 318);
}

static void cxx_on_arm(void **state)
{
	(void)state;
	check_fixture("cpp-O2-arm64", 226);
}

static void linked_names_of_gcc_in_a_pdb(void **state)
{
	(void)state;
	check_fixture("cpp-mingw-O2", 398);
}

static void rust_with_new_names(void **state)
{
	(void)state;
	check_fixture("rust-v0", 56);
}

static void rust_with_legacy_names(void **state)
{
	(void)state;
	check_fixture("rust-legacy", 56);
}

static void identity_is_the_one_in_symbol_stores(void **state)
{
	struct wk_buf key = { 0 };
	struct opened o;

	(void)state;
	open_fixture("c-O2", &o);
	wk_pdb_id_add(&key, wk_pdb_id(o.pdb));
	assert_string_equal(wk_buf_text(&key), "83FA1D6E2C1E837C4C4C44205044422E1");
	assert_false(wk_pdb_is_stripped(o.pdb));
	wk_buf_fini(&key);
	close_fixture(&o);
}

static void publics_alone_are_a_stripped_pdb(void **state)
{
	struct opened o;

	(void)state;
	open_fixture("c-publics", &o);
	assert_true(wk_pdb_is_stripped(o.pdb));
	assert_int_equal(o.public_count, 8);
	close_fixture(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_without_optimization),
		cmocka_unit_test(c_with_inlined_calls),
		cmocka_unit_test(large_blocks_say_the_same),
		cmocka_unit_test(publics_alone_give_names),
		cmocka_unit_test(cxx_without_optimization),
		cmocka_unit_test(cxx_with_inlined_members),
		cmocka_unit_test(cxx_on_arm),
		cmocka_unit_test(linked_names_of_gcc_in_a_pdb),
		cmocka_unit_test(rust_with_new_names),
		cmocka_unit_test(rust_with_legacy_names),
		cmocka_unit_test(identity_is_the_one_in_symbol_stores),
		cmocka_unit_test(publics_alone_are_a_stripped_pdb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
