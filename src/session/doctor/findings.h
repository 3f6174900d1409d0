/* The findings of `wick doctor`, and how they are printed: rows under headings. A row is good, a
 * warning or a problem. The latter two can have a fix: commands or text that can be pasted.
 *
 * Order of calls: zeroed, wk_findings_on before each group of rows, one of good, warn and bad per
 * row, print, fini. Text may contain hostile names: it is escaped when printed. */
#ifndef WK_SESSION_DOCTOR_FINDINGS_H
#define WK_SESSION_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/out.h"
#include "base/text/printf.h"

enum wk_grade {
	WK_GRADE_GOOD,
	WK_GRADE_WARN, /* it works, and could work better */
	WK_GRADE_BAD,  /* prevents recording, or names */
};

struct wk_finding {
	const char *about; /* its heading */
	const char *text;
	const char *fix; /* lines; NULL: none */
	enum wk_grade grade;
};

struct wk_findings {
	struct wk_finding *at;
	size_t count, cap;
	struct wk_buf about;
	struct wk_arena texts;
};

void wk_findings_on(struct wk_findings *findings, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

/* `fix` is copied; NULL or empty: there is none. */
void wk_findings_add(struct wk_findings *findings, enum wk_grade grade, const char *fix,
		     const char *format, ...) __attribute__((format(WK_PRINTF, 4, 5)));

#define wk_findings_good(findings, ...) wk_findings_add(findings, WK_GRADE_GOOD, NULL, __VA_ARGS__)
#define wk_findings_warn(findings, ...) wk_findings_add(findings, WK_GRADE_WARN, __VA_ARGS__)
#define wk_findings_bad(findings, ...)  wk_findings_add(findings, WK_GRADE_BAD, __VA_ARGS__)

size_t wk_findings_count(const struct wk_findings *findings, enum wk_grade grade);

void wk_findings_print(const struct wk_findings *findings, struct wk_out *out, unsigned columns,
		       bool has_colour);
void wk_findings_print_json(const struct wk_findings *findings, struct wk_out *out);

void wk_findings_fini(struct wk_findings *findings);

#endif
