#include "formats/reports/tree_text.h"

#include <inttypes.h>

#define MOST_QUOTED 200 /* bytes of a line */

void wk_tree_text_begin(struct wk_tree_text *text, const struct wk_input *input,
			const struct wk_sink *sink, struct wk_err *err)
{
	*text = (struct wk_tree_text){ .collapse = input->options.collapse, .err = err,
				       .writer = wk_stack_writer_new(sink) };
	text->bytes = wk_csv_text(input->bytes, &text->utf8);
	text->lines = wk_lines_of(text->bytes);
	text->tree = (struct wk_call_tree){ .writer = text->writer, .pid = WK_NO_PID,
					    .tid = WK_NO_PID };
}

bool wk_tree_text_row(struct wk_tree_text *text, struct wk_str *line)
{
	while (wk_lines_next(&text->lines, line) && !wk_stack_writer_is_done(text->writer))
		if (wk_trim(*line).len)
			return true;
	return false;
}

bool wk_tree_text_fault(struct wk_tree_text *text, struct wk_str quoted, const char *words,
			const char *expected)
{
	if (text->is_strict)
		return wk_fail(text->err, WK_ECORRUPT, WK_NOWHERE, "line %" PRIu64 ": %s \"%.*s\"",
			       text->lines.number, words,
			       quoted.len > MOST_QUOTED ? MOST_QUOTED : (int)quoted.len, quoted.at);
	if (expected)
		wk_bad_line(&text->bad, &text->lines, quoted, expected);
	else
		wk_call_tree_misplaced(&text->tree, text->lines.number);
	return true;
}

bool wk_tree_text_end(struct wk_tree_text *text, const char *expected)
{
	wk_call_tree_close(&text->tree, 0);
	wk_bad_lines_emit(&text->bad, text->writer);
	wk_call_tree_emit_misplaced(&text->tree);
	return text->collapse || wk_stack_writer_samples(text->writer) > 0 ||
	       wk_fail_no_stacks(text->err, text->bytes, expected);
}

bool wk_tree_text_fini(struct wk_tree_text *text)
{
	wk_call_tree_fini(&text->tree);
	wk_csv_fini(&text->csv);
	WK_BUF_FINI_ALL(&text->name, &text->utf8);
	return wk_stack_writer_end(text->writer, text->err);
}
