/* The text of an expression: its words, and what may follow which. */
#include "views/filter/expression.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"

enum token { END, OPEN, CLOSE, COMMA, OPERATOR, WORD, QUOTED };

struct parser {
	struct wk_expr *expr;
	struct wk_str text, rest; /* all of it; from the token on */
	enum token token;
	struct wk_str word; /* the token, without its quotation marks */
	char quote;
	bool is_bad; /* the expression failed */
	struct wk_err *err;
};

/* ---- tokens */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_word(char c)
{
	return !is_blank(c) && !is_in(c, "()=!<>~,\"'");
}

static unsigned column(const struct parser *p)
{
	unsigned column = 1;

	for (const char *at = p->text.at; at < p->rest.at; at++)
		column += (*at & 0xc0) != 0x80;
	return column;
}

static void fail(struct parser *p, const char *expected)
{
	struct wk_str found = wk_str_of(p->rest.at, p->rest.len < 40 ? p->rest.len : 40);

	p->is_bad = true;
	if (p->token == END)
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE, "column %u: expected %s instead of the end",
			column(p), expected);
	else
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE, "column %u: expected %s instead of \"%.*s\"",
			column(p), expected, WK_STR_ARG(found));
}

static size_t length_while(struct wk_str text, bool (*is_part)(char c))
{
	size_t len = 0;

	while (len < text.len && is_part(text.at[len]))
		len++;
	return len;
}

static bool is_operator(char c)
{
	return is_in(c, "=!<>~");
}

/* A quotation mark in a text is written twice. */
static size_t quoted_length(struct parser *p)
{
	size_t len = 1;

	p->quote = p->rest.at[0];
	while (len < p->rest.len) {
		if (p->rest.at[len++] != p->quote)
			continue;
		if (len == p->rest.len || p->rest.at[len] != p->quote)
			return len;
		len++;
	}
	fail(p, "a closing quotation mark");
	return p->rest.len;
}

static size_t token_length(struct parser *p)
{
	static const char marks[] = "(),";
	char c = p->rest.len ? p->rest.at[0] : '\0';

	if (!p->rest.len) {
		p->token = END;
		return 0;
	}
	if (is_in(c, marks)) {
		p->token = c == '(' ? OPEN : c == ')' ? CLOSE : COMMA;
		return 1;
	}
	if (is_in(c, "\"'")) {
		p->token = QUOTED;
		return quoted_length(p);
	}
	p->token = is_operator(c) ? OPERATOR : WORD;
	return length_while(p->rest, p->token == WORD ? is_word : is_operator);
}

/* Reads the token at `rest`, which stays there for messages. */
static void look(struct parser *p)
{
	p->rest = wk_str_skip(p->rest, length_while(p->rest, is_blank));
	p->word = wk_str_of(p->rest.at, token_length(p));
}

static void next(struct parser *p)
{
	p->rest = wk_str_skip(p->rest, p->word.len);
	look(p);
}

static bool is_keyword(const struct parser *p, const char *word)
{
	return p->token == WORD && wk_str_is_any_case(p->word, word);
}

/* ---- values */

static bool read_edge(enum wk_field field, struct wk_str text, struct wk_edge *edge)
{
	edge->has_share = wk_fields[field].value == WK_VALUE_TIME && wk_str_ends(text, "%");
	if (edge->has_share)
		return wk_num_real(wk_str_of(text.at, text.len - 1), &edge->share) &&
		       edge->share >= 0 && edge->share <= 100;
	if (wk_fields[field].value == WK_VALUE_TIME)
		return wk_num_duration(text, &edge->value);
	return wk_num_u64(text, &edge->value) ||
	       (wk_fields[field].value == WK_VALUE_AMOUNT &&
		(wk_num_size(text, &edge->value) || wk_num_duration(text, &edge->value)));
}

bool wk_term_read_range(struct wk_term *term, struct wk_str text)
{
	struct wk_str from, to;

	term->test = WK_TEST_RANGE;
	term->from = (struct wk_edge){ 0 };
	term->to = (struct wk_edge){ .value = UINT64_MAX };
	if (!wk_str_split(text, '-', &from, &to) || from.len == text.len) {
		bool ok = read_edge(term->field, text, &term->from);

		term->to = term->from;
		return ok;
	}
	return (from.len || to.len) && (!from.len || read_edge(term->field, from, &term->from)) &&
	       (!to.len || read_edge(term->field, to, &term->to));
}

bool wk_term_is_backward(const struct wk_term *term)
{
	if (term->from.has_share != term->to.has_share)
		return false; /* unknown before the recording is */
	return term->from.has_share ? term->from.share > term->to.share
				    : term->from.value > term->to.value;
}

