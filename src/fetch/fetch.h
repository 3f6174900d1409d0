/* One file over http or https: the one door to libcurl.
 *
 * The library is loaded when the first file is fetched, so that programs without servers neither
 * need it nor wait for it. Only http and https are spoken, also where a server sends us on, and
 * who was asked by https sends us on to https only. Certificates are checked. Proxies are those
 * of the environment (https_proxy and so on). Nobody is told a name or a password that does not
 * stand in the URL. */
#ifndef WK_FETCH_FETCH_H
#define WK_FETCH_FETCH_H

#include "fetch/remote.h"

struct wk_fetcher;

enum wk_fetched {
	WK_FETCH_DONE,
	WK_FETCH_NOT_THERE,     /* the server has no such file */
	WK_FETCH_FAILED,        /* this file was not to be had */
	WK_FETCH_FORBIDDEN,     /* nor was this: some say so of what they have not */
	WK_FETCH_UNREACHABLE,   /* the server does not answer: there is no use in asking again */
	WK_FETCH_ENDLESS,       /* it sent what has no end, also a refusal, or unpacks to far more
				 * than it is: the same */
	WK_FETCH_IN_VAIN,       /* the fetch's `is_in_vain` said so: `err` is worth nothing */
	WK_FETCH_QUOTA_REACHED, /* for this file: see fetch_room.h */
	WK_FETCH_IMPOSSIBLE,    /* the library is missing, or a place for what comes */
	WK_FETCH_STOPPED,       /* by the options' `is_stopped` */
};

/* Is there no use in asking the same server again? */
static inline bool wk_fetch_is_end(enum wk_fetched fetched)
{
	return fetched == WK_FETCH_UNREACHABLE || fetched == WK_FETCH_ENDLESS ||
	       fetched == WK_FETCH_IMPOSSIBLE || fetched == WK_FETCH_STOPPED;
}

/* What is to be fetched, and how it is called where a person reads it. */
struct wk_fetch {
	const char *url, *shown_url;
	int fd;              /* where the bytes go; of no use unless they were all there */
	uint64_t most_bytes; /* 0: the options' */
	const char *name;    /* of the file, for progress; may be NULL */
	/* Is the server left alone by now? Asked where the file has to wait for others; may be
	 * NULL. */
	bool (*is_in_vain)(void *context);
	void *context;
};

/* A file that came for `for_ns` and has so many bytes by now: is it as good as endless? Whoever
 * sends just enough to be waited for is not waited for very long. */
static inline bool wk_fetch_is_hopeless(uint64_t for_ns, uint64_t bytes)
{
	uint64_t seconds = for_ns / 1000000000u;

	return seconds >= 15 * 60 && bytes / seconds < 32 * 1024;
}

/* Is wick built with what fetching takes? */
bool wk_fetch_is_possible(struct wk_err *err);

/* Limits and progress are those of `options`. A fetcher keeps its connections for the next file,
 * and is one thread's at a time. */
struct wk_fetcher *wk_fetcher_new(const struct wk_remote_options *options);
void wk_fetcher_free(struct wk_fetcher *fetcher);

/* Of a file that comes to more than `free_bytes` the rest waits until `wait_for_turn` returns true;
 * where that returns false the file is given up. For whoever fetches several at once: an answer
 * without an end is not to fill the disk as often as it is asked for. */
void wk_fetcher_share(struct wk_fetcher *fetcher, uint64_t free_bytes,
		      bool (*wait_for_turn)(void *context, const struct wk_fetch *fetch),
		      void *context);

/* Loads the library, which is not for several threads. The first file does so, too. */
bool wk_fetcher_make_ready(struct wk_fetcher *fetcher, struct wk_err *err);

/* What did not go well is told in `err`, without the URL. */
enum wk_fetched wk_fetch(struct wk_fetcher *fetcher, const struct wk_fetch *fetch,
			 struct wk_err *err);

#endif
