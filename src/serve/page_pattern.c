#include "serve/page_pattern.h"

#include "base/buf.h"

/* A pattern of JavaScript, with its flag "u", that becomes one of POSIX. */
struct translation {
	const char *at; /* ends with NUL */
	struct wk_buf posix;
	const char *why; /* NULL: there was no fault */
};

static void fail(struct translation *t, const char *why)
{
	t->why = why;
}

/* One byte within brackets, whatever it means there. */
static void add_member(struct translation *t, char c)
{
	wk_buf_add_fmt(&t->posix, strchr("]^-[", c) ? "[.%c.]" : "%c", c);
}

/* The byte of an escape like "\n", or 0. */
static char control_of(char c)
{
	static const char names[] = "tnvfr", bytes[] = "\t\n\v\f\r";
	const char *found = strchr(names, c);

	return found ? bytes[found - names] : '\0';
}

static bool is_literal(char c)
{
	return c && strchr("^$\\.*+?()[]{}|/", c);
}

/* Behind a backslash within brackets. */
static void escape_within(struct translation *t)
{
	char c = *t->at;

	t->at += c != '\0';
	if (c == 'd')
		wk_buf_add_text(&t->posix, "0-9");
	else if (c == 'w')
		wk_buf_add_text(&t->posix, "0-9A-Za-z_");
	else if (c == 's')
		wk_buf_add_text(&t->posix, " \t-\r");
	else if (is_literal(c) || c == '-')
		add_member(t, c);
	else if (c && control_of(c))
		add_member(t, control_of(c));
	else
		fail(t, "an escape within [ is not supported");
}

/* Behind the "[". */
static void brackets(struct translation *t)
{
	wk_buf_add_char(&t->posix, '[');
	if (*t->at == '^')
		wk_buf_add_char(&t->posix, *t->at++);
	if (*t->at == ']')
		fail(t, "a set of characters is empty");
	while (!t->why && *t->at && *t->at != ']') {
		char c = *t->at++;

		if (c == '\\')
			escape_within(t);
		else if (c == '-')
			wk_buf_add_char(&t->posix, c);
		else
			add_member(t, c);
	}
	if (!*t->at)
		fail(t, "a [ is not closed");
	t->at += *t->at == ']';
	wk_buf_add_char(&t->posix, ']');
}

/* Behind a backslash. */
static void escape(struct translation *t)
{
	char c = *t->at;

	t->at += c != '\0';
	if (c == 'd')
		wk_buf_add_text(&t->posix, "[0-9]");
	else if (c == 'D')
		wk_buf_add_text(&t->posix, "[^0-9]");
	else if (c && (is_literal(c) || strchr("wWsSbB", c)))
		wk_buf_add_fmt(&t->posix, "\\%c", c);
	else if (c && control_of(c))
		wk_buf_add_char(&t->posix, control_of(c));
	else
		fail(t, "an escape is not supported");
}

/* Behind the "(". */
static void group(struct translation *t)
{
	wk_buf_add_char(&t->posix, '(');
	if (*t->at != '?')
		return;
	if (t->at[1] == ':')
		t->at += 2;
	else
		fail(t, "only (?: is supported of what begins with (?");
}

/* Whether a match is the shortest does not matter. */
static void repetition(struct translation *t, char c)
{
	wk_buf_add_char(&t->posix, c);
	t->at += *t->at == '?';
}

static void translate(struct translation *t)
{
	while (*t->at && !t->why) {
		char c = *t->at++;

		if (c == '\\')
			escape(t);
		else if (c == '[')
			brackets(t);
		else if (c == '(')
			group(t);
		else if (strchr("*+?}", c))
			repetition(t, c);
		else
			wk_buf_add_char(&t->posix, c);
	}
}

static bool has_capital(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] >= 'A' && text.at[i] <= 'Z')
			return true;
	return false;
}

struct wk_pattern *wk_page_pattern_new(struct wk_str text, const char **why)
{
	struct wk_buf source = { 0 };
	struct translation t = { 0 };
	struct wk_pattern *pattern = NULL;

	/* Sets, points and case are of bytes here. */
	for (size_t i = 0; i < text.len; i++)
		if ((uint8_t)text.at[i] >= 0x80) {
			*why = "only ASCII is supported";
			return NULL;
		}
	wk_buf_add_str(&source, text);
	t.at = wk_buf_text(&source);
	translate(&t);
	*why = t.why;
	if (!t.why)
		pattern = wk_pattern_new(wk_buf_text(&t.posix), !has_capital(text), why);
	WK_BUF_FINI_ALL(&source, &t.posix);
	return pattern;
}
