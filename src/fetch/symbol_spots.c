/* Where in a place of a symbol path a file would be. */
#include "fetch/symbol_path.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text/file_name.h"
#include "fetch/address.h"
#include "os/os.h"

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

static bool is_in_any_case(struct wk_str text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.at, word, text.len) == 0;
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

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
	return name.len > 4 && is_in_any_case(wk_str_skip(name, name.len - 4), ".pdb");
}

static void add_spelled(struct spotting *s, struct wk_str text, bool is_lower)
{
	struct wk_buf *path = &s->spot->path;
	size_t begin = path->len;

	if (s->place->kind == WK_SYMBOL_SERVER)
		wk_address_add_escaped(path, text);
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
		(!has_three_tiers && !is_in_any_case(s->wish->suffix, "sys") &&
		 !s->place->is_default));
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
	       (!is_in_any_case(s->wish->suffix, "sys") && !s->place->is_default);
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

/* Under these names a store keeps what it knows of itself: a folder of that name spoils it. */
static bool is_of_stores(struct wk_str name)
{
	return is_in_any_case(name, "index2.txt") || is_in_any_case(name, "pingme.txt") ||
	       is_in_any_case(name, "file.ptr");
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
