#include "formats/etl/file/prefetch.h"

#include "base/mem.h"
#include "os/os.h"

#define MOST_WORKERS  7 /* the reader keeps up with no more */
#define LEAST_BUFFERS 8 /* that make a worker worth its start */
#define MOST_DEPTH    16
#define MOST_AHEAD    ((size_t)64 << 20) /* bytes of all feeds together */
#define LEAST_PLAIN   65536              /* what any buffer may unpack to */
#define LEAST_PACKED  4096
#define WAIT_MS       1000 /* or until woken; who waits looks again at what it waits for */

/* All unpacked buffers together may take that much and so many times what the files have, which is
 * three times what real ones need. A file can name thousands of processors in a few bytes. */
#define LEAST_MEMORY      ((size_t)64 << 20)
#define MOST_MEMORY_RATIO 20

struct wk_etl_prefetch {
	struct wk_etl_feed *feeds;
	size_t feed_count;
	size_t most_plain; /* bytes of a buffer */
	struct wk_os_thread *workers[MOST_WORKERS];
	unsigned worker_count;
	struct wk_os_lock *lock; /* for what follows, and what the feeds have of it */
	unsigned busy, idle;     /* workers */
	bool reader_waits;
	bool is_halted; /* nothing is begun */
	bool is_over;
};

static struct wk_etl_plain *place(const struct wk_etl_feed *feed, size_t index)
{
	return &feed->ring[index % (feed->depth + 1)];
}

static void unpack(const struct wk_etl_prefetch *ahead, const struct wk_etl_feed *feed,
		   size_t index)
{
	struct wk_etl_plain *plain = place(feed, index);

	wk_etl_buffer_at(feed->input, feed->offsets[index], &plain->buffer);
	plain->is_whole = wk_etl_buffer_records(feed->input, &plain->buffer, ahead->most_plain,
						&plain->room, &plain->records);
}

/* ---- workers; all but the unpacking itself with the lock held */

static size_t stock(const struct wk_etl_feed *feed)
{
	return feed->begun - feed->taken;
}

/* Whose next buffer will be needed first: the feed with the fewest ahead, since those that are
 * read faster have fewer. NULL where all have what they may. */
static struct wk_etl_feed *neediest(const struct wk_etl_prefetch *ahead)
{
	struct wk_etl_feed *found = NULL;

	for (size_t i = 0; i < ahead->feed_count; i++) {
		struct wk_etl_feed *feed = &ahead->feeds[i];

		if (feed->begun < feed->count && stock(feed) < feed->depth &&
		    (!found || stock(feed) < stock(found)))
			found = feed;
	}
	return found;
}

static void unpack_next(struct wk_etl_prefetch *ahead, struct wk_etl_feed *feed)
{
	size_t index = feed->begun++;

	ahead->busy++;
	wk_os_lock_leave(ahead->lock);
	unpack(ahead, feed, index);
	wk_os_lock_acquire(ahead->lock);
	ahead->busy--;
	place(feed, index)->is_ready = true;
	if (ahead->reader_waits)
		wk_os_lock_wake(ahead->lock);
}

static void rest(struct wk_etl_prefetch *ahead)
{
	ahead->idle++;
	wk_os_lock_wait(ahead->lock, WAIT_MS);
	ahead->idle--;
}

static void work(void *context)
{
	struct wk_etl_prefetch *ahead = context;

	wk_os_lock_acquire(ahead->lock);
	while (!ahead->is_over) {
		struct wk_etl_feed *feed = ahead->is_halted ? NULL : neediest(ahead);

		if (feed)
			unpack_next(ahead, feed);
		else
			rest(ahead);
	}
	wk_os_lock_leave(ahead->lock);
}

/* Where the system gives fewer threads, or none, more is left to the reader. */
static void hire(struct wk_etl_prefetch *ahead, unsigned count)
{
	ahead->lock = wk_os_lock_new();
	while (ahead->worker_count < count) {
		struct wk_os_thread *thread = wk_os_thread_start(work, ahead);

		if (!thread)
			break;
		ahead->workers[ahead->worker_count++] = thread;
	}
}

/* ---- the reader's side */

static void wait_for_worker(struct wk_etl_prefetch *ahead)
{
	ahead->reader_waits = true;
	wk_os_lock_wait(ahead->lock, WAIT_MS);
	ahead->reader_waits = false;
}

/* What was ahead may be half used up before those who rest are woken: to wake somebody costs about
 * as much as to unpack a buffer. */
static bool wakes_workers(const struct wk_etl_prefetch *ahead, const struct wk_etl_feed *feed)
{
	return ahead->idle && feed->begun < feed->count && stock(feed) <= feed->depth / 2;
}

/* What another thread has begun will be ready soon; until then there is more to unpack. */
static void await(struct wk_etl_prefetch *ahead, const struct wk_etl_plain *plain)
{
	while (!plain->is_ready) {
		struct wk_etl_feed *feed = neediest(ahead);

		if (feed)
			unpack_next(ahead, feed);
		else
			wait_for_worker(ahead);
	}
}

