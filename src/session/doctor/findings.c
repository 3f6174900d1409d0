#include "session/doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Sentences are bounded by the paths in them, and those by the system. */
#define MOST_TEXT 8192

#define TEXT_COLUMN 10 /* where the text of a row begins */

static const struct {
	const char *word, *colour;
} grades[] = {
	[WK_GRADE_GOOD] = { "good", "\033[32m" },
	[WK_GRADE_WARN] = { "warn", "\033[33m" },
	[WK_GRADE_BAD] = { "bad", "\033[31m" },
};

void wk_findings_on(struct wk_findings *findings, const char *format, ...)
{
	char text[MOST_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	wk_buf_reset(&findings->about);
	wk_buf_add_text(&findings->about, text);
}

void wk_findings_add(struct wk_findings *findings, enum wk_grade grade, const char *fix,
		     const char *format, ...)
{
	char text[MOST_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	*WK_APPEND(findings->at, findings->count, findings->cap) = (struct wk_finding){
		.about = wk_arena_copy(&findings->texts, wk_buf_str(&findings->about)).at,
		.text = wk_arena_copy(&findings->texts, wk_str_c(text)).at,
		.fix = fix && *fix ? wk_arena_copy(&findings->texts, wk_str_c(fix)).at : NULL,
		.grade = grade,
	};
}

size_t wk_findings_count(const struct wk_findings *findings, enum wk_grade grade)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->at[i].grade == grade;
	return count;
}

/* In lines of at most `columns`, the second and later ones below the first. */
static void print_text(const char *text, struct wk_out *out, unsigned columns)
{
	size_t column = TEXT_COLUMN;

	for (;;) {
		size_t len = strcspn(text, " ");

		wk_out_term(out, wk_str_of(text, len));
		column += len + 1;
		text += len + (text[len] == ' ');
		if (!*text)
			break;
		if (column + strcspn(text, " ") > columns) {
			wk_out_fmt(out, "\n%*s", TEXT_COLUMN, "");
			column = TEXT_COLUMN;
		} else {
			wk_out_char(out, ' ');
		}
	}
	wk_out_char(out, '\n');
}

/* Never broken, so that it can be copied. */
static void print_fix(const char *fix, struct wk_out *out)
{
	while (*fix) {
		size_t len = strcspn(fix, "\n");

		wk_out_fmt(out, "%*s", TEXT_COLUMN + 4, "");
		wk_out_term(out, wk_str_of(fix, len));
		wk_out_char(out, '\n');
		fix += len + (fix[len] == '\n');
	}
}

static void print_row(const struct wk_finding *row, struct wk_out *out, unsigned columns,
		      bool has_colour)
{
	const char *colour = has_colour ? grades[row->grade].colour : "";

	wk_out_fmt(out, "  %s%-6s%s  ", colour, grades[row->grade].word,
		   has_colour ? "\033[0m" : "");
	print_text(row->text, out, columns);
	if (row->fix)
		print_fix(row->fix, out);
}

static void print_sum(const struct wk_findings *findings, struct wk_out *out)
{
	size_t bad = wk_findings_count(findings, WK_GRADE_BAD);
	size_t warnings = wk_findings_count(findings, WK_GRADE_WARN);

	if (bad == 0)
		wk_out_text(out, "\nNo problems");
	else
		wk_out_fmt(out, "\n%zu %s", bad, bad == 1 ? "problem" : "problems");
	if (warnings)
		wk_out_fmt(out, ", %zu %s", warnings, warnings == 1 ? "warning" : "warnings");
	wk_out_text(out, ".\n");
}

void wk_findings_print(const struct wk_findings *findings, struct wk_out *out, unsigned columns,
		       bool has_colour)
{
	const char *about = "";

	for (size_t i = 0; i < findings->count; i++) {
		const struct wk_finding *row = &findings->at[i];

		if (strcmp(row->about, about) != 0) {
			wk_out_text(out, i ? "\n" : "");
			wk_out_text(out, has_colour ? "\033[1m" : "");
			wk_out_term(out, wk_str_c(row->about));
			wk_out_text(out, has_colour ? "\033[0m\n" : "\n");
		}
		about = row->about;
		print_row(row, out, columns, has_colour);
	}
	print_sum(findings, out);
}

static void json_text(struct wk_out *out, const char *key, const char *text)
{
	wk_out_fmt(out, ",\"%s\":", key);
	if (text)
		wk_out_json_quoted(out, wk_str_c(text));
	else
		wk_out_text(out, "null");
}

void wk_findings_print_json(const struct wk_findings *findings, struct wk_out *out)
{
	wk_out_fmt(out, "{\"problems\":%zu,\"findings\":[",
		   wk_findings_count(findings, WK_GRADE_BAD));
	for (size_t i = 0; i < findings->count; i++) {
		const struct wk_finding *row = &findings->at[i];

		wk_out_fmt(out, "%s\n{\"grade\":\"%s\"", i ? "," : "", grades[row->grade].word);
		json_text(out, "about", row->about);
		json_text(out, "text", row->text);
		json_text(out, "fix", row->fix);
		wk_out_char(out, '}');
	}
	wk_out_text(out, "\n]}\n");
}

void wk_findings_fini(struct wk_findings *findings)
{
	wk_free(findings->at);
	wk_arena_fini(&findings->texts);
	wk_buf_fini(&findings->about);
	*findings = (struct wk_findings){ 0 };
}
