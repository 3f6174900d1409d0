#include "names/demangle/rust.h"

#include "names/demangle/demangle.h"

/* Longer names are not looked at: no compiler writes them, and reading costs time. */
#define MAX_MANGLED (4 * WK_DEMANGLE_LIMIT)

typedef bool scheme_fn(struct wk_str *rest, bool with_hash, struct wk_rust_out *out);

/* Windows removes the first underscore, macOS adds one. */
static scheme_fn *read_prefix(struct wk_str *name)
{
	static const struct {
		const char *prefix;
		scheme_fn *scheme;
	} prefixes[] = {
		{ "_ZN", wk_rust_legacy }, { "ZN", wk_rust_legacy }, { "__ZN", wk_rust_legacy },
		{ "_R", wk_rust_v0 },      { "R", wk_rust_v0 },      { "__R", wk_rust_v0 },
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (wk_str_accept(name, prefixes[i].prefix))
			return prefixes[i].scheme;
	return NULL;
}

/* Both schemes spell everything in ASCII; and no NUL or newline may pass through. */
static bool is_plain_ascii(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] < 0x20 || text.at[i] > 0x7e)
			return false;
	return true;
}

/* ThinLTO renames symbols that it exports to other modules: ".llvm." and a number, possibly
 * followed by a symbol version. It is of no use in a profile. */
static struct wk_str without_llvm(struct wk_str name)
{
	static const char mark[] = ".llvm.";

	for (size_t i = 0; i + sizeof(mark) - 1 <= name.len; i++) {
		if (!wk_str_starts(wk_str_skip(name, i), mark))
			continue;
		for (size_t k = i + sizeof(mark) - 1; k < name.len; k++)
			if (!wk_rust_is_digit(name.at[k]) && name.at[k] != '@' &&
			    !(name.at[k] >= 'A' && name.at[k] <= 'F'))
				return name;
		return wk_str_of(name.at, i);
	}
	return name;
}

/* Suffixes that compilers add: ".cold", ".0"; for v0, whose names contain no '$', also
 * "$tlv$init". */
static bool is_suffix(struct wk_str text, scheme_fn *scheme)
{
	if (text.len == 0)
		return true;
	if (text.at[0] != '.' && !(text.at[0] == '$' && scheme == wk_rust_v0))
		return false;
	return !memchr(text.at, ' ', text.len);
}

bool wk_demangle_rust(struct wk_str mangled, bool with_hash, struct wk_buf *buf)
{
	struct wk_rust_out out = { .buf = buf, .start = buf->len };
	struct wk_str rest = mangled;
	scheme_fn *scheme;

	if (mangled.len > MAX_MANGLED || !(scheme = read_prefix(&rest)) || !is_plain_ascii(rest))
		return false;
	rest = without_llvm(rest);
	if (scheme(&rest, with_hash, &out) && buf->len > out.start && is_suffix(rest, scheme))
		wk_rust_put(&out, rest);
	else
		out.failed = true;
	if (out.failed && buf->len > out.start) {
		buf->len = out.start;
		buf->at[buf->len] = '\0';
	}
	return !out.failed;
}
