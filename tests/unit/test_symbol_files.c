/* Files of Windows programs in the folders of a symbol path: what is found, what is copied where,
 * and what is of another build. No network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "fetch/fetcher.h"
#include "base/mem.h"
#include "os/folder.h"
#include "os/os.h"
#include "own_folder.h"
#include "pdb_maker.h"
#include "pe_writer.h"

#define KEY "0403020106050807090A0B0C0D0E0F102"

/* The folder and what stands behind it. */
static const char *at(const char *path)
{
	static char whole[4][512];
	static unsigned next;

	next = (next + 1) % 4;
	snprintf(whole[next], sizeof(whole[next]), "%s%s", own_folder, path);
	return whole[next];
}

static void put_file(const char *path, struct wk_str bytes)
{
	struct wk_str whole = wk_str_c(at(path));
	char *folder = wk_strndup(whole.at, whole.len - wk_str_basename(whole).len - 1);
	FILE *file;

	assert_true(wk_os_folder_make(folder, NULL));
	file = fopen(whole.at, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.at, 1, bytes.len, file), bytes.len);
	fclose(file);
	wk_free(folder);
}

static struct wk_buf made_pdb(uint8_t first_of_guid)
{
	struct pdb_spec spec = { 0 };
	struct wk_buf out = { 0 };

	pdb_write(&spec, &out);
	pdb_spec_fini(&spec);
	for (size_t i = 0; i + 16 < out.len; i++)
		if (memcmp(out.at + i, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16) == 0)
			out.at[i] = (char)first_of_guid;
	return out;
}

static void put_pdb(const char *path, uint8_t first_of_guid)
{
	struct wk_buf pdb = made_pdb(first_of_guid);

	put_file(path, wk_buf_str(&pdb));
	wk_buf_fini(&pdb);
}

/* A cabinet of one file, not packed. */
static void put_cabinet(const char *path, struct wk_str plain)
{
	struct wk_buf out = { 0 };

	wk_buf_add(&out, "MSCF", 4);
	pdb_zeros(&out, 4);
	wk_buf_add_u32(&out, (uint32_t)(36 + 8 + 16 + 6 + 8 + plain.len));
	pdb_zeros(&out, 4);
	wk_buf_add_u32(&out, 36 + 8);
	pdb_zeros(&out, 4);
	wk_buf_add_u16(&out, 0x103);
	wk_buf_add_u16(&out, 1);
	wk_buf_add_u16(&out, 1);
	pdb_zeros(&out, 6);
	wk_buf_add_u32(&out, 36 + 8 + 16 + 6);
	wk_buf_add_u16(&out, 1);
	wk_buf_add_u16(&out, 0);
	wk_buf_add_u32(&out, (uint32_t)plain.len);
	pdb_zeros(&out, 10);
	wk_buf_add_u16(&out, 0x20);
	wk_buf_add(&out, "a.pdb", 6);
	wk_buf_add_u32(&out, 0);
	wk_buf_add_u16(&out, (uint16_t)plain.len);
	wk_buf_add_u16(&out, (uint16_t)plain.len);
	wk_buf_add_str(&out, plain);
	put_file(path, wk_buf_str(&out));
	wk_buf_fini(&out);
}

/* A search along one path, whose places are below ROOT where they begin with '@'. */
struct looking {
	struct wk_fetcher *fetcher;
	struct wk_fetch_found found;
	struct wk_buf said;
	bool is_found;
};

static struct wk_fetch_want want_pdb(void)
{
	struct wk_fetch_want want = { .kind = WK_FETCH_PDB, .name = WK_STR("app.pdb"), .suffix = WK_STR("exe"),
				       .pdb = { .age = 2 } };

	for (uint8_t i = 0; i < 16; i++)
		want.pdb.guid[i] = (uint8_t)(i + 1);
	return want;
}

static struct looking look(const char *path, const struct wk_fetch_want *want)
{
	struct wk_buf text = { 0 }, own = { 0 };
	struct looking l = { 0 };
	struct wk_err err = { 0 };

