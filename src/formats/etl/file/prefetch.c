#include "formats/etl/file/prefetch.h"

#include <assert.h>

#include "base/mem.h"
#include "os/os.h"

#define MOST_WORKERS  7 /* more do not speed up the reader */
#define LEAST_BUFFERS 8 /* of packed bytes, that make a thread worth its start */
#define MOST_DEPTH    16
#define MOST_AHEAD    ((size_t)64 << 20) /* bytes of all feeds together */
#define LEAST_PLAIN   65536              /* the limit of any unpacked buffer */
#define LEAST_PACKED  4096
#define WAIT_MS       1000 /* or until woken; the waiting thread then checks its condition */

/* The limit of all unpacked buffers together: that many bytes plus that many times the size of the
 * files, three times as much as real files need. A file can name thousands of processors in a few
 * bytes. */
#define LEAST_MEMORY      ((size_t)64 << 20)
#define MOST_MEMORY_RATIO 20

struct wk_etl_prefetch {
	struct wk_etl_feed *feeds;
	size_t feed_count;
	size_t most_plain; /* bytes of a buffer */
	struct wk_os_thread *workers[MOST_WORKERS];
	unsigned worker_count;
	struct wk_os_lock *lock; /* for the fields below, and those of the feeds */
	unsigned busy, idle;     /* worker threads */
	bool reader_waits;
	bool is_halted; /* no buffer is begun */
	bool is_over;
};

static struct wk_etl_plain *slot(const struct wk_etl_feed *feed, size_t index)
{
	return &feed->ring[index % (feed->depth + 1)];
}

static void unpack(const struct wk_etl_prefetch *prefetch, const struct wk_etl_feed *feed,
		   size_t index)
{
	struct wk_etl_plain *plain = slot(feed, index);

	wk_etl_buffer_at(feed->input, feed->offsets[index], &plain->buffer);
	plain->is_whole = wk_etl_buffer_records(feed->input, &plain->buffer, prefetch->most_plain,
						&plain->scratch, &plain->records);
}

/* ---- worker threads; all but the unpacking itself with the lock held */

static size_t stock(const struct wk_etl_feed *feed)
{
	return feed->begun - feed->taken;
}

/* The feed with the fewest unpacked buffers, which is read fastest. NULL if all have their
 * limit. */
static struct wk_etl_feed *least_unpacked(const struct wk_etl_prefetch *prefetch)
{
	struct wk_etl_feed *found = NULL;

	for (size_t i = 0; i < prefetch->feed_count; i++) {
		struct wk_etl_feed *feed = &prefetch->feeds[i];

		if (feed->begun < feed->count && stock(feed) < feed->depth &&
		    (!found || stock(feed) < stock(found)))
			found = feed;
	}
	return found;
}

static void unpack_next(struct wk_etl_prefetch *prefetch, struct wk_etl_feed *feed)
{
	size_t index = feed->begun++;

	assert(index < feed->count && index - feed->taken <= feed->depth);
	prefetch->busy++;
	wk_os_lock_leave(prefetch->lock);
	unpack(prefetch, feed, index);
	wk_os_lock_acquire(prefetch->lock);
	prefetch->busy--;
	slot(feed, index)->is_ready = true;
	if (prefetch->reader_waits)
		wk_os_lock_wake(prefetch->lock);
}

static void wait_for_work(struct wk_etl_prefetch *prefetch)
{
	prefetch->idle++;
	wk_os_lock_wait(prefetch->lock, WAIT_MS);
	prefetch->idle--;
}

static void work(void *context)
{
	struct wk_etl_prefetch *prefetch = context;

	wk_os_lock_acquire(prefetch->lock);
	while (!prefetch->is_over) {
		struct wk_etl_feed *feed = prefetch->is_halted ? NULL : least_unpacked(prefetch);

		if (feed)
			unpack_next(prefetch, feed);
		else
			wait_for_work(prefetch);
	}
	wk_os_lock_leave(prefetch->lock);
}

