#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cargo/build.h"
#include "cli/cargo/report.h"
#include "cli/options/perf_arguments.h"

#define TARGET(kind, name)                                                                         \
	"{\"kind\":[\"" kind "\"],\"crate_types\":[\"bin\"],\"name\":\"" name "\"}"

#define PACKAGE(name, run, targets) \
	"{\"targets\":[" targets "],\"name\":\"" name "\",\"id\":\"id-" name "\",\"default_run\":" run \
	",\"manifest_path\":\"/home/me/" name "/Cargo.toml\",\"dependencies\":[{\"name\":\"x\"}]}"

#define METADATA(near) \
	"{\"packages\":[" \
	PACKAGE("app", "null", TARGET("lib", "app") "," TARGET("bin", "app") "," TARGET("test", "t")) \
	"," PACKAGE("two", "\"b\"", TARGET("bin", "a") "," TARGET("bin", "b")) \
	"],\"workspace_root\":\"/home/me\"" near "}"

static struct wk_cargo_project parsed(const char *text, const char *folder)
{
	struct wk_cargo_project project = { 0 };
	struct wk_err err = { 0 };

	assert_true(
		wk_cargo_project_parse(&project, wk_bytes_of(text, strlen(text)), folder, &err));
	return project;
}

static void metadata_tells_what_there_is_to_run(void **state)
{
	struct wk_cargo_project project =
		parsed(METADATA(",\"workspace_default_members\":[\"id-app\"]"), "/");

	(void)state;
	assert_string_equal(project.root, "/home/me");
	assert_int_equal(project.count, 5);
	assert_int_equal(project.targets[0].kind, WK_CARGO_LIB);
	assert_int_equal(project.targets[2].kind, WK_CARGO_TEST);
	assert_string_equal(project.targets[1].package, "app");
	assert_true(project.targets[1].is_near);
	assert_false(project.targets[3].is_near);
	assert_true(project.targets[4].is_default);
	wk_cargo_project_free(&project);
}

static void metadata_without_a_root_is_no_metadata(void **state)
{
	static const char text[] =
		"{\"packages\":[" PACKAGE("app", "null", TARGET("bin", "x")) "]}";
	struct wk_cargo_project project = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	assert_false(wk_cargo_project_parse(&project, wk_bytes_of(text, strlen(text)), "/", &err));
	assert_non_null(strstr(err.text, "workspace_root"));
	wk_cargo_project_free(&project);
}

static void an_older_cargo_leaves_the_package_to_the_folder(void **state)
{
	struct wk_cargo_project inside = parsed(METADATA(""), "/home/me/two/src");
	struct wk_cargo_project above = parsed(METADATA(""), "/home/me");
	struct wk_cargo_project beside = parsed(METADATA(""), "/home/me/twofold");

	(void)state;
	assert_false(inside.targets[0].is_near);
	assert_true(inside.targets[3].is_near);
	assert_true(above.targets[0].is_near && above.targets[3].is_near);
	assert_true(beside.targets[0].is_near && beside.targets[3].is_near);
	wk_cargo_project_free(&inside);
	wk_cargo_project_free(&above);
	wk_cargo_project_free(&beside);
}

#define WINDOWS_PACKAGE(name) \
	"{\"name\":\"" name "\",\"id\":\"id-" name "\",\"targets\":[" TARGET("bin", name) "]," \
	"\"manifest_path\":\"C:\\\\Users\\\\me\\\\" name "\\\\Cargo.toml\"}"

static void the_folder_of_a_package_is_found_by_paths_of_windows(void **state)
{
	static const char text[] = "{\"packages\":[" WINDOWS_PACKAGE("app") "," WINDOWS_PACKAGE(
		"two") "],\"workspace_root\":\"C:\\\\Users\\\\me\"}";
	struct wk_cargo_project inside = parsed(text, "C:/Users/me/two/src");
	struct wk_cargo_project as_typed = parsed(text, "c:\\users\\ME\\Two");
	struct wk_cargo_project above = parsed(text, "C:/Users/me");
	struct wk_cargo_project beside = parsed(text, "C:/Users/me/twofold");

	(void)state;
	assert_true(!inside.targets[0].is_near && inside.targets[1].is_near);
	assert_true(!as_typed.targets[0].is_near && as_typed.targets[1].is_near);
	assert_true(above.targets[0].is_near && above.targets[1].is_near);
	assert_true(beside.targets[0].is_near && beside.targets[1].is_near);
	wk_cargo_project_free(&inside);
	wk_cargo_project_free(&as_typed);
	wk_cargo_project_free(&above);
	wk_cargo_project_free(&beside);
}

static void the_only_program_is_chosen(void **state)
{
	struct wk_cargo_project project = parsed(METADATA(""), "/home/me/app");
	struct wk_cargo_choice choice = { 0 };

	(void)state;
	assert_true(wk_cargo_choose(&project, &choice, NULL));
	assert_string_equal(choice.name, "app");
	assert_string_equal(choice.package, "app");
	assert_int_equal(choice.kind, WK_CARGO_BIN);
	wk_cargo_project_free(&project);
}

