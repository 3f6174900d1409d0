/* The text of an expression: its tokens, and what may follow which. */
#include <stdio.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"
#include "views/filter/expression_parser.h"

/* ---- tokens */

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

size_t wk_length_of(struct wk_str text, const char *set)
{
	size_t len = 0;

	while (len < text.len && is_in(text.at[len], set))
		len++;
	return len;
}

size_t wk_length_until(struct wk_str text, const char *set)
{
	size_t len = 0;

	while (len < text.len && !is_in(text.at[len], set))
		len++;
	return len;
}

static unsigned column(const struct wk_parser *p)
{
	unsigned column = 1;

	for (const char *at = p->text.at; at < p->rest.at; at++)
		column += (*at & 0xc0) != 0x80;
	return column;
}

void wk_parser_fail(struct wk_parser *p, const char *expected)
{
	struct wk_str found = wk_str_of(p->rest.at, p->rest.len < 40 ? p->rest.len : 40);

	p->is_bad = true;
	if (p->token == WK_TOKEN_END)
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE,
			"column %u: expected %s, but the expression ends here", column(p),
			expected);
	else
		wk_fail(p->err, WK_EUSAGE, WK_NOWHERE, "column %u: expected %s instead of \"%.*s\"",
			column(p), expected, WK_STR_ARG(found));
}

/* A quotation mark in a text is written twice. */
static size_t quoted_length(struct wk_parser *p)
{
	char quote = p->rest.at[0];
	size_t len = 1;

	while (len < p->rest.len) {
		if (p->rest.at[len++] != quote)
			continue;
		if (len == p->rest.len || p->rest.at[len] != quote)
			return len;
		len++;
	}
	wk_parser_fail(p, "a closing quotation mark");
	return p->rest.len;
}

static size_t token_length(struct wk_parser *p)
{
	char c = p->rest.len ? p->rest.at[0] : '\0';

	p->token = !p->rest.len             ? WK_TOKEN_END
		   : c == '('               ? WK_TOKEN_OPEN
		   : c == ')'               ? WK_TOKEN_CLOSE
		   : c == ','               ? WK_TOKEN_COMMA
		   : is_in(c, "\"'")        ? WK_TOKEN_QUOTED
		   : is_in(c, WK_OPERATORS) ? WK_TOKEN_OPERATOR
					    : WK_TOKEN_WORD;
	if (p->token == WK_TOKEN_QUOTED)
		return quoted_length(p);
	if (p->token == WK_TOKEN_OPERATOR)
		return wk_length_of(p->rest, WK_OPERATORS);
	if (p->token == WK_TOKEN_WORD)
		return wk_length_until(p->rest, p->marks);
	return p->token != WK_TOKEN_END;
}

/* Reads the token at `rest`, which stays there for messages. */
static void look(struct wk_parser *p)
{
	p->rest = wk_str_skip(p->rest, wk_length_of(p->rest, WK_BLANKS));
	p->word = wk_str_of(p->rest.at, token_length(p));
}

void wk_parser_next(struct wk_parser *p)
{
	p->rest = wk_str_skip(p->rest, p->word.len);
	look(p);
}

static bool is_keyword(const struct wk_parser *p, const char *word)
{
	return p->token == WK_TOKEN_WORD && wk_str_is_any_case(p->word, word);
}

/* Returns whether the keyword was there. */
static bool skip_keyword(struct wk_parser *p, const char *word)
{
	if (!is_keyword(p, word))
		return false;
	wk_parser_next(p);
	return true;
}

/* ---- and, or, not and parentheses */

static void read_operand(struct wk_parser *p)
{
	if (skip_keyword(p, "not")) {
		wk_expr_not(p->expr);
	} else if (p->token == WK_TOKEN_OPEN) {
		wk_expr_open(p->expr);
		wk_parser_next(p);
	} else if (p->token == WK_TOKEN_CLOSE || is_keyword(p, "and") || is_keyword(p, "or")) {
		wk_parser_fail(p, p->condition);
	} else {
		p->read_condition(p);
	}
}

static void read_behind(struct wk_parser *p)
{
	if (p->token == WK_TOKEN_CLOSE && wk_expr_close(p->expr))
		wk_parser_next(p);
	else if (skip_keyword(p, "and") ||
		 (p->joins_neighbors && p->token != WK_TOKEN_CLOSE && !is_keyword(p, "or")))
		wk_expr_join(p->expr, WK_STEP_AND);
	else if (skip_keyword(p, "or"))
		wk_expr_join(p->expr, WK_STEP_OR);
	else
		wk_parser_fail(p, "\"and\", \"or\" or the end");
}

bool wk_parser_run(struct wk_parser *p)
{
	struct wk_expr *expr = p->expr;

	*expr = (struct wk_expr){ 0 };
	p->rest = p->text;
	look(p);
	while (!p->is_bad && p->token != WK_TOKEN_END) {
		(expr->has_operand ? read_behind : read_operand)(p);
		if (!p->is_bad && expr->waiting_count + expr->step_count > WK_EXPR_MOST_STEPS)
			p->is_bad = !wk_fail(p->err, WK_EUSAGE, WK_NOWHERE,
					     "column %u: more than %d steps", column(p),
					     WK_EXPR_MOST_STEPS);
	}
	if (!p->is_bad && !expr->has_operand)
		wk_parser_fail(p, p->condition);
	else if (!p->is_bad && !wk_expr_finish(expr))
		wk_parser_fail(p, "\")\", \"and\" or \"or\"");
	if (p->is_bad)
		wk_expr_fini(expr);
	return !p->is_bad;
}

