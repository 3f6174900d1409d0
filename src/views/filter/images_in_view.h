/* Which images have code in the samples that will be shown, and how many samples: known before any
 * address has a name, so that nobody is asked for the names of others. */
#ifndef WK_VIEWS_FILTER_IMAGES_IN_VIEW_H
#define WK_VIEWS_FILTER_IMAGES_IN_VIEW_H

#include "views/filter/filter.h"

struct wk_image_in_view {
	wk_image_id id;
	uint64_t samples; /* with a frame there that came without a name */
};

struct wk_images_in_view {
	struct wk_image_in_view *at; /* most samples first */
	size_t count;
};

/* Conditions on functions leave nothing out, as their names are unknown yet; of any event, or of
 * the one that the filter would take. None where `spec` makes no sense, which whoever asks the
 * filter later says. */
struct wk_images_in_view wk_images_in_view(const struct wk_model *model,
					   const struct wk_filter_spec *spec, bool of_any_event);
void wk_images_in_view_fini(struct wk_images_in_view *images);

#endif
