#include "names/closure.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "names/bare_name.h"
#include "names/spelling.h"

#define MOST_DIGITS 9
#define MOST_BYTES  4096 /* of names in whose arguments closures are searched for */

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

/* The digits at the end. */
static struct wk_str digits_of(struct wk_str name)
{
	size_t at = name.len;

	while (at && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
		at--;
	return wk_str_skip(name, at);
}

/* clang's "$_0", a lambda if it can be called. */
static bool ends_in_counted(struct wk_str name, size_t *begin)
{
	struct wk_str before = name, digits = digits_of(name);

	before.len -= digits.len;
	if (digits.len == 0 || digits.len > MOST_DIGITS || !wk_str_ends(before, "$_"))
		return false;
	*begin = before.len - strlen("$_");
	return *begin == 0 || name.at[*begin - 1] == ':';
}

/* The part of a closure's name that says so: from `*begin` up to `*end`. */
static bool find_own_part(struct wk_str name, size_t *begin, size_t *end)
{
	struct wk_str rest = name;
	bool is_call;

	if (!wk_str_ends(rest, "operator()"))
		drop_brackets(&rest, '(', ')');
	drop_brackets(&rest, '<', '>');
	drop(&rest, "::"); /* Rust's "::<u8>" */
	is_call = drop(&rest, "::operator()");
	*end = rest.len;
	if (is_call && ends_in_counted(rest, begin))
		return true;
	if (!wk_str_ends(rest, "}"))
		return false;
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

	return find_own_part(name, &begin, &end);
}

struct wk_str wk_closure_home(struct wk_str name)
{
	struct wk_str home = wk_str_of(name.at, 0);
	size_t begin, end;

	while (find_own_part(name, &begin, &end)) {
		name.len = begin;
		drop(&name, "::");
		home = name;
	}
	return home;
}

struct wk_str wk_closure_path(struct wk_str name)
{
	size_t begin, end;

