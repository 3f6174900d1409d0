/* `wick export --to perf-script`: its options and its row of the table. */
#ifndef WK_CLI_EXPORT_EXPORT_PERF_SCRIPT_H
#define WK_CLI_EXPORT_EXPORT_PERF_SCRIPT_H

#include "cli/options/options.h"

struct wk_perf_script_args {
	struct wk_text_list fields;
	const char *pids, *tids, *comms, *cpus, *functions, *images;
	bool nanoseconds, since_first, since_last, no_demangle, hides_chains;
	bool tasks, mappings, switches, namespaces, cgroups, lost, programs, rounds; /* lines */
	uint64_t most_frames, range_bytes;
};

extern const struct wk_opt_group wk_perf_script_group;

struct wk_export_job;
struct wk_out;
struct wk_err;

bool wk_export_perf_script(const struct wk_export_job *job, struct wk_out *out, struct wk_err *err);

#endif
