/* "Did you mean ...": the nearest of some words to one that is unknown. */
#ifndef WK_BASE_TEXT_SUGGEST_H
#define WK_BASE_TEXT_SUGGEST_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct wk_suggestion {
	struct wk_str typed;
	const char *best; /* NULL: nothing is near enough to be meant */
	size_t distance;
};

static inline struct wk_suggestion wk_suggestion_for(struct wk_str typed)
{
	return (struct wk_suggestion){ .typed = typed };
}

/* Stores `word` if it is nearer than the earlier ones. */
void wk_suggestion_try(struct wk_suggestion *suggestion, const char *word);

/* Ends a sentence: "...; did you mean "word"?", or with other words if no word is near enough.
 * Always false. */
bool wk_suggestion_add(const struct wk_suggestion *suggestion, const char *otherwise,
		       struct wk_err *err);

#endif
