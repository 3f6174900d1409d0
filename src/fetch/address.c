#include "fetch/address.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"

bool wk_address_is_url(struct wk_str text)
{
	return (text.len >= 7 && strncasecmp(text.at, "http://", 7) == 0) ||
	       (text.len >= 8 && strncasecmp(text.at, "https://", 8) == 0);
}

/* "host:8080", or "user:se" of "user:se/cret@host", with a password that is not escaped. */
static bool may_be_password(struct wk_str authority)
{
	struct wk_str host, port;

	if (!wk_str_split(authority, ':', &host, &port) || wk_str_starts(authority, "["))
		return false;
	for (size_t i = 0; i < port.len; i++)
		if (port.at[i] < '0' || port.at[i] > '9')
			return true;
	return false;
}

/* The length up to a query. */
static size_t query_at(struct wk_str url)
{
	size_t at = 0;

	while (at < url.len && url.at[at] != '?' && url.at[at] != '#')
		at++;
	return at;
}

static void add_without_query(struct wk_buf *text, struct wk_str url)
{
	size_t len = query_at(url);

	wk_buf_add_str(text, wk_str_of(url.at, len));
	if (len < url.len)
		wk_buf_add_text(text, "?\u2026");
}

void wk_address_add_shown(struct wk_buf *text, struct wk_str url)
{
	struct wk_str scheme, rest;
	size_t host = 0, end = 0;

	if (!wk_str_split(url, ':', &scheme, &rest) || !wk_str_starts(rest, "//")) {
		wk_buf_add_str(text, url);
		return;
	}
	rest = wk_str_skip(rest, 2);
	while (end < rest.len && !strchr("/?#", rest.at[end]))
		end++;
	if (!memchr(rest.at, '@', end) && may_be_password(wk_str_of(rest.at, end)))
		end = rest.len;
	for (size_t i = 0; i < end; i++)
		if (rest.at[i] == '@')
			host = i + 1;
	wk_buf_add_fmt(text, "%.*s://", WK_STR_ARG(scheme));
	add_without_query(text, wk_str_skip(rest, host));
}

void wk_address_add_difference(struct wk_buf *text, struct wk_str url)
{
	struct wk_str query = wk_str_skip(url, query_at(url));

	if (wk_address_is_url(url) && query.len)
		wk_buf_add_fmt(text, " %08" PRIx32, (uint32_t)wk_hash_bytes(query.at, query.len));
}

/* RFC 3986's unreserved characters. */
static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.' || c == '~';
}

void wk_address_add_escaped(struct wk_buf *url, struct wk_str name)
{
	size_t begin = 0;

	for (size_t i = 0; i < name.len; i++)
		if (!is_unreserved(name.at[i])) {
			wk_buf_add(url, name.at + begin, i - begin);
			wk_buf_add_fmt(url, "%%%02X", (unsigned char)name.at[i]);
			begin = i + 1;
		}
	wk_buf_add_str(url, wk_str_skip(name, begin));
}
