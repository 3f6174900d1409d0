/* The buffers of each stream, one after the other, unpacked before they are asked for.
 *
 * A feed is the buffers of one processor of one file. With one thread a buffer is unpacked when it
 * is taken. With more, others unpack the next few of every feed while the taken ones are read:
 * a batch is started when a feed has come half through what it had, and waited for before the
 * next. All calls are the reader's thread's; what was taken stays until that feed's next. */
#ifndef WK_FORMATS_ETL_AHEAD_H
#define WK_FORMATS_ETL_AHEAD_H

#include "formats/etl_internal.h"

struct wk_etl_plain {
	struct wk_etl_buffer buffer;
	struct wk_bytes records;
	bool is_whole; /* as its header claims */
	struct wk_etl_room room;
};

struct wk_etl_feed {
	const struct wk_etl_input *input;
	const uint64_t *offsets; /* of its buffers, in order */
	size_t count;
	/* Set and used by etl_ahead.c: the first so many buffers are taken, unpacked, and given to
	 * be unpacked. */
	size_t taken, ready, given;
	size_t depth;		   /* how many may be given beyond those taken */
	struct wk_etl_plain *ring; /* depth + 1: buffer i is in place i modulo that */
};

struct wk_etl_ahead;

/* The feeds stay the caller's, with input, offsets and count set, the rest zero. */
struct wk_etl_ahead *wk_etl_ahead_new(struct wk_etl_feed *feeds, size_t count, unsigned threads);
void wk_etl_ahead_free(struct wk_etl_ahead *ahead);

/* The next buffer of a feed, or NULL at its end. */
const struct wk_etl_plain *wk_etl_ahead_take(struct wk_etl_ahead *ahead, struct wk_etl_feed *feed);

void wk_etl_ahead_rewind(struct wk_etl_ahead *ahead);

#endif
