/* Feeds: the buffers of one processor of one session in one file, in the order in which they were
 * filled. Numbers in the buffers tell it, which is needed where a file is circular; where they
 * repeat, the time of the first record does. */
#ifndef WK_FORMATS_ETL_FILE_FEEDS_H
#define WK_FORMATS_ETL_FILE_FEEDS_H

#include "formats/etl/internal.h"

struct wk_etl_plain;

struct wk_etl_feed {
	const struct wk_etl_input *input;
	uint32_t cpu;
	const uint64_t *offsets; /* of its buffers, in order */
	size_t count;
	/* Set and used by etl_ahead.c: of the first so many buffers all are taken, and somebody has
	 * begun to unpack them. */
	size_t taken, begun;
	size_t depth;              /* how many may be begun beyond those taken */
	struct wk_etl_plain *ring; /* depth + 1: buffer i is in place i modulo that */
};

struct wk_etl_feeds {
	struct wk_etl_feed *feeds; /* in the order of files, sessions and processors */
	size_t count;
	uint64_t *offsets; /* what the feeds' offsets are pieces of */
	size_t buffer_count;
};

/* The feeds of all files, which must outlive them. What is wrong with their buffers is counted. */
void wk_etl_feeds_find(const struct wk_etl_input *inputs, size_t input_count,
		       struct wk_etl_damage *damage, struct wk_etl_feeds *feeds);
void wk_etl_feeds_fini(struct wk_etl_feeds *feeds);

#endif
