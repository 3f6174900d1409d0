#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/reader.h"
#include "os/os.h"

/* Does a recording lie there, as a reader that is sure of it sees? */
static bool is_recording(const char *path)
{
	struct wk_os_identity identity;
	struct wk_os_file file;
	struct wk_bytes first;
	bool found = false;

	if (!wk_os_identify(path, &identity, NULL) || !identity.is_regular ||
	    !wk_os_open(path, &file, NULL))
		return false;
	first = wk_bytes_of(file.at, file.size_bytes < WK_PROBE_BYTES ? file.size_bytes
								      : WK_PROBE_BYTES);
	for (size_t i = 0; wk_readers()[i] && !found; i++)
		found = wk_readers()[i]->probe(first) == 100;
	wk_os_close(&file);
	return found;
}

struct wk_out *wk_output_open(struct wk_output *output, const char *path,
			      const struct wk_call *call, struct wk_err *err)
{
	*output = (struct wk_output){ .fd = -1 };
	if (!path || strcmp(path, "-") == 0)
		return call->out;
	/* One slip of the hand, `-o wick.data`, would cost what cannot be recorded again. */
	if (is_recording(path)) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"%s is a recording, which is not overwritten; give -o another name", path);
		return NULL;
	}
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
