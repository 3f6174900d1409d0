#include "names/spelling.h"

#include <stdint.h>
#include <string.h>

#define NOT_THERE   SIZE_MAX
#define MOST_NESTED 32
#define MOST_BYTES  (64 * 1024) /* default arguments double with each level of brackets */

int wk_bracket_at(struct wk_str text, size_t at)
{
	switch (text.at[at]) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
		return at && text.at[at - 1] == '-' ? 0 : -1;
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

/* Is the blank before `at` that of "f(int) const::{lambda()#1}"? */
static bool is_before_const(struct wk_str name, size_t at)
{
	return at >= 2 && name.at[at - 1] == ' ' && name.at[at - 2] == ')' &&
	       wk_str_starts(wk_str_skip(name, at), "const::");
}

size_t wk_path_begin(struct wk_str name, size_t at)
{
	size_t depth = 0;

	for (; at; at--) {
		char c = name.at[at - 1];

		if (strchr(")>}]", c))
			depth++;
		else if (depth == 0 && strchr("(<{[ ,&*", c) && !is_before_const(name, at))
			break;
		else if (strchr("(<{[", c))
			depth--;
	}
	return at;
}

size_t wk_bracket_end(struct wk_str text, size_t open, char opening, char closing)
{
	size_t depth = 0;

	for (size_t i = open; i < text.len; i++) {
		depth += text.at[i] == opening;
		if (text.at[i] == closing && !(closing == '>' && i && text.at[i - 1] == '-') &&
		    --depth == 0)
			return i;
	}
	return NOT_THERE;
}

size_t wk_enclosing_call_end(struct wk_str name, size_t at)
{
	static const char brackets[][2] = { { '<', '>' }, { '(', ')' } };
	struct wk_str rest = wk_str_skip(name, at);
	size_t close;

	if (!wk_str_accept(&rest, "::operator()"))
		return at;
	for (int i = 0; i < 2; i++) {
		if (!rest.len || rest.at[0] != brackets[i][0])
			continue;
		close = wk_bracket_end(rest, 0, brackets[i][0], brackets[i][1]);
		if (close == NOT_THERE)
			return NOT_THERE;
		rest = wk_str_skip(rest, close + 1);
	}
	wk_str_accept(&rest, " const");
	return wk_str_starts(rest, "::") ? name.len - rest.len : at;
}

/* --- Demangled names ----------------------------------------------------------------------- */

static const char quoted[] = "'lambda";

static bool has_quoted(struct wk_str name)
{
	for (size_t at = 0; at < name.len; at++)
		if (name.at[at] == '\'' && wk_str_starts(wk_str_skip(name, at), quoted))
			return true;
	return false;
}

/* An open lambda: the end of its parameters, and its number. */
struct lambda {
	size_t close, number;
};

/* The parts of "'lambda0'<typename T>(int)", whose parameters may contain lambdas as well. `after`
 * is the start of the parameters. */
static bool read_lambda(struct wk_str name, size_t at, struct lambda *lambda, size_t *after)
{
	size_t number = 0, open;

	at += strlen(quoted);
	lambda->number = 1;
	for (; at < name.len && name.at[at] >= '0' && name.at[at] <= '9'; at++) {
		if (number > UINT32_MAX)
			return false;
		number = number * 10 + (size_t)(name.at[at] - '0');
		lambda->number = number + 2;
	}
	if (at >= name.len || name.at[at] != '\'')
		return false;
	*after = open = at + 1;
	if (open < name.len && name.at[open] == '<') {
		open = wk_bracket_end(name, open, '<', '>');
		open = open == NOT_THERE ? open : open + 1;
	}
	if (open >= name.len || name.at[open] != '(')
		return false;
	lambda->close = wk_bracket_end(name, open, '(', ')');
	return lambda->close != NOT_THERE;
}

/* Opens a quoted lambda at `i`; true if there is one. */
static bool open_lambda(struct wk_str name, size_t *i, struct lambda *lambda, bool *is_broken)
{
	size_t after;

	if (*is_broken || name.at[*i] != '\'' || !wk_str_starts(wk_str_skip(name, *i), quoted))
		return false;
	*is_broken = !read_lambda(name, *i, lambda, &after);
	if (*is_broken)
		return false;
	*i = after;
	return true;
}

static void respell(struct wk_str name, struct wk_buf *out)
{
	struct lambda open[MOST_NESTED];
	size_t depth = 0, i = 0;
	bool is_broken = false; /* one is unclosed: no more are searched for, which would cost
				 * time */

	while (i < name.len) {
		if (depth < MOST_NESTED && open_lambda(name, &i, &open[depth], &is_broken)) {
			wk_buf_add_text(out, "{lambda");
			depth++;
			continue;
		}
		wk_buf_add_char(out, name.at[i]);
		if (depth && open[depth - 1].close == i)
			wk_buf_add_fmt(out, "#%zu}", open[--depth].number);
		i++;
	}
}

/* Numbers need space that the demangler did not reserve. */
static bool has_room(const struct wk_buf *name, size_t begin, size_t len)
{
	return len <= MOST_BYTES && (name->limit == 0 || begin + len <= name->limit);
}

void wk_spell_lambdas(struct wk_buf *name, size_t begin)
{
	struct wk_str spelled = wk_str_skip(wk_buf_str(name), begin);
	struct wk_buf out = { 0 };

	if (!has_quoted(spelled))
		return;
	respell(spelled, &out);
	if (has_room(name, begin, out.len)) {
		name->len = begin;
		wk_buf_add_str(name, wk_buf_str(&out));
	}
	wk_buf_fini(&out);
}

/* --- What debug information has ------------------------------------------------------------ */

/* The start of the arguments in the output, the start of the second one, and the depth of other
 * brackets at the current position. */
struct arguments {
	size_t begin, commas, second, others;
};

struct writer {
	struct wk_buf *out;
	size_t begin; /* of the name in `out` */
	struct arguments open[MOST_NESTED];
	size_t depth;
	bool is_broken; /* a lambda does not end: no more are looked for */
};

static bool ends_so(const struct writer *w, const char *with)
{
	return wk_str_ends(wk_str_skip(wk_buf_str(w->out), w->begin), with);
}

/* Text that was written; wk_buf may move while it is added again. */
static void add_again(struct wk_buf *out, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		wk_buf_add_char(out, out->at[i]);
}

static void add_argument(struct writer *w, const char *template, size_t begin, size_t end)
{
	wk_buf_add_fmt(w->out, ", std::%s<", template);
	add_again(w->out, begin, end);
	wk_buf_add_char(w->out, '>');
}

/* Is what precedes the arguments one of these templates of std? */
static bool is_one_of(const struct writer *w, size_t begin, const char *const *templates)
{
	struct wk_str before = wk_str_of(w->out->at, begin - 1);

	for (; *templates; templates++) {
		struct wk_str space = before;

		space.len -= wk_str_ends(before, *templates) ? strlen(*templates) : 0;
		if (space.len < before.len &&
		    (wk_str_ends(space, "std::") || wk_str_ends(space, "std::__cxx11::")))
			return true;
	}
	return false;
}

/* The allocator of a map: of pairs with a constant key. */
static void add_pairs(struct writer *w, const struct arguments *arguments, size_t end)
{
	wk_buf_add_text(w->out, ", std::allocator<std::pair<");
	add_again(w->out, arguments->begin, arguments->second);
	wk_buf_add_text(w->out, " const");
	add_again(w->out, arguments->second, end);
	wk_buf_add_text(w->out, ">>");
}

/* gcc leaves out arguments that a template has by itself. */
static void add_defaults(struct writer *w, const struct arguments *arguments)
{
	static const char *const characters[] = { "basic_string", "basic_string_view",
						  "basic_ostream", "basic_istream", NULL };
	static const char *const sequences[] = { "vector", "deque", "list", "forward_list",
						 "basic_string", NULL };
	static const char *const sets[] = { "set", "multiset", NULL };
	static const char *const maps[] = { "map", "multimap", NULL };
	size_t begin = arguments->begin, end = w->out->len;

	if (end - w->begin > MOST_BYTES)
		return;
	if (arguments->commas == 1 && is_one_of(w, begin, maps)) {
		add_argument(w, "less", begin, arguments->second);
		add_pairs(w, arguments, end);
	}
	if (arguments->commas)
		return;
	if (is_one_of(w, begin, characters))
		add_argument(w, "char_traits", begin, end);
	if (is_one_of(w, begin, sets))
		add_argument(w, "less", begin, end);
	if (is_one_of(w, begin, sequences) || is_one_of(w, begin, sets))
		add_argument(w, "allocator", begin, end);
}

/* "<lambda(int)>" of gcc, "(lambda at FILE:LINE:COLUMN)" of clang: how much of `rest` it is. */
static size_t parse_lambda(struct writer *w, struct wk_str rest)
{
	size_t close = NOT_THERE;

	if (w->is_broken)
		return 0;
	if (wk_str_starts(rest, "<lambda("))
		close = wk_bracket_end(rest, 0, '<', '>');
	else if (wk_str_starts(rest, "(lambda at "))
		close = wk_bracket_end(rest, 0, '(', ')');
	else
		return 0;
	w->is_broken = close == NOT_THERE;
	if (w->is_broken)
		return 0;
	wk_buf_add_text(w->out, "{lambda}");
	return close + 1;
}

/* Of "operator<<", "operator->", "operator>=": no bracket. */
static bool is_of_operator(const struct writer *w, char c)
{
	return ends_so(w, "operator") || (c == '<' && ends_so(w, "operator<")) ||
	       (c == '>' && (ends_so(w, "operator>") || ends_so(w, "-")));
}

/* Deeper ones are written as they came. */
static void open_arguments(struct writer *w)
{
	if (ends_so(w, "operator< ") || ends_so(w, "operator<< ") || ends_so(w, "operator> "))
		w->out->len--;
	wk_buf_add_char(w->out, '<');
	w->open[w->depth++] = (struct arguments){ .begin = w->out->len };
}

static void close_arguments(struct writer *w)
{
	if (ends_so(w, "} ") || (ends_so(w, "> ") && !ends_so(w, "operator> ")))
		w->out->len--;
	add_defaults(w, &w->open[--w->depth]);
	wk_buf_add_char(w->out, '>');
}

static void write_within(struct writer *w, struct arguments *inner, char c)
{
	if (c == '>' && inner->others == 0) {
		close_arguments(w);
		return;
	}
	if (c == '(' || c == '[' || c == '{')
		inner->others++;
	else if (inner->others && (c == ')' || c == ']' || c == '}'))
		inner->others--;
	else if (c == ',' && inner->others == 0 && inner->commas++ == 0)
		inner->second = w->out->len;
	wk_buf_add_char(w->out, c);
}

static void write_char(struct writer *w, char c)
{
	if ((c == '<' || c == '>') && is_of_operator(w, c))
		wk_buf_add_char(w->out, c);
	else if (c == '<')
		open_arguments(w);
	else if (w->depth)
		write_within(w, &w->open[w->depth - 1], c);
	else
		wk_buf_add_char(w->out, c);
}

void wk_spell_written(struct wk_str written, struct wk_buf *out)
{
	struct writer w = { .out = out, .begin = out->len };
	size_t i = written.len && memchr(written.at, '<', written.len) ? 0 : written.len;

	wk_buf_add(out, written.at, i);
	while (i < written.len) {
		size_t taken = parse_lambda(&w, wk_str_skip(written, i));

		if (taken == 0 && written.at[i] == '<' && w.depth == MOST_NESTED)
			break;
		if (taken == 0)
			write_char(&w, written.at[i]);
		i += taken ? taken : 1;
	}
	wk_buf_add_str(out, wk_str_skip(written, i));
}
