#include "views/filter/wpa_query.h"

#include <math.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/text/pattern.h"

/* ---- columns */

/* "New Thread Id" as "threadid". */
static size_t plain_name(struct wk_str column, char *plain, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; i < column.len && column.at[i] != '(' && len < room; i++)
		if (column.at[i] != ' ' && column.at[i] != '-')
			plain[len++] = wk_lower(column.at[i]);
	return len;
}

enum wk_field wk_wpa_field_of(struct wk_str column)
{
	static const struct {
		const char *name;
		enum wk_field field;
	} known[] = {
		{ "process", WK_FIELD_PROCESS_LABEL },
		{ "processname", WK_FIELD_PROCESS },
		{ "processid", WK_FIELD_PID },
		{ "pid", WK_FIELD_PID },
		{ "commandline", WK_FIELD_COMMAND },
		{ "thread", WK_FIELD_TID },
		{ "threadid", WK_FIELD_TID },
		{ "tid", WK_FIELD_TID },
		{ "committingthreadid", WK_FIELD_TID },
		{ "threadname", WK_FIELD_THREAD },
		{ "module", WK_FIELD_MODULE },
		{ "function", WK_FIELD_FUNCTION },
		{ "stack", WK_FIELD_STACK_FRAME },
		{ "threadstack", WK_FIELD_STACK_FRAME },
		{ "commitstack", WK_FIELD_STACK_FRAME },
		{ "allocationstack", WK_FIELD_STACK_FRAME },
		{ "cpu", WK_FIELD_CPU },
	};
	char plain[32];
	struct wk_str name = wk_str_of(plain, plain_name(column, plain, sizeof(plain)));

	if (wk_str_ends(column, "(Name)")) /* "Process (Name)" */
		return wk_str_is(name, "process") ? WK_FIELD_PROCESS : WK_FIELD_NONE;
	if (wk_str_starts(name, "new"))
		name = wk_str_skip(name, 3);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (wk_str_is(name, known[i].name))
			return known[i].field;
	return WK_FIELD_NONE;
}

/* ---- conditions */

#define LONGEST_PATTERN 1000 /* bytes; longer ones are not evaluated */

static const struct operator
{
	const char *word;
	enum wk_test test;
	bool is_negative;
	const char *before, *behind; /* of a pattern around the value, which is then plain text */
	bool has_from, has_to, is_open; /* of a range: the ends that the value sets; excluded */
}
operators[] = {
	{ .word = "=", .test = WK_TEST_TEXT },
	{ .word = "<>", .test = WK_TEST_TEXT, .is_negative = true },
	{ .word = "~=", .test = WK_TEST_PATTERN, .before = "", .behind = "" },
	{ .word = "~<", .test = WK_TEST_PATTERN, .before = "^", .behind = "" },
	{ .word = "~>", .test = WK_TEST_PATTERN, .before = "", .behind = "$" },
	{ .word = "*", .test = WK_TEST_PATTERN },
	{ .word = "<", .test = WK_TEST_RANGE, .has_to = true, .is_open = true },
	{ .word = ">", .test = WK_TEST_RANGE, .has_from = true, .is_open = true },
	{ .word = "<=", .test = WK_TEST_RANGE, .has_to = true },
	{ .word = ">=", .test = WK_TEST_RANGE, .has_from = true },
	{ .word = NULL, .test = WK_TEST_UNKNOWN },
};

static const struct operator* find_operator(struct wk_str word)
{
	const struct operator* found = operators;

	while (found->word && !wk_str_is(word, found->word))
		found++;
	return found;
}

static void add_pattern(const struct operator* operator, struct wk_str value, struct wk_buf *text)
{
	wk_buf_add_text(text, operator->before ? operator->before : "");
	for (size_t i = 0; i < value.len; i++) {
		if (operator->before && strchr("\\.[()*+?{^$|", value.at[i]))
			wk_buf_add_char(text, '\\');
		wk_buf_add_char(text, value.at[i]);
	}
	wk_buf_add_text(text, operator->behind ? operator->behind : "");
}

static bool is_pattern(struct wk_str value, const char *text)
{
	const char *why;
	struct wk_pattern *pattern =
		value.len <= LONGEST_PATTERN ? wk_pattern_new(text, true, &why) : NULL;

	wk_pattern_free(pattern);
	return pattern != NULL;
}

/* Whole numbers at or beyond a real one. */
static void set_range(struct wk_term *term, const struct operator* operator, struct wk_str value)
{
	double end, from = 0, to = 1e15;

	if (wk_num_real(value, &end) && operator->has_from)
		from = operator->is_open ? floor(end) + 1 : ceil(end);
	else if (wk_num_real(value, &end))
		to = operator->is_open ? ceil(end) - 1 : floor(end);
	else
		to = -1;
	if (from > 1e15 || to < 0) {
		from = 1; /* nothing is so large or so small */
		to = 0;
	}
	term->from.value = from > 0 ? (uint64_t)from : 0;
	term->to.value = to < 1e15 ? (uint64_t)to : UINT64_MAX;
}

/* ---- the expression */

struct reading {
	struct wk_wpa_query *query;
	struct wk_str text; /* that is left */
	struct wk_err *err;
};

