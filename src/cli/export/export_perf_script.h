/* `wick export --to perf-script`: its options and its row of the table. */
#ifndef WK_CLI_EXPORT_EXPORT_PERF_SCRIPT_H
#define WK_CLI_EXPORT_EXPORT_PERF_SCRIPT_H

#include "cli/options/options.h"
#include "session/perf_script.h"

struct wk_perf_script_args {
	struct wk_text_list fields;
	struct wk_perf_script_options options; /* without fields and filter */
};

extern const struct wk_opt_group wk_perf_script_group;

struct wk_export_job;

bool wk_export_perf_script(const struct wk_export_job *job, struct wk_out *out, struct wk_err *err);

#endif