void wk_parser_add(struct wk_parser *p, struct wk_term *term)
{
	term->written = p->word;
	if (p->expr->term_count < WK_EXPR_MOST_TERMS)
		wk_expr_term(p->expr, term);
	else
		p->is_bad = !wk_fail(p->err, WK_EUSAGE, WK_NOWHERE,
				     "column %u: more than %d conditions", column(p),
				     WK_EXPR_MOST_TERMS);
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
		return "a number such as 12, or after \"in\" a range such as 3-5";
	case WK_VALUE_TIME:
		return "a time such as 1.5, 200ms or 10%, or after \"in\" a range such as 1.5-3";
	case WK_VALUE_AMOUNT:
		return "an amount such as 4096, 16K or 5ms, or after \"in\" a range";
	default:
		return "a value";
	}
}

static void read_range(struct wk_parser *p, struct wk_term *term, bool is_range)
{
	bool has_dash = memchr(p->word.at, '-', p->word.len);

	if (!wk_term_read_range(term, p->word) || (has_dash && !is_range))
		wk_parser_fail(p, value_words(term->field));
	else if (wk_term_is_backward(term))
		wk_parser_fail(p, "a range that does not end before it begins");
	else
		wk_parser_add(p, term);
}

/* Checks a pattern before a long recording is read; how it treats case depends on that. */
static void check_pattern(struct wk_parser *p, const char *text)
{
	const char *why;
	struct wk_pattern *pattern = wk_pattern_new(text, false, &why);

	if (!pattern && !p->is_bad)
		p->is_bad = !wk_fail(p->err, WK_EUSAGE, WK_NOWHERE, "column %u: pattern \"%s\": %s",
				     column(p), text, why);
	wk_pattern_free(pattern);
}

static void read_text(struct wk_parser *p, struct wk_term *term)
{
	struct wk_buf text = { 0 };
	struct wk_str word = p->word;

	if (p->token == WK_TOKEN_QUOTED)
		word = wk_str_of(word.at + 1, word.len - 2);
	for (size_t i = 0; i < word.len; i++) {
		wk_buf_add_char(&text, word.at[i]);
		i += p->token == WK_TOKEN_QUOTED && word.at[i] == p->word.at[0];
	}
	if (term->test == WK_TEST_PATTERN)
		check_pattern(p, wk_buf_text(&text));
	term->text = wk_buf_str(&text);
	if (!p->is_bad)
		wk_parser_add(p, term);
	wk_buf_fini(&text);
}

static void read_value(struct wk_parser *p, struct wk_term *term, bool is_range)
{
	bool is_text = wk_fields[term->field].value == WK_VALUE_TEXT;

	if (p->is_bad)
		return;
	if (p->token != WK_TOKEN_WORD && !(is_text && p->token == WK_TOKEN_QUOTED))
		wk_parser_fail(p, value_words(term->field));
	else if (is_text)
		read_text(p, term);
	else
		read_range(p, term, is_range);
	if (!p->is_bad)
		wk_parser_next(p);
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

static const struct comparison *find_comparison(const struct wk_parser *p, enum wk_field field)
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

/* "a, b" or "(a, b)", one of which must be equal. */
static void read_list(struct wk_parser *p, struct wk_term *term)
{
	bool has_parentheses = p->token == WK_TOKEN_OPEN;
	enum wk_test test = term->test;

	wk_expr_open(p->expr);
	if (has_parentheses)
		wk_parser_next(p);
	read_value(p, term, true);
	while (!p->is_bad && p->token == WK_TOKEN_COMMA) {
		wk_parser_next(p);
		wk_expr_join(p->expr, WK_STEP_OR);
		term->test = test;
		read_value(p, term, true);
	}
	if (has_parentheses && !p->is_bad && p->token != WK_TOKEN_CLOSE)
		wk_parser_fail(p, "\",\" or \")\"");
	else if (has_parentheses && !p->is_bad)
		wk_parser_next(p);
	wk_expr_close(p->expr);
}

static void read_comparison(struct wk_parser *p, enum wk_field field)
{
	const struct comparison *c;
	struct wk_term term = { .field = field };
	bool is_list;

	wk_parser_next(p);
	c = find_comparison(p, field);
	if (!c) {
		wk_parser_fail(p, wk_fields[field].value == WK_VALUE_TEXT
					  ? "==, !=, =~, !~ or in after a field of text"
					  : "==, !=, <, <=, >, >= or in after a field of numbers");
		return;
	}
	is_list = is_keyword(p, "in");
	term.test = c->test;
	if (c->is_negative)
		wk_expr_not(p->expr);
	wk_parser_next(p);
	if (is_list) {
		read_list(p, &term);
		return;
	}
	read_value(p, &term, false);
	if (!p->is_bad && term.test == WK_TEST_RANGE)
		set_ends(&p->expr->terms[p->expr->term_count - 1], c);
}

static void fail_field(struct wk_parser *p)
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

static void read_field(struct wk_parser *p)
{
	size_t field = 0;

	if (p->token != WK_TOKEN_WORD) {
		wk_parser_fail(p, p->condition);
		return;
	}
	while (field < WK_FIELD_NONE && !wk_str_is_any_case(p->word, wk_fields[field].name))
		field++;
	if (field == WK_FIELD_NONE)
		fail_field(p);
	else
		read_comparison(p, (enum wk_field)field);
}

bool wk_expr_read(struct wk_expr *expr, struct wk_str text, struct wk_err *err)
{
	struct wk_parser p = { .expr = expr, .text = text, .err = err,
			       .marks = WK_BLANKS WK_OPERATORS "(),\"'",
			       .condition = "a field such as process, \"not\" or \"(\"",
			       .read_condition = read_field };

	return wk_parser_run(&p);
}
