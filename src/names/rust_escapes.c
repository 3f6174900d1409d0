#include "names/rust_escapes.h"

#define HASH_LEN 19 /* "::h" and 16 digits */

struct escape {
	const char *text;
	const char *means;
};

static const struct escape escapes[] = {
	{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" }, { "$GT$", ">" },
	{ "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," }, { "$u7e$", "~" }, { "$u20$", " " },
	{ "$u27$", "'" }, { "$u3d$", "=" }, { "$u5b$", "[" }, { "$u5d$", "]" }, { "$u7b$", "{" },
	{ "$u7d$", "}" }, { "$u3b$", ";" }, { "$u2b$", "+" }, { "$u21$", "!" }, { "$u22$", "\"" },
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool ends_in_hash(struct wk_str name)
{
	struct wk_str hash;

	if (name.len <= HASH_LEN)
		return false;
	hash = wk_str_skip(name, name.len - HASH_LEN);
	for (size_t i = 3; i < hash.len; i++)
		if (!is_hex(hash.at[i]))
			return false;
	return wk_str_starts(hash, "::h");
}

/* Adds what `rest` begins with, and says how many bytes of it that was; 0 where a '$' begins
 * nothing that is known. */
static size_t add_next(struct wk_str rest, struct wk_buf *buf)
{
	size_t len = 1;

	if (wk_str_starts(rest, "..")) {
		wk_buf_add_text(buf, "::");
		return 2;
	}
	if (rest.at[0] == '$') {
		for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
			if (wk_str_starts(rest, escapes[i].text)) {
				wk_buf_add_text(buf, escapes[i].means);
				return strlen(escapes[i].text);
			}
		return 0;
	}
	while (len < rest.len && rest.at[len] != '$' && rest.at[len] != '.')
		len++;
	wk_buf_add(buf, rest.at, len);
	return len;
}

struct wk_str wk_rust_name(struct wk_str name, struct wk_buf *buf)
{
	struct wk_str rest = name;

	if (!ends_in_hash(name))
		return name;
	wk_buf_reset(buf);
	rest.len -= HASH_LEN;
	if (wk_str_starts(rest, "_$")) /* so that it begins like an identifier */
		rest = wk_str_skip(rest, 1);
	while (rest.len) {
		size_t len = add_next(rest, buf);

		if (len == 0) {
			wk_buf_add_str(buf, rest);
			break;
		}
		rest = wk_str_skip(rest, len);
	}
	return wk_buf_str(buf);
}
