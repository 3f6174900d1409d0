#include "cli/run/post_process.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/messages.h"
#include "cli/run/child.h"
#include "os/os.h"
#include "session/export.h"
#include "session/open.h"

static bool fold(const struct wk_selection *question, const struct wk_tree_options *levels, int fd,
		 struct wk_err *err)
{
	struct wk_out out = wk_out_to_fd(fd);
	bool ok = wk_export_folded(question, levels, false, &out, NULL, err);

	if (!wk_out_end(&out) && ok)
		ok = wk_fail_os(err, out.error_number, "cannot write folded stacks");
	return ok && wk_os_rewind(fd);
}

/* Temporary files and not pipes, so that neither side waits for the other. */
static bool run(const char *command, int input, int output, struct wk_err *err)
{
	struct wk_os_program_io io = { .input = input, .output = output };
	struct wk_text_list argv = { 0 };
	int exit_code;

	wk_text_list_add(&argv, wk_os_shell[0]);
	wk_text_list_add_pair(&argv, wk_os_shell[1], command);
	exit_code = wk_os_program_run(argv.at, io, err);
	wk_text_list_fini(&argv);
	if (exit_code > 0)
		wk_fail(err, WK_EIO, WK_NOWHERE, "--post-process: \"%s\" ended with exit code %d",
			command, exit_code);
	return exit_code == 0;
}

static struct wk_model *read_back(const char *path, struct wk_err *err)
{
	const struct wk_open_options args = { .format = "folded" };
	struct wk_model *model = wk_open_paths((const char *const[]){ path, NULL }, &args, NULL,
					       &wk_cli_messages, err);

	if (!model)
		wk_err_in(err, "what --post-process printed");
	return model;
}

struct wk_model *wk_post_process(const struct wk_selection *question, const char *command,
				 const struct wk_tree_options *levels, struct wk_err *err)
{
	char *input_path, *output_path = NULL;
	int input = wk_os_temporary(&input_path);
	int output = input < 0 ? -1 : wk_os_temporary(&output_path);
	struct wk_model *processed = NULL;

	if (output < 0)
		wk_fail_os(err, errno, "cannot make a temporary file");
	else if (fold(question, levels, input, err) && run(command, input, output, err))
		processed = read_back(output_path, err);
	if (input >= 0)
		close(input);
	if (output >= 0)
		close(output);
	WK_FREE_ALL(input_path, output_path);
	return processed;
}
