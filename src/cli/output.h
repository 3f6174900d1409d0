/* Where a command writes: standard output, or the FILE of --output.
 *
 * wk_output_open returns the writer to use. wk_output_close ends it; only then, and only on
 * success, a file replaces the previous one, so that the file is always complete. */
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
 * and writes `forms`, the suffixes it supports (NULL-terminated): not over an input, a program or
 * its source, and not if the suffix is of another form. To be called before anything is read. */
bool wk_output_allow(const char *path, const char *const *inputs, const char *const *forms,
		     const struct wk_call *call, struct wk_err *err);

/* Whether a file could be written there; for a picture, also that it would not replace a recording.
 * To be called before something that takes long or cannot be repeated. */
bool wk_output_check(const char *path, struct wk_err *err);
bool wk_output_check_picture(const char *path, struct wk_err *err);

/* `path` NULL or "-" is standard output. NULL on failure, or if a recording would be replaced. */
struct wk_out *wk_output_open(struct wk_output *output, const char *path,
			      const struct wk_call *call, struct wk_err *err);

/* `ok` false: the caller failed, and what was written is dropped. */
bool wk_output_close(struct wk_output *output, bool ok, struct wk_err *err);

#endif
