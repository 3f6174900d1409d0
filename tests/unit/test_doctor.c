/* What `wick doctor` makes of the facts about a machine and a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/folder.h"
#include "own_folder.h"
#include "record/probe.h"
#include "session/doctor/doctor.h"
#include "session/doctor/program_fix.h"

#define MIB ((uint64_t)1 << 20)

static void large_buffers_are_good(void **state)
{
	struct wk_record_probe probe = { .ring_bytes = 2 * MIB, .wanted_ring_bytes = 4 * MIB };
	struct wk_findings findings = { 0 };

	(void)state;
	wk_doctor_buffers(&findings, &probe);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.at[0].grade, WK_GRADE_GOOD);
	assert_non_null(strstr(findings.at[0].text, "2.0 MiB"));
	wk_findings_fini(&findings);
}

/* The kernel counts a page in front of the buffer, which has up to 64 KiB. */
static void a_quarter_of_the_buffer_is_too_small_and_the_fix_is_enough_for_all(void **state)
{
	struct wk_record_probe probe = { .ring_bytes = MIB, .wanted_ring_bytes = 4 * MIB };
	struct wk_findings findings = { 0 };
	const char *limit;

	(void)state;
	wk_doctor_buffers(&findings, &probe);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.at[0].grade, WK_GRADE_WARN);
	assert_non_null(strstr(findings.at[0].text, "1.0 MiB"));
	limit = strchr(findings.at[0].fix, '=');
	assert_non_null(limit);
	assert_in_range(strtoull(limit + 1, NULL, 10), 4096 + 64, 2 * 4096);
	wk_findings_fini(&findings);
}

/* ---- how to build a program with more information */

/* Of a program at that place below the test's folder, with one section of that content. */
static const char *fix_of(struct wk_program_fix program, const char *section, const char *content)
{
	static char text[1000];
	struct wk_obj_section row = { .name = wk_str_c(section), .type = 1,
				      .size_bytes = strlen(content) };
	struct wk_obj obj = { .is_64 = true, .at = (const uint8_t *)content,
			      .size_bytes = strlen(content), .sections = &row,
			      .section_count = 1 };
	char path[200];
	struct wk_buf fix = { 0 };

	snprintf(path, sizeof(path), "%s", in_own_folder(program.path));
	program.path = path;
	program.obj = &obj;
	wk_program_fix(&program, &fix);
	snprintf(text, sizeof(text), "%s", wk_buf_text(&fix));
	wk_buf_fini(&fix);
	return text;
}

static const char *rust_fix(const char *path, bool lacks_names)
{
	return fix_of((struct wk_program_fix){ .path = path, .lacks_names = lacks_names },
		      ".comment", "rustc version 1.70");
}

static void a_rust_program_is_built_again_by_the_profile_of_its_folder(void **state)
{
	(void)state;
	assert_true(wk_os_folder_make(in_own_folder("release/.fingerprint"), NULL));
	assert_true(wk_os_folder_make(in_own_folder("debug/.fingerprint"), NULL));
	assert_string_equal(rust_fix("release/app", true),
			    "CARGO_PROFILE_RELEASE_DEBUG=line-tables-only "
			    "CARGO_PROFILE_RELEASE_STRIP=none cargo build --release");
	assert_string_equal(rust_fix("release/examples/app", false),
			    "CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo build --release");
	assert_string_equal(rust_fix("debug/deps/app-1", false),
			    "CARGO_PROFILE_DEV_DEBUG=line-tables-only cargo build --profile dev");
	assert_null(strstr(rust_fix("elsewhere/app", false), "strip"));
	assert_non_null(strstr(rust_fix("elsewhere/app", true), "strip = \"none\""));
}

static void the_compiler_is_not_built_again(void **state)
{
	struct wk_program_fix compiler = { .path = "bin/rustc", .is_recorded = true };

	(void)state;
	assert_true(wk_os_folder_make(in_own_folder("bin"), NULL));
	assert_true(wk_os_folder_make(in_own_folder("lib/rustlib"), NULL));
	assert_string_equal(fix_of(compiler, ".comment", "rustc version 1.70"), "");
	compiler.path = "app";
	assert_string_not_equal(fix_of(compiler, ".comment", "rustc version 1.70"), "");
}

static void names_of_a_new_build_do_not_fit_a_recording(void **state)
{
	struct wk_program_fix program = { .path = "app" };

	(void)state;
	assert_null(strstr(fix_of(program, ".comment", "GCC"), "record again"));
	program.is_recorded = true;
	assert_non_null(strstr(fix_of(program, ".comment", "GCC"), "record again"));
}

static void compilers_have_their_own_options(void **state)
{
	struct wk_program_fix program = { .path = "app" };
	char lines[1000];

	(void)state;
	snprintf(lines, sizeof(lines), "%s", fix_of(program, ".comment", "GCC"));
	assert_string_not_equal(fix_of(program, ".go.buildinfo", "go"), lines);
	program.lacks_names = true;
	assert_string_not_equal(fix_of(program, ".comment", "GCC"), lines);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_own_folder, remove_own_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_buffers_are_good),
		cmocka_unit_test(
			a_quarter_of_the_buffer_is_too_small_and_the_fix_is_enough_for_all),
		IN_FOLDER(a_rust_program_is_built_again_by_the_profile_of_its_folder),
		IN_FOLDER(the_compiler_is_not_built_again),
		IN_FOLDER(names_of_a_new_build_do_not_fit_a_recording),
		IN_FOLDER(compilers_have_their_own_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