static const char *value_words(enum wk_field field)
{
	switch (wk_fields[field].value) {
	case WK_VALUE_NUMBER:
		return "a number such as 12, or behind \"in\" a range such as 3-5";
	case WK_VALUE_TIME:
		return "a time such as 1.5, 200ms or 10%, or behind \"in\" a range such as 1.5-3";
	case WK_VALUE_AMOUNT:
		return "an amount such as 4096, 16K or 5ms, or behind \"in\" a range";
	default:
		return "a text to compare with";
	}
}

static void add_term(struct parser *p, struct wk_term *term)
{
	term->written = p->word;
	if (p->expr->term_count < WK_EXPR_MOST_TERMS) {
		wk_expr_term(p->expr, term);
	} else {
		p->is_bad = true;
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE, "column %u: more than %d conditions",
			column(p), WK_EXPR_MOST_TERMS);
	}
}

static void read_range(struct parser *p, struct wk_term *term, bool is_range)
{
	bool has_dash = memchr(p->word.at, '-', p->word.len);

	if (!wk_term_read_range(term, p->word) || (has_dash && !is_range))
		fail(p, value_words(term->field));
	else if (wk_term_is_backward(term))
		fail(p, "a range that does not end before it begins");
	else
		add_term(p, term);
}

/* Checks a pattern before a long recording is read; how it treats case depends on that. */
static void check_pattern(struct parser *p, const char *text)
{
	const char *why;
	struct wk_pattern *pattern = wk_pattern_new(text, false, &why);

	if (!pattern && !p->is_bad)
		p->is_bad = !wk_fail(p->err, WK_EUSAGE, WK_NOWHERE, "column %u: pattern \"%s\": %s",
				     column(p), text, why);
	wk_pattern_free(pattern);
}

static void read_text(struct parser *p, struct wk_term *term)
{
	struct wk_buf text = { 0 };
	struct wk_str word = p->word;

	if (p->token == QUOTED)
		word = wk_str_of(word.at + 1, word.len - 2);
	for (size_t i = 0; i < word.len; i++) {
		wk_buf_add_char(&text, word.at[i]);
		i += p->token == QUOTED && word.at[i] == p->quote;
	}
	if (term->test == WK_TEST_PATTERN)
		check_pattern(p, wk_buf_text(&text));
	term->text = wk_buf_str(&text);
	if (!p->is_bad)
		add_term(p, term);
	wk_buf_fini(&text);
}

static void read_value(struct parser *p, struct wk_term *term, bool is_range)
{
	bool is_text = wk_fields[term->field].value == WK_VALUE_TEXT;

	if (p->is_bad)
		return;
	if (p->token != WORD && !(is_text && p->token == QUOTED))
		fail(p, value_words(term->field));
	else if (is_text)
		read_text(p, term);
	else
		read_range(p, term, is_range);
	if (!p->is_bad)
		next(p);
}

/* ---- comparisons */

static const struct comparison {
	const char *word;
	bool is_of_text, is_of_numbers, is_negative;
	enum wk_test test;
	bool has_from, has_to; /* of numbers: the ends that the value sets */
	int step;              /* added to the value */
} comparisons[] = {
	{ "==", true, true, false, WK_TEST_TEXT, true, true, 0 },
	{ "!=", true, true, true, WK_TEST_TEXT, true, true, 0 },
	{ "=~", true, false, false, WK_TEST_PATTERN, false, false, 0 },
	{ "!~", true, false, true, WK_TEST_PATTERN, false, false, 0 },
	{ "<", false, true, false, WK_TEST_RANGE, false, true, -1 },
	{ "<=", false, true, false, WK_TEST_RANGE, false, true, 0 },
	{ ">", false, true, false, WK_TEST_RANGE, true, false, 1 },
	{ ">=", false, true, false, WK_TEST_RANGE, true, false, 0 },
	{ "in", true, true, false, WK_TEST_TEXT, true, true, 0 },
	{ 0 },
};

static const struct comparison *find_comparison(const struct parser *p, enum wk_field field)
{
	bool is_text = wk_fields[field].value == WK_VALUE_TEXT;

	for (const struct comparison *c = comparisons; c->word; c++)
		if ((is_text ? c->is_of_text : c->is_of_numbers) &&
		    wk_str_is_any_case(p->word, c->word))
			return c;
	return NULL;
}