static void of_several_the_default_of_the_package_is_chosen(void **state)
{
	struct wk_cargo_project project = parsed(METADATA(""), "/home/me/app");
	struct wk_cargo_choice choice = { .package = "two" };

	(void)state;
	assert_true(wk_cargo_choose(&project, &choice, NULL));
	assert_string_equal(choice.name, "b");
	wk_cargo_project_free(&project);
}

static void unit_tests_of_a_name_are_those_of_the_library(void **state)
{
	struct wk_cargo_project project = parsed(METADATA(""), "/home/me/app");
	struct wk_cargo_choice library = { .is_unit = true, .name = "app" };
	struct wk_cargo_choice program = { .is_unit = true, .has_unit_kind = true };

	(void)state;
	assert_true(wk_cargo_choose(&project, &library, NULL));
	assert_int_equal(library.kind, WK_CARGO_LIB);
	assert_true(wk_cargo_choose(&project, &program, NULL));
	assert_int_equal(program.kind, WK_CARGO_BIN);
	wk_cargo_project_free(&project);
}

static void unit_tests_are(const char *package, const char *lines)
{
	struct wk_cargo_project project = parsed(METADATA(""), "/home/me/app");
	struct wk_cargo_choice choice = { .is_unit = true, .package = package };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	wk_cargo_list(&project, &choice, &out);
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), lines);
	wk_buf_fini(&text);
	wk_cargo_project_free(&project);
}

static void unit_tests_of_the_same_name_are_listed_with_their_kind(void **state)
{
	(void)state;
	unit_tests_are("app", "    cargo wick --unit-test app --unit-test-kind lib -p app\n"
			      "    cargo wick --unit-test app --unit-test-kind bin -p app\n");
	unit_tests_are("two", "    cargo wick --unit-test a -p two\n"
			      "    cargo wick --unit-test b -p two\n");
}

static void a_package_that_is_not_there_is_told(void **state)
{
	struct wk_cargo_project project = parsed(METADATA(""), "/home/me/app");
	struct wk_cargo_choice choice = { .package = "nope" };
	struct wk_err err = { 0 };

	(void)state;
	assert_false(wk_cargo_choose(&project, &choice, &err));
	assert_non_null(strstr(err.text, "no package \"nope\" here; the packages are app, two"));
	wk_cargo_project_free(&project);
}

static void a_library_lists_what_is_its_own(void **state)
{
	static const char metadata[] = "{\"packages\":[" PACKAGE(
		"core", "null",
		TARGET("lib", "core") "," TARGET(
			"bench",
			"speed")) "," PACKAGE("two", "null",
					      TARGET("bin", "a") "," TARGET(
						      "bin",
						      "b")) "],"
							    "\"workspace_root\":\"/home/me\"}";
	struct wk_cargo_project project = parsed(metadata, "/home/me/core");
	struct wk_cargo_choice choice = { 0 };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_err err = { 0 };

	(void)state;
	assert_int_equal(wk_cargo_list(&project, &choice, &out), 2);
	assert_false(wk_cargo_choose(&project, &choice, &err));
	assert_non_null(strstr(err.text, "no program to run in package core"));
	assert_non_null(strstr(err.text, "packages with programs: two"));
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), "    cargo wick --unit-test core -p core\n"
						"    cargo wick --bench speed -p core\n");
	wk_buf_fini(&text);
	wk_cargo_project_free(&project);
}

#define ARTIFACT(kind, name, test, executable) \
	"{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/home/me/app/Cargo.toml\",\"target\":" \
	TARGET(kind, name) ",\"profile\":{\"debuginfo\":2,\"test\":" test "},\"executable\":" \
	executable "}\n"

static bool find(const char *messages, struct wk_cargo_choice choice, struct wk_cargo_built *built)
{
	return wk_cargo_built_find(wk_bytes_of(messages, strlen(messages)), &choice, built, NULL);
}

static void a_program_is_found_among_what_cargo_built(void **state)
{
	const char *messages = "not JSON at all\n{\"reason\":\"build-script-executed\"}\n" ARTIFACT(
		"lib", "app", "false", "null") ARTIFACT("bin", "app", "false", "\"/t/app\"")
		ARTIFACT("bin", "app", "true",
			 "\"/t/deps/app-1\"") "{\"reason\":\"build-finished\",\"success\":true}";
	struct wk_cargo_built built;

	(void)state;
	assert_true(find(messages, (struct wk_cargo_choice){ .kind = WK_CARGO_BIN, .is_unit = true,
							     .name = "app" }, &built));
	assert_string_equal(built.path, "/t/deps/app-1");
	assert_string_equal(built.folder, "/home/me/app/");
	assert_true(built.has_debug);
	wk_cargo_built_fini(&built);
	assert_false(find(messages, (struct wk_cargo_choice){ .kind = WK_CARGO_TEST }, &built));
}

