#include "fetch/symbol_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "fetch/address.h"

/* What `srv*` with nothing behind it means to Microsoft's debuggers. */
#define DEFAULT_SERVER "https://msdl.microsoft.com/download/symbols"

struct adding {
	struct wk_symbol_path *path;
	struct wk_str element; /* for messages */
	struct wk_str default_cache;
	size_t first_cache; /* of this element */
	struct wk_err *err;
};

/* How long what stands behind the path of an address is, up to the next place. */
static size_t query_len(struct wk_str text)
{
	size_t len = 0;

	while (len < text.len && text.at[len] != '*' && text.at[len] != ';')
		len++;
	return len;
}

/* What stands between "://" and '@' is nobody's to read, nor is what stands behind a '?'. */
static void add_without_secrets(struct wk_buf *shown, struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		size_t behind = i + 3, at = 0;

		wk_buf_add_char(shown, text.at[i]);
		if (text.at[i] == '?') {
			wk_buf_add_text(shown, "\u2026");
			i += query_len(wk_str_skip(text, i)) - 1;
		}
		if (!wk_str_starts(wk_str_skip(text, i), "://"))
			continue;
		for (size_t k = behind; k < text.len && !wk_str_starts(wk_str_skip(text, k), "://");
		     k++)
			at = text.at[k] == '@' ? k : at;
		wk_buf_add_text(shown, "//");
		i = at ? at : behind - 1;
	}
}

static bool fail_element(struct adding *a, const char *why)
{
	struct wk_buf shown = { 0 };

	add_without_secrets(&shown, a->element);
	wk_fail(a->err, WK_EUSAGE, WK_NOWHERE, "symbol path \"%.200s\": %s", wk_buf_text(&shown),
		why);
	wk_buf_fini(&shown);
	return false;
}

static bool starts_word(struct wk_str text, const char *word)
{
	size_t len = strlen(word);

	return text.len >= len && strncasecmp(text.at, word, len) == 0;
}

