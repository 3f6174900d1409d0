#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "os/program.h"
#include "own_folder.h"

static void make_file(const char *name, mode_t mode)
{
	FILE *file = fopen(in_own_folder(name), "w");

	assert_non_null(file);
	fputs("#!/bin/sh\nexit 7\n", file);
	fclose(file);
	assert_int_equal(chmod(in_own_folder(name), mode), 0);
}

static void assert_found(const char *name, const char *expected)
{
	char *found = wk_os_program_find(name);

	assert_non_null(found);
	assert_string_equal(found, in_own_folder(expected));
	wk_free(found);
}

/* Folders `first` and `second`, which PATH names. */
static int make_path(void **state)
{
	char path[300];

	if (make_own_folder(state) || mkdir(in_own_folder("first"), 0700) ||
	    mkdir(in_own_folder("second"), 0700))
		return -1;
	snprintf(path, sizeof(path), "%s/first::%s/second", own_folder, own_folder);
	return setenv("PATH", path, 1);
}

/* To remove the folder needs PATH. */
static int remove_path(void **state)
{
	return setenv("PATH", "/usr/bin:/bin", 1) || remove_own_folder(state);
}

static void a_program_is_searched_in_the_folders_of_path(void **state)
{
	(void)state;
	make_file("second/tool", 0700);
	assert_found("tool", "second/tool");
	make_file("first/tool", 0700);
	assert_found("tool", "first/tool");
	assert_null(wk_os_program_find("tools"));
}

static void files_without_the_right_to_run_them_and_folders_are_no_programs(void **state)
{
	(void)state;
	make_file("first/tool", 0600);
	assert_null(wk_os_program_find("tool"));
	assert_null(wk_os_program_find(in_own_folder("first/tool")));
	assert_int_equal(mkdir(in_own_folder("first/folder"), 0700), 0);
	assert_null(wk_os_program_find("folder"));
	make_file("second/tool", 0700);
	make_file("second/folder", 0700);
	assert_found("tool", "second/tool");
	assert_found("folder", "second/folder");
}

static void a_path_is_found_as_it_is(void **state)
{
	(void)state;
	make_file("tool", 0700);
	assert_found(in_own_folder("tool"), "tool");
	assert_null(wk_os_program_find(in_own_folder("none")));
	unsetenv("PATH");
	assert_null(wk_os_program_find("tool"));
	assert_found(in_own_folder("tool"), "tool");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_program_is_searched_in_the_folders_of_path,
						make_path, remove_path),
		cmocka_unit_test_setup_teardown(
			files_without_the_right_to_run_them_and_folders_are_no_programs, make_path,
			remove_path),
		cmocka_unit_test_setup_teardown(a_path_is_found_as_it_is, make_path, remove_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
