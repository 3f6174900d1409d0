#define _GNU_SOURCE /* mkdtemp, setenv, utimensat */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_folder.h"
#include "session/images/symbol_cache.h"
#include "symbols/cache/cache.h"

static int make_folder(void **state)
{
	return make_own_folder(state) == 0 && setenv("WICK_CACHE_DIR", own_folder, 1) == 0 ? 0 : -1;
}

static void keep_of(uint32_t version, const struct wk_build_id *id, const char *source, time_t used)
{
	struct wk_cache *cache = wk_cache_open(NULL);
	struct wk_cache_section section = { WK_CACHE_SOURCE, version, wk_str_c(source) };
	struct timespec times[2] = { { used, 0 }, { used, 0 } };
	char path[200];
	int len;

	assert_true(wk_cache_write(cache, id, &section, 1, NULL));
	wk_cache_close(cache);
	len = snprintf(path, sizeof(path), "%s/", own_folder);
	for (size_t i = 0; i < id->size; i++)
		len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x", id->bytes[i]);
	strcpy(path + len, ".wick");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void keep(const struct wk_build_id *id, const char *source, time_t used)
{
	keep_of(WK_CACHE_SOURCE_VERSION, id, source, used);
}

static const char *said(const char *word, struct wk_err *err)
{
	static char text[2000];
	struct wk_buf buf = { 0 };
	struct wk_out out = wk_out_to_buf(&buf);
	char *at;

	wk_symbol_cache(word, &out, err);
	wk_out_end(&out);
	snprintf(text, sizeof(text), "%s", wk_buf_text(&buf));
	wk_buf_fini(&buf);
	while ((at = strstr(text, own_folder)) != NULL) {
		*at = '@';
		memmove(at + 1, at + strlen(own_folder), strlen(at + strlen(own_folder)) + 1);
	}
	return text;
}

static void the_list_has_a_row_an_image_the_last_used_first(void **state)
{
	struct wk_build_id one = { 20, { 1, 2, 3 } }, two = { 4, { 0xde, 0xad, 0xbe, 0xef } };
	struct wk_err err = { 0 };

	(void)state;
	keep(&one, "/usr/bin/a\033program\nand more", 1700000000);
	keep(&two, "/lib/b.so", 1800000000);
	assert_string_equal(
		said("list", &err),
		"BUILD ID                                        SIZE  USED (UTC)        IMAGE\n"
		"deadbeef                                       192 B  2027-01-15 08:00  "
		"/lib/b.so\n"
		"0102030000000000000000000000000000000000       192 B  2023-11-14 22:13  "
		"/usr/bin/a\\x1bprogram\n"
		"2 files, 384 B in @\n");
	assert_int_equal(err.code, WK_OK);
}

/* A file of 100 bytes. */
static void put_fetched(const char *name, time_t fetched)
{
	struct timespec times[2] = { { fetched, 0 }, { fetched, 0 } };
	FILE *file;

	mkdir(in_own_folder("remote"), 0700);
	file = fopen(in_own_folder(name), "w");
	assert_non_null(file);
	fprintf(file, "%100s", "");
	fclose(file);
	assert_int_equal(utimensat(AT_FDCWD, in_own_folder(name), times, 0), 0);
}

static void fetched_files_are_listed_the_latest_first(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	put_fetched("remote/aa11.debuginfo", 1700000000);
	put_fetched("remote/bb22.executable", 1800000000);
	put_fetched("remote/cc33.debuginfo", 1600000000);
	assert_string_equal(said("list", &err), "0 files, 0 B in @\n\n"
						"      SIZE  FETCHED (UTC)     FILE, BY BUILD ID\n"
						"     100 B  2027-01-15 08:00  bb22.executable\n"
						"     100 B  2023-11-14 22:13  aa11.debuginfo\n"
						"     100 B  2020-09-13 12:26  cc33.debuginfo\n"
						"3 fetched files, 300 B\n");
	assert_int_equal(err.code, WK_OK);
}

static void paths_are_those_that_were_recorded(void **state)
{
	struct wk_build_id id = { 4, { 0xde, 0xad, 0xbe, 0xef } };
	struct wk_err err = { 0 };

	(void)state;
	keep(&id, "/proc/12696/root/usr/bin/ninja\nand more", 1700000000);
	assert_non_null(strstr(said("list", &err), "22:13  /usr/bin/ninja\n"));
	keep_of(WK_CACHE_SOURCE_VERSION + 1, &id, "/usr/bin/ninja\n", 1700000000);
	assert_non_null(
		strstr(said("list", &err), "22:13  (written by another version of wick)\n"));
}

static void looking_is_no_use(void **state)
{
	struct wk_build_id id = { 4, { 0xde, 0xad, 0xbe, 0xef } };
	struct wk_err err = { 0 };

	(void)state;
	keep(&id, "/lib/b.so", 1700000000);
	said("list", &err);
	assert_non_null(strstr(said("list", &err), "2023-11-14"));
}

static void clearing_says_how_much_it_was(void **state)
{
	struct wk_build_id id = { 4, { 0xde, 0xad, 0xbe, 0xef } };
	struct wk_err err = { 0 };

	(void)state;
	keep(&id, "/lib/b.so", 1700000000);
	assert_string_equal(said("clear", &err), "removed 1 file, 192 B from @\n");
	assert_string_equal(said("clear", &err), "removed 0 files, 0 B from @\n");
	assert_string_equal(said("list", &err), "0 files, 0 B in @\n");
}

static void other_words_and_no_cache_are_told(void **state)
{
	struct wk_err err = { 0 }, off = { 0 };

	(void)state;
	assert_string_equal(said("purge", &err), "");
	assert_int_equal(err.code, WK_EUSAGE);
	assert_string_equal(err.text, "--cache accepts list or clear, not \"purge\"");
	setenv("WICK_CACHE_DIR", "", 1);
	assert_string_equal(said("list", &off), "");
	assert_int_equal(off.code, WK_EEMPTY);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_own_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(the_list_has_a_row_an_image_the_last_used_first),
		IN_FOLDER(fetched_files_are_listed_the_latest_first),
		IN_FOLDER(paths_are_those_that_were_recorded),
		IN_FOLDER(looking_is_no_use),
		IN_FOLDER(clearing_says_how_much_it_was),
		IN_FOLDER(other_words_and_no_cache_are_told),
	};

	return cmocka_run_group_tests_name("symbol_cache", tests, NULL, NULL);
}
