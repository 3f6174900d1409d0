/* A filter expression: which samples a view keeps (docs/filters.md).
 *
 *	process == cc1 and not (stack =~ "^malloc" or time < 1.5s)
 *
 * It is a list of terms and the steps that join them, operands first, so nothing recurses. The
 * options --process, --time ... (filter_parts.c) and queries of Windows Performance Analyzer
 * (wpa_query.c) become expressions as well; verdicts.c evaluates all of them.
 * Order of calls: wk_expr_read, or wk_expr_init and the functions that append; wk_expr_fini. */
#ifndef WK_VIEWS_FILTER_EXPRESSION_H
#define WK_VIEWS_FILTER_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Limits of what is typed or read from a file: each term is evaluated for every sample. */
#define WK_EXPR_MOST_TERMS 100
#define WK_EXPR_MOST_STEPS (4 * WK_EXPR_MOST_TERMS)

enum wk_field {
	WK_FIELD_PROCESS, /* of the sample's thread */
	WK_FIELD_PID,
	WK_FIELD_PROCESS_LABEL, /* "app.exe (12)" */
	WK_FIELD_COMMAND,
	WK_FIELD_THREAD,
	WK_FIELD_TID,
	WK_FIELD_FUNCTION, /* of the innermost frame */
	WK_FIELD_MODULE,
	WK_FIELD_IMAGE,
	WK_FIELD_FILE,
	WK_FIELD_KIND,
	WK_FIELD_STACK,       /* of any frame */
	WK_FIELD_STACK_FRAME, /* "app.exe!main" */
	WK_FIELD_STACK_IMAGE,
	WK_FIELD_STACK_FILE,
	WK_FIELD_EVENT, /* of the sample */
	WK_FIELD_CPU,
	WK_FIELD_TIME,
	WK_FIELD_WEIGHT,
	WK_FIELD_NONE, /* wick does not have it: neither true nor false */
};

/* What the value of a field belongs to. */
enum wk_field_of {
	WK_OF_PROCESS,
	WK_OF_THREAD,
	WK_OF_LEAF,
	WK_OF_STACK,
	WK_OF_EVENT,
	WK_OF_SAMPLE,
	WK_OF_NOTHING
};

struct wk_field_info {
	const char *name;
	enum wk_field_of of;
	enum { WK_VALUE_TEXT, WK_VALUE_NUMBER, WK_VALUE_TIME, WK_VALUE_AMOUNT } value;
	bool is_path; /* some systems ignore its case: struct wk_traits */
};

extern const struct wk_field_info wk_fields[WK_FIELD_NONE + 1];

enum wk_test {
	WK_TEST_TEXT,    /* is equal */
	WK_TEST_PATTERN, /* an extended regular expression matches somewhere */
	WK_TEST_RANGE,   /* from..to, both included */
	WK_TEST_UNKNOWN, /* wick cannot evaluate it */
};

/* One end of a range. A share is of the time from the first moment to the last sample. */
struct wk_edge {
	uint64_t value;
	double share; /* in percent; has_share is set */
	bool has_share;
	int step; /* -1, 0 or 1, added to the moment of a share: for < and > */
};

struct wk_term {
	enum wk_field field;
	enum wk_test test;
	bool any_case;      /* whatever the system does */
	struct wk_str text; /* what to compare with, and NUL behind it */
	struct wk_edge from, to;
	struct wk_str written; /* for messages */
	bool is_joined;        /* every kept sample passes it: only "and" joins it */
};

enum wk_step { WK_STEP_TERM, WK_STEP_AND, WK_STEP_OR, WK_STEP_NOT };

struct wk_expr {
	struct wk_term *terms;
	size_t term_count, term_cap;
	uint8_t *steps; /* enum wk_step; terms in their order */
	size_t step_count, step_cap;
	uint8_t *waiting; /* while it is built: operators, those that bind tighter behind */
	size_t waiting_count, waiting_cap;
	bool has_operand;      /* an operator may follow */
	struct wk_arena texts; /* of terms */
};

/* Parses `text`, which must outlive the expression. An error names the column and what was
 * expected there. */
bool wk_expr_read(struct wk_expr *expr, struct wk_str text, struct wk_err *err);
void wk_expr_fini(struct wk_expr *expr);

/* Appends to an expression of zeros, in the order of the text. The text of a term is copied. */
void wk_expr_term(struct wk_expr *expr, const struct wk_term *term);
void wk_expr_join(struct wk_expr *expr, enum wk_step and_or);
void wk_expr_not(struct wk_expr *expr);
void wk_expr_open(struct wk_expr *expr);

/* False if no parenthesis is open. */
bool wk_expr_close(struct wk_expr *expr);

/* Ends it. False if a parenthesis is still open. The caller checks the number of steps. */
bool wk_expr_finish(struct wk_expr *expr);

/* Inverts a finished one: what it left out is kept. */
void wk_expr_negate(struct wk_expr *expr);

/* A range of a field as typed: "12", "1.5-3", "10%-", "16K". False if it is none. */
bool wk_term_read_range(struct wk_term *term, struct wk_str text);

/* A range that ends before it begins; of a time and a share that is unknown before they are
 * bound to a model. */
bool wk_term_is_backward(const struct wk_term *term);

/* The filter of a preset, as an expression of what is kept. The text outlives it. */
struct wk_preset_query {
	struct wk_expr expr;
	struct wk_str text; /* all of it, as it was written */
	bool keeps;         /* what matches; else that is left out */
};

/* Reads one that is written as for --filter. */
bool wk_preset_query_read(struct wk_preset_query *query, struct wk_str text, struct wk_err *err);
void wk_preset_query_fini(struct wk_preset_query *query);

#endif
