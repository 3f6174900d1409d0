#include "fetch/remote_places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fetch/store.h"

#define MOST_SERVER 2048 /* characters of a server's name */

static bool is_url(struct wk_str text)
{
	return wk_str_starts(text, "http://") || wk_str_starts(text, "https://");
}

/* "host:8080", or "user:se" of "user:se/cret@host", whose password nobody escaped. */
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

/* How much of it is there before a query. */
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

void wk_remote_add_shown(struct wk_buf *text, struct wk_str url)
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

void wk_remote_add_difference(struct wk_buf *text, struct wk_str url)
{
	struct wk_str query = wk_str_skip(url, query_at(url));

	if (is_url(url) && query.len)
		wk_buf_add_fmt(text, " %08" PRIx32, (uint32_t)wk_hash_bytes(query.at, query.len));
}

static char *without_secrets(struct wk_str url)
{
	struct wk_buf text = { 0 };

	wk_remote_add_shown(&text, url);
	wk_buf_text(&text);
	return text.at;
}

static enum wk_remote_layout read_layout(struct wk_str *word)
{
	if (wk_str_starts(*word, "ssqp:")) {
		*word = wk_str_skip(*word, strlen("ssqp:"));
		return WK_REMOTE_SSQP;
	}
	if (wk_str_starts(*word, "store:")) {
		*word = wk_str_skip(*word, strlen("store:"));
		return WK_REMOTE_STORE;
	}
	return is_url(*word) ? WK_REMOTE_DEBUGINFOD : WK_REMOTE_STORE;
}

static bool is_printable(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] <= ' ' || text.at[i] == 0x7f)
			return false;
	return true;
}

/* So that a server's name without its scheme is not taken for a folder. */
static bool is_folder_name(struct wk_str place)
{
	return place.len > 0 && (place.at[0] == '/' || place.at[0] == '.');
}

static char *with_difference(const char *shown, struct wk_str url)
{
	struct wk_buf text = { 0 };

	wk_buf_add_text(&text, shown);
	wk_remote_add_difference(&text, url);
	wk_buf_text(&text);
	return text.at;
}

static bool fail_no_url(struct wk_str place, struct wk_err *err)
{
	char *shown = without_secrets(place);

	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "symbol server \"%.200s\" is no URL", shown);
	wk_free(shown);
	return false;
}

bool wk_remote_server_read(struct wk_remote_server *server, const char *word, struct wk_err *err)
{
	struct wk_str place = wk_str_c(word);

	*server = (struct wk_remote_server){ .layout = read_layout(&place) };
	server->is_folder = !is_url(place);
	if (server->is_folder && strchr(word, ':') && !is_folder_name(place))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "symbol server \"%.200s\": only http:// and https:// are asked, and "
			       "folders looked into",
			       word);
	if (server->is_folder && !is_folder_name(place))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "symbol server \"%.200s\" is neither a URL, which begins with "
			       "http:// or https://, nor a folder, which begins with / or .",
			       word);
	while (place.len > 1 && place.at[place.len - 1] == '/')
		place.len--;
	if (place.len > MOST_SERVER || (!server->is_folder && !is_printable(place)) ||
	    (!server->is_folder && wk_str_ends(place, ":")))
		return fail_no_url(place, err);
	server->base = wk_strndup(place.at, place.len);
	server->shown =
		server->is_folder ? wk_strndup(place.at, place.len) : without_secrets(place);
	server->remembered_as = with_difference(server->shown, place);
	return true;
}

void wk_remote_server_fini(struct wk_remote_server *server)
{
	wk_free(server->base);
	wk_free(server->shown);
	wk_free(server->remembered_as);
	*server = (struct wk_remote_server){ 0 };
}

/* Ids are 8, 16 or 20 bytes long; that one of 20 ends in four zeros by chance happens to one
 * in four thousand millions. */
struct wk_build_id wk_remote_id(const struct wk_build_id *id)
{
	struct wk_build_id trimmed = *id;
	uint8_t used = id->size;

	while (used > 0 && id->bytes[used - 1] == 0)
		used--;
	if (id->size == sizeof(id->bytes) && used <= 16)
		trimmed.size = used <= 8 ? 8 : 16;
	return trimmed;
}

void wk_remote_add_escaped(struct wk_buf *url, struct wk_str name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.~";

	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] && strchr(plain, name.at[i]))
			wk_buf_add_char(url, name.at[i]);
		else
			wk_buf_add_fmt(url, "%%%02X", (unsigned char)name.at[i]);
	}
}

