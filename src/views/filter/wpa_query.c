#include "views/filter/wpa_query.h"

#include <math.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "views/filter/expression_parser.h"

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

static struct wk_str take(struct wk_str *rest, size_t len)
{
	struct wk_str part = wk_str_of(rest->at, len);

	*rest = wk_str_skip(*rest, len);
	return part;
}

/* "[Process]:" or "Process:". */
static bool read_column(struct wk_str *rest, struct wk_str *column)
{
	struct wk_str colon;

	if (!wk_str_starts(*rest, "["))
		return wk_str_split(*rest, ':', column, rest);
	*rest = wk_str_skip(*rest, 1);
	return wk_str_split(*rest, ']', column, rest) && wk_str_split(*rest, ':', &colon, rest) &&
	       colon.len == 0 && !wk_str_starts(*rest, ":");
}

static void add_condition(struct wk_parser *p, struct wk_term *term,
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
		wk_expr_not(p->expr);
	wk_parser_add(p, term);
	wk_buf_fini(&text);
}

static void read_condition(struct wk_parser *p)
{
	struct wk_term term = { .any_case = true };
	struct wk_str from = p->rest, rest = p->rest, column, value;
	const struct operator* operator;

	if (!read_column(&rest, &column)) {
		wk_parser_fail(p, p->condition);
		return;
	}
	operator= find_operator(take(&rest, wk_length_of(rest, "=<>~*!")));
	if (wk_str_starts(rest, "\"")) {
		rest = wk_str_skip(rest, 1);
		if (!wk_str_split(rest, '"', &value, &rest)) {
			wk_parser_fail(p, "a condition with a closing quotation mark");
			return;
		}
	} else {
		value = take(&rest, wk_length_until(rest, WK_BLANKS ")"));
	}
	p->word = wk_str_of(from.at, from.len - rest.len);
	term.field = wk_wpa_field_of(column);
	add_condition(p, &term, operator, value);
	if (!p->is_bad)
		wk_parser_next(p);
}

bool wk_wpa_query_read(struct wk_preset_query *query, struct wk_str text, bool keeps,
		       struct wk_err *err)
{
	struct wk_parser p = { .expr = &query->expr, .text = text, .err = err,
			       .marks = WK_BLANKS "()[",
			       .condition = "a condition such as [Process]:=\"a.exe\"",
			       .read_condition = read_condition, .joins_neighbors = true };

	*query = (struct wk_preset_query){ .text = text, .keeps = keeps };
	if (!wk_parser_run(&p)) {
		wk_preset_query_fini(query);
		return false;
	}
	if (!keeps)
		wk_expr_negate(&query->expr);
	return true;
}
