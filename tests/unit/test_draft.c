#define _GNU_SOURCE /* O_TMPFILE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "own_folder.h"

static char target[80];

static int make_folder(void **state)
{
	if (make_own_folder(state) != 0)
		return -1;
	snprintf(target, sizeof(target), "%s/out", own_folder);
	return 0;
}

static int file_count(void)
{
	DIR *dir = opendir(own_folder);
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return count;
}

static void is_text(const char *path, const char *expected)
{
	char text[64] = { 0 };
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) < sizeof(text));
	fclose(file);
	assert_string_equal(text, expected);
}

static void put_there(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static void write_draft(const char *path, const char *text, bool keep)
{
	struct wk_os_draft draft;

	assert_true(wk_os_draft_open(&draft, path, NULL));
	assert_non_null(draft.temporary);
	assert_true(wk_os_write(draft.fd, text, strlen(text)));
	assert_true(wk_os_draft_end(&draft, keep));
}

static void a_draft_takes_the_place_and_the_rights_of_what_was_there(void **state)
{
	struct stat info;

	(void)state;
	write_draft(target, "one", true);
	is_text(target, "one");
	put_there(target, "longer than two", 0640);
	write_draft(target, "two", true);
	is_text(target, "two");
	assert_int_equal(stat(target, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0640);
	assert_int_equal(info.st_nlink, 1);
	assert_int_equal(file_count(), 1);
}

static void a_draft_that_is_given_up_leaves_what_was_there(void **state)
{
	(void)state;
	write_draft(target, "nothing", false);
	assert_int_equal(file_count(), 0);
	put_there(target, "there", 0600);
	write_draft(target, "nothing", false);
	is_text(target, "there");
	assert_int_equal(file_count(), 1);
}

static void the_file_behind_a_link_is_replaced(void **state)
{
	char link[90];
	struct stat info;

	(void)state;
	snprintf(link, sizeof(link), "%s/link", own_folder);
	put_there(target, "there", 0600);
	assert_int_equal(symlink("out", link), 0);
	write_draft(link, "new", true);
	is_text(target, "new");
	assert_int_equal(lstat(link, &info), 0);
	assert_true(S_ISLNK(info.st_mode));
	assert_int_equal(file_count(), 2);
}

static bool can_be_nameless(void)
{
	int fd = open(own_folder, O_TMPFILE | O_RDWR, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void a_killed_writer_leaves_nothing(void **state)
{
	int ready[2], status;
	pid_t child;
	char byte;

	(void)state;
	if (!can_be_nameless())
		skip();
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct wk_os_draft draft;

		if (wk_os_draft_open(&draft, target, NULL) && wk_os_write(draft.fd, "half", 4))
			(void)!write(ready[1], "", 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(file_count(), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_own_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_draft_takes_the_place_and_the_rights_of_what_was_there),
		IN_FOLDER(a_draft_that_is_given_up_leaves_what_was_there),
		IN_FOLDER(the_file_behind_a_link_is_replaced),
		IN_FOLDER(a_killed_writer_leaves_nothing),
	};

	return cmocka_run_group_tests_name("draft", tests, NULL, NULL);
}
