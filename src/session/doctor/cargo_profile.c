#include "session/doctor/cargo_profile.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/os.h"

#define MOST_INHERITED 8 /* profiles that inherit from one another; a circle ends here */

static struct wk_str trimmed(struct wk_str text)
{
	while (text.len && isspace((unsigned char)text.at[0]))
		text = wk_str_skip(text, 1);
	while (text.len && isspace((unsigned char)text.at[text.len - 1]))
		text.len--;
	return text;
}

/* Up to `stop` outside of quotes, or all. */
static struct wk_str until(struct wk_str text, char stop)
{
	char quote = '\0';

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == stop)
			return wk_str_of(text.at, i);
	}
	return text;
}

static struct wk_str unquoted(struct wk_str text)
{
	text = trimmed(text);
	if (text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'') &&
	    text.at[text.len - 1] == text.at[0])
		return wk_str_of(text.at + 1, text.len - 2);
	return text;
}

/* A dotted key without blanks and quotes. */
static void add_key(struct wk_buf *path, struct wk_str key)
{
	if (path->len && key.len)
		wk_buf_add_char(path, '.');
	for (size_t i = 0; i < key.len; i++)
		if (!strchr(" \t\"'", key.at[i]))
			wk_buf_add_char(path, key.at[i]);
}

struct search {
	struct wk_str wanted;
	struct wk_str value;
	bool found;
};

/* "key = value" in `table`. */
static void read_pair(struct search *search, const struct wk_buf *table, struct wk_str pair)
{
	struct wk_str key = until(pair, '=');
	struct wk_str value = trimmed(wk_str_skip(pair, key.len + 1));
	struct wk_buf path = { 0 };

	wk_buf_add_str(&path, wk_buf_str(table));
	add_key(&path, key);
	if (wk_str_eq(wk_buf_str(&path), search->wanted)) {
		search->value = unquoted(value);
		search->found = true;
	}
	wk_buf_fini(&path);
}

/* The pairs of an inline table, "{ debug = true, strip = false }", which must not be nested. */
static void read_inline(struct search *search, const struct wk_buf *table, struct wk_str pair)
{
	struct wk_str key = until(pair, '=');
	struct wk_str rest = wk_str_skip(trimmed(wk_str_skip(pair, key.len + 1)), 1);
	struct wk_buf path = { 0 };

	rest = until(rest, '}');
	wk_buf_add_str(&path, wk_buf_str(table));
	add_key(&path, key);
	while (rest.len) {
		struct wk_str part = until(rest, ',');

		read_pair(search, &path, part);
		rest = wk_str_skip(rest, part.len + 1);
	}
	wk_buf_fini(&path);
}

static void read_line(struct search *search, struct wk_buf *table, struct wk_str line)
{
	struct wk_str value;

	line = trimmed(until(line, '#'));
	if (line.len == 0)
		return;
	if (line.at[0] == '[') {
		struct wk_str name = wk_str_skip(line, wk_str_starts(line, "[[") ? 2 : 1);

		wk_buf_reset(table);
		add_key(table, until(name, ']'));
		search->found = search->found || wk_str_eq(wk_buf_str(table), search->wanted);
		return;
	}
	value = trimmed(wk_str_skip(line, until(line, '=').len + 1));
	if (wk_str_starts(value, "{"))
		read_inline(search, table, line);
	else
		read_pair(search, table, line);
}

bool wk_toml_find(struct wk_str text, const char *key, struct wk_str *value)
{
	struct search search = { .wanted = wk_str_c(key) };
	struct wk_buf table = { 0 };

	while (text.len && !search.found) {
		struct wk_str line;

		wk_str_split(text, '\n', &line, &text);
		read_line(&search, &table, line);
	}
	wk_buf_fini(&table);
	*value = search.value;
	return search.found;
}

static bool find_in_file(const char *path, const char *key, struct wk_buf *value)
{
	struct wk_os_file file;
	struct wk_str found;
	bool ok;

	if (!wk_os_open_named(path, &file, NULL, NULL))
		return false;
	ok = wk_toml_find(wk_str_of((const char *)file.at, file.size_bytes), key, &found);
	if (ok && value)
		wk_buf_add_str(value, found);
	wk_os_close(&file);
	return ok;
}

/* Cuts "/a/b" to "/a", and that to nothing; false if it is empty. */
static bool go_up(struct wk_buf *folder)
{
	if (folder->len == 0)
		return false;
	while (folder->len && folder->at[folder->len - 1] != '/')
		folder->len--;
	folder->len -= folder->len > 0;
	folder->at[folder->len] = '\0';
	return true;
}

