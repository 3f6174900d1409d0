#define _GNU_SOURCE /* mkdtemp, setenv, utimensat */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "event/pdb_id.h"
#include "own_folder.h"
#include "symbols/cache/cache.h"

static const struct wk_build_id ids[] = {
	{ 4, { 0xde, 0xad, 0xbe, 0xef } },
	{ 20, { 1, 2, 3 } },
	{ 2, { 0xab, 0xcd } },
};
static struct wk_cache *open_bounded(uint64_t most_bytes)
{
	struct wk_cache_options options = { own_folder, most_bytes };

	return wk_cache_open(&options);
}

static bool write_text(struct wk_cache *cache, int id, const char *source, const char *code)
{
	struct wk_cache_section sections[] = {
		{ WK_CACHE_SOURCE, 1, wk_str_c(source) },
		{ WK_CACHE_CODE, 3, wk_str_c(code) },
	};

	return wk_cache_write(cache, &ids[id], sections, 2, NULL);
}

static bool has_text(const struct wk_cache_entry *entry, uint32_t kind, uint32_t version,
		     const char *text)
{
	struct wk_bytes bytes = wk_cache_section(entry, kind, version);

	assert_int_equal((uintptr_t)bytes.at % 8, 0);
	return wk_str_is(wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes)), text);
}

static void what_is_added_leaves_the_other_kinds_as_they_are(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	struct wk_cache_section sections[65] = {
		{ WK_CACHE_CODE, 4, WK_STR("newer") }, { WK_CACHE_KERNEL, 1, WK_STR("kernel") },
	};
	const struct wk_cache_entry *entry;
	struct wk_err err = { 0 };

	(void)state;
	assert_true(wk_cache_add(cache, &ids[0], sections + 1, 1, NULL));
	assert_true(has_text(wk_cache_find(cache, &ids[0]), WK_CACHE_KERNEL, 1, "kernel"));
	assert_true(write_text(cache, 0, "where it came from", "code"));
	assert_true(wk_cache_add(cache, &ids[0], sections, 2, NULL));
	entry = wk_cache_find(cache, &ids[0]);
	assert_true(has_text(entry, WK_CACHE_SOURCE, 1, "where it came from"));
	assert_true(has_text(entry, WK_CACHE_KERNEL, 1, "kernel"));
	assert_true(has_text(entry, WK_CACHE_CODE, 4, "newer"));
	assert_null(wk_cache_section(entry, WK_CACHE_CODE, 3).at);
	assert_false(wk_cache_add(cache, &ids[0], sections, 65, &err));
	assert_non_null(strstr(err.text, "at most 64 sections"));
	assert_false(wk_cache_add(NULL, &ids[0], sections, 1, NULL));
	wk_cache_close(cache);
}

static void what_is_written_is_found_by_the_next_process(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	const struct wk_cache_entry *entry;

	(void)state;
	assert_null(wk_cache_find(cache, &ids[0]));
	assert_true(write_text(cache, 0, "where it came from", "code"));
	assert_true(write_text(cache, 1, "another", ""));
	wk_cache_close(cache);
	cache = open_bounded(0);
	entry = wk_cache_find(cache, &ids[0]);
	assert_non_null(entry);
	assert_true(has_text(entry, WK_CACHE_SOURCE, 1, "where it came from"));
	assert_true(has_text(entry, WK_CACHE_CODE, 3, "code"));
	assert_ptr_equal(wk_cache_find(cache, &ids[0]), entry);
	assert_null(wk_cache_section(entry, WK_CACHE_CODE, 2).at);
	assert_null(wk_cache_section(entry, WK_CACHE_SYMBOLS, 1).at);
	assert_null(wk_cache_section(NULL, WK_CACHE_SYMBOLS, 1).at);
	assert_true(has_text(wk_cache_find(cache, &ids[1]), WK_CACHE_SOURCE, 1, "another"));
	assert_null(wk_cache_find(cache, &ids[2]));
	wk_cache_close(cache);
}

static void an_entry_stays_readable_when_it_is_replaced(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	const struct wk_cache_entry *old, *new;

	(void)state;
	assert_true(write_text(cache, 0, "old", "1"));
	old = wk_cache_find(cache, &ids[0]);
	assert_true(write_text(cache, 0, "new", "2"));
	new = wk_cache_find(cache, &ids[0]);
	assert_true(has_text(old, WK_CACHE_SOURCE, 1, "old"));
	assert_true(has_text(new, WK_CACHE_SOURCE, 1, "new"));
	wk_cache_close(cache);
}

