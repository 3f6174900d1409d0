#include "views/filter/wpa_query.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
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

enum wk_wpa_cell wk_wpa_cell_of(struct wk_str column)
{
	static const struct {
		const char *name;
		enum wk_wpa_cell cell;
	} known[] = {
		{ "process", WK_WPA_PROCESS },
		{ "processname", WK_WPA_PROCESS_NAME },
		{ "processid", WK_WPA_PID },
		{ "pid", WK_WPA_PID },
		{ "commandline", WK_WPA_COMMAND_LINE },
		{ "thread", WK_WPA_TID },
		{ "threadid", WK_WPA_TID },
		{ "tid", WK_WPA_TID },
		{ "committingthreadid", WK_WPA_TID },
		{ "threadname", WK_WPA_THREAD_NAME },
		{ "module", WK_WPA_MODULE },
		{ "function", WK_WPA_FUNCTION },
		{ "stack", WK_WPA_FRAME },
		{ "threadstack", WK_WPA_FRAME },
		{ "commitstack", WK_WPA_FRAME },
		{ "allocationstack", WK_WPA_FRAME },
		{ "cpu", WK_WPA_CPU },
	};
	char plain[32];
	struct wk_str name = wk_str_of(plain, plain_name(column, plain, sizeof(plain)));

	if (wk_str_ends(column, "(Name)")) /* "Process (Name)" */
		return wk_str_is(name, "process") ? WK_WPA_PROCESS_NAME : WK_WPA_NO_CELL;
	if (wk_str_starts(name, "new"))
		name = wk_str_skip(name, 3);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (wk_str_is(name, known[i].name))
			return known[i].cell;
	return WK_WPA_NO_CELL;
}

/* ---- the expression */

#define OPEN       0xff /* a parenthesis among the steps that wait */
#define MOST_STEPS (4 * WK_WPA_MOST_TERMS)

#define LONGEST_PATTERN 1000 /* bytes; what is longer is not taken */

struct reading {
	struct wk_wpa_query *query;
	struct wk_str text; /* that is left */
	uint8_t *waiting;   /* operators, those that bind tighter nearer to the end */
	size_t waiting_count, waiting_cap;
	bool wants_operand;
	struct wk_err *err;
};

static bool wrong(struct reading *r, const char *what)
{
	return wk_fail(r->err, WK_ECORRUPT, WK_NOWHERE, "%s before \"%.*s\"", what,
		       (int)(r->text.len < 40 ? r->text.len : 40), r->text.at ? r->text.at : "");
}

static void emit(struct reading *r, uint8_t step)
{
	struct wk_wpa_query *query = r->query;

	query->steps = wk_grow(query->steps, &query->step_cap, query->step_count + 1, 1);
	query->steps[query->step_count++] = step;
}

static void push(struct reading *r, uint8_t step)
{
	r->waiting = wk_grow(r->waiting, &r->waiting_cap, r->waiting_count + 1, 1);
	r->waiting[r->waiting_count++] = step;
}

static int binds(uint8_t step)
{
	return step == WK_WPA_NOT ? 3 : step == WK_WPA_AND ? 2 : step == WK_WPA_OR ? 1 : 0;
}

static void emit_tighter(struct reading *r, int than)
{
	while (r->waiting_count && binds(r->waiting[r->waiting_count - 1]) >= than)
		emit(r, r->waiting[--r->waiting_count]);
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

/* What is written in no way that wick knows is none. */
static struct wk_pattern *read_pattern(struct wk_str value)
{
	struct wk_buf text = { 0 };
	struct wk_pattern *pattern = NULL;
	const char *why;

	if (value.len <= LONGEST_PATTERN) {
		wk_buf_add_str(&text, value);
		pattern = wk_pattern_new(wk_buf_text(&text), true, &why);
	}
	wk_buf_fini(&text);
	return pattern;
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

static bool read_term(struct reading *r)
{
	struct wk_wpa_query *query = r->query;
	struct wk_str from = r->text;
	struct wk_wpa_term term = { 0 };

	if (query->term_count == WK_WPA_MOST_TERMS)
		return wk_fail(r->err, WK_ECORRUPT, WK_NOWHERE, "more than %d conditions",
			       WK_WPA_MOST_TERMS);
	if (!read_column(r, &term.column))
		return false;
	term.operator= wk_wpa_operator_of(read_while(r, "=<>~*!"));
	if (!read_value(r, &term.value))
		return false;
	term.text = wk_str_of(from.at, from.len - r->text.len);
	term.cell = wk_wpa_cell_of(term.column);
	if (term.operator== WK_WPA_PATTERN)
		term.pattern = read_pattern(term.value);
	if (term.cell == WK_WPA_NO_CELL || (term.operator== WK_WPA_PATTERN && !term.pattern))
		term.operator= WK_WPA_UNKNOWN;
	query->terms[query->term_count++] = term;
	emit(r, WK_WPA_TERM);
	return true;
}

static void join(struct reading *r, uint8_t step)
{
	emit_tighter(r, binds(step));
	push(r, step);
	r->wants_operand = true;
}

static bool close_parenthesis(struct reading *r)
{
	if (r->wants_operand)
		return wrong(r, "nothing stands");
	emit_tighter(r, 1);
	if (!r->waiting_count)
		return wrong(r, "no parenthesis is open");
	r->waiting_count--;
	r->text = wk_str_skip(r->text, 1);
	return true;
}

static bool read_next(struct reading *r)
{
	if (!r->wants_operand && r->text.at[0] == ')')
		return close_parenthesis(r);
	if (!r->wants_operand && read_word(r, "and")) {
		join(r, WK_WPA_AND);
		return true;
	}
	if (!r->wants_operand && read_word(r, "or")) {
		join(r, WK_WPA_OR);
		return true;
	}
	if (!r->wants_operand)
		join(r, WK_WPA_AND);
	if (read_word(r, "not")) {
		push(r, WK_WPA_NOT);
		return true;
	}
	if (r->text.at[0] == '(') {
		push(r, OPEN);
		r->text = wk_str_skip(r->text, 1);
		return true;
	}
	if (r->text.at[0] == ')')
		return wrong(r, "nothing stands");
	r->wants_operand = false;
	return read_term(r);
}

static bool finish(struct reading *r)
{
	if (r->wants_operand)
		return wrong(r, "a condition is missing");
	emit_tighter(r, 1);
	if (r->waiting_count)
		return wrong(r, "a parenthesis is not closed");
	return r->query->step_count <= MOST_STEPS ||
	       wk_fail(r->err, WK_ECORRUPT, WK_NOWHERE, "more than %d steps", MOST_STEPS);
}

bool wk_wpa_query_read(struct wk_wpa_query *query, struct wk_str text, bool keeps,
		       struct wk_err *err)
{
	struct reading r = { .query = query, .text = text, .wants_operand = true, .err = err };
	bool ok = true;

	*query = (struct wk_wpa_query){ .text = text, .keeps = keeps };
	read_while(&r, " \t\r\n");
	while (ok && r.text.len) {
		ok = read_next(&r);
		read_while(&r, " \t\r\n");
	}
	ok = ok && finish(&r);
	wk_free(r.waiting);
	if (!ok)
		wk_wpa_query_fini(query);
	return ok;
}

void wk_wpa_query_fini(struct wk_wpa_query *query)
{
	for (uint32_t i = 0; i < query->term_count; i++)
		wk_pattern_free(query->terms[i].pattern);
	wk_free(query->steps);
	*query = (struct wk_wpa_query){ 0 };
}
