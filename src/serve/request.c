#include "serve/request.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text/utf8.h"
#include "os/os.h"

void wk_request_fini(struct wk_request *request)
{
	WK_BUF_FINI_ALL(&request->target, &request->body);
}

void wk_request_header(struct wk_request *request, const char *name, const char *value)
{
	const struct {
		const char *name;
		struct wk_header *header;
	} wanted[] = {
		{ "host", &request->host },
		{ "origin", &request->origin },
		{ "content-length", &request->length },
		{ "transfer-encoding", &request->transfer },
		{ "accept-encoding", &request->codings },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (wk_str_is_any_case(wk_str_c(name), wanted[i].name) &&
		    wanted[i].header->count++ == 0)
			wanted[i].header->value = wk_str_c(value);
}

bool wk_site_init(struct wk_site *site)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[WK_TOKEN_BYTES];

	if (!wk_os_random(bytes, sizeof(bytes)))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		site->token[2 * i] = digits[bytes[i] >> 4];
		site->token[2 * i + 1] = digits[bytes[i] & 15];
	}
	site->token[WK_TOKEN_DIGITS] = '\0';
	return true;
}

/* ---- who asks */

/* "127.0.0.1:PORT" or "localhost:PORT", behind `scheme`. Does not allocate. */
static bool is_own(const struct wk_header *header, const char *scheme, const struct wk_site *site)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	bool is_own = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char own[64];

		snprintf(own, sizeof(own), "%s%s:%u", scheme, names[i], (unsigned)site->port);
		is_own |= wk_str_is(header->value, own);
	}
	return is_own && header->count == 1;
}

/* The time that it takes depends only on the length of the target: it does not show how many digits
 * were right. */
static bool has_token(struct wk_str target, const struct wk_site *site)
{
	unsigned difference = 0;

	if (target.len < WK_TOKEN_DIGITS + 2)
		return false;
	difference |= target.at[0] ^ '/';
	for (size_t i = 0; i < WK_TOKEN_DIGITS; i++)
		difference |= (unsigned char)target.at[1 + i] ^ (unsigned char)site->token[i];
	difference |= target.at[1 + WK_TOKEN_DIGITS] ^ '/';
	return difference == 0;
}

static unsigned refuse_length(const struct wk_request *request)
{
	uint64_t length;

	/* Two ways to tell where the body ends are one too many. */
	if (request->transfer.count && request->length.count)
		return 400;
	if (request->length.count == 0)
		return wk_request_is_post(request) ? 411 : 0;
	if (request->length.count > 1 || !wk_num_u64(request->length.value, &length))
		return 400;
	return length > WK_MOST_BODY_BYTES ? 413 : 0;
}

unsigned wk_request_refuse(const struct wk_request *request, const struct wk_site *site)
{
	bool is_post = wk_request_is_post(request);

	if (!is_own(&request->host, "", site))
		return 403;
	if (!is_post && !wk_str_is(request->method, "GET"))
		return 405;
	if ((is_post || request->origin.count) && !is_own(&request->origin, "http://", site))
		return 403;
	if (!has_token(wk_buf_str(&request->target), site))
		return 404;
	return refuse_length(request);
}

bool wk_request_is_post(const struct wk_request *request)
{
	return wk_str_is(request->method, "POST");
}

/* ---- what is asked */

static struct wk_str behind_token(const struct wk_request *request)
{
	return wk_str_of(request->target.at + WK_TOKEN_DIGITS + 2,
			 request->target.len - WK_TOKEN_DIGITS - 2);
}

struct wk_str wk_request_route(const struct wk_request *request)
{
	struct wk_str route, arguments;

	wk_str_split(behind_token(request), '?', &route, &arguments);
	return route;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
		return (c | 0x20) - 'a' + 10;
	return -1;
}

/* As forms are sent: '+' is a space. */
static bool decode(struct wk_str text, struct wk_buf *plain)
{
	wk_buf_reset(plain);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i] == '+' ? ' ' : text.at[i];

		if (c == '%') {
			int high = i + 2 < text.len ? digit(text.at[i + 1]) : -1;
			int low = i + 2 < text.len ? digit(text.at[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			c = (char)(high << 4 | low);
			i += 2;
		}
		wk_buf_add_char(plain, c);
	}
	return wk_utf8_is_text(wk_buf_str(plain));
}

static bool find_argument(const struct wk_request *request, const char *name, struct wk_str *text)
{
	struct wk_str route, rest, argument, key;
	bool is_more = wk_str_split(behind_token(request), '?', &route, &rest);

	while (is_more) {
		is_more = wk_str_split(rest, '&', &argument, &rest);
		wk_str_split(argument, '=', &key, text);
		if (wk_str_is(key, name))
			return true;
	}
	return false;
}

bool wk_request_has(const struct wk_request *request, const char *name)
{
	struct wk_str text;

	return find_argument(request, name, &text);
}

bool wk_request_argument(const struct wk_request *request, const char *name, struct wk_buf *value)
{
	struct wk_str text;

	return find_argument(request, name, &text) && decode(text, value);
}

/* "q=0", "q=0.000". */
static bool is_never(struct wk_str quality)
{
	if (!wk_str_accept(&quality, "q=0"))
		return false;
	for (size_t i = 0; i < quality.len; i++)
		if (quality.at[i] != '.' && quality.at[i] != '0')
			return false;
	return true;
}

bool wk_request_accepts_gzip(const struct wk_request *request)
{
	struct wk_str rest = request->codings.value, coding, name, quality;
	bool is_more = rest.len > 0;

	while (is_more) {
		is_more = wk_str_split(rest, ',', &coding, &rest);
		wk_str_split(coding, ';', &name, &quality);
		if (wk_str_is_any_case(wk_trim(name), "gzip"))
			return !is_never(wk_trim(quality));
	}
	return false;
}
