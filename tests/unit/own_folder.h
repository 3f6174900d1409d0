/* A folder of a test's own: made before the test, removed with all that is in it behind it.
 *
 *	cmocka_unit_test_setup_teardown(test, make_own_folder, remove_own_folder)
 */
#ifndef WK_TEST_OWN_FOLDER_H
#define WK_TEST_OWN_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char own_folder[64];

static inline int make_own_folder(void **state)
{
	(void)state;
	strcpy(own_folder, "/tmp/wick-test-XXXXXX");
	return mkdtemp(own_folder) ? 0 : -1;
}

static inline int remove_own_folder(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+rwx %s; rm -rf %s", own_folder, own_folder);
	return system(command);
}

/* The path of something in it. It lives until the next call. */
static inline const char *in_own_folder(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", own_folder, name);
	return path;
}

#endif
