/* Feeds: the buffers of one processor of one session in one file, in the order in which they were
 * filled. That is the order of their sequence numbers, which matters in circular files; if numbers
 * repeat, it is the order of their first records. */
#ifndef WK_FORMATS_ETL_FILE_FEEDS_H
#define WK_FORMATS_ETL_FILE_FEEDS_H

#include "formats/etl/internal.h"

struct wk_etl_plain;

struct wk_etl_feed {
	const struct wk_etl_input *input;
	uint32_t cpu;
	const uint64_t *offsets; /* of its buffers, in order */
	size_t count;
	/* Set and used by prefetch.c: the number of buffers that the reader has taken, and that
	 * were begun by any thread. */
	size_t taken, begun;
	size_t depth;              /* how many may be begun beyond those taken */
	struct wk_etl_plain *ring; /* depth + 1 slots: buffer i is in slot i modulo that */
};

struct wk_etl_feeds {
	struct wk_etl_feed *feeds; /* by file, session and processor */
	size_t count;
	uint64_t *offsets; /* the array behind the feeds' offsets */
	size_t buffer_count;
};

/* The feeds of all files, which must outlive them. Faults of buffers are counted. */
void wk_etl_feeds_find(const struct wk_etl_input *inputs, size_t input_count,
		       struct wk_etl_damage *damage, struct wk_etl_feeds *feeds);
void wk_etl_feeds_fini(struct wk_etl_feeds *feeds);

#endif