static void change_byte(const char *name, long at)
{
	FILE *file = fopen(in_own_folder(name), "r+b");
	int byte;

	assert_non_null(file);
	fseek(file, at, SEEK_SET);
	byte = fgetc(file);
	fseek(file, at, SEEK_SET);
	fputc(byte ^ 0x10, file);
	fclose(file);
}

/* Whatever byte is damaged, what is still handed out is right. */
static void nothing_damaged_is_handed_out(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	struct stat info;
	int missed = 0;

	(void)state;
	assert_true(write_text(cache, 0, "where it came from", "code"));
	assert_int_equal(stat(in_own_folder("deadbeef.wick"), &info), 0);
	wk_cache_close(cache);
	for (long at = 0; at < info.st_size; at++) {
		const struct wk_cache_entry *entry;
		struct wk_bytes bytes;

		change_byte("deadbeef.wick", at);
		cache = open_bounded(0);
		entry = wk_cache_find(cache, &ids[0]);
		bytes = wk_cache_section(entry, WK_CACHE_CODE, 3);
		missed += !bytes.at;
		if (bytes.at)
			assert_memory_equal(bytes.at, "code", 4);
		wk_cache_close(cache);
		change_byte("deadbeef.wick", at);
	}
	assert_true(missed > 100); /* the head, the table and the section itself */
}

static void a_cut_file_is_as_if_it_were_not_there(void **state)
{
	struct wk_cache *cache = open_bounded(0);

	(void)state;
	assert_true(write_text(cache, 0, "where it came from", "code"));
	wk_cache_close(cache);
	for (int len = 300; len >= 0; len -= 7) {
		if (truncate(in_own_folder("deadbeef.wick"), len) != 0)
			fail();
		cache = open_bounded(0);
		assert_null(wk_cache_find(cache, &ids[0]));
		wk_cache_close(cache);
	}
}

static void files_of_another_image_under_this_name_are_not_used(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	char to[200];

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	strcpy(to, in_own_folder("abcd.wick"));
	assert_int_equal(rename(in_own_folder("deadbeef.wick"), to), 0);
	assert_null(wk_cache_find(cache, &ids[2]));
	wk_cache_close(cache);
}

static void set_age(const char *name, long seconds)
{
	struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, in_own_folder(name), times, 0), 0);
}

static void the_oldest_goes_when_there_is_no_room(void **state)
{
	struct wk_cache *cache = open_bounded(600);

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	assert_true(write_text(cache, 1, "a", "b"));
	set_age("deadbeef.wick", 100);
	set_age("0102030000000000000000000000000000000000.wick", 200);
	assert_true(write_text(cache, 2, "a", "b"));
	wk_cache_close(cache);
	cache = open_bounded(600);
	assert_null(wk_cache_find(cache, &ids[1]));
	assert_non_null(wk_cache_find(cache, &ids[0]));
	assert_non_null(wk_cache_find(cache, &ids[2]));
	wk_cache_close(cache);
	cache = open_bounded(100);
	assert_false(write_text(cache, 1, "a", "b")); /* larger than all of the room */
	wk_cache_close(cache);
}

static void use_makes_a_file_young_again(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	struct stat info;

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	wk_cache_close(cache);
	for (int days = 2; days >= 0; days -= 2) {
		long age = days ? days * 86400 : 3600;

		set_age("deadbeef.wick", age);
		cache = open_bounded(0);
		assert_non_null(wk_cache_find(cache, &ids[0]));
		wk_cache_close(cache);
		assert_int_equal(stat(in_own_folder("deadbeef.wick"), &info), 0);
		/* Not each hour: that would be a write for every read. */
		assert_int_equal(time(NULL) - info.st_mtime > 1800, days == 0);
	}
}