static void absolute(const char *folder, struct wk_buf *path)
{
	char *real = wk_os_real_path(folder);

	wk_buf_add_text(path, real ? real : folder);
	if (path->len && path->at[path->len - 1] == '/')
		go_up(path);
	wk_free(real);
}

void wk_cargo_root(const char *folder, struct wk_buf *root)
{
	struct wk_buf above = { 0 }, manifest = { 0 };
	bool found = false;

	absolute(folder, &above);
	do {
		wk_buf_reset(&manifest);
		wk_buf_add_fmt(&manifest, "%s/Cargo.toml", wk_buf_text(&above));
		found = find_in_file(wk_buf_text(&manifest), "workspace", NULL) ||
			find_in_file(wk_buf_text(&manifest), "workspace.members", NULL);
	} while (!found && go_up(&above));
	if (found)
		wk_buf_add_str(root, wk_buf_str(&above));
	else
		absolute(folder, root);
	WK_BUF_FINI_ALL(&above, &manifest);
}

void wk_cargo_profile_variable(const char *profile, const char *key, struct wk_buf *name)
{
	wk_buf_add_fmt(name, "CARGO_PROFILE_%s_%s", profile, key);
	for (size_t i = 0; i < name->len; i++)
		name->at[i] = name->at[i] == '-' ? '_' : (char)toupper((unsigned char)name->at[i]);
}

static bool find_in_environment(const char *profile, const char *key, struct wk_buf *value,
				struct wk_buf *where)
{
	const char *found;

	wk_cargo_profile_variable(profile, key, where);
	found = wk_os_env(wk_buf_text(where));
	if (found)
		wk_buf_add_text(value, found);
	else
		wk_buf_reset(where);
	return found != NULL;
}

static bool find_in(const char *folder, const char *file, const char *key, struct wk_buf *value,
		    struct wk_buf *where)
{
	wk_buf_add_fmt(where, "%s/%s", folder, file);
	if (find_in_file(wk_buf_text(where), key, value))
		return true;
	wk_buf_reset(where);
	return false;
}

static bool find_in_config(const char *folder, const char *key, struct wk_buf *value,
			   struct wk_buf *where)
{
	const char *cargo_home = wk_os_env("CARGO_HOME"), *home = wk_os_env("HOME");
	struct wk_buf above = { 0 };
	bool found;

	absolute(folder, &above);
	do
		found = find_in(wk_buf_text(&above), ".cargo/config.toml", key, value, where) ||
			find_in(wk_buf_text(&above), ".cargo/config", key, value, where);
	while (!found && go_up(&above));
	if (!found && cargo_home)
		found = find_in(cargo_home, "config.toml", key, value, where);
	else if (!found && home)
		found = find_in(home, ".cargo/config.toml", key, value, where);
	wk_buf_fini(&above);
	return found;
}

static bool find_own(const char *folder, const char *profile, const char *key, struct wk_buf *value,
		     struct wk_buf *where)
{
	struct wk_buf path = { 0 }, root = { 0 };
	bool found;

	wk_buf_add_fmt(&path, "profile.%s.%s", profile, key);
	wk_cargo_root(folder, &root);
	found = find_in_environment(profile, key, value, where) ||
		find_in_config(folder, wk_buf_text(&path), value, where) ||
		find_in(wk_buf_text(&root), "Cargo.toml", wk_buf_text(&path), value, where);
	WK_BUF_FINI_ALL(&path, &root);
	return found;
}

bool wk_cargo_profile_find(const char *folder, const char *profile, const char *key,
			   struct wk_buf *value, struct wk_buf *where)
{
	struct wk_buf name = { 0 }, ignored = { 0 };
	bool found = false;

	wk_buf_add_text(&name, profile);
	for (int i = 0; i < MOST_INHERITED && name.len && !found; i++) {
		struct wk_buf next = { 0 };

		found = find_own(folder, wk_buf_text(&name), key, value, where);
		if (strcmp(wk_buf_text(&name), "bench") == 0)
			wk_buf_add_text(&next, "release");
		else if (strcmp(wk_buf_text(&name), "test") == 0)
			wk_buf_add_text(&next, "dev");
		else
			find_own(folder, wk_buf_text(&name), "inherits", &next, &ignored);
		wk_buf_fini(&name);
		wk_buf_reset(&ignored);
		name = next;
	}
	WK_BUF_FINI_ALL(&name, &ignored);
	return found;
}

bool wk_cargo_is_debug(struct wk_str value)
{
	return value.len && !wk_str_is(value, "false") && !wk_str_is(value, "0") &&
	       !wk_str_is(value, "none");
}

bool wk_cargo_is_stripped(struct wk_str value)
{
	return wk_str_is(value, "true") || wk_str_is(value, "symbols");
}