	return find_own_part(name, &begin, &end) ? wk_str_of(name.at, end) : name;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where what `lines` begins with ends: "31" and "45-51". */
static size_t lines_end(struct wk_str lines)
{
	size_t end = 0;

	while (end < lines.len && is_digit(lines.at[end]))
		end++;
	if (end && end + 1 < lines.len && lines.at[end] == '-' && is_digit(lines.at[end + 1]))
		for (end++; end < lines.len && is_digit(lines.at[end]);)
			end++;
	return end;
}

bool wk_closure_has_lines(struct wk_str name)
{
	const char *at = name.at, *end = name.at + name.len;

	while (at && at < end && (at = memchr(at, '{', (size_t)(end - at))) != NULL) {
		struct wk_str rest = wk_str_of(at, (size_t)(end - at));

		if (wk_str_starts(rest, "{lambda:") || wk_str_starts(rest, "{closure:"))
			return true;
		at++;
	}
	return false;
}

uint32_t wk_closure_name_line(struct wk_str name, struct wk_buf *plain)
{
	size_t begin, end;
	struct wk_str own, word, lines;
	uint64_t first = 0;

	if (!find_own_part(name, &begin, &end))
		return 0;
	own = wk_str_of(name.at + begin, end - begin);
	if (!wk_str_split(own, ':', &word, &lines) ||
	    !(wk_str_is(word, "{lambda") || wk_str_is(word, "{closure")))
		return 0;
	for (size_t i = 0; i < lines.len && is_digit(lines.at[i]) && first <= UINT32_MAX; i++)
		first = first * 10 + (uint64_t)(lines.at[i] - '0');
	lines = wk_str_skip(lines, lines_end(lines));
	if (!first || first > UINT32_MAX || !(wk_str_is(lines, "}") || wk_str_starts(lines, "#")))
		return 0;
	wk_buf_add_str(plain, wk_str_of(name.at, begin));
	wk_buf_add_str(plain, word);
	wk_buf_add_str(plain, lines);
	wk_buf_add_str(plain, wk_str_skip(name, end));
	return (uint32_t)first;
}

void wk_closure_name_without_lines(struct wk_str name, struct wk_buf *text)
{
	size_t from = 0;

	for (size_t i = 0; i < name.len; i++) {
		struct wk_str rest = wk_str_skip(name, i);

		if (name.at[i] != '{' ||
		    !(wk_str_accept(&rest, "{lambda:") || wk_str_accept(&rest, "{closure:")))
			continue;
		i = (size_t)(rest.at - name.at) - 1; /* the colon */
		wk_buf_add_str(text, wk_str_of(name.at + from, i - from));
		from = i + 1 + lines_end(rest);
		i = from - 1;
	}
	wk_buf_add_str(text, wk_str_skip(name, from));
}

/* Reads a number at `*at`; 0 if there is none, or if it is too large. */
static uint32_t read_number(struct wk_str name, size_t *at)
{
	uint64_t number = 0;

	for (; *at < name.len && is_digit(name.at[*at]); (*at)++)
		if (number <= UINT32_MAX)
			number = number * 10 + (uint64_t)(name.at[*at] - '0');
	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* What follows "{lambda:" or "{closure:". */
static bool read_lined(struct wk_str name, struct wk_lined_closure *closure)
{
	size_t at = closure->colon + 1;
	size_t lines = lines_end(wk_str_skip(name, at)), end = at + lines;

	closure->line = read_number(name, &at);
	closure->number = 0;
	if (closure->line && end < name.len && name.at[end] == '#') {
		end++;
		closure->number = read_number(name, &end) + 1; /* Rust counts from 0 */
	}
	closure->end = end + 1;
	return closure->line && end < name.len && name.at[end] == '}';
}

bool wk_closure_next_lined(struct wk_str name, struct wk_lined_closure *closure)
{
	for (size_t i = closure->end; i < name.len; i++) {
		struct wk_str rest = wk_str_skip(name, i);

		if (name.at[i] != '{' ||
		    !(wk_str_accept(&rest, "{lambda:") || wk_str_accept(&rest, "{closure:")))
			continue;
		closure->begin = i;
		closure->colon = (size_t)(rest.at - name.at) - 1;
		if (read_lined(name, closure))
			return true;
	}
	return false;
}

void wk_closure_family(struct wk_str name, size_t begin, struct wk_buf *family)
{
	size_t from = wk_path_begin(name, begin), end = from;

	/* Up to the outermost closure of the path. */
	while (end < begin && name.at[from] != '{' && !wk_str_starts(wk_str_skip(name, end), "::{"))
		end++;
	name = wk_str_of(name.at + from, end - from);
	drop(&name, "::");
	wk_bare_name(name, family);
}

/* The number of a closure in its function, "#2". clang counts from 0, the others from 1. */
static void add_number(struct wk_str own, struct wk_buf *text)
{
	struct wk_str digits = digits_of(own);
	uint64_t number;

	if (own.at[0] == '$' && wk_num_u64(digits, &number)) {
		wk_buf_add_fmt(text, "#%" PRIu64, number + 1);
		return;
	}
	own.len -= own.len && own.at[own.len - 1] == '}';
	for (size_t at = own.len; at > 0; at--)
		if (own.at[at - 1] == '#') {
			wk_buf_add_str(text, wk_str_skip(own, at - 1));
			return;
		}
}

void wk_closure_name_add(struct wk_str name, uint32_t line, uint32_t last, struct wk_buf *text)
{
	size_t begin = name.len, end = name.len;
	struct wk_str own;

	if (!find_own_part(name, &begin, &end)) {
		wk_buf_add_str(text, name);
		return;
	}
	own = wk_str_of(name.at + begin, end - begin);
	wk_buf_add_str(text, wk_str_of(name.at, begin));
	wk_buf_add_text(text,
			wk_str_starts(own, "{lambda") || own.at[0] == '$' ? "{lambda" : "{closure");
	wk_buf_add_fmt(text, ":%" PRIu32, line);
	if (wk_str_starts(own, "{lambda}") && last > line)
		wk_buf_add_fmt(text, "-%" PRIu32, last);
	add_number(own, text);
	wk_buf_add_char(text, '}');
	wk_buf_add_str(text, wk_str_skip(name, end));
}

/* The last byte of a numbered closure that begins at `at`; `at` if none does, SIZE_MAX if it has no
 * end. */
static size_t numbered_end(struct wk_str name, size_t at)
{
	struct wk_str rest = wk_str_skip(name, at);
	size_t end;

	if (wk_str_starts(rest, "$_") && at && name.at[at - 1] == ':') {
		for (end = at + 2; end < name.len && name.at[end] >= '0' && name.at[end] <= '9';)
			end++;
		return end > at + 2 ? end - 1 : at;
	}
	if (!wk_str_starts(rest, "{closure#") && !wk_str_starts(rest, "{lambda("))
		return at;
	return wk_bracket_end(name, at, '{', '}');
}

/* The last byte of the innermost closure that is written in the one which ends at `close`. */
static size_t nested_end(struct wk_str name, size_t close)
{
	for (;;) {
		size_t begin = wk_enclosing_call_end(name, close + 1), end;

		if (begin == SIZE_MAX || !wk_str_starts(wk_str_skip(name, begin), "::"))
			return close;
		begin += strlen("::");
		end = numbered_end(name, begin);
		if (end == begin || end == SIZE_MAX)
			return close;
		close = end;
	}
}

bool wk_closure_arguments_add(struct wk_str name, enum wk_closure_part part,
			      struct wk_str (*named)(void *context, struct wk_str closure),
			      void *context, struct wk_buf *text)
{
	size_t added = 0, depth = 0;
	bool may_have = name.len && name.len <= MOST_BYTES &&
			(memchr(name.at, '{', name.len) || memchr(name.at, '$', name.len));

	for (size_t i = 0; may_have && i < name.len; i++) {
		size_t begin, close;
		struct wk_str other;

		depth += name.at[i] == '<' || name.at[i] == '(';
		depth -= depth && (name.at[i] == '>' || name.at[i] == ')');
		if (!depth || (name.at[i] != '{' && name.at[i] != '$'))
			continue;
		close = numbered_end(name, i);
		if (close == SIZE_MAX)
			break;
		if (close == i)
			continue;
		begin = wk_path_begin(name, i);
		if (begin < added)
			continue;
		if (part == WK_CLOSURE_INNERMOST)
			close = nested_end(name, close);
		other = named(context, wk_str_of(name.at + begin, close + 1 - begin));
		if (!other.len)
			continue;
		wk_buf_add_str(text, wk_str_of(name.at + added, begin - added));
		wk_buf_add_str(text, other);
		added = close + 1;
		i = close;
	}
	wk_buf_add_str(text, wk_str_skip(name, added));
	return added != 0;
}
