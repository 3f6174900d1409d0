/* What a view must say of itself: how much of the recording it shows and how good it is.
 *
 * wk_quality_of counts over the samples that a filter keeps; every renderer prints the line
 * that wk_quality_line makes of it, so nothing is lost in silence. */
#ifndef WK_VIEWS_QUALITY_H
#define WK_VIEWS_QUALITY_H

#include "base/buf.h"
#include "views/filter/filter.h"
#include "views/tables/table.h"

/* An image whose file cannot be used any more, so that its functions have no names. */
struct wk_quality_image {
	wk_image_id id;
	uint64_t samples; /* in view, with a function of it in the stack */
};

#define WK_QUALITY_IMAGES 16

struct wk_quality {
	const struct wk_model *model; /* names the images */
	bool has_two_sides;           /* of a comparison, which tells how many each has: their
				       * sum is nobody's number */
	uint64_t in_view, total;      /* samples of the filter's source */
	wk_source_id source;          /* the filter's; 0: none */
	wk_source_id before_source;
	uint64_t elsewhere;    /* samples of other sources ... */
	bool shows_elsewhere;  /* ... which the view has, too, so that none is missed */
	bool lacks_cpu;        /* nobody asked for another event, but there is no CPU time */
	uint64_t lost_samples; /* in the whole recording */
	uint64_t lost_records;
	uint32_t missing_parts;      /* notes of what is not there of the recording, so that more
				      * may be lost than anybody counted */
	uint64_t with_user_part;     /* samples in view whose stack has a user part ... */
	uint64_t whole;              /* ... those of them that reach a root ... */
	uint64_t unknown_reach;      /* ... and those of which nobody can tell */
	enum wk_stacks_by stacks_by; /* of all sources in view */
	uint64_t near_root;          /* of those with a user part, by frame pointers: those that
				      * end in main or a thread's first function, since the C
				      * library's start code keeps no frame pointers */
	uint64_t broken;             /* of those with a user part, by frame pointers: those that
				      * end before main or a thread's first function */
	uint64_t frames, unnamed;    /* frames of all samples in view, and those without a name;
				      * not counted where an input named them all */
	struct wk_quality_image closed[WK_QUALITY_IMAGES]; /* most samples first */
	uint32_t closed_count; /* of all of them, also those that have no room above */
};

struct wk_quality wk_quality_of(const struct wk_model *model, const struct wk_filter *filter);

/* "1,700 samples, none lost; 99.9 % of user stacks reach a root; 0.3 % of frames unnamed" */
void wk_quality_line(const struct wk_quality *quality, struct wk_buf *line);

/* The same under a table that counts something else than samples: "1 of 3 waits in view". */
void wk_quality_counted_line(const struct wk_quality *quality, const struct wk_table *table,
			     struct wk_buf *line);

/* Of a trace of Windows that says what happened, but not what took time: that, and what records it.
 * Nothing where CPU time is shown, or what was asked for. */
void wk_quality_cpu_line(const struct wk_quality *quality, struct wk_buf *line);

/* "the file was cut off: ..."; nothing where the recording is whole. The two that came first, and
 * how many more there are. */
void wk_quality_missing_line(const struct wk_quality *quality, struct wk_buf *line);

/* "app has been replaced since it was recorded, so its functions have no names"; nothing where
 * there is no such image. The two that matter most, and how many more there are. */
void wk_quality_closed_line(const struct wk_quality *quality, struct wk_buf *line);

/* Where half of the stacks or more are broken, or a profile of time has none: why. Nothing where
 * they are well. Another way of recording mends it. */
void wk_quality_stacks_line(const struct wk_quality *quality, struct wk_buf *line);

/* "replaced", "gone" or "unreadable". */
const char *wk_quality_closed_word(const struct wk_quality *quality, uint32_t i);

#endif
