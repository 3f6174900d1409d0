/* A recording described in the words of `perf record`, as people have them in scripts:
 *
 *	record -e branch-misses -c 100 --call-graph lbr -g
 *
 * What has a meaning here goes into a wk_record_args; what has none is named. */
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
	struct wk_buf notes;   /* what is done in another way, a sentence a line */
};

/* Wrong usage where perf has no such option, or it has no value that makes sense. */
bool wk_perf_words_read(struct wk_perf_words *perf, const char *line, struct wk_err *err);
void wk_perf_words_fini(struct wk_perf_words *perf);

#endif
