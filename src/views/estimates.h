/* How far sizes that are estimated from sampled blocks may be off.
 *
 * A block of `s` bytes is chosen with the probability p = 1 - exp(-s / R), where R is the mean
 * distance of chosen blocks, and then counts as s / p. So each estimated byte of such blocks adds
 * s (1 - p) / p = s / (exp(s / R) - 1) to the variance. This is its step: nearly R for blocks much
 * smaller than R, and nothing for much larger ones, which are certain. */
#ifndef WK_VIEWS_ESTIMATES_H
#define WK_VIEWS_ESTIMATES_H

#include "model/model.h"

/* Of a sum of estimated bytes. */
struct wk_estimate {
	double variance; /* the sum of the steps of its bytes, */
	double squares;  /* and that of their squares */
};

/* The mean distance of the chosen blocks of a side of a comparison, "before" or else "after"; of
 * other recordings that of "after". 0: none of its blocks are sampled. */
static inline uint64_t wk_sample_distance(const struct wk_model *model, bool is_before)
{
	return is_before ? model->sample_bytes_before : model->sample_bytes;
}

/* The step of each byte of a sample; 0 if these are no sampled blocks. A row has blocks within a
 * factor of two, where the step is nearly linear: their mean size will do. */
double wk_estimate_step(const struct wk_model *model, uint32_t sample);

static inline void wk_estimate_add(struct wk_estimate *estimate, uint64_t bytes, double step)
{
	estimate->variance += (double)bytes * step;
	estimate->squares += (double)bytes * step * step;
}

/* In 19 of 20 recordings the true number is within that much of the estimate. `least` is the step
 * of blocks of which none was chosen, if there can be such; else 0. */
double wk_estimate_margin(struct wk_estimate estimate, double least);

#endif
