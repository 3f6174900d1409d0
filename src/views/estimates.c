#include "views/estimates.h"

#include <math.h>

double wk_estimate_step(const struct wk_model *model, uint32_t sample)
{
	const struct wk_samples *samples = &model->samples;
	bool is_before = samples->is_before && samples->is_before[sample];
	double size, distance = (double)wk_sample_distance(model, is_before);
	uint64_t times = wk_model_sample_times(model, sample);

	if (distance <= 0 || !times)
		return 0;
	size = (double)samples->weight[sample] / (double)times;
	return size > 0 ? size / expm1(size / distance) : distance;
}

/* 1.96 standard errors, and what the upper limit of a Poisson number is further away when few
 * blocks were chosen (N. Gehrels, Astrophysical Journal 303 (1986), 336, equation 7). */
double wk_estimate_margin(struct wk_estimate estimate, double least)
{
	double z = 1.96, variance = estimate.variance;
	double step = variance > 0 ? estimate.squares / variance : least;

	return z * sqrt(variance + 0.75 * step * step) + (z * z + 3) / 4 * step;
}
