/* Recordings as the text that `perf script` prints, sample by sample and not by way of a model. */
#ifndef WK_SESSION_PERF_SCRIPT_H
#define WK_SESSION_PERF_SCRIPT_H

#include "base/out.h"
#include "render/perf_script/perf_script.h"
#include "session/open.h"

struct wk_perf_script_export {
	const char *const *paths; /* NULL-terminated */
	const struct wk_open_options *load;
	const struct wk_filter_spec *filter; /* if it selects samples, inputs are read twice */
	const struct wk_perf_script_options *script; /* without filter */
	const struct wk_messages *messages;
};

bool wk_perf_script_export(const struct wk_perf_script_export *job, struct wk_out *out,
			   struct wk_err *err);

#endif
