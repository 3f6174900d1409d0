/* What readers of printed call trees have in common: lines, the tree that they make, what is
 * said of lines that make no sense, and the end.
 *
 *	struct wk_tree_text text;
 *
 *	wk_tree_text_begin(&text, input, input->bytes, sink, err);
 *	while (wk_tree_text_row(&text, &line))
 *		... wk_call_tree_add(&text.tree, ...), wk_tree_text_fault
 *	ok = wk_tree_text_end(&text, "rows of NAME");
 *	return wk_tree_text_fini(&text) && ok; */
#ifndef WK_FORMATS_REPORTS_TREE_TEXT_H
#define WK_FORMATS_REPORTS_TREE_TEXT_H

#include "formats/collapse.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/reports/call_tree.h"

struct wk_tree_text {
	struct wk_bytes bytes;              /* where the lines stand */
	const struct wk_collapse *collapse; /* NULL: tell what the input says */
	bool is_strict;                     /* a fault is an error, as in the older tool */
	struct wk_stack_writer *writer;
	struct wk_err *err;
	struct wk_lines lines;
	struct wk_bad_lines bad;
	struct wk_call_tree tree;
};

/* `bytes` are those of the input, or what they are in UTF-8. */
void wk_tree_text_begin(struct wk_tree_text *text, const struct wk_input *input,
			struct wk_bytes bytes, const struct wk_sink *sink, struct wk_err *err);

/* The next line that is not blank; false at the end, or where no more is wanted. */
bool wk_tree_text_row(struct wk_tree_text *text, struct wk_str *line);

/* Something is wrong with the line last read. Strict: fails in the older tool's words, with
 * `quoted` behind them. Else the line counts as a bad one, where something else was `expected`,
 * or (NULL) as one that is not indented as it should be, and true is returned. */
bool wk_tree_text_fault(struct wk_tree_text *text, struct wk_str quoted, const char *words,
			const char *expected);

/* Ends the tree and tells what was wrong with lines. Fails if there was no sample at all (the
 * input holds nothing like `expected`), which an older tool never does. */
bool wk_tree_text_end(struct wk_tree_text *text, const char *expected);

/* Frees; false if the sink failed or there was an error. */
bool wk_tree_text_fini(struct wk_tree_text *text);

#endif
