#include "fetch/symbol_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text/file_name.h"
#include "fetch/remote_places.h"
#include "os/os.h"

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

static bool is_url(struct wk_str text)
{
	return starts_word(text, "http://") || starts_word(text, "https://");
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
	bool is_foreign = is_windows(text) || is_url(text) || (text.len && text.at[0] == '/');
	struct wk_str kept;

	while (text.len > root_bytes(text) &&
	       (is_windows(text) || !is_foreign ? is_slash(text.at[text.len - 1])
						: text.at[text.len - 1] == '/'))
		text.len--;
	kept = wk_arena_copy(&path->texts, text);
	for (size_t i = 0; i < kept.len && !is_foreign; i++)
		if (kept.at[i] == '\\')
			((char *)kept.at)[i] = '/';
	return kept;
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
	if (!is_url(where))
		return !has_scheme(where) || fail_element(a, "only http:// and https:// are asked");
	for (size_t i = 0; i < where.len; i++)
		if ((unsigned char)where.at[i] <= ' ' || where.at[i] == 0x7f)
			return fail_element(a, "an address has no blanks in it");
	return names_server(where) || fail_element(a, "the address names no server");
}

/* The one server of which all is known: it has two tiers and knows no case. */
static bool is_microsofts(const struct wk_symbol_place *place)
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
	if (is_microsofts(&place))
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
	return is_url(where) ? add_server(a, where) : add_place(a, WK_SYMBOL_FOLDER, where);
}

/* One of a row of stores. A server takes no copies, so it is no cache for those behind it. */
static bool add_store(struct adding *a, struct wk_str where)
{
	if (is_url(where))
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
	if (is_url(where))
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

/* How names are spelled: disks that tell case apart may have been filled by tools that do not. */
enum spelling { AS_IS, LOWER_NAME, LOWER_ALL, SPELLINGS };

struct spotting {
	const struct wk_symbol_place *place;
	const struct wk_symbol_wish *wish;
	enum spelling spelling;
	enum wk_symbol_spot_kind kind;
	size_t left; /* ways to go by before the one that is asked for */
	struct wk_symbol_spot *spot;
};

static bool is_key(struct wk_str key)
{
	for (size_t i = 0; i < key.len; i++)
		if (!isalnum((unsigned char)key.at[i]))
			return false;
	return key.len > 0 && key.len <= 255;
}

static bool has_upper(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] >= 'A' && text.at[i] <= 'Z')
			return true;
	return false;
}

static bool is_pdb(struct wk_str name)
{
	return name.len > 4 && is_word(wk_str_skip(name, name.len - 4), ".pdb");
}

static void add_spelled(struct spotting *s, struct wk_str text, bool is_lower)
{
	struct wk_buf *path = &s->spot->path;
	size_t begin = path->len;

	if (s->place->kind == WK_SYMBOL_SERVER)
		wk_remote_add_escaped(path, text);
	else
		wk_buf_add_str(path, text);
	/* Escapes are of bytes that have no case; their digits stay as they are. */
	for (size_t i = begin; is_lower && i < path->len; i++)
		if (path->at[i] == '%')
			i += 2;
		else if (path->at[i] >= 'A' && path->at[i] <= 'Z')
			path->at[i] += 'a' - 'A';
}

static void add_slash(struct spotting *s)
{
	struct wk_buf *path = &s->spot->path;
	struct wk_str where = s->place->where;
	bool is_back = s->place->is_windows && memchr(where.at, '\\', where.len);

	if (path->len == 0 || !is_slash(path->at[path->len - 1]))
		wk_buf_add_char(path, is_back ? '\\' : '/');
}

static void add_name(struct spotting *s, struct wk_str name)
{
	add_spelled(s, name, s->spelling != AS_IS);
}

static void add_leaf(struct spotting *s)
{
	struct wk_str name = s->wish->name;

	switch (s->kind) {
	case WK_SYMBOL_SPOT_FILE:
		add_name(s, name);
		break;
	case WK_SYMBOL_SPOT_CABINET:
		add_name(s, wk_str_of(name.at, name.len - 1));
		wk_buf_add_char(&s->spot->path, '_');
		break;
	case WK_SYMBOL_SPOT_POINTER:
		wk_buf_add_text(&s->spot->path, "file.ptr");
		break;
	case WK_SYMBOL_SPOT_BREAKPAD:
		add_name(s, wk_str_of(name.at, name.len - 4));
		wk_buf_add_text(&s->spot->path, ".sym");
		break;
	}
}

static void begin_path(struct spotting *s)
{
	wk_buf_reset(&s->spot->path);
	wk_buf_add_str(&s->spot->path, s->place->where);
	add_slash(s);
}

/* Is this way the one that is asked for? */
static bool is_the_one(struct spotting *s, bool has_key)
{
	if (s->left-- > 0)
		return false;
	s->spot->kind = s->kind;
	s->spot->has_key = has_key;
	begin_path(s);
	return true;
}

static bool in_store(struct spotting *s, bool has_three_tiers)
{
	struct wk_str name = s->wish->name;

	if (!is_the_one(s, true))
		return false;
	if (has_three_tiers) {
		add_name(s, wk_str_of(name.at, name.len < 2 ? name.len : 2));
		add_slash(s);
	}
	add_name(s, name);
	add_slash(s);
	add_spelled(s, s->wish->key, s->spelling == LOWER_ALL);
	add_slash(s);
	add_leaf(s);
	return true;
}

/* DIR/name, DIR/dll/name and DIR/symbols/dll/name. */
static bool in_folder(struct spotting *s, struct wk_str suffix, bool is_below_symbols)
{
	if (!is_the_one(s, false))
		return false;
	if (is_below_symbols) {
		wk_buf_add_text(&s->spot->path, "symbols");
		add_slash(s);
	}
	if (suffix.len) {
		add_name(s, suffix);
		add_slash(s);
	}
	add_leaf(s);
	return true;
}

