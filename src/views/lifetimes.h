/* What is still there of samples whose sources have lifetimes: memory that was not given back.
 *
 * For other sources nothing ends, and all of a sample is left for ever. */
#ifndef WK_VIEWS_LIFETIMES_H
#define WK_VIEWS_LIFETIMES_H

#include "model/model.h"

/* By sample: what is left of its weight at the end of `to_ns`, whenever it began. The caller frees
 * it. */
uint64_t *wk_lifetimes_left(const struct wk_model *model, uint64_t to_ns);

#endif
