/* Evaluates an expression for samples and for threads: yes, no, or unknown.
 *
 * Unknown is what wick cannot evaluate: fields it does not have, names that are not resolved yet,
 * and fields of samples for a thread. Everything but "no" is kept. Each term becomes a table by
 * thread, stack or event, so that a sample costs one look-up per term. The model and the expression
 * must outlive the verdicts. */
#ifndef WK_VIEWS_FILTER_VERDICTS_H
#define WK_VIEWS_FILTER_VERDICTS_H

#include "base/buf.h"
#include "model/model.h"
#include "views/filter/expression.h"

enum wk_verdict { WK_NO, WK_UNKNOWN, WK_YES }; /* and: the smaller one; or: the greater */

#define WK_VERDICTS 4096 /* the most that are evaluated at once */

/* The rows of the model that have the values of a field of text: processes, images ... 0: none. */
uint32_t wk_field_rows(const struct wk_model *model, enum wk_field field);
struct wk_str wk_field_text(const struct wk_model *model, enum wk_field field, uint32_t row,
			    struct wk_buf *text);
bool wk_field_is_of_images(enum wk_field field);

struct wk_bound_term; /* verdicts.c */

struct wk_verdicts {
	const struct wk_model *model;
	const struct wk_expr *expr;
	struct wk_bound_term *terms;
	uint8_t *stack; /* blocks of WK_VERDICTS */
};

/* `what` is what errors about a pattern call it. */
bool wk_verdicts_init(struct wk_verdicts *verdicts, const struct wk_model *model,
		      const struct wk_expr *expr, bool ignore_case, const char *what,
		      struct wk_err *err);
void wk_verdicts_fini(struct wk_verdicts *verdicts);

/* Of the `count` samples, or threads, from `first` on; valid until the next call. */
const uint8_t *wk_verdicts_of(const struct wk_verdicts *verdicts, bool is_of_threads,
			      uint32_t first, uint32_t count);

/* The times of a side that the term lets pass, both included. */
void wk_verdicts_time(const struct wk_verdicts *verdicts, size_t term, bool is_before,
		      uint64_t *from_ns, uint64_t *to_ns);

#endif