static bool is_word(struct wk_str text, const char *word)
{
	return text.len == strlen(word) && starts_word(text, word);
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct wk_str trim(struct wk_str text)
{
	while (text.len && is_blank(text.at[0]))
		text = wk_str_skip(text, 1);
	while (text.len && is_blank(text.at[text.len - 1]))
		text.len--;
	return text;
}

static struct wk_str without_quotes(struct wk_str text)
{
	text = trim(text);
	if (text.len >= 2 && text.at[0] == '"' && text.at[text.len - 1] == '"')
		text = trim(wk_str_of(text.at + 1, text.len - 2));
	return text;
}

static bool has_drive(struct wk_str text)
{
	return text.len >= 2 && isalpha((unsigned char)text.at[0]) && text.at[1] == ':';
}

static bool is_share(struct wk_str text)
{
	return text.len >= 2 && text.at[0] == '\\' && text.at[1] == '\\';
}

static bool is_windows(struct wk_str text)
{
	return has_drive(text) || is_share(text);
}

/* "C:\" and "/" end with the slash that makes them what they are. */
static size_t root_bytes(struct wk_str text)
{
	if (has_drive(text))
		return 3;
	return is_share(text) ? 2 : 1;
}

/* A copy without slashes at the end. Backslashes of a path from nowhere ("syms\win") are slashes on
 * every system; in one that begins with '/' they may be part of a name. */
static struct wk_str keep_place(struct wk_symbol_path *path, struct wk_str text)
{
	bool is_foreign =
		is_windows(text) || wk_address_is_url(text) || (text.len && text.at[0] == '/');
	struct wk_buf kept = { 0 };
	struct wk_str copy;

	while (text.len > root_bytes(text) &&
	       (is_windows(text) || !is_foreign ? is_slash(text.at[text.len - 1])
						: text.at[text.len - 1] == '/'))
		text.len--;
	for (size_t i = 0; i < text.len; i++)
		wk_buf_add_char(&kept, !is_foreign && text.at[i] == '\\' ? '/' : text.at[i]);
	copy = wk_arena_copy(&path->texts, wk_buf_str(&kept));
	wk_buf_fini(&kept);
	return copy;
}

/* "ftp://server", which would make a strange folder. */
static bool has_scheme(struct wk_str where)
{
	for (size_t i = 0; i + 3 <= where.len && !has_drive(where); i++)
		if (memcmp(where.at + i, "://", 3) == 0)
			return true;
	return false;
}

static bool names_server(struct wk_str url)
{
	struct wk_str scheme, rest;

	wk_str_split(url, '/', &scheme, &rest);
	rest = wk_str_skip(rest, 1);
	return rest.len > 0 && rest.at[0] != '/';
}

static bool check_place(struct adding *a, struct wk_str where)
{
	if (memchr(where.at, '\0', where.len))
		return fail_element(a, "a NUL byte is part of no path");
	if (!wk_address_is_url(where))
		return !has_scheme(where) || fail_element(a, "only http:// and https:// are asked");
	for (size_t i = 0; i < where.len; i++)
		if ((unsigned char)where.at[i] <= ' ' || where.at[i] == 0x7f)
			return fail_element(a, "an address has no blanks in it");
	return names_server(where) || fail_element(a, "the address names no server");
}

/* The one server that is known: it has two tiers and ignores letter case. */
static bool is_default(const struct wk_symbol_place *place)
{
	return place->kind == WK_SYMBOL_SERVER && is_word(place->where, DEFAULT_SERVER);
}

static bool is_there(const struct wk_symbol_path *path, const struct wk_symbol_place *place)
{
	for (size_t i = 0; i < path->count; i++)
		if (path->places[i].kind <= place->kind &&
		    wk_str_eq(path->places[i].where, place->where))
			return true;
	return false;
}

/* The caches that this element has so far, nearest first: those that are nearer than the place. */
static size_t caches_before(const struct adding *a, struct wk_str where)
{
	size_t count = 0, most = a->path->caches_count - a->first_cache;

	while (count < most && !wk_str_eq(a->path->caches[a->first_cache + count], where))
		count++;
	return count;
}

/* One that is there already is not asked again. */
static bool add_place(struct adding *a, enum wk_symbol_place_kind kind, struct wk_str where)
{
	struct wk_symbol_path *path = a->path;
	struct wk_symbol_place place = { .kind = kind, .is_windows = is_windows(where) };

	if (!check_place(a, where))
		return false;
	if (path->count == WK_MOST_SYMBOL_PLACES)
		return fail_element(a, "the path has too many elements");
	place.where = keep_place(path, where);
	place.first_cache = a->first_cache;
	place.cache_count = caches_before(a, place.where);
	if (is_there(path, &place))
		return true;
	place.is_default = is_default(&place);
	if (place.is_default)
		place.tiers = WK_SYMBOL_TWO_TIERS;
	path->places = wk_grow(path->places, &path->cap, path->count + 1, sizeof(*path->places));
	path->places[path->count++] = place;
	return true;
}

/* For the places that follow in this element. The text is the path's own. */
static bool add_cache(struct adding *a, struct wk_str where)
{
	struct wk_symbol_path *path = a->path;

	for (size_t i = a->first_cache; i < path->caches_count; i++)
		if (wk_str_eq(path->caches[i], where))
			return true;
	if (path->caches_count - a->first_cache == WK_MOST_SYMBOL_CACHES)
		return fail_element(a, "that are too many caches");
	path->caches = wk_grow(path->caches, &path->caches_cap, path->caches_count + 1,
			       sizeof(*path->caches));
	path->caches[path->caches_count++] = where;
	return true;
}

/* Each element begins with the folders of `cache` elements before it. */
static bool begin_caches(struct adding *a)
{
	a->first_cache = a->path->caches_count;
	for (size_t i = 0; i < a->path->for_all_count; i++)
		if (!add_cache(a, a->path->for_all[i]))
			return false;
	return true;
}

/* A server's files are kept somewhere, or else they would be fetched each time. */
static bool add_server(struct adding *a, struct wk_str where)
{
	if (a->path->caches_count == a->first_cache && a->default_cache.len &&
	    !add_cache(a, keep_place(a->path, a->default_cache)))
		return false;
	return add_place(a, WK_SYMBOL_SERVER, where);
}

static bool add_folder(struct adding *a, struct wk_str where)
{
	return wk_address_is_url(where) ? add_server(a, where)
					: add_place(a, WK_SYMBOL_FOLDER, where);
}

/* One of a row of stores. A server takes no copies, so it is no cache for those behind it. */
static bool add_store(struct adding *a, struct wk_str where)
{
	if (wk_address_is_url(where))
		return add_server(a, where);
	if (where.len == 0)
		where = a->default_cache;
	if (where.len == 0)
		return true;
	return add_place(a, WK_SYMBOL_STORE, where) && add_cache(a, keep_place(a->path, where));
}

static bool add_stores(struct adding *a, struct wk_str stores)
{
	struct wk_str store;
	bool is_more;

	if (stores.len == 0)
		return add_server(a, wk_str_c(DEFAULT_SERVER));
	do {
		is_more = wk_str_split(stores, '*', &store, &stores);
		if (!add_store(a, trim(store)))
			return false;
	} while (is_more);
	return true;
}

static bool add_cache_element(struct adding *a, struct wk_str where)
{
	struct wk_symbol_path *path = a->path;

	if (memchr(where.at, '*', where.len))
		return fail_element(a, "cache* takes one folder");
	if (wk_address_is_url(where))
		return fail_element(a, "a cache is a folder, and this is an address");
	if (where.len == 0)
		where = a->default_cache;
	if (where.len == 0)
		return true;
	if (path->for_all_count == WK_MOST_SYMBOL_CACHES)
		return fail_element(a, "that are too many caches");
	if (!add_place(a, WK_SYMBOL_STORE, where))
		return false;
	path->for_all[path->for_all_count++] = keep_place(path, where);
	return true;
}

/* Microsoft's debuggers load a DLL that knows how to ask a server. */
static bool add_symsrv_element(struct adding *a, struct wk_str rest)
{
	struct wk_str dll, stores;

	wk_str_split(rest, '*', &dll, &stores);
	for (size_t i = dll.len; i > 0; i--)
		if (is_slash(dll.at[i - 1])) {
			dll = wk_str_skip(dll, i);
			break;
		}
	if (!is_word(dll, "symsrv.dll"))
		return fail_element(a, "symsrv* is followed by symsrv.dll, and no other DLL is "
				       "known here");
	return add_stores(a, stores);
}

static bool add_element(struct adding *a)
{
	struct wk_str element = a->element;

	if (!begin_caches(a))
		return false;
	if (starts_word(element, "srv*"))
		return add_stores(a, wk_str_skip(element, 4));
	if (starts_word(element, "cache*"))
		return add_cache_element(a, trim(wk_str_skip(element, 6)));
	if (starts_word(element, "symsrv*"))
		return add_symsrv_element(a, wk_str_skip(element, 7));
	if (memchr(element.at, '*', element.len))
		return fail_element(a, "what stands before the first * is none of srv, symsrv and "
				       "cache");
	return add_folder(a, element);
}

bool wk_symbol_path_add(struct wk_symbol_path *path, struct wk_str text,
			struct wk_str default_cache, struct wk_err *err)
{
	struct adding a = { .path = path, .default_cache = default_cache, .err = err };
	bool is_more = text.len > 0;

	while (is_more) {
		is_more = wk_str_split(text, ';', &a.element, &text);
		a.element = without_quotes(a.element);
		if (a.element.len && !add_element(&a))
			return false;
	}
	return true;
}

bool wk_symbol_path_begin_with(struct wk_symbol_path *path, struct wk_str folder)
{
	struct wk_symbol_place place = {
		.kind = WK_SYMBOL_FOLDER, .where = folder, .is_windows = is_windows(folder) };

	if (path->count == WK_MOST_SYMBOL_PLACES || is_there(path, &place))
		return false;
	place.where = wk_arena_copy(&path->texts, folder);
	path->places = wk_grow(path->places, &path->cap, path->count + 1, sizeof(*path->places));
	memmove(path->places + 1, path->places, path->count * sizeof(*path->places));
	path->places[0] = place;
	path->count++;
	return true;
}

void wk_symbol_path_fini(struct wk_symbol_path *path)
{
	wk_free(path->places);
	wk_free(path->caches);
	wk_arena_fini(&path->texts);
	*path = (struct wk_symbol_path){ 0 };
}

bool wk_symbol_pointer_read(struct wk_str text, struct wk_str *path, struct wk_err *err)
{
	struct wk_str line, rest;

	wk_str_split(trim(text), '\n', &line, &rest);
	line = trim(line);
	if (starts_word(line, "PATH:") && trim(wk_str_skip(line, 5)).len) {
		*path = trim(wk_str_skip(line, 5));
		return true;
	}
	if (starts_word(line, "MSG:")) {
		line = trim(wk_str_skip(line, 4));
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "the symbol store says of this file: %.*s",
			       (int)(line.len < 300 ? line.len : 300), line.at);
	}
	return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
		       "file.ptr begins neither with PATH: nor with MSG:");
}
