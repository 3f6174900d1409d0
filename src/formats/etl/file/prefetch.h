/* The buffers of each feed, one after the other, unpacked before they are asked for.
 *
 * With one thread a buffer is unpacked when it is taken. With more, the others stay as long as
 * this does and unpack the next few buffers of every feed while the reader is at work, first where
 * the fewest are ahead. What nobody has begun when it is taken the reader unpacks itself. All calls
 * are the reader's thread's; what was taken stays until that feed's next. What feeds have is
 * changed only behind a rewind and before the next take. */
#ifndef WK_FORMATS_ETL_FILE_PREFETCH_H
#define WK_FORMATS_ETL_FILE_PREFETCH_H

#include "formats/etl/file/feeds.h"

struct wk_etl_plain {
	struct wk_etl_buffer buffer;
	struct wk_bytes records;
	bool is_whole; /* as its header claims */
	bool is_ready; /* another thread has unpacked it */
	struct wk_etl_limits room;
};

struct wk_etl_prefetch;

/* The feeds stay the caller's, as they were found. */
struct wk_etl_prefetch *wk_etl_prefetch_new(struct wk_etl_feed *feeds, size_t count,
					    unsigned threads);
void wk_etl_prefetch_free(struct wk_etl_prefetch *ahead);

/* The next buffer of a feed, or NULL at its end. */
const struct wk_etl_plain *wk_etl_prefetch_next(struct wk_etl_prefetch *ahead,
						struct wk_etl_feed *feed);

void wk_etl_prefetch_rewind(struct wk_etl_prefetch *ahead);

#endif
