#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serve/request.h"

#define TOKEN "0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct wk_site site = { 8123, TOKEN };

struct sent {
	const char *method, *target;
	const char *headers[9]; /* names and values */
};

static struct wk_request request_of(const struct sent *sent)
{
	struct wk_request request = { .method = wk_str_c(sent->method) };

	wk_buf_add_text(&request.target, sent->target);
	for (const char *const *header = sent->headers; *header; header += 2)
		wk_request_header(&request, header[0], header[1]);
	return request;
}

#define OWN  "Host", "127.0.0.1:8123"
#define FROM "Origin", "http://127.0.0.1:8123"

static void only_own_requests_are_answered(void **state)
{
	static const struct {
		unsigned status;
		struct sent sent;
	} cases[] = {
		{ 0, { "GET", "/" TOKEN "/", { OWN } } },
		{ 0, { "GET", "/" TOKEN "/block/names?x", { "hOST", "localhost:8123" } } },
		{ 0, { "GET", "/" TOKEN "/", { OWN, FROM } } },
		{ 0, { "GET", "/" TOKEN "/", { OWN, "Origin", "http://localhost:8123" } } },
		{ 0, { "POST", "/" TOKEN "/", { OWN, FROM, "Content-Length", "1048576" } } },
		{ 413, { "POST", "/" TOKEN "/", { OWN, FROM, "Content-Length", "1048577" } } },
		{ 413, { "GET", "/" TOKEN "/", { OWN, "Content-Length", "1048577" } } },
		{ 411, { "POST", "/" TOKEN "/", { OWN, FROM } } },
		{ 400, { "POST", "/" TOKEN "/", { OWN, FROM, "Content-Length", "-1" } } },
		{ 400,
		  { "POST",
		    "/" TOKEN "/",
		    { OWN, FROM, "Content-Length", "1", "Content-Length", "1" } } },
		{ 403, { "GET", "/" TOKEN "/", { NULL } } },
		{ 403, { "GET", "/" TOKEN "/", { OWN, OWN } } },
		{ 403, { "GET", "/" TOKEN "/", { "Host", "127.0.0.1" } } },
		{ 403, { "GET", "/" TOKEN "/", { "Host", "127.0.0.1:81234" } } },
		{ 403, { "GET", "/" TOKEN "/", { "Host", "evil.example:8123" } } },
		{ 403, { "GET", "/" TOKEN "/", { OWN, FROM, FROM } } },
		{ 403, { "GET", "/" TOKEN "/", { OWN, "Origin", "null" } } },
		{ 403, { "GET", "/" TOKEN "/", { OWN, "Origin", "https://127.0.0.1:8123" } } },
		{ 403, { "POST", "/" TOKEN "/", { OWN, "Content-Length", "1" } } },
		{ 405, { "HEAD", "/" TOKEN "/", { OWN } } },
		{ 405, { "get", "/" TOKEN "/", { OWN } } },
		{ 404, { "GET", "/" TOKEN, { OWN } } },
		{ 404, { "GET", "/" TOKEN "0/", { OWN } } },
		{ 404, { "GET", "/1123456789abcdef0123456789abcdef0123456789abcdef/", { OWN } } },
		{ 404, { "GET", "/0123456789abcdef0123456789abcdef0123456789abcdee/", { OWN } } },
		{ 404, { "GET", "x" TOKEN "/", { OWN } } },
		{ 404, { "GET", "/", { OWN } } },
		{ 404, { "GET", "", { OWN } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wk_request request = request_of(&cases[i].sent);
		unsigned status = wk_request_refuse(&request, &site);

		if (status != cases[i].status)
			print_error("case %zu: %s %s\n", i, cases[i].sent.method,
				    cases[i].sent.target);
		assert_int_equal(status, cases[i].status);
		wk_request_fini(&request);
	}
}

/* "-": there is none. */
static void argument_is(const char *target, const char *name, const char *expected)
{
	struct wk_request request = request_of(&(struct sent){ "GET", target, { OWN } });
	struct wk_buf value = { 0 };

	assert_int_equal(wk_request_refuse(&request, &site), 0);
	assert_string_equal(wk_request_argument(&request, name, &value) ? wk_buf_text(&value) : "-",
			    expected);
	wk_buf_fini(&value);
	wk_request_fini(&request);
}

static void arguments_are_decoded_once(void **state)
{
	(void)state;
	argument_is("/" TOKEN "/x?a=1&b=2", "b", "2");
	argument_is("/" TOKEN "/x?a=1&a=2", "a", "1");
	argument_is("/" TOKEN "/x?a", "a", "");
	argument_is("/" TOKEN "/x?aa=1", "a", "-");
	argument_is("/" TOKEN "/x", "a", "-");
	argument_is("/" TOKEN "/a=1", "a", "-");
	argument_is("/" TOKEN "/x?a=%2541+%26%c3%A4=?", "a", "%41 &\xc3\xa4=?");
	argument_is("/" TOKEN "/x?a=%", "a", "-");
	argument_is("/" TOKEN "/x?a=%4", "a", "-");
	argument_is("/" TOKEN "/x?a=%g0", "a", "-");
	argument_is("/" TOKEN "/x?a=b%00c", "a", "-");
	argument_is("/" TOKEN "/x?a=%ff", "a", "-");
}

static void routes_are_not_decoded(void **state)
{
	static const char *const routes[] = { "", "block/names", "../x", "%2e%2e/x", "a//b" };

	(void)state;
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		struct wk_request request = { 0 };

		wk_buf_add_fmt(&request.target, "/" TOKEN "/%s?x=y?z", routes[i]);
		assert_true(wk_str_is(wk_request_route(&request), routes[i]));
		wk_request_fini(&request);
	}
}

static void gzip_is_for_those_who_accept_it(void **state)
{
	static const struct {
		const char *codings;
		bool accepts;
	} cases[] = {
		{ "gzip", true },
		{ "br, GZIP;q=0.5", true },
		{ "deflate,gzip ; q=1", true },
		{ "gzip;q=0", false },
		{ "gzip; q=0.000", false },
		{ "br", false },
		{ "xgzip, gzipx", false },
		{ "", false },
		{ "gzip;q=0.001", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wk_request request = { 0 };

		wk_request_header(&request, "Accept-Encoding", cases[i].codings);
		assert_int_equal(wk_request_accepts_gzip(&request), cases[i].accepts);
	}
}

static void each_site_has_another_token(void **state)
{
	struct wk_site sites[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_true(wk_site_init(&sites[i]));
		assert_int_equal(strspn(sites[i].token, "0123456789abcdef"), WK_TOKEN_DIGITS);
		assert_int_equal(strlen(sites[i].token), WK_TOKEN_DIGITS);
	}
	assert_string_not_equal(sites[0].token, sites[1].token);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_own_requests_are_answered),
		cmocka_unit_test(arguments_are_decoded_once),
		cmocka_unit_test(routes_are_not_decoded),
		cmocka_unit_test(gzip_is_for_those_who_accept_it),
		cmocka_unit_test(each_site_has_another_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