/* If the system starts fewer threads, or none, the reader unpacks more itself. */
static void start_threads(struct wk_etl_prefetch *prefetch, unsigned count)
{
	prefetch->lock = wk_os_lock_new();
	while (prefetch->worker_count < count) {
		struct wk_os_thread *thread = wk_os_thread_start(work, prefetch);

		if (!thread)
			break;
		prefetch->workers[prefetch->worker_count++] = thread;
	}
}

/* ---- the reader's side */

static void wait_for_worker(struct wk_etl_prefetch *prefetch)
{
	prefetch->reader_waits = true;
	wk_os_lock_wait(prefetch->lock, WAIT_MS);
	prefetch->reader_waits = false;
}

/* Idle threads are woken only when half of the unpacked buffers are used: to wake a thread costs
 * about as much as to unpack a buffer. */
static bool wakes_workers(const struct wk_etl_prefetch *prefetch, const struct wk_etl_feed *feed)
{
	return prefetch->idle && feed->begun < feed->count && stock(feed) <= feed->depth / 2;
}

/* A buffer that another thread has begun will be ready soon; meanwhile the reader unpacks another
 * one. */
static void await(struct wk_etl_prefetch *prefetch, const struct wk_etl_plain *plain)
{
	while (!plain->is_ready) {
		struct wk_etl_feed *feed = least_unpacked(prefetch);

		if (feed)
			unpack_next(prefetch, feed);
		else
			wait_for_worker(prefetch);
	}
}

/* True if the reader has to unpack it. */
static bool read_shared(struct wk_etl_prefetch *prefetch, struct wk_etl_feed *feed)
{
	struct wk_etl_plain *plain = slot(feed, feed->taken);
	bool is_own, wakes;

	wk_os_lock_acquire(prefetch->lock);
	wakes = prefetch->is_halted;
	prefetch->is_halted = false;
	assert(feed->taken <= feed->begun && feed->taken < feed->count);
	is_own = feed->begun == feed->taken;
	if (is_own)
		feed->begun++;
	else
		await(prefetch, plain);
	plain->is_ready = false;
	feed->taken++;
	wakes = wakes || wakes_workers(prefetch, feed);
	wk_os_lock_leave(prefetch->lock);
	if (wakes)
		wk_os_lock_wake(prefetch->lock);
	return is_own;
}

const struct wk_etl_plain *wk_etl_prefetch_next(struct wk_etl_prefetch *prefetch,
						struct wk_etl_feed *feed)
{
	size_t index = feed->taken;
	bool is_own = true;

	if (index == feed->count)
		return NULL;
	if (prefetch->lock)
		is_own = read_shared(prefetch, feed);
	else
		feed->taken++;
	if (is_own)
		unpack(prefetch, feed, index);
	return slot(feed, index);
}

/* Waits until the threads are done; they begin no buffer until one is taken. */
static void halt(struct wk_etl_prefetch *prefetch)
{
	wk_os_lock_acquire(prefetch->lock);
	prefetch->is_halted = true;
	while (prefetch->busy)
		wait_for_worker(prefetch);
	wk_os_lock_leave(prefetch->lock);
}

void wk_etl_prefetch_rewind(struct wk_etl_prefetch *prefetch)
{
	if (prefetch->lock)
		halt(prefetch);
	for (size_t i = 0; i < prefetch->feed_count; i++) {
		struct wk_etl_feed *feed = &prefetch->feeds[i];

		feed->taken = feed->begun = 0;
		for (size_t k = 0; k <= feed->depth; k++)
			feed->ring[k].is_ready = false;
	}
}

/* ---- number of threads and of buffers */

/* Plain buffers are read in place; only packed ones are worth a thread. */
static bool is_packed(const struct wk_etl_feed *feed)
{
	return feed->input->packing != WK_ETL_PLAIN;
}

static size_t plain_bytes(const struct wk_etl_feed *feed)
{
	uint32_t claim = feed->input->header.buffer_bytes;

	if (claim < LEAST_PLAIN)
		return LEAST_PLAIN;
	return claim < WK_ETL_MOST_BUFFER ? claim : WK_ETL_MOST_BUFFER;
}

