/* When a recording was made, by the clock on the wall. */
#ifndef WK_VIEWS_WALL_CLOCK_H
#define WK_VIEWS_WALL_CLOCK_H

#include "model/model.h"

/* Nanoseconds since 1970 at the first sample, from a pair of times at one moment: the recording's
 * clock and the wall's. False where the recording has no such pair, or nonsense. */
bool wk_wall_clock_of(const struct wk_model *model, uint64_t *wall_ns);

#endif