static void the_same_program_in_two_packages_is_not_guessed(void **state)
{
	const char *messages = ARTIFACT("bin", "app", "false", "\"/t/app\"")
		ARTIFACT("bin", "app", "false", "\"/other/app\"");
	struct wk_cargo_built built;

	(void)state;
	assert_false(find(messages, (struct wk_cargo_choice){ .name = "app" }, &built));
	assert_null(built.path);
}

static void perf_words_become_options(void **state)
{
	struct wk_perf_words perf;

	(void)state;
	assert_true(wk_perf_words_read(&perf,
				       "record -e branch-misses -c 100 --call-graph "
				       "dwarf,16384 -g -o 'my data'",
				       NULL));
	assert_string_equal(perf.record.events.at[0], "branch-misses");
	assert_int_equal(perf.record.period, 100);
	assert_string_equal(perf.record.call_graph, "dwarf");
	assert_int_equal(perf.record.stack_bytes, 16384);
	assert_string_equal(perf.output, "my data");
	assert_int_equal(perf.ignored.len, 0);
	wk_perf_words_fini(&perf);
}

static void perf_words_may_begin_with_perf(void **state)
{
	struct wk_perf_words perf;

	(void)state;
	assert_true(wk_perf_words_read(&perf, "perf record -c 100", NULL));
	assert_int_equal(perf.record.period, 100);
	wk_perf_words_fini(&perf);
	assert_false(wk_perf_words_read(&perf, "perf", NULL));
	wk_perf_words_fini(&perf);
}

static void perf_words_without_a_meaning_are_named(void **state)
{
	struct wk_perf_words perf;

	(void)state;
	assert_true(wk_perf_words_read(&perf, "record -z -m 512 --call-graph lbr", NULL));
	assert_string_equal(wk_buf_text(&perf.ignored), "-z, -m");
	assert_non_null(strstr(wk_buf_text(&perf.notes), "lbr"));
	wk_perf_words_fini(&perf);
}

static void perf_words_that_perf_would_not_take_are_refused(void **state)
{
	static const char *const wrong[] = { "", "stat -e cycles", "record --nonsense",
					     "record -e", "record 'x", "record sleep 1",
					     "record --call-graph zigzag" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wk_perf_words perf;
		struct wk_err err = { 0 };

		assert_false(wk_perf_words_read(&perf, wrong[i], &err));
		assert_int_equal(err.code, WK_EUSAGE);
		wk_perf_words_fini(&perf);
	}
}

/* ---- what the program finds */

static void environment_is(const char *program, const char *before, const char *libraries)
{
	struct wk_cargo_built built = { .path = (char *)program, .folder = "/home/me/app/" };

	setenv("LD_LIBRARY_PATH", before, true);
	wk_cargo_environment(&built);
	assert_string_equal(getenv("LD_LIBRARY_PATH"), libraries);
	assert_string_equal(getenv("CARGO_MANIFEST_DIR"), "/home/me/app");
}

static void libraries_are_searched_where_cargo_builds_them(void **state)
{
	(void)state;
	environment_is("/gone/debug/app", "", "/gone/debug/deps:/gone/debug/");
	environment_is("/gone/debug/deps/t-0123", "", "/gone/debug/deps:/gone/debug/");
	environment_is("/gone/debug/examples/e", "/opt/lib",
		       "/gone/debug/deps:/gone/debug/:/opt/lib");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_tells_what_there_is_to_run),
		cmocka_unit_test(metadata_without_a_root_is_no_metadata),
		cmocka_unit_test(an_older_cargo_leaves_the_package_to_the_folder),
		cmocka_unit_test(the_folder_of_a_package_is_found_by_paths_of_windows),
		cmocka_unit_test(the_only_program_is_chosen),
		cmocka_unit_test(of_several_the_default_of_the_package_is_chosen),
		cmocka_unit_test(unit_tests_of_a_name_are_those_of_the_library),
		cmocka_unit_test(unit_tests_of_the_same_name_are_listed_with_their_kind),
		cmocka_unit_test(a_package_that_is_not_there_is_told),
		cmocka_unit_test(a_library_lists_what_is_its_own),
		cmocka_unit_test(a_program_is_found_among_what_cargo_built),
		cmocka_unit_test(the_same_program_in_two_packages_is_not_guessed),
		cmocka_unit_test(libraries_are_searched_where_cargo_builds_them),
		cmocka_unit_test(perf_words_become_options),
		cmocka_unit_test(perf_words_may_begin_with_perf),
		cmocka_unit_test(perf_words_without_a_meaning_are_named),
		cmocka_unit_test(perf_words_that_perf_would_not_take_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
