/* A server of HTTP on 127.0.0.1: the one interface to libmicrohttpd, which may be missing from a
 * build or a machine; wk_http_new then fails and names it.
 *
 * One thread calls wk_http_run again and again, and in it `route` for each complete request that is
 * not refused (serve/request.h). Each of these is answered once, by wk_http_answer: at once, or
 * later by any thread. So nothing that takes long delays other requests.
 *
 * Connections without a request are closed after a while, the oldest first if there are many: slow
 * and silent clients keep no other out.
 *
 * Order of calls: new, run as long as needed, free; no thread may answer after that. */
#ifndef WK_SERVE_HTTP_H
#define WK_SERVE_HTTP_H

#include "base/err.h"
#include "serve/request.h"

struct wk_http;
struct wk_http_exchange; /* a request and its answer */

struct wk_http_options {
	uint16_t port;      /* 0: any that is free */
	const char *policy; /* the Content-Security-Policy of all answers */
	void (*route)(void *context, struct wk_http_exchange *exchange);
	void *context;
};

struct wk_http_answer {
	unsigned status;
	const char *type; /* the media type */
	struct wk_str body;
	bool is_packed; /* with gzip */

	/* Frees the body once it was sent, in the thread of wk_http_run. NULL: it is static. */
	void (*release)(void *owner);
	void *owner;
};

/* `options` are borrowed. */
struct wk_http *wk_http_new(const struct wk_http_options *options, struct wk_err *err);

/* Requests without an answer get status 503. */
void wk_http_free(struct wk_http *http);

/* "http://127.0.0.1:PORT/TOKEN/" */
const char *wk_http_address(const struct wk_http *http);

/* Handles what comes within about this time, which a signal ends early. */
void wk_http_run(struct wk_http *http, unsigned milliseconds);

const struct wk_request *wk_http_request(const struct wk_http_exchange *exchange);
void wk_http_answer(struct wk_http_exchange *exchange, const struct wk_http_answer *answer);

#endif
