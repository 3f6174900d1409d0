/* Where a command writes: standard output, or the FILE of --output.
 *
 * wk_output_open hands back the writer to use. wk_output_close ends it; on failure it takes the
 * half-written file away again, so that what lies there is whole. */
#ifndef WK_CLI_OUTPUT_H
#define WK_CLI_OUTPUT_H

#include "cli/command.h"

struct wk_output {
	struct wk_out file;
	const char *path;  /* NULL for standard output */
	int fd;
};

/* `path` NULL or "-" is standard output. NULL on failure, or where a recording lies there. */
struct wk_out *wk_output_open(struct wk_output *output, const char *path,
			      const struct wk_call *call, struct wk_err *err);

/* `ok` false says that the caller failed and what was written is of no use. */
bool wk_output_close(struct wk_output *output, bool ok, struct wk_err *err);

#endif
