#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/command.h"
#include "cli/help.h"

#define FIRST_SCREEN_OPTIONS 20

static const struct wk_help_style plain = { .columns = 80 };

static bool has_option(const struct wk_command *command, const char *name)
{
	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		for (const struct wk_opt *opt = use->group->options; opt->name; opt++)
			if (strcmp(opt->name, name) == 0)
				return true;
	return false;
}

static size_t option_count(const struct wk_command *command)
{
	size_t count = 1; /* --help */

	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		for (const struct wk_opt *opt = use->group->options; opt->name; opt++)
			count++;
	return count;
}

static void common_options_exist_and_fit_the_first_screen(void **state)
{
	(void)state;
	for (size_t i = 0; wk_commands[i]; i++) {
		const struct wk_command *command = wk_commands[i];
		size_t count = 1;

		for (; command->common && command->common[count - 1]; count++)
			if (!has_option(command, command->common[count - 1]))
				fail_msg("%s has no --%s", command->name,
					 command->common[count - 1]);
		assert_true(count <= FIRST_SCREEN_OPTIONS);
		if (!command->common && option_count(command) > FIRST_SCREEN_OPTIONS)
			fail_msg("%s has %zu options and no list of common ones", command->name,
				 option_count(command));
	}
}

static const char *printed(struct wk_buf *buf, const struct wk_command *command, bool all)
{
	struct wk_out out = wk_out_to_buf(buf);

	wk_help_command(&out, plain, command, all);
	assert_true(wk_out_end(&out));
	return wk_buf_text(buf);
}

static void expect_every_option(const struct wk_command *command, const char *text)
{
	char wanted[80];

	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		for (const struct wk_opt *opt = use->group->options; opt->name; opt++) {
			snprintf(wanted, sizeof(wanted), " --%s", opt->name);
			if (!strstr(text, wanted))
				fail_msg("%s --help all lacks%s", command->name, wanted);
		}
}

static void help_all_has_every_option_and_the_first_screen_counts_them(void **state)
{
	(void)state;
	for (size_t i = 0; wk_commands[i]; i++) {
		const struct wk_command *command = wk_commands[i];
		struct wk_buf all = { 0 }, first = { 0 };
		char wanted[80];

		printed(&all, command, true);
		printed(&first, command, false);
		expect_every_option(command, wk_buf_text(&all));
		snprintf(wanted, sizeof(wanted), "`wick %s --help all` lists all %zu options.\n",
			 command->name, option_count(command));
		if (command->common)
			assert_non_null(strstr(wk_buf_text(&first), wanted));
		else
			assert_string_equal(wk_buf_text(&first), wk_buf_text(&all));
		wk_buf_fini(&all);
		wk_buf_fini(&first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_options_exist_and_fit_the_first_screen),
		cmocka_unit_test(help_all_has_every_option_and_the_first_screen_counts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
