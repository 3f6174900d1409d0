#include "fetch/symbol_path.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/address.h"

/* What `srv*` without a store means to Microsoft's debuggers. */
#define DEFAULT_SERVER "https://msdl.microsoft.com/download/symbols"

struct adding {
	struct wk_symbol_path *path;
	struct wk_str element; /* for messages */
	struct wk_str default_cache;
	struct wk_symbol_caches caches; /* of this element so far */
	struct wk_err *err;
};

/* Nothing between "://" and '@' is shown, and no query. */
static void add_without_secrets(struct wk_buf *shown, struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (wk_str_starts(wk_str_skip(text, i), "://")) {
			wk_buf_add_text(shown, "://");
			i += 2;
			for (size_t k = i + 1;
			     k < text.len && !wk_str_starts(wk_str_skip(text, k), "://"); k++)
				if (text.at[k] == '@')
					i = k;
		} else if (text.at[i] == '?') {
			wk_buf_add_text(shown, "?\u2026");
			while (i + 1 < text.len && text.at[i + 1] != '*' && text.at[i + 1] != ';')
				i++;
		} else {
			wk_buf_add_char(shown, text.at[i]);
		}
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

/* Skips `word`, in any letter case. */
static bool skip_word(struct wk_str *text, const char *word)
{
	size_t len = strlen(word);

	if (text->len < len || !wk_str_is_any_case(wk_str_of(text->at, len), word))
		return false;
	*text = wk_str_skip(*text, len);
	return true;
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static struct wk_str trim(struct wk_str text)
{
	static const char blanks[] = " \t\r\n";

	while (text.len && memchr(blanks, text.at[0], 4))
		text = wk_str_skip(text, 1);
	while (text.len && memchr(blanks, text.at[text.len - 1], 4))
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

static bool is_windows(struct wk_str text)
{
	return has_drive(text) || wk_str_starts(text, "\\\\");
}

/* A copy without slashes at the end, except for those of roots: "C:\", "\\" and "/". The
 * backslashes of a relative path ("syms\win") become slashes; in one that begins with '/' they may
 * be part of a name. */
static struct wk_str keep_place(struct wk_symbol_path *path, struct wk_str text)
{
	bool is_relative =
		!is_windows(text) && !wk_address_is_url(text) && !wk_str_starts(text, "/");
	bool has_backslashes = is_windows(text) || is_relative;
	size_t root = has_drive(text) ? 3 : is_windows(text) ? 2 : 1;
	struct wk_buf kept = { 0 };
	struct wk_str copy;

	while (text.len > root &&
	       (text.at[text.len - 1] == '/' || (has_backslashes && text.at[text.len - 1] == '\\')))
		text.len--;
	for (size_t i = 0; i < text.len; i++)
		wk_buf_add_char(&kept, is_relative && text.at[i] == '\\' ? '/' : text.at[i]);
	copy = wk_arena_copy(&path->texts, wk_buf_str(&kept));
	wk_buf_fini(&kept);
	return copy;
}

/* "ftp://server", which would make a strange folder. */
static bool has_scheme(struct wk_str where)
{
	for (size_t i = 0; i < where.len && !has_drive(where); i++)
		if (wk_str_starts(wk_str_skip(where, i), "://"))
			return true;
	return false;
}

static bool names_server(struct wk_str url)
{
	struct wk_str scheme, rest;

	wk_str_split(url, '/', &scheme, &rest);
	return rest.len > 1 && rest.at[1] != '/';
}

static bool check_place(struct adding *a, struct wk_str where)
{
	if (memchr(where.at, '\0', where.len))
		return fail_element(a, "a path contains no NUL byte");
	if (!wk_address_is_url(where))
		return !has_scheme(where) || fail_element(a, "only http:// and https:// are asked");
	for (size_t i = 0; i < where.len; i++)
		if ((unsigned char)where.at[i] <= ' ' || where.at[i] == 0x7f)
			return fail_element(a, "an address contains no blanks");
	return names_server(where) || fail_element(a, "the address contains no server");
}

static bool is_there(const struct wk_symbol_path *path, const struct wk_symbol_place *place)
{
	for (size_t i = 0; i < path->count; i++)
		if (path->places[i].kind <= place->kind &&
		    wk_str_eq(path->places[i].where, place->where))
			return true;
	return false;
}

static void append_place(struct wk_symbol_path *path, const struct wk_symbol_place *place)
{
	*WK_APPEND(path->places, path->count, path->cap) = *place;
}

/* A place has the caches before it in its element. If the path has it already, it is not asked
 * again. */
static bool add_place(struct adding *a, enum wk_symbol_place_kind kind, struct wk_str where)
{
	struct wk_symbol_path *path = a->path;
	struct wk_symbol_place place = { .kind = kind, .is_windows = is_windows(where) };
	struct wk_str *caches;

	if (!check_place(a, where))
		return false;
	if (path->count == WK_MOST_SYMBOL_PLACES)
		return fail_element(a, "the path has too many elements");
	place.where = keep_place(path, where);
	if (is_there(path, &place))
		return true;
	while (place.cache_count < a->caches.count &&
	       !wk_str_eq(a->caches.at[place.cache_count], place.where))
		place.cache_count++;
	caches = wk_arena_alloc(&path->texts, (place.cache_count + 1) * sizeof(*caches));
	memcpy(caches, a->caches.at, place.cache_count * sizeof(*caches));
	place.caches = caches;
	/* The one server that is known: it has two tiers and ignores letter case. */
	place.is_default =
		kind == WK_SYMBOL_SERVER && wk_str_is_any_case(place.where, DEFAULT_SERVER);
	if (place.is_default)
		place.tiers = WK_SYMBOL_TWO_TIERS;
	append_place(path, &place);
	return true;
}

static bool add_cache(struct adding *a, struct wk_symbol_caches *caches, struct wk_str where)
{
	where = keep_place(a->path, where);
	for (size_t i = 0; i < caches->count; i++)
		if (wk_str_eq(caches->at[i], where))
			return true;
	if (caches->count == WK_MOST_SYMBOL_CACHES)
		return fail_element(a, "there are too many caches");
	caches->at[caches->count++] = where;
	return true;
}

/* Without any cache, a server's files would be fetched each time. */
static bool add_server(struct adding *a, struct wk_str where)
{
	return (a->caches.count || !a->default_cache.len ||
		add_cache(a, &a->caches, a->default_cache)) &&
	       add_place(a, WK_SYMBOL_SERVER, where);
}

/* One in a row of stores. Nothing is copied to a server, so it is no cache for those after it. */
static bool add_store(struct adding *a, struct wk_str where)
{
	if (wk_address_is_url(where))
		return add_server(a, where);
	if (where.len == 0)
		where = a->default_cache;
	return where.len == 0 ||
	       (add_place(a, WK_SYMBOL_STORE, where) && add_cache(a, &a->caches, where));
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
	if (memchr(where.at, '*', where.len))
		return fail_element(a, "cache* takes one folder");
	if (wk_address_is_url(where))
		return fail_element(a, "a cache is a folder, and this is an address");
	if (where.len == 0)
		where = a->default_cache;
	return where.len == 0 ||
	       (add_place(a, WK_SYMBOL_STORE, where) && add_cache(a, &a->path->for_all, where));
}

/* Microsoft's debuggers load a DLL that asks the server. */
static bool add_symsrv_element(struct adding *a, struct wk_str rest)
{
	struct wk_str dll, stores;
	size_t begin;

	wk_str_split(rest, '*', &dll, &stores);
	for (begin = dll.len; begin > 0 && !is_slash(dll.at[begin - 1]);)
		begin--;
	return wk_str_is_any_case(wk_str_skip(dll, begin), "symsrv.dll")
		       ? add_stores(a, stores)
		       : fail_element(a, "symsrv* is followed by symsrv.dll, and no other DLL is "
					 "supported");
}

static bool add_element(struct adding *a)
{
	struct wk_str rest = a->element;

	a->caches = a->path->for_all;
	if (skip_word(&rest, "srv*"))
		return add_stores(a, rest);
	if (skip_word(&rest, "cache*"))
		return add_cache_element(a, trim(rest));
	if (skip_word(&rest, "symsrv*"))
		return add_symsrv_element(a, rest);
	if (memchr(rest.at, '*', rest.len))
		return fail_element(a, "the word before the first * is not srv, symsrv or cache");
	return wk_address_is_url(rest) ? add_server(a, rest) : add_place(a, WK_SYMBOL_FOLDER, rest);
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
	append_place(path, &place);
	memmove(path->places + 1, path->places, (path->count - 1) * sizeof(place));
	path->places[0] = place;
	return true;
}

void wk_symbol_path_fini(struct wk_symbol_path *path)
{
	wk_free(path->places);
	wk_arena_fini(&path->texts);
	*path = (struct wk_symbol_path){ 0 };
}

bool wk_symbol_pointer_read(struct wk_str text, struct wk_str *path, struct wk_err *err)
{
	struct wk_str line, rest;

	wk_str_split(trim(text), '\n', &line, &rest);
	line = trim(line);
	if (skip_word(&line, "PATH:") && trim(line).len) {
		*path = trim(line);
		return true;
	}
	if (skip_word(&line, "MSG:")) {
		line = trim(line);
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "the symbol store reports: %.*s",
			       (int)(line.len < 300 ? line.len : 300), line.at);
	}
	return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "file.ptr begins with neither PATH: nor MSG:");
}