/* < 3 is 0..2, > 3 is 4 and up; nothing is below 0. */
static void set_ends(struct wk_term *term, const struct comparison *c)
{
	struct wk_edge at = term->from;
	bool is_below_all = !at.has_share && c->step < 0 && at.value == 0;

	at.step = at.has_share ? c->step : 0;
	if (!at.has_share && !is_below_all && (c->step < 0 || at.value < UINT64_MAX))
		at.value += (uint64_t)c->step;
	term->from = c->has_from ? at : (struct wk_edge){ .value = is_below_all };
	term->to = c->has_to ? at : (struct wk_edge){ .value = UINT64_MAX };
}

static void read_comparison(struct parser *p, enum wk_field field)
{
	const struct comparison *c;
	struct wk_term term = { .field = field };
	bool is_list;

	next(p);
	c = find_comparison(p, field);
	if (!c) {
		fail(p, wk_fields[field].value == WK_VALUE_TEXT
				? "==, !=, =~, !~ or in behind a field of text"
				: "==, !=, <, <=, >, >= or in behind a field of numbers");
		return;
	}
	is_list = is_keyword(p, "in");
	term.test = c->test;
	if (c->is_negative)
		wk_expr_not(p->expr);
	next(p);
	if (is_list)
		wk_expr_open(p->expr);
	read_value(p, &term, is_list);
	if (!p->is_bad && !is_list && term.test == WK_TEST_RANGE)
		set_ends(&p->expr->terms[p->expr->term_count - 1], c);
	while (is_list && !p->is_bad && p->token == COMMA) {
		next(p);
		wk_expr_join(p->expr, WK_STEP_OR);
		term.test = c->test;
		read_value(p, &term, true);
	}
	if (is_list)
		wk_expr_close(p->expr);
}

static void fail_field(struct parser *p)
{
	struct wk_suggestion near = wk_suggestion_for(p->word);
	struct wk_buf names = { 0 };

	for (size_t i = 0; i < WK_FIELD_NONE; i++) {
		wk_suggestion_try(&near, wk_fields[i].name);
		wk_buf_add_fmt(&names, "%s%s", i ? ", " : "", wk_fields[i].name);
	}
	p->is_bad = true;
	if (near.best)
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE,
			"column %u: no field \"%.*s\"; did you mean \"%s\"?", column(p),
			WK_STR_ARG(p->word), near.best);
	else
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE,
			"column %u: no field \"%.*s\"; the fields are %s", column(p),
			WK_STR_ARG(p->word), wk_buf_text(&names));
	wk_buf_fini(&names);
}

static void read_field(struct parser *p)
{
	size_t field = 0;

	if (p->token != WORD || is_keyword(p, "and") || is_keyword(p, "or")) {
		fail(p, "a field such as process, \"not\" or \"(\"");
		return;
	}
	while (field < WK_FIELD_NONE && !wk_str_is_any_case(p->word, wk_fields[field].name))
		field++;
	if (field == WK_FIELD_NONE)
		fail_field(p);
	else
		read_comparison(p, (enum wk_field)field);
}

/* ---- the expression */

static void read_operand(struct parser *p)
{
	if (is_keyword(p, "not")) {
		wk_expr_not(p->expr);
		next(p);
	} else if (p->token == OPEN) {
		wk_expr_open(p->expr);
		next(p);
	} else {
		read_field(p);
	}
}

static void read_behind(struct parser *p)
{
	if (p->token == CLOSE && wk_expr_close(p->expr))
		next(p);
	else if (is_keyword(p, "and") || is_keyword(p, "or")) {
		wk_expr_join(p->expr, is_keyword(p, "and") ? WK_STEP_AND : WK_STEP_OR);
		next(p);
	} else {
		fail(p, "\"and\", \"or\" or the end");
	}
}

static void finish(struct parser *p)
{
	if (!p->expr->has_operand)
		fail(p, "a field such as process, \"not\" or \"(\"");
	else if (!wk_expr_finish(p->expr))
		fail(p, "\")\", \"and\" or \"or\"");
}

bool wk_expr_read(struct wk_expr *expr, struct wk_str text, struct wk_err *err)
{
	struct parser p = { .expr = expr, .text = text, .rest = text, .err = err };

	*expr = (struct wk_expr){ 0 };
	look(&p);
	while (!p.is_bad && p.token != END) {
		if (expr->has_operand)
			read_behind(&p);
		else
			read_operand(&p);
		if (!p.is_bad && expr->waiting_count + expr->step_count > WK_EXPR_MOST_STEPS)
			p.is_bad = !wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					    "column %u: more than %d steps", column(&p),
					    WK_EXPR_MOST_STEPS);
	}
	if (!p.is_bad)
		finish(&p);
	if (p.is_bad)
		wk_expr_fini(expr);
	return !p.is_bad;
}
