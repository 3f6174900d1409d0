/* Borrowed text: a pointer and a length.
 *
 * A wk_str is never freed and need not end in NUL. It is valid as long as the bytes it points into:
 * usually a mapped input, an arena or a string table. */
#ifndef WK_BASE_STR_H
#define WK_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct wk_str {
	const char *at;
	size_t len;
};

/* A literal as a wk_str, usable in initialisers. */
#define WK_STR(literal) { (literal), sizeof(literal) - 1 }

/* For printf's "%.*s". */
#define WK_STR_ARG(s) (int)(s).len, (s).at

static inline struct wk_str wk_str_of(const char *at, size_t len)
{
	return (struct wk_str){ at, len };
}

/* NULL gives the empty text. */
static inline struct wk_str wk_str_c(const char *text)
{
	return (struct wk_str){ text ? text : "", text ? strlen(text) : 0 };
}

static inline bool wk_str_eq(struct wk_str a, struct wk_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool wk_str_is(struct wk_str a, const char *text)
{
	return wk_str_eq(a, wk_str_c(text));
}

static inline bool wk_str_starts(struct wk_str s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && (len == 0 || memcmp(s.at, prefix, len) == 0);
}

static inline bool wk_str_ends(struct wk_str s, const char *suffix)
{
	size_t len = strlen(suffix);

	return s.len >= len && (len == 0 || memcmp(s.at + s.len - len, suffix, len) == 0);
}

/* Is it one of these, or does it begin with one? The lists end with NULL. */
static inline bool wk_str_is_one_of(struct wk_str s, const char *const *words)
{
	for (; *words; words++)
		if (wk_str_is(s, *words))
			return true;
	return false;
}

static inline bool wk_str_starts_one_of(struct wk_str s, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (wk_str_starts(s, *prefixes))
			return true;
	return false;
}

/* All but the first `count` bytes; the empty text if there are fewer. */
static inline struct wk_str wk_str_skip(struct wk_str s, size_t count)
{
	if (count > s.len)
		count = s.len;
	return (struct wk_str){ s.at ? s.at + count : s.at, s.len - count };
}

/* Passes over `prefix`; false if the text begins with something else. */
static inline bool wk_str_accept(struct wk_str *s, const char *prefix)
{
	bool is_there = wk_str_starts(*s, prefix);

	if (is_there)
		*s = wk_str_skip(*s, strlen(prefix));
	return is_there;
}

/* Splits at the first `mark`; if there is none, `right` is empty and the result false. */
static inline bool wk_str_split(struct wk_str text, char mark, struct wk_str *left,
				struct wk_str *right)
{
	const char *at = text.len ? (const char *)memchr(text.at, mark, text.len) : NULL;
	size_t len = at ? (size_t)(at - text.at) : text.len;

	*left = wk_str_of(text.at, len);
	*right = wk_str_skip(text, at ? len + 1 : len);
	return at != NULL;
}

/* Removes the text up to the first `mark`, and the mark; all of it if there is none. */
static inline struct wk_str wk_str_cut(struct wk_str *text, char mark)
{
	struct wk_str piece;

	wk_str_split(*text, mark, &piece, text);
	return piece;
}

/* Compares names in a line of text, which may continue: `behind` is the byte that follows, or -1
 * for none. 0 if the names are equal up to there. */
static inline int wk_str_compare_followed(struct wk_str a, int behind_a, struct wk_str b,
					  int behind_b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.at, b.at, shorter) : 0;
	int next_a = a.len > shorter ? (unsigned char)a.at[shorter] : behind_a;
	int next_b = b.len > shorter ? (unsigned char)b.at[shorter] : behind_b;

	return order ? order : (next_a > next_b) - (next_a < next_b);
}

/* Compares bytes as strcmp does. */
static inline int wk_str_compare(struct wk_str a, struct wk_str b)
{
	return wk_str_compare_followed(a, -1, b, -1);
}

/* Of ASCII; other bytes stay as they are. */
static inline char wk_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Upper and lower case of ASCII are the same. */
static inline bool wk_str_eq_any_case(struct wk_str a, struct wk_str b)
{
	size_t i = 0;

	while (a.len == b.len && i < a.len && wk_lower(a.at[i]) == wk_lower(b.at[i]))
		i++;
	return a.len == b.len && i == a.len;
}

static inline bool wk_str_is_any_case(struct wk_str text, const char *word)
{
	return wk_str_eq_any_case(text, wk_str_c(word));
}

/* A path as Windows writes it: "C:\a", "\Device\a", "\\server\a". */
static inline bool wk_str_is_windows_path(struct wk_str path)
{
	return path.len > 2 && (path.at[0] == '\\' || (path.at[1] == ':' && path.at[2] == '\\'));
}

/* The part after the last slash, of Windows' paths the last backslash, or all of it. */
static inline struct wk_str wk_str_basename(struct wk_str path)
{
	bool is_windows = wk_str_is_windows_path(path);

	for (size_t i = path.len; i > 0; i--)
		if (path.at[i - 1] == '/' || (is_windows && path.at[i - 1] == '\\'))
			return wk_str_skip(path, i);
	return path;
}

/* The text without blanks (spaces, tabs) at its ends. */
static inline struct wk_str wk_trim(struct wk_str text)
{
	while (text.len && (text.at[0] == ' ' || text.at[0] == '\t'))
		text = wk_str_skip(text, 1);
	while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
		text.len--;
	return text;
}

#endif
