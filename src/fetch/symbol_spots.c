/* Where in a place of a symbol path a file would be. */
#include "fetch/symbol_path.h"

#include <ctype.h>
#include <string.h>

#include "base/text/file_name.h"
#include "fetch/address.h"
#include "os/os.h"

/* Disks that distinguish letter case may have been filled by tools that do not. */
enum letter_case { AS_IS, LOWER_NAME, LOWER_ALL, LETTER_CASES };

struct spotting {
	const struct wk_symbol_place *place;
	const struct wk_symbol_wish *wish;
	bool is_server;
	enum letter_case letters;
	enum wk_symbol_spot_kind kind;
	size_t left; /* spots to skip before the wanted one */
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
	return name.len > 4 && wk_str_is_any_case(wk_str_skip(name, name.len - 4), ".pdb");
}

static void add(struct spotting *s, struct wk_str text, bool is_lower)
{
	struct wk_buf *path = &s->spot->path;
	size_t begin = path->len;

	if (s->is_server)
		wk_address_add_escaped(path, text);
	else
		wk_buf_add_str(path, text);
	for (size_t i = begin; is_lower && i < path->len; i++)
		path->at[i] = wk_lower(path->at[i]);
}

static void add_slash(struct spotting *s)
{
	struct wk_buf *path = &s->spot->path;
	struct wk_str where = s->place->where;
	bool is_back = s->place->is_windows && memchr(where.at, '\\', where.len);

	if (path->len == 0 || !strchr("/\\", path->at[path->len - 1]))
		wk_buf_add_char(path, is_back ? '\\' : '/');
}

static void add_folder(struct spotting *s, struct wk_str name)
{
	add(s, name, s->letters != AS_IS);
	add_slash(s);
}

static void add_leaf(struct spotting *s)
{
	static const struct {
		size_t cut; /* bytes at the end of the name */
		const char *end;
	} leaves[] = {
		[WK_SYMBOL_SPOT_FILE] = { 0, "" },
		[WK_SYMBOL_SPOT_CABINET] = { 1, "_" },
		[WK_SYMBOL_SPOT_POINTER] = { SIZE_MAX, "file.ptr" },
		[WK_SYMBOL_SPOT_BREAKPAD] = { 4, ".sym" },
	};
	struct wk_str name = s->wish->name;

	name.len -= leaves[s->kind].cut < name.len ? leaves[s->kind].cut : name.len;
	add(s, name, s->letters != AS_IS);
	wk_buf_add_text(&s->spot->path, leaves[s->kind].end);
}

static void begin_path(struct spotting *s)
{
	wk_buf_reset(&s->spot->path);
	wk_buf_add_str(&s->spot->path, s->place->where);
	add_slash(s);
}

static bool is_wanted(struct spotting *s)
{
	if (s->left-- > 0)
		return false;
	s->spot->kind = s->kind;
	begin_path(s);
	return true;
}

/* DIR/name, DIR/dll/name and DIR/symbols/dll/name. */
static bool in_folder(struct spotting *s, struct wk_str suffix, bool is_below_symbols)
{
	if (!is_wanted(s))
		return false;
	if (is_below_symbols)
		add_folder(s, wk_str_c("symbols"));
	if (suffix.len)
		add_folder(s, suffix);
	add_leaf(s);
	return true;
}

static bool in_store(struct spotting *s, bool has_three_tiers)
{
	struct wk_str name = s->wish->name;

	if (!is_wanted(s))
		return false;
	if (has_three_tiers)
		add_folder(s, wk_str_of(name.at, name.len < 2 ? name.len : 2));
	add_folder(s, name);
	add(s, s->wish->key, s->letters == LOWER_ALL);
	add_slash(s);
	add_leaf(s);
	return true;
}

/* Each spot of a server costs a request. A server's file.ptr is not followed. Breakpad's text is
 * made of PDBs of programs, not of drivers, and stored in two tiers. */
