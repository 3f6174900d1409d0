#include "names/bare_name.h"

#include <string.h>

struct reading {
	struct wk_str name;
	size_t at;
	struct wk_buf *out;
	size_t angles;       /* "<" that are open */
	bool has_parameters; /* and nothing but qualifiers since */
};

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct wk_str rest_of(const struct reading *r)
{
	return wk_str_skip(r->name, r->at);
}

static bool is_after_operator(const struct reading *r)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;
	struct wk_str out = wk_buf_str(r->out);

	return wk_str_ends(out, word) &&
	       (out.len == len || !is_word_char(out.at[out.len - len - 1]));
}

static void keep(struct reading *r, size_t len)
{
	wk_buf_add_str(r->out, wk_str_of(r->name.at + r->at, len));
	r->at += len;
	r->has_parameters = false;
}

/* "(int, char**)", with all that is in it. */
static void skip_brackets(struct reading *r)
{
	size_t depth = 0;

	for (; r->at < r->name.len; r->at++) {
		depth += r->name.at[r->at] == '(';
		if (r->name.at[r->at] == ')' && --depth == 0)
			break;
	}
	r->at += r->at < r->name.len;
	r->has_parameters = r->angles == 0;
}

static void read_open(struct reading *r)
{
	static const char nameless[] = "(anonymous namespace)";

	if (wk_str_starts(rest_of(r), nameless))
		keep(r, sizeof(nameless) - 1);
	else if (is_after_operator(r) && wk_str_starts(rest_of(r), "()"))
		keep(r, 2);
	else
		skip_brackets(r);
}

/* In "operator<<" and "operator->" these are not brackets. */
static void read_operator(struct reading *r)
{
	size_t len = 0;

	while (r->at + len < r->name.len && strchr("<>=-+*&|", r->name.at[r->at + len]))
		len++;
	keep(r, len);
}

/* The length of " const" at the start of the rest; 0 if it is not there. */
static size_t qualifier(struct wk_str rest)
{
	static const char *const words[] = { " const", " volatile" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (wk_str_starts(rest, words[i]) &&
		    (rest.len == len || !is_word_char(rest.at[len])))
			return len;
	}
	return 0;
}

/* A return type precedes the name. */
static void read_space(struct reading *r)
{
	size_t len = qualifier(rest_of(r));
	char next;

	if (!len && is_after_operator(r)) {
		keep(r, 1);
		return;
	}
	r->at += len ? len : 1;
	next = r->at < r->name.len ? r->name.at[r->at] : '\0';
	if (len || r->angles || next == '&' || next == '<') /* "operator< <int>" */
		return;
	wk_buf_reset(r->out);
	r->has_parameters = false;
}

static void skip_number(struct reading *r)
{
	do
		r->at++;
	while (r->at < r->name.len && r->name.at[r->at] >= '0' && r->name.at[r->at] <= '9');
}

static void skip_tag(struct reading *r)
{
	while (r->at < r->name.len && r->name.at[r->at] != ']')
		r->at++;
	r->at += r->at < r->name.len;
}

/* "`anonymous namespace'", "`int __cdecl f(int)'": Microsoft's compiler quotes so what no program
 * can be called; whatever is in there is a name. */
static void read_quoted(struct reading *r)
{
	size_t depth = 0, len = 0;

	while (r->at + len < r->name.len) {
		char c = r->name.at[r->at + len++];

		depth += c == '`';
		if (c == '\'' && --depth == 0)
			break;
	}
	keep(r, len);
}

static void take(struct reading *r)
{
	char c = r->name.at[r->at];

	if (c == '`') {
		read_quoted(r);
	} else if (c == '(') {
		read_open(r);
	} else if (c == ' ') {
		read_space(r);
	} else if (c == '#' || (c == ':' && wk_str_ends(wk_buf_str(r->out), "{lambda"))) {
		skip_number(r);
	} else if (c == '[' && wk_str_starts(rest_of(r), "[abi:")) {
		skip_tag(r);
	} else if (c == '&' && r->has_parameters) {
		r->at++;
	} else if (strchr("<>=-+*&|", c) && is_after_operator(r)) {
		read_operator(r);
	} else {
		r->angles += c == '<';
		r->angles -= c == '>' && r->angles;
		keep(r, 1);
	}
}

bool wk_bare_name(struct wk_str name, struct wk_buf *out)
{
	struct reading r = { .name = name, .out = out };

	wk_buf_reset(out);
	while (r.at < name.len)
		take(&r);
	return r.has_parameters;
}
