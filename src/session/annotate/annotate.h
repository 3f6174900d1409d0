/* Source code with the samples of each line, or machine code with those of each instruction.
 *
 * Order of calls: wk_annotation_open, the table, wk_annotation_fini. Lines of a function are those
 * of its own source and of the closures in it: what was inlined from other functions counts for the
 * line that calls it. */
#ifndef WK_SESSION_ANNOTATE_ANNOTATE_H
#define WK_SESSION_ANNOTATE_ANNOTATE_H

#include "base/buf.h"
#include "session/selection.h"
#include "session/view_choice.h"
#include "symbols/image/symbols.h"
#include "views/tables/table.h"

struct wk_annotate_query {
	const char *word;           /* a function, or a file of source code */
	const char *const *folders; /* that are searched for source code; ends with NULL */
	const struct wk_view_choice *choice;
	uint32_t context; /* lines shown before and after those with samples */
	bool shows_all;   /* the whole file, or all instructions of each function */
	bool has_code;    /* instructions instead of source lines */
};

struct wk_annotation {
	struct wk_selection selection;
	struct wk_table table;

	/* What a reader has to know first, a sentence each, or empty. */
	struct wk_buf missing; /* source code that was not found */
	struct wk_buf changed; /* source code that is not what was recorded */
};

/* `symbols` are those that named the model. `fini` is needed after success only. */
bool wk_annotation_open(struct wk_annotation *annotation, const struct wk_annotate_query *query,
			const struct wk_model *model, struct wk_symbols *symbols,
			struct wk_err *err);
void wk_annotation_fini(struct wk_annotation *annotation);

#endif