	for (; *path; path++)
		if (*path == '@')
			wk_buf_add_text(&text, own_folder);
		else
			wk_buf_add_char(&text, *path);
	wk_buf_add_fmt(&own, "%s/own", own_folder);
	l.fetcher = wk_fetcher_new(&(struct wk_fetch_options){ .folder = wk_buf_text(&own) });
	if (!wk_fetcher_add_path(l.fetcher, wk_buf_str(&text), &err))
		fail_msg("%s", err.text);
	l.is_found = wk_fetcher_get(l.fetcher, want, &l.found, &l.said);
	wk_buf_fini(&text);
	wk_buf_fini(&own);
	return l;
}

static void look_fini(struct looking *l)
{
	wk_fetch_found_close(&l->found);
	wk_fetcher_free(l->fetcher);
	wk_buf_fini(&l->said);
}

static void finds(const char *path, const char *file)
{
	struct wk_fetch_want want = want_pdb();
	struct looking l = look(path, &want);

	if (!l.is_found)
		fail_msg("%s: not found: %s", path, wk_buf_text(&l.said));
	assert_string_equal(l.found.file.path, at(file));
	look_fini(&l);
}

/* What is said has each of these words. */
static void finds_nothing(const char *path, const struct wk_fetch_want *want,
			  const char *const *words)
{
	struct looking l = look(path, want);

	assert_false(l.is_found);
	for (; *words; words++)
		if (!strstr(wk_buf_text(&l.said), *words))
			fail_msg("\"%s\" does not say \"%s\"", wk_buf_text(&l.said), *words);
	look_fini(&l);
}

static bool is_there(const char *path)
{
	return wk_os_is_there(at(path));
}

static void files_are_found_in_folders_and_in_stores_of_two_and_three_tiers(void **state)
{
	(void)state;
	put_pdb("/plain/app.pdb", 1);
	put_pdb("/sorted/symbols/exe/app.pdb", 1);
	put_pdb("/two/app.pdb/" KEY "/app.pdb", 1);
	put_pdb("/three/ap/app.pdb/" KEY "/app.pdb", 1);
	put_file("/three/index2.txt", wk_str_c("."));
	finds("@/plain", "/plain/app.pdb");
	finds("@/sorted", "/sorted/symbols/exe/app.pdb");
	finds("srv*@/two", "/two/app.pdb/" KEY "/app.pdb");
	finds("@/nowhere;@/two", "/two/app.pdb/" KEY "/app.pdb");
	finds("srv*@/three", "/three/ap/app.pdb/" KEY "/app.pdb");
}