/* True where it is the reader's to unpack. */
static bool read_shared(struct wk_etl_prefetch *ahead, struct wk_etl_feed *feed)
{
	struct wk_etl_plain *plain = place(feed, feed->taken);
	bool is_own, wakes;

	wk_os_lock_acquire(ahead->lock);
	wakes = ahead->is_halted;
	ahead->is_halted = false;
	is_own = feed->begun == feed->taken;
	if (is_own)
		feed->begun++;
	else
		await(ahead, plain);
	plain->is_ready = false;
	feed->taken++;
	wakes = wakes || wakes_workers(ahead, feed);
	wk_os_lock_leave(ahead->lock);
	if (wakes)
		wk_os_lock_wake(ahead->lock);
	return is_own;
}

const struct wk_etl_plain *wk_etl_prefetch_next(struct wk_etl_prefetch *ahead,
						struct wk_etl_feed *feed)
{
	size_t index = feed->taken;
	bool is_own = true;

	if (index == feed->count)
		return NULL;
	if (ahead->lock)
		is_own = read_shared(ahead, feed);
	else
		feed->taken++;
	if (is_own)
		unpack(ahead, feed, index);
	return place(feed, index);
}

/* What the workers have begun is ended, and they begin nothing until a buffer is taken. */
static void halt(struct wk_etl_prefetch *ahead)
{
	wk_os_lock_acquire(ahead->lock);
	ahead->is_halted = true;
	while (ahead->busy)
		wait_for_worker(ahead);
	wk_os_lock_leave(ahead->lock);
}

void wk_etl_prefetch_rewind(struct wk_etl_prefetch *ahead)
{
	if (ahead->lock)
		halt(ahead);
	for (size_t i = 0; i < ahead->feed_count; i++) {
		struct wk_etl_feed *feed = &ahead->feeds[i];

		feed->taken = feed->begun = 0;
		for (size_t k = 0; k <= feed->depth; k++)
			feed->ring[k].is_ready = false;
	}
}

/* ---- how many, and how far ahead */

/* What plain buffers need is in the file; only packed ones are worth a thread. */
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

/* What the packed feeds are together. */
struct sums {
	size_t feeds, buffers, packed_bytes;
	size_t plain_bytes; /* a buffer of each, as the headers claim */
};

static struct sums sum_up(const struct wk_etl_prefetch *ahead)
{
	const struct wk_etl_input *before = NULL;
	struct sums sums = { 0 };

	for (size_t i = 0; i < ahead->feed_count; i++) {
		const struct wk_etl_feed *feed = &ahead->feeds[i];

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

/* As many buffers ahead as there is memory for; none where they are so small that to hand them
 * over costs more than to unpack them. Whether there are threads does not matter here, since how
 * large a buffer may become hangs on it. */
static size_t depth_of(const struct sums *sums)
{
	size_t depth;

	if (sums->feeds == 0 || sums->packed_bytes < LEAST_PACKED * sums->buffers)
		return 0;
	depth = MOST_AHEAD / sums->plain_bytes;
	if (depth > MOST_DEPTH)
		return MOST_DEPTH;
	return depth ? depth - 1 : 0; /* beside the one that is being read */
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
	struct wk_etl_prefetch *ahead = wk_alloc_zeroed(1, sizeof(*ahead));
	struct sums sums;
	size_t depth;
	unsigned workers;

	ahead->feeds = feeds;
	ahead->feed_count = count;
	ahead->is_halted = true;
	sums = sum_up(ahead);
	depth = depth_of(&sums);
	workers = depth ? workers_of(&sums, threads) : 0;
	if (sums.feeds)
		ahead->most_plain = (LEAST_MEMORY + MOST_MEMORY_RATIO * sums.packed_bytes) /
				    (sums.feeds * (depth + 1));
	for (size_t i = 0; i < count; i++) {
		feeds[i].depth = workers && is_packed(&feeds[i]) ? depth : 0;
		feeds[i].ring = wk_alloc_zeroed(feeds[i].depth + 1, sizeof(*feeds[i].ring));
	}
	if (workers)
		hire(ahead, workers);
	return ahead;
}

static void dismiss(struct wk_etl_prefetch *ahead)
{
	wk_os_lock_acquire(ahead->lock);
	ahead->is_over = true;
	wk_os_lock_wake(ahead->lock);
	wk_os_lock_leave(ahead->lock);
	for (unsigned i = 0; i < ahead->worker_count; i++)
		wk_os_thread_join(ahead->workers[i]);
	wk_os_lock_free(ahead->lock);
}

void wk_etl_prefetch_free(struct wk_etl_prefetch *ahead)
{
	if (!ahead)
		return;
	if (ahead->lock)
		dismiss(ahead);
	for (size_t i = 0; i < ahead->feed_count; i++) {
		struct wk_etl_feed *feed = &ahead->feeds[i];

		for (size_t k = 0; k <= feed->depth; k++)
			wk_free(feed->ring[k].room.at);
		wk_free(feed->ring);
	}
	wk_free(ahead);
}
