/* Common parts of readers of printed call trees: lines, the tree, bad lines, and the end.
 *
 *	struct wk_tree_text text;
 *
 *	wk_tree_text_begin(&text, input, sink, err);
 *	while (wk_tree_text_row(&text, &line))
 *		... wk_call_tree_add(&text.tree, ...), wk_tree_text_fault
 *	ok = wk_tree_text_end(&text, "rows of NAME");
 *	return wk_tree_text_fini(&text) && ok; */
#ifndef WK_FORMATS_REPORTS_TREE_TEXT_H
#define WK_FORMATS_REPORTS_TREE_TEXT_H

#include "base/text/csv.h"
#include "formats/collapse.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/reports/call_tree.h"

struct wk_tree_text {
	struct wk_bytes bytes;              /* of the lines: UTF-8 */
	const struct wk_collapse *collapse; /* collapse mode; NULL: emit what the input contains */
	bool is_strict;                     /* a fault is an error, as in the older tool */
	struct wk_stack_writer *writer;
	struct wk_err *err;
	struct wk_lines lines;
	struct wk_bad_lines bad;
	struct wk_call_tree tree;
	struct wk_csv csv;  /* for tables: the columns of the last line */
	struct wk_buf name; /* for a composed name, until the next one */
	struct wk_buf utf8; /* of an input in UTF-16 */
};

void wk_tree_text_begin(struct wk_tree_text *text, const struct wk_input *input,
			const struct wk_sink *sink, struct wk_err *err);

static inline bool wk_tree_text_is_inferno(const struct wk_tree_text *text)
{
	return text->collapse && text->collapse->dialect == WK_COLLAPSE_INFERNO;
}

/* The next line that is not blank; false at the end, or if the sink is done. */
bool wk_tree_text_row(struct wk_tree_text *text, struct wk_str *line);

/* The last line is bad. Strict: fails with `words` and `quoted`, as the older tool does. Otherwise
 * counts the line as bad if something else was `expected`, or as wrongly indented (NULL), and
 * returns true. */
bool wk_tree_text_fault(struct wk_tree_text *text, struct wk_str quoted, const char *words,
			const char *expected);

/* Ends the tree and emits the notes about lines. Fails if there was no sample, except in collapse
 * mode. */
bool wk_tree_text_end(struct wk_tree_text *text, const char *expected);

/* Frees; false if the sink failed or there was an error. */
bool wk_tree_text_fini(struct wk_tree_text *text);

#endif
