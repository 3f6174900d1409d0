#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"

struct wk_out *wk_output_open(struct wk_output *output, const char *path,
			      const struct wk_call *call, struct wk_err *err)
{
	*output = (struct wk_output){ .fd = -1 };
	if (!path || strcmp(path, "-") == 0)
		return call->out;
	output->fd = wk_os_create(path, false, err);
	if (output->fd < 0)
		return NULL;
	output->path = path;
	output->file = wk_out_to_fd(output->fd);
	return &output->file;
}

/* Only a plain file is taken away: never /dev/null, never a pipe. */
static void discard(const struct wk_output *output)
{
	struct stat info;

	if (fstat(output->fd, &info) == 0 && S_ISREG(info.st_mode))
		unlink(output->path);
}

bool wk_output_close(struct wk_output *output, bool ok, struct wk_err *err)
{
	if (!output->path)
		return ok;
	if (!wk_out_end(&output->file))
		ok = wk_fail_os(err, output->file.error_number, "cannot write %s", output->path);
	if (!ok)
		discard(output);
	if (close(output->fd) != 0 && ok)
		ok = wk_fail_os(err, errno, "cannot write %s", output->path);
	return ok;
}