/* The packed bytes of all feeds. */
struct sums {
	size_t feeds, buffers, packed_bytes;
	size_t plain_bytes; /* a buffer of each feed, as claimed by the headers */
};

static struct sums sum_up(const struct wk_etl_prefetch *prefetch)
{
	const struct wk_etl_input *before = NULL;
	struct sums sums = { 0 };

	for (size_t i = 0; i < prefetch->feed_count; i++) {
		const struct wk_etl_feed *feed = &prefetch->feeds[i];

		if (!is_packed(feed))
			continue;
		sums.feeds++;
		sums.buffers += feed->count;
		sums.plain_bytes += plain_bytes(feed);
		if (feed->input != before)
			sums.packed_bytes += wk_bytes_left(&feed->input->bytes);
		before = feed->input;
	}
	return sums;
}

/* The number of buffers per feed that fit into memory; 0 if they are so small that to hand them
 * over costs more than to unpack them. It does not depend on the number of threads, because the
 * limit of a buffer depends on it. */
static size_t depth_of(const struct sums *sums)
{
	size_t depth;

	if (sums->feeds == 0 || sums->packed_bytes < LEAST_PACKED * sums->buffers)
		return 0;
	depth = MOST_AHEAD / sums->plain_bytes;
	if (depth > MOST_DEPTH)
		return MOST_DEPTH;
	return depth ? depth - 1 : 0; /* in addition to the one that is being read */
}

static unsigned workers_of(const struct sums *sums, unsigned threads)
{
	size_t worth = sums->buffers / LEAST_BUFFERS, most = threads > 1 ? threads - 1 : 0;

	most = most < worth ? most : worth;
	return most < MOST_WORKERS ? (unsigned)most : MOST_WORKERS;
}

struct wk_etl_prefetch *wk_etl_prefetch_new(struct wk_etl_feed *feeds, size_t count,
					    unsigned threads)
{
	struct wk_etl_prefetch *prefetch = wk_alloc_zeroed(1, sizeof(*prefetch));
	struct sums sums;
	size_t depth;
	unsigned workers;

	prefetch->feeds = feeds;
	prefetch->feed_count = count;
	prefetch->is_halted = true;
	sums = sum_up(prefetch);
	depth = depth_of(&sums);
	workers = depth ? workers_of(&sums, threads) : 0;
	if (sums.feeds)
		prefetch->most_plain = (LEAST_MEMORY + MOST_MEMORY_RATIO * sums.packed_bytes) /
				       (sums.feeds * (depth + 1));
	for (size_t i = 0; i < count; i++) {
		feeds[i].depth = workers && is_packed(&feeds[i]) ? depth : 0;
		feeds[i].ring = wk_alloc_zeroed(feeds[i].depth + 1, sizeof(*feeds[i].ring));
	}
	if (workers)
		start_threads(prefetch, workers);
	return prefetch;
}

static void stop_threads(struct wk_etl_prefetch *prefetch)
{
	wk_os_lock_acquire(prefetch->lock);
	prefetch->is_over = true;
	wk_os_lock_wake(prefetch->lock);
	wk_os_lock_leave(prefetch->lock);
	for (unsigned i = 0; i < prefetch->worker_count; i++)
		wk_os_thread_join(prefetch->workers[i]);
	wk_os_lock_free(prefetch->lock);
}

void wk_etl_prefetch_free(struct wk_etl_prefetch *prefetch)
{
	if (!prefetch)
		return;
	if (prefetch->lock)
		stop_threads(prefetch);
	for (size_t i = 0; i < prefetch->feed_count; i++) {
		struct wk_etl_feed *feed = &prefetch->feeds[i];

		for (size_t k = 0; k <= feed->depth; k++)
			wk_free(feed->ring[k].scratch.at);
		wk_free(feed->ring);
	}
	wk_free(prefetch);
}
