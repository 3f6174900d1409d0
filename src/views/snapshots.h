/* Which blocks a view of snapshots is about: those that were there at one, or those that are new,
 * in one and not in an earlier one. Blocks are the same by their identity, never by their address
 * alone: an address that was freed and allocated again is another block. */
#ifndef WK_VIEWS_SNAPSHOTS_H
#define WK_VIEWS_SNAPSHOTS_H

#include "base/err.h"
#include "model/model.h"

/* What an input has added by a moment: so many rows and ends. */
struct wk_moment {
	uint32_t at_row, at_end;
	bool is_of_end; /* what processes left when they ended is still counted */
};

/* Of a comparison the snapshots of one side, which have numbers of their own. */
enum wk_span_side { WK_SPAN_OF_ALL, WK_SPAN_BEFORE, WK_SPAN_AFTER };

/* Blocks that were allocated between two moments and are still there at the second. All zero is
 * none: the view is not about snapshots. */
struct wk_span {
	bool is_given;
	struct wk_moment from, to; /* `from` may be the start, where there is nothing */
	wk_process_id process;     /* whose blocks these are; 0: any */
	enum wk_span_side side;
	uint32_t grew; /* only stacks that had more bytes in each of so many snapshots,
			* the last one being `to`, than in the one before; 0: all */
};

/* What is asked for; at most one of them. */
struct wk_span_spec {
	const char *snapshot;   /* label, cause ("peak"), of several the last; or number from 1 on,
				 * with or without a '#' */
	const char *between[2]; /* two such */
	uint64_t grew;          /* a number of snapshots, or 0 */
};

static inline bool wk_span_is_asked(const struct wk_span_spec *spec)
{
	return spec->snapshot || spec->between[0] || spec->grew;
}

bool wk_span_check(const struct wk_span_spec *spec, bool outstanding, struct wk_err *err);

bool wk_span_find(struct wk_span *span, const struct wk_model *model,
		  const struct wk_span_spec *spec, enum wk_span_side side, struct wk_err *err);

/* By sample. Blocks without bytes are not in view. `blocks` is NULL if each row with bytes is one.
 */
struct wk_left {
	uint64_t *bytes, *blocks;
};

void wk_left_fini(struct wk_left *left);

/* Is `blocks` there? */
bool wk_left_counts_blocks(const struct wk_model *model);

/* All of each sample; and without what one end frees. */
struct wk_left wk_left_start(const struct wk_model *model);
void wk_left_end(struct wk_left *left, const struct wk_end *end);

/* What is left at `to` of rows that were added between the moments. */
struct wk_left wk_left_of(const struct wk_model *model, struct wk_moment from, struct wk_moment to,
			  wk_process_id process);

/* The same of a span, and only of stacks that grew; of none, what is left in the end. */
struct wk_left wk_span_left(const struct wk_span *span, const struct wk_model *model,
			    wk_source_id source);

/* Of a comparison: the samples of each side by its own span. */
struct wk_left wk_spans_left(const struct wk_span *after, const struct wk_span *before,
			     const struct wk_model *model, wk_source_id source);

#endif
