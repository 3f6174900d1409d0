/* What `wick export` writes: a table of forms, one row each.
 *
 * A form is either a renderer over the model, or a function of its own that reads the files
 * event by event (`stream`), for what the model does not keep. To add one: a row in
 * export_targets.c, its name in wk_export_names, its page in docs/export.md, its test. */
#ifndef WK_CLI_EXPORT_EXPORT_H
#define WK_CLI_EXPORT_EXPORT_H

#include "cli/export/export_perf_script.h"
#include "session/open.h"

/* What a stream is told: the words typed. */
struct wk_export_job {
	const char *const *paths; /* NULL-terminated */
	const struct wk_open_options *load;
	const struct wk_filter_spec *filter;
	const struct wk_perf_script_args *perf_script;
};

struct wk_export_target {
	const char *name, *summary;
	const char *const *suffixes; /* of files that are clearly of this form; may be empty */
	const char *ending;          /* of files it may be written to, without its dot */
	bool is_binary;              /* of no use on a terminal */
	bool is_packed;              /* with gzip, whatever the file is called */
	/* NULL: the renderer of that name. */
	bool (*stream)(const struct wk_export_job *job, struct wk_out *out, struct wk_err *err);
};

/* Ends with a NULL name. */
extern const struct wk_export_target wk_export_targets[];

/* Their names in the same order, ending with NULL. */
extern const char *const wk_export_names[];

/* NULL where there is none of that name. */
const struct wk_export_target *wk_export_find(const char *name);

/* The form that a file's name says, ".gz" behind it aside; NULL where it says none. */
const struct wk_export_target *wk_export_by_path(const char *path);

#endif
