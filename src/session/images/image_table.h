/* What `wick symbols` prints about images: a table of all, and below it what each lacks, why, and
 * how to fix it. */
#ifndef WK_SESSION_IMAGES_IMAGE_TABLE_H
#define WK_SESSION_IMAGES_IMAGE_TABLE_H

#include "session/doctor/findings.h"
#include "session/images/image_facts.h"
#include "views/quality.h"

/* `has_fix` adds a column for the fixes. */
void wk_image_table_fill(struct wk_table *table, const struct wk_model *model,
			 const struct wk_images_facts *facts, bool has_fix);

/* The first `most` images that lack something; returns the number of the others. */
size_t wk_images_find(struct wk_findings *findings, const struct wk_model *model,
		      const struct wk_images_facts *facts, const struct wk_quality *quality,
		      size_t most);

#endif