static void add_name(struct wk_buf *place, const struct wk_remote_server *server,
		     struct wk_str name)
{
	if (server->is_folder)
		wk_buf_add_str(place, name);
	else
		wk_remote_add_escaped(place, name);
}

/* NAME/ID/NAME, behind its first two letters where there are three parts. */
static void add_keyed(struct wk_buf *place, const struct wk_remote_server *server,
		      const struct wk_remote_wish *wish, bool has_three_parts)
{
	struct wk_buf name = { 0 };
	struct wk_str all;

	if (!wk_store_is_name(wish->name))
		return;
	wk_buf_add_str(&name, wish->name);
	if (wish->which == WK_REMOTE_DEBUG)
		wk_buf_add_text(&name, ".debug");
	all = wk_buf_str(&name);
	if (has_three_parts) {
		wk_buf_add_char(place, '/');
		add_name(place, server, wk_str_of(all.at, all.len < 2 ? all.len : 2));
	}
	wk_buf_add_char(place, '/');
	add_name(place, server, all);
	wk_buf_add_char(place, '/');
	wk_store_add_id(place, &wish->id);
	wk_buf_add_char(place, '/');
	add_name(place, server, all);
	wk_buf_fini(&name);
}

static void add_id_tree(struct wk_buf *place, const struct wk_remote_wish *wish)
{
	struct wk_build_id rest = { .size = (uint8_t)(wish->id.size - 1) };

	memcpy(rest.bytes, wish->id.bytes + 1, rest.size);
	wk_buf_add_fmt(place, "/.build-id/%02x/", wish->id.bytes[0]);
	wk_store_add_id(place, &rest);
	if (wish->which == WK_REMOTE_DEBUG)
		wk_buf_add_text(place, ".debug");
}

/* A folder may also be one into which files were copied, by name or with their folders, as perf's
 * --symfs takes it: the debug file, or else the program before it was stripped. */
static bool plain_place(const struct wk_remote_wish *wish, unsigned number, struct wk_buf *place)
{
	bool is_debug = wish->which == WK_REMOTE_DEBUG;
	unsigned step = is_debug ? number / 2 : number;
	const char *behind = is_debug && number % 2 == 0 ? ".debug" : "";

	if (step == 0 && wk_store_is_name(wish->name))
		wk_buf_add_fmt(place, "/%.*s%s", WK_STR_ARG(wish->name), behind);
	else if (step == 1 && wk_store_is_below(wish->path))
		wk_buf_add_fmt(place, "%.*s%s", WK_STR_ARG(wish->path), behind);
	return step < 2;
}

#define KEYED_PLACES 3

static bool store_place(const struct wk_remote_server *server, const struct wk_remote_wish *wish,
			unsigned number, struct wk_buf *place)
{
	if (number >= KEYED_PLACES)
		return server->is_folder && plain_place(wish, number - KEYED_PLACES, place);
	if (number == 0)
		add_id_tree(place, wish);
	else
		add_keyed(place, server, wish, number == 2);
	return true;
}

/* Keys of images go by name, those of debug files do not; ids are filled up to 20 bytes. */
static bool ssqp_place(const struct wk_remote_server *server, const struct wk_remote_wish *wish,
		       unsigned number, struct wk_buf *place)
{
	struct wk_build_id filled = wish->id;
	bool is_debug = wish->which == WK_REMOTE_DEBUG;
	struct wk_str name = is_debug ? wk_str_c("_.debug") : wish->name;

	if (number > 0 || !wk_store_is_name(name))
		return number == 0;
	filled.size = sizeof(filled.bytes);
	wk_buf_add_char(place, '/');
	add_name(place, server, name);
	wk_buf_add_text(place, is_debug ? "/elf-buildid-sym-" : "/elf-buildid-");
	wk_store_add_id(place, &filled);
	wk_buf_add_char(place, '/');
	add_name(place, server, name);
	return true;
}

bool wk_remote_place(const struct wk_remote_server *server, const struct wk_remote_wish *wish,
		     unsigned number, struct wk_buf *place)
{
	wk_buf_reset(place);
	if (server->layout == WK_REMOTE_STORE)
		return store_place(server, wish, number, place);
	if (server->layout == WK_REMOTE_SSQP)
		return ssqp_place(server, wish, number, place);
	wk_buf_add_text(place, "/buildid/");
	wk_store_add_id(place, &wish->id);
	wk_buf_add_text(place, wish->which == WK_REMOTE_DEBUG ? "/debuginfo" : "/executable");
	return number == 0;
}
