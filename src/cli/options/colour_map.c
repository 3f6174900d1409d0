#include "cli/options/colour_map.h"

#include <errno.h>

#include "os/os.h"

bool wk_colour_map_read(const char *path, struct wk_colouring *colouring, struct wk_err *err)
{
	struct wk_os_identity identity;
	struct wk_os_file file;
	bool ok;

	if (!wk_os_identify(path, &identity, NULL))
		return wk_colouring_read_map(colouring, wk_str_c(""), err);
	if (!wk_os_open_aside(path, &file, err))
		return false;
	ok = wk_colouring_read_map(colouring, wk_str_of((const char *)file.at, file.size_bytes),
				   err) ||
	     wk_err_in(err, path);
	wk_os_close(&file);
	return ok;
}

bool wk_colour_map_write(const char *path, const struct wk_colouring *colouring, struct wk_err *err)
{
	struct wk_os_draft draft;
	struct wk_out out;
	bool ok;

	if (!wk_os_draft_open(&draft, path, err))
		return false;
	out = wk_out_to_fd(draft.fd);
	wk_colouring_write_map(colouring, &out);
	ok = wk_out_end(&out) || wk_fail_os(err, out.error_number, "cannot write %s", path);
	if (!wk_os_draft_end(&draft, ok) && ok)
		ok = wk_fail_os(err, errno, "cannot write %s", path);
	return ok;
}
