/* Which closure of a function before an edit is which one after it.
 *
 * Closures have no names but lines, and an edit moves those. All that was sampled of a function and
 * its closures shows by how much; that decides, and not the order alone, since closures without
 * samples are missing from it. */
#ifndef WK_VIEWS_COMPARE_CLOSURE_PAIRS_H
#define WK_VIEWS_COMPARE_CLOSURE_PAIRS_H

#include <stdint.h>

/* Lines in rising order, each once. */
struct wk_lines {
	uint32_t *at;
	uint32_t *weight; /* of each in millionths of the heaviest; NULL: all weigh the same */
	uint32_t count;
};

/* By how many lines most of what is before is above what is after, by weight; 0 if nothing shows
 * it. */
int64_t wk_line_shift(struct wk_lines before, struct wk_lines after);

/* Returns for each line before the line after that is the same closure, or 0, for the caller to
 * free: first those that moved by `shift`; between two of these the others are in the same order,
 * if there are as many on each side. */
uint32_t *wk_closure_pairs(struct wk_lines before, struct wk_lines after, int64_t shift);

#endif