static void files_are_the_users_alone(void **state)
{
	struct wk_cache *cache;
	struct stat info;

	(void)state;
	strcat(own_folder, "/a/b");
	cache = open_bounded(0);
	assert_true(write_text(cache, 0, "a", "b"));
	assert_int_equal(stat(own_folder, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_int_equal(stat(in_own_folder("deadbeef.wick"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	wk_cache_close(cache);
	own_folder[strlen(own_folder) - 4] = '\0';
}

static void a_folder_that_others_can_write_is_not_used(void **state)
{
	struct wk_cache *cache = open_bounded(0);

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	wk_cache_close(cache);
	assert_int_equal(chmod(own_folder, 0777), 0);
	cache = open_bounded(0);
	assert_null(wk_cache_find(cache, &ids[0]));
	assert_false(write_text(cache, 1, "a", "b"));
	wk_cache_close(cache);
}

static void links_are_not_followed(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	struct stat info;
	char to[200];

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	wk_cache_close(cache);
	strcpy(to, in_own_folder("elsewhere"));
	assert_int_equal(rename(in_own_folder("deadbeef.wick"), to), 0);
	assert_int_equal(symlink(to, in_own_folder("deadbeef.wick")), 0);
	cache = open_bounded(0);
	assert_null(wk_cache_find(cache, &ids[0]));
	assert_true(write_text(cache, 0, "new", "b"));
	assert_int_equal(lstat(in_own_folder("deadbeef.wick"), &info), 0);
	assert_true(S_ISREG(info.st_mode)); /* the link was replaced, not what it led to */
	assert_true(has_text(wk_cache_find(cache, &ids[0]), WK_CACHE_SOURCE, 1, "new"));
	wk_cache_close(cache);
}

static void drafts_of_the_dead_are_swept_up_and_those_of_the_living_stay(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	int living;

	(void)state;
	close(open(in_own_folder(".draft-1-1"), O_CREAT | O_WRONLY, 0600));
	living = open(in_own_folder(".draft-1-2"), O_CREAT | O_WRONLY, 0600);
	assert_int_equal(flock(living, LOCK_EX), 0);
	close(open(in_own_folder(".draft-1-3"), O_CREAT | O_WRONLY,
		   0600)); /* just begun, perhaps */
	set_age(".draft-1-1", 10);
	set_age(".draft-1-2", 10);
	assert_true(write_text(cache, 0, "a", "b"));
	assert_int_not_equal(access(in_own_folder(".draft-1-1"), F_OK), 0);
	assert_int_equal(access(in_own_folder(".draft-1-2"), F_OK), 0);
	assert_int_equal(access(in_own_folder(".draft-1-3"), F_OK), 0);
	close(living);
	wk_cache_close(cache);
}

static void leave_file(const char *name, const char *text)
{
	FILE *file = fopen(in_own_folder(name), "wb");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	set_age(name, 1000);
}

static bool is_left(const char *name)
{
	return access(in_own_folder(name), F_OK) == 0;
}

static void files_of_others_are_neither_swept_up_nor_counted_nor_cleared(void **state)
{
	static const char *const names[] = {
		".draft-letter", ".draft-1", ".draft-1-", ".draft-1-2-3", ".draft-1-2b",
		"cafe.wick", "CAFE.wick", "cafebabe.wick", ".wick",
	};
	char text[300] = { 0 };
	struct wk_cache *cache = open_bounded(1000);
	uint64_t files, bytes;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		leave_file(names[i], text);
	for (int i = 0; i < 6; i++)
		assert_true(write_text(cache, i % 2, text, text));
	assert_true(wk_cache_clear(cache, &files, &bytes, NULL));
	assert_int_equal(files, 1); /* there is no room for two */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(is_left(names[i]));
	wk_cache_close(cache);
}

static void entries_of_another_version_are_cleared_too(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	uint64_t files, bytes;

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	wk_cache_close(cache);
	change_byte("deadbeef.wick", 4);
	cache = open_bounded(0);
	assert_null(wk_cache_find(cache, &ids[0]));
	assert_true(wk_cache_clear(cache, &files, &bytes, NULL));
	assert_int_equal(files, 1);
	assert_false(is_left("deadbeef.wick"));
	wk_cache_close(cache);
}

static void a_relative_folder_stays_where_it_was(void **state)
{
	struct wk_cache_options options = { "kept", 0 };
	struct wk_cache *cache;
	char before[200];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(own_folder), 0);
	cache = wk_cache_open(&options);
	assert_int_equal(chdir("/"), 0);
	assert_string_equal(wk_cache_folder(cache), in_own_folder("kept"));
	assert_true(write_text(cache, 0, "a", "b"));
	assert_true(is_left("kept/deadbeef.wick"));
	wk_cache_close(cache);
	assert_int_equal(chdir(before), 0);
}

static bool count_row(void *context, const struct wk_cache_row *row)
{
	struct wk_buf name = { 0 };

	assert_true(row->size_bytes > 0 && row->used_ns > 0);
	wk_build_id_add(&name, &row->id, false);
	wk_buf_add_text(&name, ".wick");
	assert_true(is_left(wk_buf_text(&name)));
	wk_buf_fini(&name);
	++*(int *)context;
	return true;
}

static void all_that_is_kept_is_listed_and_cleared(void **state)
{
	struct wk_cache *cache = open_bounded(0);
	uint64_t files, bytes;
	int count = 0;

	(void)state;
	assert_true(write_text(cache, 0, "a", "b"));
	assert_true(write_text(cache, 1, "a", "b"));
	close(open(in_own_folder("notes.txt"), O_CREAT | O_WRONLY, 0600));
	assert_true(wk_cache_each(cache, count_row, &count, NULL));
	assert_int_equal(count, 2);
	assert_true(wk_cache_clear(cache, &files, &bytes, NULL));
	assert_int_equal(files, 2);
	assert_true(bytes > 100);
	assert_null(wk_cache_find(cache, &ids[0]));
	assert_int_equal(access(in_own_folder("notes.txt"), F_OK), 0); /* not ours to remove */
	wk_cache_close(cache);
}

static void a_folder_that_is_not_there_is_an_empty_cache(void **state)
{
	struct wk_cache *cache;
	uint64_t files, bytes;
	int count = 0;

	(void)state;
	strcat(own_folder, "/not/there");
	cache = open_bounded(0);
	assert_null(wk_cache_find(cache, &ids[0]));
	assert_true(wk_cache_each(cache, count_row, &count, NULL));
	assert_true(wk_cache_clear(cache, &files, &bytes, NULL));
	assert_int_equal(count + files + bytes, 0);
	assert_int_not_equal(access(own_folder, F_OK), 0); /* looking makes nothing */
	wk_cache_close(cache);
	own_folder[strlen(own_folder) - strlen("/not/there")] = '\0';
}

static void the_environment_says_where_and_how_much(void **state)
{
	struct wk_cache *cache;

	(void)state;
	setenv("WICK_CACHE_DIR", "", 1);
	assert_null(wk_cache_open(NULL));
	setenv("WICK_CACHE_DIR", "/some/where", 1);
	setenv("WICK_CACHE_SIZE", "much", 1);
	cache = wk_cache_open(NULL);
	assert_string_equal(wk_cache_folder(cache), "/some/where");
	assert_non_null(strstr(wk_cache_complaint(cache), "\"much\""));
	wk_cache_close(cache);
	unsetenv("WICK_CACHE_DIR");
	setenv("WICK_CACHE_SIZE", "2G", 1);
	setenv("XDG_CACHE_HOME", "/x", 1);
	cache = wk_cache_open(NULL);
	assert_string_equal(wk_cache_folder(cache), "/x/wick");
	assert_string_equal(wk_cache_complaint(cache), "");
	wk_cache_close(cache);
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	cache = wk_cache_open(NULL);
	assert_string_equal(wk_cache_folder(cache), "/home/me/.cache/wick");
	wk_cache_close(cache);
}

static void a_cache_that_is_off_takes_all_calls(void **state)
{
	uint64_t files, bytes;
	int count = 0;

	(void)state;
	assert_null(wk_cache_find(NULL, &ids[0]));
	assert_false(write_text(NULL, 0, "a", "b"));
	assert_true(wk_cache_each(NULL, count_row, &count, NULL));
	assert_true(wk_cache_clear(NULL, &files, &bytes, NULL));
	wk_cache_close(NULL);
}

static void a_checksum_changes_with_every_bit(void **state)
{
	uint8_t bytes[100] = { 0 };

	(void)state;
	for (size_t len = 1; len <= sizeof(bytes); len++) {
		uint64_t sum = wk_checksum(bytes, len);

		assert_true(sum != wk_checksum(bytes, len - 1));
		for (size_t bit = 0; bit < len * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_true(sum != wk_checksum(bytes, len));
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_own_folder, remove_own_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(what_is_written_is_found_by_the_next_process),
		IN_FOLDER(what_is_added_leaves_the_other_kinds_as_they_are),
		IN_FOLDER(an_entry_stays_readable_when_it_is_replaced),
		IN_FOLDER(nothing_damaged_is_handed_out),
		IN_FOLDER(a_cut_file_is_as_if_it_were_not_there),
		IN_FOLDER(files_of_another_image_under_this_name_are_not_used),
		IN_FOLDER(the_oldest_goes_when_there_is_no_room),
		IN_FOLDER(use_makes_a_file_young_again),
		IN_FOLDER(files_are_the_users_alone),
		IN_FOLDER(a_folder_that_others_can_write_is_not_used),
		IN_FOLDER(links_are_not_followed),
		IN_FOLDER(drafts_of_the_dead_are_swept_up_and_those_of_the_living_stay),
		IN_FOLDER(all_that_is_kept_is_listed_and_cleared),
		IN_FOLDER(a_folder_that_is_not_there_is_an_empty_cache),
		IN_FOLDER(files_of_others_are_neither_swept_up_nor_counted_nor_cleared),
		IN_FOLDER(entries_of_another_version_are_cleared_too),
		IN_FOLDER(a_relative_folder_stays_where_it_was),
		cmocka_unit_test(the_environment_says_where_and_how_much),
		cmocka_unit_test(a_cache_that_is_off_takes_all_calls),
		cmocka_unit_test(a_checksum_changes_with_every_bit),
	};

	return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
