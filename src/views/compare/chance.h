/* Which changes sampling alone may cause. */
#ifndef WK_VIEWS_COMPARE_CHANCE_H
#define WK_VIEWS_COMPARE_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* What a sample weighs on each side of a comparison of sampled time; both 0: no change is by
 * chance, as far as is known. */
struct wk_sampling {
	double before, after;
};

/* A function that gets n samples gets as many more or fewer in the next run as the square root of
 * n, and in one of a few hundred functions three times as many. */
#define WK_MOST_BY_CHANCE 3

static inline bool wk_may_be_chance(const struct wk_sampling *sampling, uint64_t before,
				    uint64_t after)
{
	double change = (double)after - (double)before;
	double variance = (double)before * sampling->before + (double)after * sampling->after;

	return change * change <= WK_MOST_BY_CHANCE * WK_MOST_BY_CHANCE * variance;
}

#endif
