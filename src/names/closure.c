#include "names/closure.h"

#include <inttypes.h>
#include <string.h>

/* The bracket that the one at the end of the text closes; SIZE_MAX if there is none. */
static size_t opening(struct wk_str text, char open, char close)
{
	size_t depth = 0;

	for (size_t i = text.len; i-- > 0;) {
		depth += text.at[i] == close;
		if (text.at[i] == open && --depth == 0)
			return i;
	}
	return SIZE_MAX;
}

static bool drop(struct wk_str *name, const char *end)
{
	bool is_there = wk_str_ends(*name, end);

	if (is_there)
		name->len -= strlen(end);
	return is_there;
}

/* "(int) const" and "<int>" at the end. */
static void drop_brackets(struct wk_str *name, char open, char close)
{
	size_t at;

	drop(name, " const");
	if (!name->len || name->at[name->len - 1] != close)
		return;
	at = opening(*name, open, close);
	if (at != SIZE_MAX)
		name->len = at;
}

/* The braces of a closure's name: from `*begin` up to `*end`. */
static bool find_braces(struct wk_str name, size_t *begin, size_t *end)
{
	struct wk_str rest = name;

	if (!wk_str_ends(rest, "operator()"))
		drop_brackets(&rest, '(', ')');
	drop_brackets(&rest, '<', '>');
	drop(&rest, "::"); /* Rust's "::<u8>" */
	drop(&rest, "::operator()");
	if (!wk_str_ends(rest, "}"))
		return false;
	*end = rest.len;
	*begin = opening(rest, '{', '}');
	if (*begin == SIZE_MAX)
		return false;
	rest = wk_str_skip(rest, *begin);
	return wk_str_starts(rest, "{{closure") || wk_str_starts(rest, "{closure") ||
	       wk_str_starts(rest, "{lambda");
}

bool wk_name_is_closure(struct wk_str name)
{
	size_t begin, end;

	return find_braces(name, &begin, &end);
}

void wk_closure_name_add(struct wk_str name, uint32_t line, uint32_t last, struct wk_buf *text)
{
	size_t begin = name.len, end = name.len, number;
	bool is_lambda;

	if (!find_braces(name, &begin, &end)) {
		wk_buf_add_str(text, name);
		return;
	}
	is_lambda = wk_str_starts(wk_str_skip(name, begin), "{lambda");
	for (number = end; number > begin && name.at[number - 1] != '#';)
		number--;
	wk_buf_add_str(text, wk_str_of(name.at, begin));
	wk_buf_add_fmt(text, "{%s:%" PRIu32, is_lambda ? "lambda" : "closure", line);
	if (wk_str_starts(wk_str_skip(name, begin), "{lambda}") && last > line)
		wk_buf_add_fmt(text, "-%" PRIu32, last);
	if (number > begin)
		wk_buf_add_str(text, wk_str_of(name.at + number - 1, end - number));
	wk_buf_add_char(text, '}');
	wk_buf_add_str(text, wk_str_skip(name, end));
}
