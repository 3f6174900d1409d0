/* Limits and callbacks of everything that fetches. */
#ifndef WK_FETCH_FETCH_OPTIONS_H
#define WK_FETCH_FETCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far fetching has come. Without a URL nothing is being transferred at the moment. */
struct wk_fetch_status {
	const char *url, *name;           /* of a file; name NULL: unknown */
	uint64_t done_bytes, whole_bytes; /* whole: 0 if unknown */
	bool is_done;                     /* the last report about this URL */
	size_t done_jobs, job_count;      /* of a prefetch; count 0: one file is fetched alone */
	bool is_end;                      /* the last report about all of them */
};

struct wk_fetch_options {
	const char *folder;     /* for fetched files; NULL: "remote" in the user's cache folder */
	uint64_t most_bytes;    /* of one file; 0: 2 GiB */
	unsigned wait_seconds;  /* with less than 1 KiB each; 0: 60 */
	unsigned whole_seconds; /* for one file; 0: no limit as long as 32 KiB a second come on
				 * average, which is checked after 15 minutes */
	bool is_offline;        /* no server of a symbol path and no share is asked */
	void (*progress)(void *context, const struct wk_fetch_status *status);
	bool (*is_stopped)(void *context); /* called often; true: nothing more is fetched */
	void *context;
};

#endif
