/* Files over http and https, several at once, without threads: one curl_multi.
 *
 * libcurl is loaded when the first file is fetched, so that programs without servers neither need
 * it nor wait for it. Only http and https are used; a server asked over https may redirect to
 * https only. Certificates are checked. Proxies are those of the environment (https_proxy and so
 * on). No name or password is sent but those in the URL.
 *
 * Of all files that come at once only one may exceed an eighth of what a file may have; the others
 * pause until the search of that one ends (wk_transfers_end_turn), in the order of their jobs. A
 * server whose answers have no end thus cannot fill the disk eight times over.
 *
 * Order of calls: new; start transfers and run until they are over, as often as wished; free. */
#ifndef WK_FETCH_TRANSFER_H
#define WK_FETCH_TRANSFER_H

#include "fetch/fetch_options.h"
#include "fetch/outcome.h"

#define WK_MOST_TRANSFERS 8

struct wk_transfers;

/* The caller fills the first part, and keeps it in place until the transfer is over. */
struct wk_transfer {
	const char *url, *shown_url; /* shown: without secrets */
	const char *name;            /* of the file, for progress; or NULL */
	int fd;                      /* for the bytes; of no use unless the outcome is DONE */
	uint64_t most_bytes;         /* 0: as the options say */
	size_t job;                  /* lower numbers go first */

	struct wk_outcome outcome; /* NONE while it runs */
	bool is_paused;            /* until another large file ends */

	struct wk_transfers *owner;
	void *easy;
	struct wk_undo *undo;
	uint64_t done_bytes, whole_bytes;
	uint64_t begun_ns, window_ns, window_bytes; /* the rate is measured since window_ns */
	uint64_t page_bytes, page_ns, page_seen_ns; /* of the page that comes with a refusal */
	uint64_t paused_ns;
	enum wk_outcome_kind fault; /* why it was aborted */
	int write_errno;
	char message[256]; /* libcurl's */
};

/* Is a file that took `for_ns` for so many bytes as good as endless? A server that sends just
 * enough to be waited for is not waited for very long. */
static inline bool wk_transfer_is_hopeless(uint64_t for_ns, uint64_t bytes)
{
	uint64_t seconds = for_ns / 1000000000u;

	return seconds >= 15 * 60 && bytes / seconds < 32 * 1024;
}

/* Was wick built with libcurl? */
bool wk_transfers_are_possible(struct wk_err *err);

/* The options must have their limits filled in. */
struct wk_transfers *wk_transfers_new(const struct wk_fetch_options *options);
void wk_transfers_free(struct wk_transfers *transfers);

/* False if it was over at once, as its outcome says. */
bool wk_transfers_start(struct wk_transfers *transfers, struct wk_transfer *transfer);
void wk_transfers_cancel(struct wk_transfer *transfer);

/* Goes on with all of them, for a short time or until one is over. */
void wk_transfers_run(struct wk_transfers *transfers);

/* The job needs no large file any more. */
void wk_transfers_end_turn(struct wk_transfers *transfers, size_t job);

/* What every report of progress says of the jobs; count 0: there is just one. */
void wk_transfers_set_jobs(struct wk_transfers *transfers, size_t done, size_t count);

/* Reports the progress of the running transfer with the lowest job. */
void wk_transfers_report(const struct wk_transfers *transfers);

#endif
