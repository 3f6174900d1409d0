/* Images of one name that are different files: on Windows the 32-bit and the 64-bit one of a
 * library. As much of their folders as needed distinguishes them. */
#ifndef WK_VIEWS_COMPARE_ALIKE_IMAGES_H
#define WK_VIEWS_COMPARE_ALIKE_IMAGES_H

#include "model/model.h"

struct wk_alike_images {
	const struct wk_model *model;
	struct wk_str *shown; /* by image: the end of its path; empty if its name is unique */
};

void wk_alike_images_init(struct wk_alike_images *alike, const struct wk_model *model);
void wk_alike_images_fini(struct wk_alike_images *alike);

#endif
