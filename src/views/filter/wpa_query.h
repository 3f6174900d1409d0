/* A filter as Windows Performance Analyzer writes it:
 *
 *	[Process]:="app.exe (12)" AND NOT ([Module]:~="ntdll" OR [CPU]:>3)
 *
 * Terms one behind the other are joined by AND. What is asked of a column that wick does not have
 * is neither true nor false: it leaves out no sample by itself, and is told by name. The text that
 * a query was read from must outlive it. */
#ifndef WK_VIEWS_FILTER_WPA_QUERY_H
#define WK_VIEWS_FILTER_WPA_QUERY_H

#include "base/err.h"
#include "model/model.h"
#include "views/filter/wpa_match.h"

#define WK_WPA_MOST_TERMS 100 /* each is asked of every sample */

enum wk_wpa_cell {
	WK_WPA_PROCESS, /* "app.exe (12)" */
	WK_WPA_PROCESS_NAME,
	WK_WPA_PID,
	WK_WPA_COMMAND_LINE,
	WK_WPA_TID,
	WK_WPA_THREAD_NAME,
	WK_WPA_MODULE, /* these two: where a sample was */
	WK_WPA_FUNCTION,
	WK_WPA_FRAME, /* any of the stack's, "app.exe!main" */
	WK_WPA_CPU,
	WK_WPA_NO_CELL,
};

struct wk_wpa_term {
	struct wk_str text; /* all of it, as it was written */
	struct wk_str column, value;
	enum wk_wpa_cell cell;
	enum wk_wpa_operator operator; /* UNKNOWN: wick cannot ask that */
	struct wk_pattern *pattern;    /* of the operator for it, else NULL */
};

/* In the order of a calculator: the operands first. */
enum wk_wpa_step { WK_WPA_TERM, WK_WPA_AND, WK_WPA_OR, WK_WPA_NOT };

struct wk_wpa_query {
	struct wk_wpa_term terms[WK_WPA_MOST_TERMS];
	uint32_t term_count;
	uint8_t *steps; /* enum wk_wpa_step; terms come one after the other */
	size_t step_count, step_cap;
	struct wk_str text; /* all of it, as it was written */
	bool keeps;         /* what matches; else that is left out */
};

/* False with a sentence where it is no expression, or has too many terms. */
bool wk_wpa_query_read(struct wk_wpa_query *query, struct wk_str text, bool keeps,
		       struct wk_err *err);
void wk_wpa_query_fini(struct wk_wpa_query *query);

/* Which column a name stands for. Blanks, dashes, case and a unit in parentheses make no
 * difference, nor does "New" in front (of a context switch: who runs from then on). */
enum wk_wpa_cell wk_wpa_cell_of(struct wk_str column);

/* By sample: a byte, 1 where it is kept; the caller frees them. */
uint8_t *wk_wpa_query_ask(const struct wk_wpa_query *query, const struct wk_model *model);

#endif
