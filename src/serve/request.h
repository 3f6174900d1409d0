/* A request of HTTP, and whether it may be answered.
 *
 * Any program of this machine can connect to the server, and any page in the browser can make the
 * browser do so. Only who has the token gets an answer from the recording:
 *
 *	GET /TOKEN/block/names?generation=1
 *	Host: 127.0.0.1:PORT
 *
 * The host is checked because the name of a foreign server can be made to resolve to 127.0.0.1, the
 * origin because a foreign page must not send queries. Nothing here decodes a path: routes are
 * compared as they were sent, so no spelling of a path leads elsewhere. */
#ifndef WK_SERVE_REQUEST_H
#define WK_SERVE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define WK_TOKEN_BYTES  24 /* random */
#define WK_TOKEN_DIGITS (2 * (size_t)WK_TOKEN_BYTES)

#define WK_MOST_BODY_BYTES ((size_t)1 << 20)

/* A header, and how often it was sent: once is right. */
struct wk_header {
	struct wk_str value;
	unsigned count;
};

/* Texts are borrowed. */
struct wk_request {
	struct wk_str method;
	struct wk_buf target; /* as it was sent */
	struct wk_header host, origin, length, transfer, codings;
	struct wk_buf body;
};

void wk_request_fini(struct wk_request *request);

/* Notes a header, if it is one of these, without allocating. */
void wk_request_header(struct wk_request *request, const char *name, const char *value);

/* Whose requests are answered. */
struct wk_site {
	uint16_t port;
	char token[WK_TOKEN_DIGITS + 1];
};

/* Draws the token; false if the system has no random bytes. */
bool wk_site_init(struct wk_site *site);

/* 0, or the status of the refusal. Needs no body and does not allocate. */
unsigned wk_request_refuse(const struct wk_request *request, const struct wk_site *site);

/* Of a request that is not refused. */
bool wk_request_is_post(const struct wk_request *request);

/* What follows the token and its '/', without arguments: "block/names". */
struct wk_str wk_request_route(const struct wk_request *request);

/* Whether there is an argument of that name, even one that cannot be decoded. */
bool wk_request_has(const struct wk_request *request, const char *name);

/* Sets `value` to an argument, decoded; false if it is not there, or not UTF-8 text. */
bool wk_request_argument(const struct wk_request *request, const char *name, struct wk_buf *value);

/* Whether the answer may be packed with gzip. */
bool wk_request_accepts_gzip(const struct wk_request *request);

#endif
