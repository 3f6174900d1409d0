/* The grammar that filter expressions share, whatever their conditions look like: and, or, not and
 * parentheses. Between expression_read.c and wpa_query.c. */
#ifndef WK_VIEWS_FILTER_EXPRESSION_PARSER_H
#define WK_VIEWS_FILTER_EXPRESSION_PARSER_H

#include "views/filter/expression.h"

enum wk_token {
	WK_TOKEN_END,
	WK_TOKEN_OPEN,
	WK_TOKEN_CLOSE,
	WK_TOKEN_COMMA,
	WK_TOKEN_OPERATOR,
	WK_TOKEN_WORD,
	WK_TOKEN_QUOTED
};

struct wk_parser {
	struct wk_expr *expr;
	struct wk_str text, rest; /* all of it; from the token on */
	enum wk_token token;
	struct wk_str word;    /* the token, with its quotation marks */
	const char *marks;     /* that end a word, in addition to blanks */
	const char *condition; /* an example for messages */
	/* Reads a condition from `rest` on, adds it and moves behind it. */
	void (*read_condition)(struct wk_parser *parser);
	bool joins_neighbors; /* conditions next to each other are joined by "and" */
	bool is_bad;          /* the expression failed */
	struct wk_err *err;
};

#define WK_BLANKS    " \t\r\n"
#define WK_OPERATORS "=!<>~"

/* Parses all of `text` into `expr`, which is freed on failure. */
bool wk_parser_run(struct wk_parser *parser);

void wk_parser_next(struct wk_parser *parser);

/* "column 7: expected EXPECTED instead of ...". */
void wk_parser_fail(struct wk_parser *parser, const char *expected);

/* Adds a term, whose text is `word`. */
void wk_parser_add(struct wk_parser *parser, struct wk_term *term);

/* How many bytes from the start on are in `set`; and how many are not. */
size_t wk_length_of(struct wk_str text, const char *set);
size_t wk_length_until(struct wk_str text, const char *set);

#endif
