/* For a wick that was built without libmicrohttpd. */
#include "serve/http.h"

struct wk_http *wk_http_new(const struct wk_http_options *options, struct wk_err *err)
{
	(void)options;
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		"this wick was built without libmicrohttpd, which serves the page; install "
		"libmicrohttpd-dev and build it again, or write the page to a file: "
		"`wick report -o page.html`");
	return NULL;
}

void wk_http_free(struct wk_http *http)
{
	(void)http;
}

const char *wk_http_address(const struct wk_http *http)
{
	(void)http;
	return "";
}

void wk_http_run(struct wk_http *http, unsigned milliseconds)
{
	(void)http;
	(void)milliseconds;
}

const struct wk_request *wk_http_request(const struct wk_http_exchange *exchange)
{
	(void)exchange;
	return NULL;
}

void wk_http_answer(struct wk_http_exchange *exchange, const struct wk_http_answer *answer)
{
	(void)exchange;
	(void)answer;
}
