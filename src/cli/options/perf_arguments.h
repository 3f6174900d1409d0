/* Options of `perf record`, as they are in scripts:
 *
 *	record -e branch-misses -c 100 --call-graph lbr -g
 *
 * Options that wick supports are stored in a wk_record_args; the others are listed. */
#ifndef WK_CLI_OPTIONS_PERF_ARGUMENTS_H
#define WK_CLI_OPTIONS_PERF_ARGUMENTS_H

#include "cli/options/record_options.h"

struct wk_perf_words {
	char **words; /* the line, split; `record` points into it */
	size_t count, cap;
	struct wk_record_args record;
	const char *output; /* -o; NULL without */
	bool quiet;
	struct wk_buf ignored; /* "-z, --clockid", or empty */
	struct wk_buf notes;   /* what is done differently, one sentence per line */
};

/* Wrong usage if perf has no such option, or its value is invalid. */
bool wk_perf_words_read(struct wk_perf_words *perf, const char *line, struct wk_err *err);
void wk_perf_words_fini(struct wk_perf_words *perf);

#endif
