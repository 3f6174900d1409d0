/* "Did you mean ...": the nearest of some words to one that is unknown. */
#ifndef WK_BASE_TEXT_SUGGEST_H
#define WK_BASE_TEXT_SUGGEST_H

#include <stddef.h>

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

#endif
