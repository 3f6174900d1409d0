/* What `wick doctor` finds out, and how it is printed: rows under headings. A row is good, or
 * says what would be better, or what is in the way; the latter two with what mends it, as it is
 * to be typed or written, where anything does.
 *
 * Order of calls: zeroed, wk_findings_on before each group of rows, one of the three a row,
 * print, fini. Text may hold hostile names: it is made safe where it is printed. */
#ifndef WK_SESSION_DOCTOR_FINDINGS_H
#define WK_SESSION_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "base/text/printf.h"

enum wk_grade {
	WK_GRADE_GOOD,
	WK_GRADE_WARN, /* it works, and could work better */
	WK_GRADE_BAD,  /* in the way of recording, or of names */
};

struct wk_finding {
	char *about; /* the heading it stands under */
	char *text;
	char *fix; /* lines; NULL where nothing is to be done */
	enum wk_grade grade;
};

struct wk_findings {
	struct wk_finding *at;
	size_t count, cap;
	struct wk_buf about;
};

void wk_findings_on(struct wk_findings *findings, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

void wk_findings_good(struct wk_findings *findings, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

/* `mend` is copied, and may be NULL. */
void wk_findings_warn(struct wk_findings *findings, const char *fix, const char *format, ...)
	__attribute__((format(WK_PRINTF, 3, 4)));
void wk_findings_bad(struct wk_findings *findings, const char *fix, const char *format, ...)
	__attribute__((format(WK_PRINTF, 3, 4)));

size_t wk_findings_count(const struct wk_findings *findings, enum wk_grade grade);

void wk_findings_print(const struct wk_findings *findings, struct wk_out *out, unsigned columns,
		       bool has_colour);
void wk_findings_print_json(const struct wk_findings *findings, struct wk_out *out);

void wk_findings_fini(struct wk_findings *findings);

#endif