static bool wrong(struct reading *r, const char *what)
{
	return wk_fail(r->err, WK_ECORRUPT, WK_NOWHERE, "%s before \"%.*s\"", what,
		       (int)(r->text.len < 40 ? r->text.len : 40), r->text.at ? r->text.at : "");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Takes a word off, if it stands there by itself. */
static bool read_word(struct reading *r, const char *word)
{
	size_t len = strlen(word);

	if (r->text.len < len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (wk_lower(r->text.at[i]) != word[i])
			return false;
	if (r->text.len > len && !is_blank(r->text.at[len]) && r->text.at[len] != '(' &&
	    r->text.at[len] != '[')
		return false;
	r->text = wk_str_skip(r->text, len);
	return true;
}

/* What lies before `mark`, which is taken off, too; all of it where there is none. */
static bool read_until(struct reading *r, char mark, struct wk_str *part)
{
	return wk_str_split(r->text, mark, part, &r->text);
}

static struct wk_str read_while(struct reading *r, const char *marks)
{
	struct wk_str from = r->text;

	while (r->text.len && r->text.at[0] && strchr(marks, r->text.at[0]))
		r->text = wk_str_skip(r->text, 1);
	return wk_str_of(from.at, from.len - r->text.len);
}

static struct wk_str read_bare(struct reading *r)
{
	struct wk_str from = r->text;

	while (r->text.len && !is_blank(r->text.at[0]) && r->text.at[0] != ')')
		r->text = wk_str_skip(r->text, 1);
	return wk_str_of(from.at, from.len - r->text.len);
}

/* "[Process]:" or "Process:". */
static bool read_column(struct reading *r, struct wk_str *column)
{
	struct wk_str from = r->text;

	if (from.at[0] != '[') {
		if (read_until(r, ':', column))
			return true;
	} else {
		r->text = wk_str_skip(r->text, 1);
		if (read_until(r, ']', column) && read_while(r, ":").len == 1)
			return true;
	}
	r->text = from;
	return wrong(r, "no [column]:");
}

static bool read_value(struct reading *r, struct wk_str *value)
{
	if (!r->text.len || r->text.at[0] != '"') {
		*value = read_bare(r);
		return true;
	}
	r->text = wk_str_skip(r->text, 1);
	return read_until(r, '"', value) || wrong(r, "a value without its second quotation mark");
}

static void add_condition(struct wk_expr *expr, struct wk_term *term,
			  const struct operator* operator, struct wk_str value)
{
	struct wk_buf text = { 0 };

	if (operator->test == WK_TEST_RANGE)
		set_range(term, operator, value);
	if (operator->test == WK_TEST_PATTERN)
		add_pattern(operator, value, &text);
	else
		wk_buf_add_str(&text, value);
	term->text = wk_buf_str(&text);
	term->test = operator->test;
	if (term->field == WK_FIELD_NONE ||
	    (term->test == WK_TEST_PATTERN && !is_pattern(value, wk_buf_text(&text))))
		term->test = WK_TEST_UNKNOWN;
	if (operator->is_negative)
		wk_expr_not(expr);
	wk_expr_term(expr, term);
	wk_buf_fini(&text);
}

static bool read_term(struct reading *r)
{
	struct wk_expr *expr = &r->query->expr;
	struct wk_term term = { .any_case = true };
	const struct operator* operator;
	struct wk_str from = r->text, column, value;

	if (expr->term_count == WK_EXPR_MOST_TERMS)
		return wk_fail(r->err, WK_ECORRUPT, WK_NOWHERE, "more than %d conditions",
			       WK_EXPR_MOST_TERMS);
	if (!read_column(r, &column))
		return false;
	operator= find_operator(read_while(r, "=<>~*!"));
	if (!read_value(r, &value))
		return false;
	term.written = wk_str_of(from.at, from.len - r->text.len);
	term.field = wk_wpa_field_of(column);
	add_condition(expr, &term, operator, value);
	return true;
}

static bool close_parenthesis(struct reading *r)
{
	if (!wk_expr_close(&r->query->expr))
		return wrong(r, "no parenthesis is open");
	r->text = wk_str_skip(r->text, 1);
	return true;
}

static bool read_next(struct reading *r)
{
	struct wk_expr *expr = &r->query->expr;

	if (expr->has_operand) {
		if (r->text.at[0] == ')')
			return close_parenthesis(r);
		wk_expr_join(expr,
			     !read_word(r, "and") && read_word(r, "or") ? WK_STEP_OR : WK_STEP_AND);
		return true;
	}
	if (read_word(r, "not")) {
		wk_expr_not(expr);
		return true;
	}
	if (r->text.at[0] == '(') {
		wk_expr_open(expr);
		r->text = wk_str_skip(r->text, 1);
		return true;
	}
	return r->text.at[0] == ')' ? wrong(r, "nothing stands") : read_term(r);
}

static bool finish(struct reading *r)
{
	struct wk_expr *expr = &r->query->expr;

	if (!expr->has_operand)
		return wrong(r, "a condition is missing");
	if (!wk_expr_finish(expr))
		return wrong(r, "a parenthesis is not closed");
	return expr->step_count <= WK_EXPR_MOST_STEPS ||
	       wk_fail(r->err, WK_ECORRUPT, WK_NOWHERE, "more than %d steps", WK_EXPR_MOST_STEPS);
}

bool wk_wpa_query_read(struct wk_wpa_query *query, struct wk_str text, bool keeps,
		       struct wk_err *err)
{
	struct reading r = { .query = query, .text = text, .err = err };
	bool ok = true;

	*query = (struct wk_wpa_query){ .text = text, .keeps = keeps };
	read_while(&r, " \t\r\n");
	while (ok && r.text.len) {
		ok = read_next(&r);
		read_while(&r, " \t\r\n");
	}
	ok = ok && finish(&r);
	if (ok && !keeps)
		wk_expr_negate(&query->expr);
	if (!ok)
		wk_wpa_query_fini(query);
	return ok;
}

void wk_wpa_query_fini(struct wk_wpa_query *query)
{
	wk_expr_fini(&query->expr);
	*query = (struct wk_wpa_query){ 0 };
}
