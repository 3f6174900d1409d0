/* Files over http and https, several at once, without threads: one curl_multi.
 *
 * libcurl is loaded when the first file is fetched, so that programs without servers do not need
 * it. Only http and https are used; a server asked over https may redirect to https only.
 * Certificates are checked. Proxies are those of the environment (https_proxy and so on). No name
 * or password is sent except those in the URL.
 *
 * Files that come at once without an announced size may have twice the most that one may have,
 * together. Servers whose answers have no end thus cannot fill the disk eight times over.
 *
 * Order of calls: new; start transfers and run until they are over, any number of times; free. */
#ifndef WK_FETCH_TRANSFER_H
#define WK_FETCH_TRANSFER_H

#include "fetch/fetch_options.h"
#include "fetch/outcome.h"

#define WK_MOST_TRANSFERS 8

struct wk_transfers;

/* The caller fills the first part, and does not move it until the transfer is over. */
struct wk_transfer {
	const char *url, *shown_url; /* shown: without secrets */
	const char *name;            /* of the file, for progress; or NULL */
	int fd;                      /* for the bytes; of no use unless the outcome is DONE */
	uint64_t most_bytes;         /* 0: as in the options */

	struct wk_outcome outcome; /* when it is over */

	struct wk_transfers *owner;
	void *easy; /* NULL: it is over */
	struct wk_undo *undo;
	uint64_t done_bytes, whole_bytes;
	uint64_t page_bytes; /* of the page that comes with an HTTP error */
	char message[256];   /* libcurl's */
};

/* Is the rate so low that the file would never end? A server that sends just enough to avoid the
 * timeout is given up after 15 minutes. */
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

/* False if it was over at once; its outcome says why. */
bool wk_transfers_start(struct wk_transfers *transfers, struct wk_transfer *transfer);
void wk_transfers_cancel(struct wk_transfer *transfer);

/* Continues all of them, for a short time or until one is over. Reports progress with these numbers
 * of jobs; count 0: there is only one. */
void wk_transfers_run(struct wk_transfers *transfers, size_t done_jobs, size_t job_count);

#endif