static bool has_leaf(const struct spotting *s, bool has_three_tiers)
{
	if (s->kind == WK_SYMBOL_SPOT_POINTER)
		return !s->is_server;
	if (s->kind == WK_SYMBOL_SPOT_BREAKPAD)
		return is_pdb(s->wish->name) &&
		       (!s->is_server ||
			(!has_three_tiers && !wk_str_is_any_case(s->wish->suffix, "sys") &&
			 !s->place->is_default));
	return true;
}

static bool among_files(struct spotting *s)
{
	static const struct wk_str usual[] = { WK_STR("dll"), WK_STR("exe"), WK_STR("sys") };
	bool has_suffix = wk_file_name_is_windows(s->wish->suffix);
	const struct wk_str *suffixes = has_suffix ? &s->wish->suffix : usual;

	for (s->kind = WK_SYMBOL_SPOT_FILE; s->kind <= WK_SYMBOL_SPOT_BREAKPAD; s->kind++)
		if (s->kind != WK_SYMBOL_SPOT_POINTER && has_leaf(s, false) &&
		    in_folder(s, wk_str_c(""), false))
			return true;
	s->kind = WK_SYMBOL_SPOT_FILE;
	for (size_t i = 0; i < (has_suffix ? 1 : sizeof(usual) / sizeof(usual[0])); i++)
		if (in_folder(s, suffixes[i], false) || in_folder(s, suffixes[i], true))
			return true;
	return false;
}

/* Servers with lower-case keys are those of .NET, which have only plain files. */
static bool among_keys(struct spotting *s, bool has_three_tiers)
{
	enum wk_symbol_spot_kind last = s->letters == LOWER_ALL && s->is_server
						? WK_SYMBOL_SPOT_FILE
						: WK_SYMBOL_SPOT_BREAKPAD;

	for (s->kind = WK_SYMBOL_SPOT_FILE; s->kind <= last; s->kind++)
		if (has_leaf(s, has_three_tiers) && in_store(s, has_three_tiers))
			return true;
	return false;
}

/* A changed case must make a difference. Servers either ignore case or, like those of .NET, which
 * have no drivers, use lower case for everything. */
static bool is_of_use(const struct spotting *s)
{
	bool has_upper_name = has_upper(s->wish->name);

	if (s->letters == AS_IS)
		return true;
	if (!s->is_server)
		return !wk_os_has_drives() &&
		       (s->letters == LOWER_NAME ? has_upper_name : has_upper(s->wish->key));
	return s->letters == LOWER_ALL && (has_upper_name || has_upper(s->wish->key)) &&
	       !wk_str_is_any_case(s->wish->suffix, "sys") && !s->place->is_default;
}

static bool find(struct spotting *s)
{
	enum wk_symbol_tiers tiers = s->place->tiers;

	if (!is_of_use(s))
		return false;
	if (s->place->kind == WK_SYMBOL_FOLDER && s->letters != LOWER_ALL && among_files(s))
		return true;
	return is_key(s->wish->key) && ((tiers != WK_SYMBOL_THREE_TIERS && among_keys(s, false)) ||
					(tiers != WK_SYMBOL_TWO_TIERS && among_keys(s, true)));
}

/* Names of files with which a store describes itself. */
static bool is_of_stores(struct wk_str name)
{
	return wk_str_is_any_case(name, "index2.txt") || wk_str_is_any_case(name, "pingme.txt") ||
	       wk_str_is_any_case(name, "file.ptr");
}

bool wk_symbol_spot(const struct wk_symbol_place *place, const struct wk_symbol_wish *wish,
		    size_t n, struct wk_symbol_spot *spot)
{
	struct spotting s = { .place = place, .wish = wish,
			      .is_server = place->kind == WK_SYMBOL_SERVER, .left = n,
			      .spot = spot };

	if (!wk_file_name_is_windows(wish->name) || is_of_stores(wish->name))
		return false;
	for (s.letters = AS_IS; s.letters < LETTER_CASES; s.letters++)
		if (find(&s))
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