static bool in_sorted_folders(struct spotting *s)
{
	static const struct wk_str usual[] = { WK_STR("dll"), WK_STR("exe"), WK_STR("sys") };
	bool is_told = wk_file_name_is_windows(s->wish->suffix);
	const struct wk_str *suffixes = is_told ? &s->wish->suffix : usual;

	for (size_t i = 0; i < (is_told ? 1 : sizeof(usual) / sizeof(usual[0])); i++)
		if (in_folder(s, suffixes[i], false) || in_folder(s, suffixes[i], true))
			return true;
	return false;
}

/* Breakpad's text is of PDBs, of programs that crash alone, and lies in stores of its own tools,
 * which have two tiers. */
static bool may_be_breakpad(const struct spotting *s, bool has_three_tiers)
{
	return is_pdb(s->wish->name) &&
	       (s->place->kind != WK_SYMBOL_SERVER ||
		(!has_three_tiers && !is_word(s->wish->suffix, "sys") && !is_microsofts(s->place)));
}

/* Each spot of a server is a question, so it is asked only where it may help. To where a file.ptr
 * leads there nobody goes. */
static bool has_leaf(const struct spotting *s, bool has_three_tiers)
{
	switch (s->kind) {
	case WK_SYMBOL_SPOT_POINTER:
		return s->place->kind != WK_SYMBOL_SERVER;
	case WK_SYMBOL_SPOT_BREAKPAD:
		return may_be_breakpad(s, has_three_tiers);
	default:
		return true;
	}
}

static bool among_files(struct spotting *s)
{
	for (s->kind = WK_SYMBOL_SPOT_FILE; s->kind <= WK_SYMBOL_SPOT_BREAKPAD; s->kind++)
		if (s->kind != WK_SYMBOL_SPOT_POINTER && has_leaf(s, false) &&
		    in_folder(s, wk_str_of("", 0), false))
			return true;
	s->kind = WK_SYMBOL_SPOT_FILE;
	return in_sorted_folders(s);
}

static bool among_keys(struct spotting *s, bool has_three_tiers)
{
	/* Servers with small keys are .NET's, which have files alone. */
	bool is_plain = s->spelling == LOWER_ALL && s->place->kind == WK_SYMBOL_SERVER;

	for (s->kind = WK_SYMBOL_SPOT_FILE;
	     s->kind <= (is_plain ? WK_SYMBOL_SPOT_FILE : WK_SYMBOL_SPOT_BREAKPAD); s->kind++)
		if (has_leaf(s, has_three_tiers) && in_store(s, has_three_tiers))
			return true;
	return false;
}

/* Has it a key in small letters? That is .NET's way, which has no drivers; Microsoft's own server
 * knows no case. */
static bool may_be_small(const struct spotting *s)
{
	return s->place->kind != WK_SYMBOL_SERVER ||
	       (!is_word(s->wish->suffix, "sys") && !is_microsofts(s->place));
}

/* Spelled otherwise it must be something else; and servers either know no case or, where a disk
 * is behind them, have all in one. */
static bool is_of_use(const struct spotting *s)
{
	if (s->place->kind != WK_SYMBOL_SERVER && s->spelling != AS_IS && wk_os_has_drives())
		return false; /* there, the same file would be found again */
	switch (s->spelling) {
	case AS_IS:
		return true;
	case LOWER_NAME:
		return s->place->kind != WK_SYMBOL_SERVER && has_upper(s->wish->name);
	default:
		return is_key(s->wish->key) && may_be_small(s) &&
		       (has_upper(s->wish->key) ||
			(s->place->kind == WK_SYMBOL_SERVER && has_upper(s->wish->name)));
	}
}

static bool spelled(struct spotting *s)
{
	enum wk_symbol_tiers tiers = s->place->tiers;

	if (s->place->kind == WK_SYMBOL_FOLDER && s->spelling != LOWER_ALL && among_files(s))
		return true;
	if (!is_key(s->wish->key))
		return false;
	return (tiers != WK_SYMBOL_THREE_TIERS && among_keys(s, false)) ||
	       (tiers != WK_SYMBOL_TWO_TIERS && among_keys(s, true));
}

static bool is_same_name(struct wk_str name, const char *small)
{
	size_t at = 0;

	while (at < name.len && small[at] && wk_lower(name.at[at]) == small[at])
		at++;
	return at == name.len && !small[at];
}

/* Under these names a store keeps what it knows of itself: a folder of that name spoils it. */
static bool is_of_stores(struct wk_str name)
{
	return is_same_name(name, "index2.txt") || is_same_name(name, "pingme.txt") ||
	       is_same_name(name, "file.ptr");
}

bool wk_symbol_spot(const struct wk_symbol_place *place, const struct wk_symbol_wish *wish,
		    size_t n, struct wk_symbol_spot *spot)
{
	struct spotting s = { .place = place, .wish = wish, .left = n, .spot = spot };

	if (!wk_file_name_is_windows(wish->name) || is_of_stores(wish->name))
		return false;
	for (s.spelling = AS_IS; s.spelling < SPELLINGS; s.spelling++)
		if (is_of_use(&s) && spelled(&s))
			return true;
	return false;
}

void wk_symbol_tiers_mark(const struct wk_symbol_place *place, struct wk_buf *path)
{
	struct wk_symbol_spot spot = { .path = *path };
	struct spotting s = { .place = place, .spot = &spot };

	begin_path(&s);
	wk_buf_add_text(&spot.path, "index2.txt");
	*path = spot.path;
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
