/* Which names and paths a file of Windows may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text/file_name.h"

static bool is_name(const char *name)
{
	return wk_file_name_is_windows(wk_str_c(name));
}

static bool is_path(const char *path)
{
	return wk_file_path_is_windows(wk_str_c(path));
}

static void usual_names_are_good(void **state)
{
	static const char *const names[] = {
		"ntdll.dll", "a", ".hidden", "a b.pdb", "console.pdb", "auxiliary", "com.pdb",
		"com10.pdb", "lpt", "nulls.sym", "xcon.pdb", "a.con", "com\xc2\xb4.pdb",
		"\xc3\xa4.pdb", "a..b", "con$", NULL };

	(void)state;
	for (size_t i = 0; names[i]; i++)
		assert_true(is_name(names[i]));
}

static void devices_are_no_files_whatever_stands_behind_the_dot(void **state)
{
	static const char *const names[] = {
		"CON", "con.pdb", "Aux.sym", "nul", "NUL.tar.gz", "prn.dll", "CONIN$", "conout$.pdb",
		"COM1", "com9.pdb", "lpt0.x", "LPT3", "com\xc2\xb9.pdb", "LPT\xc2\xb3", "nul .pdb",
		"aux  .x", NULL };

	(void)state;
	for (size_t i = 0; names[i]; i++)
		assert_false(is_name(names[i]));
}

static void what_windows_takes_off_or_apart_is_no_name(void **state)
{
	static const char *const names[] = {
		"a.pdb.", "a.pdb ", "a.pdb:stream", "a.pdb::$DATA", "a/b", "a\\b", "a?b", "a*", "<a>",
		"a|b", "\"a\"", "a\nb", "a\x01", "", ".", "..", "...", " ", NULL };
	char long_name[257];

	(void)state;
	for (size_t i = 0; names[i]; i++)
		assert_false(is_name(names[i]));
	assert_false(wk_file_name_is_windows(wk_str_of("a\0b", 3)));
	memset(long_name, 'a', 256);
	assert_true(wk_file_name_is_windows(wk_str_of(long_name, 255)));
	assert_false(wk_file_name_is_windows(wk_str_of(long_name, 256)));
}

static void each_part_of_a_path_is_a_name(void **state)
{
	static const char *const good[] = {
		"C:\\Windows\\System32\\ntdll.dll", "z:/tmp/a.exe", "\\\\server\\share\\a.pdb",
		"//server/share/a", "a/../b/./c", "/usr/lib/x", "C:a", "\\\\?\\C:\\a",
		"\\\\?\\UNC\\server\\share\\a", "syms\\", "C:\\", NULL };
	static const char *const bad[] = {
		"C:\\aux", "C:\\con.d\\a.pdb", "\\\\.\\PhysicalDrive0", "//./pipe/a", "/\\.\\COM1",
		"\\\\?\\GLOBALROOT\\Device\\a", "\\\\?\\Volume{1}\\a", "C:\\a.pdb:b", "C:\\a.\\b",
		"C:\\C:\\a", "1:\\a", "\\??\\C:\\a", "nul", NULL };
	char long_path[400] = "C:\\";

	(void)state;
	for (size_t i = 0; good[i]; i++)
		assert_true(is_path(good[i]));
	for (size_t i = 0; bad[i]; i++)
		assert_false(is_path(bad[i]));
	memset(long_path + 3, 'a', 300); /* may be a hundred letters of three bytes each */
	assert_true(is_path(long_path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_names_are_good),
		cmocka_unit_test(devices_are_no_files_whatever_stands_behind_the_dot),
		cmocka_unit_test(what_windows_takes_off_or_apart_is_no_name),
		cmocka_unit_test(each_part_of_a_path_is_a_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
