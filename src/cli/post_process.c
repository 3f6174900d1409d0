#include "cli/post_process.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/load.h"
#include "render/renderers.h"

static bool fold(const struct wk_model *model, const struct wk_question *question, bool by_process,
		 bool by_thread, int fd, struct wk_err *err)
{
	struct wk_tree_options options = {
		.by_process = by_process,
		.by_thread = by_thread,
		.merge_images = true,
		.merge_files = true,
		.order = WK_TREE_BY_NAME,
		.side = WK_TREE_LARGER,
	};
	struct wk_view view = { .model = model, .quality = &question->quality };
	struct wk_out out = wk_out_to_fd(fd);
	struct wk_tree tree;
	bool ok;

	wk_tree_init(&tree, model, &question->filter, &options);
	view.tree = &tree;
	view.by_weight = tree.only_weights;
	ok = wk_renderer_folded.render(&view, &out, err);
	wk_tree_fini(&tree);
	if (!wk_out_end(&out) && ok)
		ok = wk_fail_os(err, out.error_number, "cannot write folded stacks");
	return ok && lseek(fd, 0, SEEK_SET) == 0;
}

/* Files in between and not pipes, so that neither side waits for the other. */
static bool run(const char *command, int input, int output, struct wk_err *err)
{
	struct wk_child_io io = { .input = input, .output = output };
	struct wk_argv argv = { 0 };
	int exit_code;

	wk_argv_add(&argv, "sh");
	wk_argv_add_pair(&argv, "-c", command);
	exit_code = wk_child_run(&argv, io, err);
	wk_argv_fini(&argv);
	if (exit_code > 0)
		wk_fail(err, WK_EIO, WK_NOWHERE, "--post-process: \"%s\" ended with exit code %d",
			command, exit_code);
	return exit_code == 0;
}

static struct wk_model *read_back(int fd, struct wk_err *err)
{
	const struct wk_load_args args = { .format = "folded" };
	struct wk_buf path = { 0 };
	struct wk_model *model;

	wk_buf_add_fmt(&path, "/proc/self/fd/%d", fd);
	model = wk_load(wk_buf_text(&path), &args, err);
	if (!model)
		wk_err_in(err, "what --post-process printed");
	wk_buf_fini(&path);
	return model;
}

struct wk_model *wk_post_process(const struct wk_model *model, const struct wk_question *question,
				 const char *command, bool by_process, bool by_thread,
				 struct wk_err *err)
{
	FILE *input = tmpfile(), *output = tmpfile();
	struct wk_model *processed = NULL;

	if (!input || !output)
		wk_fail_os(err, errno, "cannot make a temporary file");
	else if (fold(model, question, by_process, by_thread, fileno(input), err) &&
		 run(command, fileno(input), fileno(output), err))
		processed = read_back(fileno(output), err);
	if (input)
		fclose(input);
	if (output)
		fclose(output);
	return processed;
}
