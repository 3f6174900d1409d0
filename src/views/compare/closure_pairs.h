/* Which closure of a function before an edit is which one after it.
 *
 * Closures have no names but lines, and an edit moves those, some by more than others. The lines
 * that were sampled of a function and its closures are matched first: in order, those of one kind
 * with each other, so that most of the weight is matched and few neighbours moved by different
 * numbers of lines. Closures with matched lines are pairs. The others are paired in order, the
 * heavy ones first, if nothing that was matched is between them. */
#ifndef WK_VIEWS_COMPARE_CLOSURE_PAIRS_H
#define WK_VIEWS_COMPARE_CLOSURE_PAIRS_H

#include <stdint.h>

/* A line that was sampled, or on which a closure begins. */
struct wk_spot {
	uint32_t line;
	uint32_t kind;    /* which lines can be the same */
	uint32_t closure; /* that it is of, from 1 on; 0: of the function itself */
	double weight;    /* as a share of all on its side */
};

struct wk_closure {
	uint32_t line;
	double weight;
};

/* What is known of a function and its closures on one side. Closures are in order of their lines;
 * spots in order of lines and kinds, each once. */
struct wk_closure_side {
	const struct wk_closure *closures;
	uint32_t closure_count;
	const struct wk_spot *spots;
	uint32_t spot_count;
};

/* Returns for each closure before the one after that is the same, counted from 1 on, or 0, for the
 * caller to free. */
uint32_t *wk_closure_pairs(const struct wk_closure_side *before,
			   const struct wk_closure_side *after);

#endif