static void what_a_far_store_has_is_copied_to_the_nearer_ones(void **state)
{
	struct stat info;

	(void)state;
	put_pdb("/far/app.pdb/" KEY "/app.pdb", 1);
	finds("cache*@/all;srv*@/near*@/far", "/far/app.pdb/" KEY "/app.pdb");
	assert_true(is_there("/all/app.pdb/" KEY "/app.pdb"));
	assert_int_equal(stat(at("/near/app.pdb/" KEY "/app.pdb"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(stat(at("/near/app.pdb"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	finds("srv*@/near*@/far", "/near/app.pdb/" KEY "/app.pdb");
}

static void a_cache_of_three_tiers_finds_its_copies_again(void **state)
{
	(void)state;
	put_pdb("/far/app.pdb/" KEY "/app.pdb", 1);
	put_file("/near/index2.txt", wk_str_c(""));
	finds("srv*@/near*@/far", "/far/app.pdb/" KEY "/app.pdb");
	assert_true(is_there("/near/ap/app.pdb/" KEY "/app.pdb"));
	finds("srv*@/near*@/far", "/near/ap/app.pdb/" KEY "/app.pdb");
}

/* A folder of the name by which stores say that they have three tiers is no such sign, and a trace
 * cannot have one made. */
static void a_trace_cannot_change_how_a_store_is_laid_out(void **state)
{
	struct wk_fetch_want want = want_pdb();
	struct looking l;

	(void)state;
	put_pdb("/far/app.pdb/" KEY "/app.pdb", 1);
	put_pdb("/far/Index2.TXT/" KEY "/Index2.TXT", 1);
	want.name = wk_str_c("Index2.TXT");
	l = look("srv*@/near*@/far", &want);
	assert_false(l.is_found);
	assert_false(is_there("/near/Index2.TXT"));
	look_fini(&l);
	put_pdb("/near/index2.txt/" KEY "/a.pdb", 1);
	put_pdb("/near/app.pdb/" KEY "/app.pdb", 1);
	finds("srv*@/near", "/near/app.pdb/" KEY "/app.pdb");
}

static void a_copy_for_the_default_cache_lies_in_our_own_folder(void **state)
{
	struct wk_fetch_want want = want_pdb();
	struct looking l;

	(void)state;
	put_pdb("/far/app.pdb/" KEY "/app.pdb", 1);
	finds("srv**@/far", "/far/app.pdb/" KEY "/app.pdb");
	l = look("srv*@/gone", &want);
	assert_true(l.is_found);
	assert_string_equal(wk_buf_text(&l.said), "fetched before");
	assert_string_equal(l.found.file.path,
			    at("/own/0102030405060708090a0b0c0d0e0f1002000000.pdb"));
	look_fini(&l);
}

/* The copy is in use at once: what is unpacked into memory would stay there. */
static void cabinets_are_unpacked_and_their_plain_copy_is_used(void **state)
{
	struct wk_buf pdb = made_pdb(1), copy = { 0 };

	(void)state;
	put_cabinet("/packed/app.pdb/" KEY "/app.pd_", wk_buf_str(&pdb));
	put_cabinet("/named/app.pdb/" KEY "/app.pdb", wk_buf_str(&pdb));
	finds("srv*@/near*@/packed", "/near/app.pdb/" KEY "/app.pdb");
	assert_true(wk_os_read_small(at("/near/app.pdb/" KEY "/app.pdb"), &copy));
	assert_int_equal(copy.len, pdb.len);
	assert_memory_equal(copy.at, pdb.at, pdb.len);
	finds("srv*@/named", "/own/0102030405060708090a0b0c0d0e0f1002000000.pdb");
	wk_buf_fini(&pdb);
	wk_buf_fini(&copy);
}

static void a_pointer_leads_to_the_file_or_says_why_not(void **state)
{
	static const char *const message[] = { "reports: thrown away", NULL };
	static const char *const elsewhere[] = { "\\\\far\\x.pdb, which is not here", NULL };
	struct wk_fetch_want want = want_pdb();
	struct wk_buf text = { 0 };

	(void)state;
	put_pdb("/far/x.pdb", 1);
	wk_buf_add_fmt(&text, "PATH:%s\r\n", at("/far/x.pdb"));
	put_file("/store/app.pdb/" KEY "/file.ptr", wk_buf_str(&text));
	finds("srv*@/store", "/far/x.pdb");
	put_file("/store/app.pdb/" KEY "/file.ptr", wk_str_c("MSG: thrown away"));
	finds_nothing("srv*@/store", &want, message);
	put_file("/store/app.pdb/" KEY "/file.ptr", wk_str_c("PATH:\\\\far\\x.pdb"));
	finds_nothing("srv*@/store", &want, elsewhere);
	wk_buf_fini(&text);
}

static void breakpads_text_stands_in_for_a_pdb(void **state)
{
	struct wk_fetch_want want = want_pdb();
	struct looking l;

	(void)state;
	put_file("/sym/app.pdb/" KEY "/app.sym",
		 wk_str_c("MODULE windows x86_64 " KEY " app.pdb\nFUNC 1000 10 0 main\n"));
	l = look("cache*@/all;srv*@/sym", &want);
	assert_true(l.is_found);
	assert_non_null(l.found.breakpad);
	assert_null(l.found.pdb);
	look_fini(&l);
	finds("srv*@/all", "/all/app.pdb/" KEY "/app.sym");
}

static void what_is_of_another_build_is_named_and_not_used(void **state)
{
	static const char *const words[] = {
		"/wrong/app.pdb: it is of another build: GUID 0403020906050807090A0B0C0D0E0F102, "
		"wanted " KEY, NULL };
	static const char *const text_words[] = { "/wrong/app.sym: it is of another build", NULL };
	static const char *const cut_words[] = { "/cut/app.pdb: it ends early", NULL };
	struct wk_fetch_want want = want_pdb();
	struct wk_buf pdb = made_pdb(1);

	(void)state;
	put_pdb("/wrong/app.pdb", 9);
	finds_nothing("@/wrong", &want, words);
	put_pdb("/right/app.pdb", 1);
	finds("@/wrong;@/right", "/right/app.pdb");
	put_file("/wrong/app.sym",
		 wk_str_c("MODULE windows x86_64 1403020106050807090A0B0C0D0E0F102 app.pdb\n"));
	finds_nothing("@/wrong", &want, text_words);
	pdb_set_u32(&pdb, 40, 1000000);
	put_file("/cut/app.pdb", wk_buf_str(&pdb));
	finds_nothing("@/cut", &want, cut_words);
	wk_buf_fini(&pdb);
}

static void an_image_is_found_by_its_time_and_size(void **state)
{
	static const char *const words[] = {
		"it is of another build: time and size 5F0000019000, wanted 5F0000015000", NULL };
	struct wk_fetch_want want = { .kind = WK_FETCH_PE, .name = WK_STR("app.exe"), .time_stamp = 0x5f000001,
				       .image_bytes = 0x5000 };
	struct pe_spec spec = { .time_stamp = 0x5f000001, .image_bytes = 0x5000 };
	struct wk_buf out = { 0 };
	struct looking l;

	(void)state;
	pe_section(&spec, 1, ".text", 0x1000, PE_CODE, wk_str_c("code"));
	pe_write(&spec, &out);
	put_file("/images/app.exe/5F0000015000/app.exe", wk_buf_str(&out));
	l = look("srv**@/images", &want);
	assert_true(l.is_found);
	assert_non_null(l.found.file.obj);
	look_fini(&l);
	assert_true(is_there("/own/5f00000100005000.image"));
	wk_buf_reset(&out);
	spec.image_bytes = 0x9000;
	pe_write(&spec, &out);
	put_file("/others/app.exe", wk_buf_str(&out));
	remove(at("/own/5f00000100005000.image"));
	finds_nothing("@/others", &want, words);
	pe_spec_fini(&spec);
	wk_buf_fini(&out);
}

static void a_name_that_leads_elsewhere_is_looked_for_nowhere(void **state)
{
	static const char *const names[] = { "", "..", "../app.pdb", "..\\app.pdb", "c:app.pdb" };
	static const char *const nothing[] = { "", NULL };
	struct wk_fetch_want want = want_pdb();

	(void)state;
	put_pdb("/app.pdb", 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		want.name = wk_str_c(names[i]);
		finds_nothing("@/plain", &want, nothing);
	}
}

static void places_that_are_not_here_say_so(void **state)
{
	static const char *const words[] = {
		"/gone: there is no such folder", "C:\\syms: there is no such folder here", NULL };
	struct wk_fetch_want want = want_pdb();

	(void)state;
	finds_nothing("@/gone;srv*C:\\syms", &want, words);
	put_pdb("/far/app.pdb/" KEY "/app.pdb", 1);
	finds("srv*C:\\syms*@/far", "/far/app.pdb/" KEY "/app.pdb");
	assert_false(wk_os_is_there("C:\\syms"));
}

int main(void)
{
#define A_TEST(name) cmocka_unit_test_setup_teardown(name, make_own_folder, remove_own_folder)
	const struct CMUnitTest tests[] = {
		A_TEST(files_are_found_in_folders_and_in_stores_of_two_and_three_tiers),
		A_TEST(what_a_far_store_has_is_copied_to_the_nearer_ones),
		A_TEST(a_cache_of_three_tiers_finds_its_copies_again),
		A_TEST(a_trace_cannot_change_how_a_store_is_laid_out),
		A_TEST(a_copy_for_the_default_cache_lies_in_our_own_folder),
		A_TEST(cabinets_are_unpacked_and_their_plain_copy_is_used),
		A_TEST(a_pointer_leads_to_the_file_or_says_why_not),
		A_TEST(breakpads_text_stands_in_for_a_pdb),
		A_TEST(what_is_of_another_build_is_named_and_not_used),
		A_TEST(an_image_is_found_by_its_time_and_size),
		A_TEST(a_name_that_leads_elsewhere_is_looked_for_nowhere),
		A_TEST(places_that_are_not_here_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
