/* Symbol paths: which places each form of an element means, and at which spots of a place a file
 * is looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fetch/symbol_path.h"

static const char *const kinds[] = { "folder", "store", "server" };

/* "store C:\a\nserver https://s <- C:\a", and so on. */
static void add_places(const struct wk_symbol_path *path, struct wk_buf *text)
{
	for (size_t i = 0; i < path->count; i++) {
		const struct wk_symbol_place *place = &path->places[i];

		wk_buf_add_fmt(text, "%s%s %.*s", i ? "\n" : "", kinds[place->kind],
			       WK_STR_ARG(place->where));
		for (size_t k = 0; k < place->cache_count; k++)
			wk_buf_add_fmt(text, "%s%.*s", k ? ", " : " <- ",
				       WK_STR_ARG(place->caches[k]));
	}
}

static void check_places(const char *text, const char *expected)
{
	struct wk_symbol_path path = { 0 };
	struct wk_buf places = { 0 };
	struct wk_err err = { 0 };

	assert_true(wk_symbol_path_add(&path, wk_str_c(text), wk_str_c("/default"), &err));
	add_places(&path, &places);
	assert_string_equal(wk_buf_text(&places), expected);
	wk_buf_fini(&places);
	wk_symbol_path_fini(&path);
}

static void every_form_of_an_element_means_its_places(void **state)
{
	static const struct {
		const char *text, *places;
	} rows[] = {
		{ "", "" },
		{ " ; ;", "" },
		{ "C:\\syms", "folder C:\\syms" },
		{ "C:\\syms\\;D:/b/", "folder C:\\syms\nfolder D:/b" },
		{ "/usr/lib/syms//", "folder /usr/lib/syms" },
		{ "\\\\server\\share\\", "folder \\\\server\\share" },
		{ "out\\win\\", "folder out/win" },
		{ "/a\\b", "folder /a\\b" },
		{ "C://syms", "folder C://syms" },
		{ "C:\\;/", "folder C:\\\nfolder /" },
		{ " \"C:\\Program Files\\s\" ; .", "folder C:\\Program Files\\s\nfolder ." },
		{ "https://s/x/", "server https://s/x <- /default" },
		{ "srv*C:\\a", "store C:\\a" },
		{ "SRV*C:\\a*\\\\mid\\b*HTTPS://s/x", "store C:\\a\nstore \\\\mid\\b <- C:\\a\n"
						      "server HTTPS://s/x <- C:\\a, \\\\mid\\b" },
		{ "srv*https://s", "server https://s <- /default" },
		{ "srv**https://s", "store /default\nserver https://s <- /default" },
		{ "srv*/a*", "store /a\nstore /default <- /a" },
		{ "Srv*", "server https://msdl.microsoft.com/download/symbols <- /default" },
		{ "srv*/a*https://s*https://t",
		  "store /a\nserver https://s <- /a\nserver https://t <- /a" },
		{ "symsrv*symsrv.dll*/a*https://s", "store /a\nserver https://s <- /a" },
		{ "SymSrv*C:\\dbg\\SYMSRV.DLL**\\\\m\\b",
		  "store /default\nstore \\\\m\\b <- /default" },
		{ "Cache*/c;\\\\m\\b;srv*/a*https://s",
		  "store /c\nfolder \\\\m\\b <- /c\nstore /a <- /c\nserver https://s <- /c, /a" },
		{ "/before;cache*;/behind",
		  "folder /before\nstore /default\nfolder /behind <- /default" },
		{ "cache*/c;srv*/c*https://s", "store /c\nserver https://s <- /c" },
		{ "cache*/c;cache*/d;/e", "store /c\nstore /d <- /c\nfolder /e <- /c, /d" },
		{ "cache*/c;srv*https://s", "store /c\nserver https://s <- /c" },
		{ "cache*/c;/c", "store /c\nfolder /c" },
		{ "/a;/b;/a;srv*/b", "folder /a\nfolder /b" },
		{ "srv;cache;symsrv", "folder srv\nfolder cache\nfolder symsrv" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_places(rows[i].text, rows[i].places);
}

static void what_is_added_later_is_cached_by_what_was_before(void **state)
{
	struct wk_symbol_path path = { 0 };
	struct wk_str none = wk_str_c("");
	struct wk_buf places = { 0 };

	(void)state;
	assert_true(wk_symbol_path_add(&path, wk_str_c("cache*/c;/a"), none, NULL));
	assert_true(wk_symbol_path_add(&path, wk_str_c("/b"), none, NULL));
	add_places(&path, &places);
	assert_string_equal(wk_buf_text(&places), "store /c\nfolder /a <- /c\nfolder /b <- /c");
	wk_buf_fini(&places);
	wk_symbol_path_fini(&path);
}

static void without_a_default_cache_there_is_none(void **state)
{
	struct wk_symbol_path path = { 0 };
	struct wk_str none = wk_str_c("");
	struct wk_buf places = { 0 };

	(void)state;
	assert_true(
		wk_symbol_path_add(&path, wk_str_c("cache*;srv**https://s;srv*/a*"), none, NULL));
	add_places(&path, &places);
	assert_string_equal(wk_buf_text(&places), "server https://s\nstore /a");
	wk_buf_fini(&places);
	wk_symbol_path_fini(&path);
}

static void a_folder_is_put_before_all_others_once(void **state)
{
	struct wk_symbol_path path = { 0 };
	struct wk_buf places = { 0 };

	(void)state;
	assert_true(wk_symbol_path_begin_with(&path, wk_str_c("/first")));
	assert_true(wk_symbol_path_add(&path, wk_str_c("/a;/b;https://s"), wk_str_c(""), NULL));
	assert_true(wk_symbol_path_begin_with(&path, wk_str_c("d:/own")));
	assert_false(wk_symbol_path_begin_with(&path, wk_str_c("/b")));
	add_places(&path, &places);
	assert_string_equal(wk_buf_text(&places), "folder d:/own\nfolder /first\nfolder /a\n"
						  "folder /b\nserver https://s");
	assert_true(path.places[0].is_windows && !path.places[1].is_windows);
	wk_buf_fini(&places);
	wk_symbol_path_fini(&path);
}

static void drives_and_shares_are_known_as_such(void **state)
{
	struct wk_symbol_path path = { 0 };

	(void)state;
	assert_true(wk_symbol_path_add(&path, wk_str_c("c:\\a;\\\\s\\b;d:/c;/e;f;https://s"),
				       wk_str_c(""), NULL));
	assert_int_equal(path.count, 6);
	for (size_t i = 0; i < path.count; i++)
		assert_int_equal(path.places[i].is_windows, i < 3);
	wk_symbol_path_fini(&path);
}

static void what_makes_no_sense_is_quoted(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "/a;sriv*/b", "symbol path \"sriv*/b\": the word before the first * is not" },
		{ "/a;symsrv*my.dll*/b", "symsrv* is followed by symsrv.dll" },
		{ "/a;symsrv*", "symsrv* is followed by symsrv.dll" },
		{ "/a;cache*/a*/b", "cache* takes one folder" },
		{ "/a;cache*http://s", "a cache is a folder, and this is an address" },
		{ "/a;ftp://s/x", "only http:// and https:// are asked" },
		{ "/a;srv*/b*file:///x", "only http:// and https:// are asked" },
		{ "/a;srv*https://", "the address contains no server" },
		{ "/a;srv*https:///x", "the address contains no server" },
		{ "/a;https://s/a b", "an address contains no blanks" },
		{ "/a;srv*C:\\c*https://me:secr@t@s/a b",
		  "symbol path \"srv*C:\\c*https://s/a b\": an address contains no blanks" },
		{ "/a;srv*1*2*3*4*5*6*7*8*9*10*11*12*13*14*15*16*17", "too many caches" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_symbol_path path = { 0 };
		struct wk_err err = { 0 };

		assert_false(
			wk_symbol_path_add(&path, wk_str_c(rows[i].text), wk_str_c("/d"), &err));
		if (!strstr(err.text, rows[i].says))
			fail_msg("\"%s\" says \"%s\"", rows[i].text, err.text);
		assert_int_equal(err.code, WK_EUSAGE);
		assert_true(path.count >= 1 && wk_str_is(path.places[0].where, "/a"));
		wk_symbol_path_fini(&path);
	}
}

static void a_path_without_end_ends(void **state)
{
	struct wk_symbol_path path = { 0 };
	struct wk_buf text = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	for (int i = 0; i < 300; i++)
		wk_buf_add_fmt(&text, "/%d;", i);
	assert_false(wk_symbol_path_add(&path, wk_buf_str(&text), wk_str_c(""), &err));
	assert_string_equal(err.text, "symbol path \"/256\": the path has too many elements");
	assert_int_equal(path.count, WK_MOST_SYMBOL_PLACES);
	wk_buf_fini(&text);
	wk_symbol_path_fini(&path);
}

static void check_spots(const char *element, enum wk_symbol_tiers tiers, struct wk_symbol_wish wish,
			const char *expected)
{
	struct wk_symbol_path path = { 0 };
	struct wk_symbol_spot spot = { 0 };
	struct wk_buf spots = { 0 };

	assert_true(wk_symbol_path_add(&path, wk_str_c(element), wk_str_c(""), NULL));
	assert_int_equal(path.count, 1);
	path.places[0].tiers = tiers;
	for (size_t n = 0; wk_symbol_spot(&path.places[0], &wish, n, &spot); n++)
		wk_buf_add_fmt(&spots, "%c %s\n", "fcpb"[spot.kind], wk_buf_text(&spot.path));
	assert_string_equal(wk_buf_text(&spots), expected);
	wk_buf_fini(&spots);
	wk_buf_fini(&spot.path);
	wk_symbol_path_fini(&path);
}

static void a_store_has_two_or_three_tiers(void **state)
{
	struct wk_symbol_wish wish = { .name = WK_STR("a.pdb"), .key = WK_STR("12AB1") };

	(void)state;
	check_spots("srv*/s", WK_SYMBOL_TIERS_UNKNOWN, wish,
		    "f /s/a.pdb/12AB1/a.pdb\n"
		    "c /s/a.pdb/12AB1/a.pd_\n"
		    "p /s/a.pdb/12AB1/file.ptr\n"
		    "b /s/a.pdb/12AB1/a.sym\n"
		    "f /s/a./a.pdb/12AB1/a.pdb\n"
		    "c /s/a./a.pdb/12AB1/a.pd_\n"
		    "p /s/a./a.pdb/12AB1/file.ptr\n"
		    "b /s/a./a.pdb/12AB1/a.sym\n"
		    "f /s/a.pdb/12ab1/a.pdb\n"
		    "c /s/a.pdb/12ab1/a.pd_\n"
		    "p /s/a.pdb/12ab1/file.ptr\n"
		    "b /s/a.pdb/12ab1/a.sym\n"
		    "f /s/a./a.pdb/12ab1/a.pdb\n"
		    "c /s/a./a.pdb/12ab1/a.pd_\n"
		    "p /s/a./a.pdb/12ab1/file.ptr\n"
		    "b /s/a./a.pdb/12ab1/a.sym\n");
}

static void what_is_known_of_the_tiers_is_used(void **state)
{
	struct wk_symbol_wish wish = { .name = WK_STR("Ntdll.dll"), .key = WK_STR("5a1f2000") };

	(void)state;
	check_spots("srv*/s", WK_SYMBOL_TWO_TIERS, wish,
		    "f /s/Ntdll.dll/5a1f2000/Ntdll.dll\n"
		    "c /s/Ntdll.dll/5a1f2000/Ntdll.dl_\n"
		    "p /s/Ntdll.dll/5a1f2000/file.ptr\n"
		    "f /s/ntdll.dll/5a1f2000/ntdll.dll\n"
		    "c /s/ntdll.dll/5a1f2000/ntdll.dl_\n"
		    "p /s/ntdll.dll/5a1f2000/file.ptr\n");
	check_spots("srv*C:\\s\\", WK_SYMBOL_THREE_TIERS, wish,
		    "f C:\\s\\Nt\\Ntdll.dll\\5a1f2000\\Ntdll.dll\n"
		    "c C:\\s\\Nt\\Ntdll.dll\\5a1f2000\\Ntdll.dl_\n"
		    "p C:\\s\\Nt\\Ntdll.dll\\5a1f2000\\file.ptr\n"
		    "f C:\\s\\nt\\ntdll.dll\\5a1f2000\\ntdll.dll\n"
		    "c C:\\s\\nt\\ntdll.dll\\5a1f2000\\ntdll.dl_\n"
		    "p C:\\s\\nt\\ntdll.dll\\5a1f2000\\file.ptr\n");
}

static void a_folder_has_files_as_they_are_and_a_store(void **state)
{
	struct wk_symbol_wish wish = { .name = WK_STR("A.pdb"), .key = WK_STR("121"),
				       .suffix = WK_STR("sys") };
	struct wk_symbol_wish no_key = { .name = WK_STR("a.dll") };

	(void)state;
	check_spots("\\\\m\\s", WK_SYMBOL_TWO_TIERS, wish,
		    "f \\\\m\\s\\A.pdb\n"
		    "c \\\\m\\s\\A.pd_\n"
		    "b \\\\m\\s\\A.sym\n"
		    "f \\\\m\\s\\sys\\A.pdb\n"
		    "f \\\\m\\s\\symbols\\sys\\A.pdb\n"
		    "f \\\\m\\s\\A.pdb\\121\\A.pdb\n"
		    "c \\\\m\\s\\A.pdb\\121\\A.pd_\n"
		    "p \\\\m\\s\\A.pdb\\121\\file.ptr\n"
		    "b \\\\m\\s\\A.pdb\\121\\A.sym\n"
		    "f \\\\m\\s\\a.pdb\n"
		    "c \\\\m\\s\\a.pd_\n"
		    "b \\\\m\\s\\a.sym\n"
		    "f \\\\m\\s\\sys\\a.pdb\n"
		    "f \\\\m\\s\\symbols\\sys\\a.pdb\n"
		    "f \\\\m\\s\\a.pdb\\121\\a.pdb\n"
		    "c \\\\m\\s\\a.pdb\\121\\a.pd_\n"
		    "p \\\\m\\s\\a.pdb\\121\\file.ptr\n"
		    "b \\\\m\\s\\a.pdb\\121\\a.sym\n");
	check_spots("/", WK_SYMBOL_TIERS_UNKNOWN, no_key,
		    "f /a.dll\n"
		    "c /a.dl_\n"
		    "f /dll/a.dll\n"
		    "f /symbols/dll/a.dll\n"
		    "f /exe/a.dll\n"
		    "f /symbols/exe/a.dll\n"
		    "f /sys/a.dll\n"
		    "f /symbols/sys/a.dll\n");
}

static void addresses_are_escaped(void **state)
{
	struct wk_symbol_wish wish = { .name = WK_STR("A#b %1.pdb"), .key = WK_STR("12AB1") };

	(void)state;
	check_spots("srv*https://h/s", WK_SYMBOL_TWO_TIERS, wish,
		    "f https://h/s/A%23b%20%251.pdb/12AB1/A%23b%20%251.pdb\n"
		    "c https://h/s/A%23b%20%251.pdb/12AB1/A%23b%20%251.pd_\n"
		    "b https://h/s/A%23b%20%251.pdb/12AB1/A%23b%20%251.sym\n"
		    "f https://h/s/a%23b%20%251.pdb/12ab1/a%23b%20%251.pdb\n");
}

/* Each spot of a server is a question. */
static void servers_are_asked_only_for_what_may_help(void **state)
{
	struct wk_symbol_wish driver = { .name = WK_STR("Ab.pdb"), .key = WK_STR("12AB1"),
					 .suffix = WK_STR("sys") };
	struct wk_symbol_wish program = driver;

	(void)state;
	program.suffix = (struct wk_str)WK_STR("dll");
	check_spots("srv*http://h", WK_SYMBOL_TWO_TIERS, driver,
		    "f http://h/Ab.pdb/12AB1/Ab.pdb\n"
		    "c http://h/Ab.pdb/12AB1/Ab.pd_\n");
	check_spots("srv*http://h", WK_SYMBOL_THREE_TIERS, program,
		    "f http://h/Ab/Ab.pdb/12AB1/Ab.pdb\n"
		    "c http://h/Ab/Ab.pdb/12AB1/Ab.pd_\n"
		    "f http://h/ab/ab.pdb/12ab1/ab.pdb\n");
	check_spots("srv*", WK_SYMBOL_TWO_TIERS, program,
		    "f https://msdl.microsoft.com/download/symbols/Ab.pdb/12AB1/Ab.pdb\n"
		    "c https://msdl.microsoft.com/download/symbols/Ab.pdb/12AB1/Ab.pd_\n");
}

static void names_that_lead_elsewhere_have_no_spots(void **state)
{
	static const char *const names[] = { "", ".", "..", "../a.pdb", "a/b.pdb", "C:a.pdb",
					     "..\\a.pdb", "a\nb", "CON.pdb", "aux.sym", "nul",
					     "a.pdb.", "a.pdb ", "a.pdb:b" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct wk_symbol_wish wish = { .name = wk_str_c(names[i]), .key = WK_STR("1") };

		check_spots("/s", WK_SYMBOL_TIERS_UNKNOWN, wish, "");
	}
	check_spots("srv*/s", WK_SYMBOL_TWO_TIERS,
		    (struct wk_symbol_wish){ .name = WK_STR("a"), .key = WK_STR("../..") }, "");
}

static void the_mark_of_three_tiers_lies_at_the_root(void **state)
{
	static const struct {
		const char *element, *mark;
	} rows[] = {
		{ "srv*C:\\s", "C:\\s\\index2.txt" },
		{ "/", "/index2.txt" },
		{ "https://s/x", "https://s/x/index2.txt" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_symbol_path path = { 0 };
		struct wk_buf mark = { 0 };

		assert_true(
			wk_symbol_path_add(&path, wk_str_c(rows[i].element), wk_str_c(""), NULL));
		wk_symbol_tiers_mark(&path.places[0], &mark);
		assert_string_equal(wk_buf_text(&mark), rows[i].mark);
		wk_buf_fini(&mark);
		wk_symbol_path_fini(&path);
	}
}

static void a_pointer_leads_to_a_path_or_says_something(void **state)
{
	struct wk_str path;
	struct wk_err message = { 0 }, other = { 0 }, empty = { 0 };

	(void)state;
	assert_true(wk_symbol_pointer_read(wk_str_c("PATH:\\\\m\\s\\a b.pdb\r\n"), &path, NULL));
	assert_true(wk_str_is(path, "\\\\m\\s\\a b.pdb"));
	assert_true(wk_symbol_pointer_read(wk_str_c("path: /x/a.pdb"), &path, NULL));
	assert_true(wk_str_is(path, "/x/a.pdb"));
	assert_false(wk_symbol_pointer_read(wk_str_c("MSG: it was deleted"), &path, &message));
	assert_string_equal(message.text, "the symbol store reports: it was deleted");
	assert_false(wk_symbol_pointer_read(wk_str_c("/x/a.pdb"), &path, &other));
	assert_non_null(strstr(other.text, "neither PATH: nor MSG:"));
	assert_false(wk_symbol_pointer_read(wk_str_c("PATH:  "), &path, &empty));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_an_element_means_its_places),
		cmocka_unit_test(what_is_added_later_is_cached_by_what_was_before),
		cmocka_unit_test(without_a_default_cache_there_is_none),
		cmocka_unit_test(a_folder_is_put_before_all_others_once),
		cmocka_unit_test(drives_and_shares_are_known_as_such),
		cmocka_unit_test(what_makes_no_sense_is_quoted),
		cmocka_unit_test(a_path_without_end_ends),
		cmocka_unit_test(a_store_has_two_or_three_tiers),
		cmocka_unit_test(what_is_known_of_the_tiers_is_used),
		cmocka_unit_test(a_folder_has_files_as_they_are_and_a_store),
		cmocka_unit_test(addresses_are_escaped),
		cmocka_unit_test(servers_are_asked_only_for_what_may_help),
		cmocka_unit_test(names_that_lead_elsewhere_have_no_spots),
		cmocka_unit_test(the_mark_of_three_tiers_lies_at_the_root),
		cmocka_unit_test(a_pointer_leads_to_a_path_or_says_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
