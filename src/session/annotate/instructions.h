/* The instructions of functions with the samples of each, between the source lines that they are
 * compiled from. */
#ifndef WK_SESSION_ANNOTATE_INSTRUCTIONS_H
#define WK_SESSION_ANNOTATE_INSTRUCTIONS_H

#include "session/annotate/annotate.h"

/* All code that samples of the chosen functions are in, the function with most samples first: if
 * one is inlined into another, that is the other's. */
bool wk_instructions_fill(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter, struct wk_symbols *symbols,
			  const uint8_t *functions, const struct wk_annotate_query *query,
			  struct wk_err *err);

#endif
