/* What a view must say of itself: how much of the recording it shows and how good it is.
 *
 * wk_quality_of counts over the samples that a filter keeps; every renderer prints the line
 * that wk_quality_line makes of it, so nothing is lost in silence. */
#ifndef WK_VIEWS_QUALITY_H
#define WK_VIEWS_QUALITY_H

#include "base/buf.h"
#include "views/filter.h"

struct wk_quality {
	uint64_t in_view, total;      /* samples of the filter's source */
	uint64_t elsewhere;           /* samples of other sources */
	uint64_t lost_samples;        /* in the whole recording */
	uint64_t lost_records;
	uint64_t with_user_part;      /* samples in view whose stack has a user part ... */
	uint64_t whole;               /* ... and those of them that reach a root */
	uint64_t frames, unnamed;     /* frames of all samples in view, and those without a name */
};

struct wk_quality wk_quality_of(const struct wk_model *model, const struct wk_filter *filter);

/* "1,700 samples, none lost; 99.9 % of user stacks reach a root; 0.3 % of frames unnamed" */
void wk_quality_line(const struct wk_quality *quality, struct wk_buf *line);

#endif
