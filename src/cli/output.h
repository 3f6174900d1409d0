/* Where a command writes: standard output, or the FILE of --output.
 *
 * wk_output_open hands back the writer to use. wk_output_close ends it; only then, and only on
 * success, a file takes the place of what was there: what lies there is whole, the new or the
 * old. */
#ifndef WK_CLI_OUTPUT_H
#define WK_CLI_OUTPUT_H

#include "cli/command.h"
#include "os/os.h"

struct wk_output {
	struct wk_out file;
	const char *path; /* NULL for standard output */
	struct wk_os_draft draft;
};

/* Whether the FILE of --output may be written by a command that reads `inputs` (NULL-terminated)
 * and writes `forms`, the endings it can keep (NULL-terminated): not over an input, a program or
 * its source, and not where the name promises a form that would not be in it. To be asked before
 * anything is read. */
bool wk_output_allow(const char *path, const char *const *inputs, const char *const *forms,
		     const struct wk_call *call, struct wk_err *err);

/* Whether a file could be written there. To be asked before something that takes long and cannot
 * be done again; of a picture also whether no recording lies there. */
bool wk_output_check(const char *path, struct wk_err *err);
bool wk_output_check_picture(const char *path, struct wk_err *err);

/* `path` NULL or "-" is standard output. NULL on failure, or where a recording lies there. */
struct wk_out *wk_output_open(struct wk_output *output, const char *path,
			      const struct wk_call *call, struct wk_err *err);

/* `ok` false says that the caller failed and what was written is of no use. */
bool wk_output_close(struct wk_output *output, bool ok, struct wk_err *err);

#endif
