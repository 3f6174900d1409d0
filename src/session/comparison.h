/* Two recordings compared, as a picture, folded stacks or a table.
 *
 * The model has both, the first as its "before" side (session/open.h). Order of calls:
 * wk_comparison_open, one or more of the outputs, wk_comparison_report, wk_comparison_fini. */
#ifndef WK_SESSION_COMPARISON_H
#define WK_SESSION_COMPARISON_H

#include "session/picture.h"
#include "session/shown_table.h"
#include "views/compare/diff.h"

enum wk_comparison_form {
	WK_COMPARISON_TABLE,
	WK_COMPARISON_PICTURE,
	WK_COMPARISON_FOLDED,
};

struct wk_comparison_options {
	const char *before, *after; /* paths, as typed */
	enum wk_comparison_form form;
	const struct wk_view_choice *choice;
	bool by_samples; /* numbers of samples instead of weights */
	bool normalizes; /* scales "before" to the total of "after" */
	bool no_process, by_thread;
};

struct wk_comparison {
	const struct wk_comparison_options *options;
	const struct wk_model *model;
	struct wk_selection selection;
	struct wk_diff_measure measure;
	struct wk_diff_sides sides;
	struct wk_pairs pairs;
	double before_factor;
};

/* Chooses what is compared and pairs the functions of both sides. `messages` get what differs in
 * kind. Fails if neither side has samples. */
bool wk_comparison_open(struct wk_comparison *comparison,
			const struct wk_comparison_options *options, const struct wk_model *model,
			const struct wk_messages *messages, struct wk_err *err);
void wk_comparison_fini(struct wk_comparison *comparison);

/* Sets the levels of the picture and, unless it has them, its title and subtitle. */
bool wk_comparison_draw(const struct wk_comparison *comparison, struct wk_picture *picture,
			struct wk_out *out, const struct wk_messages *messages, struct wk_err *err);

/* Each stack with both counts. */
bool wk_comparison_fold(const struct wk_comparison *comparison, struct wk_out *out,
			struct wk_err *err);

struct wk_comparison_rows {
	bool by_total;      /* ranked by total instead of self */
	uint32_t limit;     /* at most this many rows; 0: all */
	double min_percent; /* without changes under this share of the larger side */
	bool hides_chance;  /* without changes that sampling alone may cause */
};

/* The functions that changed most. */
bool wk_comparison_tabulate(const struct wk_comparison *comparison,
			    const struct wk_comparison_rows *rows, const struct wk_table_look *look,
			    struct wk_out *out, struct wk_err *err);

/* "before: 1,200, after: 1,510 samples; +25.8 % in all". */
void wk_comparison_line(const struct wk_comparison *comparison, struct wk_buf *line);

/* What a reader must know and cannot see in the output: faults, an empty side, lines that only one
 * side has. */
void wk_comparison_report(const struct wk_comparison *comparison,
			  const struct wk_messages *messages);

#endif
