/* Which program or library the functions without a name are in, so that it can be told what
 * would bring their names. */
#ifndef WK_VIEWS_NAMELESS_H
#define WK_VIEWS_NAMELESS_H

#include "views/filter/filter.h"

struct wk_nameless {
	wk_image_id image; /* with most of them; 0 where there are none */
	uint64_t unnamed;  /* its frames without a name, of all samples that the filter keeps */
	uint64_t frames;   /* all frames of these samples */
};

/* Files that are there and name nothing, or not enough, and code made at run time, which is in no
 * file (WK_IMAGE_ANONYMOUS). Files that are gone have words of their own (views/quality.h), and
 * the kernel has none of these. */
struct wk_nameless wk_nameless_of(const struct wk_model *model, const struct wk_filter *filter);

#endif
