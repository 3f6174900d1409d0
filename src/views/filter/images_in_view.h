/* Which images have code in the samples that will be shown, and how many samples: known before
 * names are looked up, so that no server is queried for other images. */
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

/* Conditions on functions leave nothing out, as their names are unknown yet. `of_any_event`:
 * samples of all events, otherwise of the filter's. Empty if `spec` is invalid, which
 * wk_filter_init reports later. */
struct wk_images_in_view wk_images_in_view(const struct wk_model *model,
					   const struct wk_filter_spec *spec, bool of_any_event);
void wk_images_in_view_fini(struct wk_images_in_view *images);

#endif
