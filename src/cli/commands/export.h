/* What `wick export` and `wick fold` share: fold is `export --to folded` with options for levels.
 */
#ifndef WK_CLI_COMMANDS_EXPORT_H
#define WK_CLI_COMMANDS_EXPORT_H

#include "cli/command.h"
#include "cli/options/open_options.h"
#include "cli/options/view_options.h"
#include "session/perf_script.h"

struct wk_export_args {
	const char *output, *to;
	bool samples, quiet;
	bool by_thread, no_process, weights, lines; /* of folded stacks */
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
	struct wk_text_list fields;
	struct wk_perf_script_options perf_script; /* without fields and filter */
};

/* `call->args` is a wk_export_args; `format` NULL: chosen by the suffix of its output. */
int wk_export(const struct wk_call *call, const char *format, struct wk_err *err);

#endif
