/* Unpacks the next buffers of each feed before they are needed.
 *
 * With one thread a buffer is unpacked when it is taken. With more, worker threads unpack the next
 * few buffers of every feed, those with the fewest unpacked ones first, while the reader works. The
 * reader itself unpacks a buffer that no thread has begun. All functions are called from the
 * reader's thread; a buffer is valid until the next one of its feed is taken. Feeds may be changed
 * only after a rewind and before the next take. */
#ifndef WK_FORMATS_ETL_FILE_PREFETCH_H
#define WK_FORMATS_ETL_FILE_PREFETCH_H

#include "formats/etl/file/feeds.h"

struct wk_etl_plain {
	struct wk_etl_buffer buffer;
	struct wk_bytes records;
	bool is_whole; /* as claimed by its header */
	bool is_ready; /* another thread has unpacked it */
	struct wk_etl_scratch scratch;
};

struct wk_etl_prefetch;

/* The feeds belong to the caller. */
struct wk_etl_prefetch *wk_etl_prefetch_new(struct wk_etl_feed *feeds, size_t count,
					    unsigned threads);
void wk_etl_prefetch_free(struct wk_etl_prefetch *prefetch);

/* The next buffer of a feed, or NULL at its end. */
const struct wk_etl_plain *wk_etl_prefetch_next(struct wk_etl_prefetch *prefetch,
						struct wk_etl_feed *feed);

void wk_etl_prefetch_rewind(struct wk_etl_prefetch *prefetch);

#endif
