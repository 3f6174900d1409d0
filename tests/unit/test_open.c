#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"

static char path[64];

static int make_path(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/wick-test-open-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void refused(const char *named, const char *sentence)
{
	struct wk_os_file file;
	struct wk_err err = { 0 };

	assert_false(wk_os_open_named(named, &file, NULL, &err));
	if (!strstr(err.text, sentence))
		fail_msg("expected \"%s\", came \"%s\"", sentence, err.text);
}

static void a_named_file_is_mapped_and_its_identity_told(void **state)
{
	struct wk_os_identity identity, again;
	struct wk_os_file file;
	struct wk_err err = { 0 };
	FILE *writing = fopen(path, "w");

	(void)state;
	assert_non_null(writing);
	assert_int_equal(fwrite("words", 1, 5, writing), 5);
	fclose(writing);
	assert_true(wk_os_open_named(path, &file, &identity, &err));
	assert_int_equal(file.size_bytes, 5);
	assert_memory_equal(file.at, "words", 5);
	assert_false(file.is_heap);
	assert_true(wk_os_identify(path, &again, &err));
	assert_true(identity.inode == again.inode && identity.changed_ns == again.changed_ns);
	assert_int_equal(identity.size_bytes, again.size_bytes);
	assert_true(identity.is_regular);
	wk_os_close(&file);
}

static void pipes_and_devices_are_not_read(void **state)
{
	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(path, "is not a regular file");
	refused("/dev/zero", "is not a regular file");
	refused("/", "is a directory");
}

/* It says that it is an ordinary, empty file, and has 128 TiB. */
static void files_without_end_are_as_empty_as_they_claim(void **state)
{
	struct wk_os_file file;
	struct wk_err err = { 0 };

	(void)state;
	if (access("/proc/self/pagemap", R_OK) != 0)
		skip();
	assert_true(wk_os_open_named("/proc/self/pagemap", &file, NULL, &err));
	assert_int_equal(file.size_bytes, 0);
	assert_null(file.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_named_file_is_mapped_and_its_identity_told,
						make_path, remove_path),
		cmocka_unit_test_setup_teardown(pipes_and_devices_are_not_read, make_path,
						remove_path),
		cmocka_unit_test(files_without_end_are_as_empty_as_they_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
