/* How much of the recording a view shows, and how good the recording is.
 *
 * wk_quality_of counts over the samples that a filter keeps. Every renderer prints the line of
 * wk_quality_line, so nothing is lost silently. */
#ifndef WK_VIEWS_QUALITY_H
#define WK_VIEWS_QUALITY_H

#include "base/buf.h"
#include "views/broken_stacks.h"
#include "views/filter/filter.h"
#include "views/tables/table.h"

/* An image whose file is no longer usable, so that its functions have no names. */
struct wk_quality_image {
	wk_image_id id;
	uint64_t samples; /* in view, with a function of it in the stack */
};

#define WK_QUALITY_IMAGES 16

struct wk_quality {
	const struct wk_model *model; /* names the images */
	bool facts_only;    /* the lines contain no advice and no command lines: for pictures */
	bool has_two_sides; /* a comparison, which prints the number of samples of each side */
	uint64_t in_view, total; /* samples of the filter's source */
	wk_source_id source;     /* the filter's; 0: none */
	wk_source_id before_source;
	uint64_t elsewhere;    /* samples of other sources ... */
	bool shows_elsewhere;  /* ... which the view contains as well */
	bool has_other_values; /* other sources are other values of the same records */
	bool lacks_cpu;        /* no event was selected, and there is no CPU time */
	uint64_t lost_samples; /* of the filter's source, and those of unknown ones */
	uint64_t lost_elsewhere;
	uint64_t lost_records;
	uint64_t lost_before;        /* samples and records, of the first side of a comparison */
	uint32_t missing_parts;      /* notes of missing parts: uncounted losses are possible */
	uint64_t with_user_part;     /* samples in view whose stack has a user part ... */
	uint64_t whole;              /* ... those that reach a root ... */
	uint64_t unknown_reach;      /* ... and those for which that is unknown */
	enum wk_stacks_by stacks_by; /* of all sources in view */
	/* Stacks by frame pointers that end in main or a thread's first function (the C library's
	 * start code keeps no frame pointers), and those that end before. */
	uint64_t near_root, broken;
	struct wk_broken_stacks named; /* if all frames came with names */
	uint64_t frames, unnamed; /* frames of all samples in view, and those without a name; not
				   * counted if the input named all frames */
	struct wk_quality_image closed[WK_QUALITY_IMAGES]; /* most samples first */
	uint32_t closed_count; /* of all of them, including those that do not fit above */
};

struct wk_quality wk_quality_of(const struct wk_model *model, const struct wk_filter *filter);

/* "1,700 samples, none lost; 99.9 % of user stacks reach a root; 0.3 % of frames unnamed" */
void wk_quality_line(const struct wk_quality *quality, struct wk_buf *line);

/* The same below a table that counts something other than samples: "1 of 3 waits in view". */
void wk_quality_counted_line(const struct wk_quality *quality, const struct wk_table *table,
			     struct wk_buf *line);

/* For a Windows trace without CPU samples: what is shown instead, and how to record them. Empty if
 * CPU time is shown, or another event was selected. */
void wk_quality_cpu_line(const struct wk_quality *quality, struct wk_buf *line);

/* "the file was cut off: ...": the first two missing parts and the number of others; empty if the
 * recording is complete. */
void wk_quality_missing_line(const struct wk_quality *quality, struct wk_buf *line);

/* "2 lines cannot be parsed and were skipped ...": the same for faults, parts of the input that
 * could not be used. */
void wk_quality_fault_line(const struct wk_quality *quality, struct wk_buf *line);

/* "app has been replaced since it was recorded, so its functions have no names": the two images
 * with the most samples and the number of others; empty if there are none. */
void wk_quality_closed_line(const struct wk_quality *quality, struct wk_buf *line);

/* Why stacks are bad, if half of them or more are broken or a profile of time has none. */
void wk_quality_stacks_line(const struct wk_quality *quality, struct wk_buf *line);

/* "replaced", "gone" or "unreadable". */
const char *wk_quality_closed_word(const struct wk_quality *quality, uint32_t i);

#endif
