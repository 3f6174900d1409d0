/* Images of one name that are other files: of Windows the 32-bit and the 64-bit one of a library.
 * People tell them apart by as much of their folders as it takes. */
#ifndef WK_VIEWS_COMPARE_ALIKE_IMAGES_H
#define WK_VIEWS_COMPARE_ALIKE_IMAGES_H

#include "model/model.h"

struct wk_alike_images {
	const struct wk_model *model;
	struct wk_str *shown; /* by image: the end of its path; empty where its name says it */
};

void wk_alike_images_init(struct wk_alike_images *alike, const struct wk_model *model);
void wk_alike_images_fini(struct wk_alike_images *alike);

#endif
