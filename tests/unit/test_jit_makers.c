#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/images/jit_makers.h"

static void expect(const char *program, const char *maker)
{
	const struct wk_jit_maker *found = wk_jit_maker(wk_str_c(program));

	assert_string_equal(found ? found->program : "none", maker);
}

static void programs_are_known_by_their_names_with_versions_and_paths(void **state)
{
	(void)state;
	expect("node", "node");
	expect("/usr/bin/python3.12", "python");
	expect("/opt/jdk-21/bin/java", "java");
	expect("qemu-aarch64", "qemu");
	expect("nodemon", "none");
	expect("/usr/lib/node/app", "none");
	expect("", "none");
}

static void a_process_with_a_threads_name_is_known_by_its_command_line(void **state)
{
	struct wk_model *model = wk_model_new();
	struct wk_process process = {
		.pid = 7,
		.name = wk_model_text(model, wk_str_c("MainThread")),
		.command_line = wk_model_text(model, wk_str_c("/usr/bin/node java.js")),
	};
	struct wk_process other = { .pid = 8, .name = process.name };

	(void)state;
	assert_string_equal(wk_jit_maker_in(model, &process)->program, "node");
	assert_null(wk_jit_maker_in(model, &other));
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_known_by_their_names_with_versions_and_paths),
		cmocka_unit_test(a_process_with_a_threads_name_is_known_by_its_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
