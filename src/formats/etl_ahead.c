#include "formats/etl_ahead.h"

#include "base/mem.h"
#include "os/os.h"

#define MOST_WORKERS 15
#define MOST_DEPTH   16
#define MOST_AHEAD   ((size_t)64 << 20) /* bytes of all feeds together */
#define LEAST_PLAIN  65536              /* what any buffer may unpack to */
#define LEAST_PACKED 4096

/* All unpacked buffers together may take that much and so many times what the files have, which is
 * three times what real ones need. A file can name thousands of processors in a few bytes. */
#define LEAST_MEMORY      ((size_t)64 << 20)
#define MOST_MEMORY_RATIO 20

struct job {
	struct wk_etl_feed *feed;
	size_t index;
};

/* Every so many-th job of the batch. */
struct worker {
	const struct wk_etl_ahead *ahead;
	size_t first;
	struct wk_os_thread *thread;
};

struct wk_etl_ahead {
	struct wk_etl_feed *feeds;
	size_t feed_count;
	struct job *jobs;
	size_t job_count, job_cap;
	size_t most_plain; /* bytes of a buffer */
	struct worker workers[MOST_WORKERS];
	unsigned worker_count;
	bool is_running;
};

static struct wk_etl_plain *place(const struct wk_etl_feed *feed, size_t index)
{
	return &feed->ring[index % (feed->depth + 1)];
}

static void unpack(const struct wk_etl_ahead *ahead, const struct wk_etl_feed *feed, size_t index)
{
	struct wk_etl_plain *plain = place(feed, index);

	wk_etl_buffer_at(feed->input, feed->offsets[index], &plain->buffer);
	plain->is_whole = wk_etl_buffer_records(feed->input, &plain->buffer, ahead->most_plain,
						&plain->room, &plain->records);
}

static void work(void *context)
{
	const struct worker *worker = context;
	const struct wk_etl_ahead *ahead = worker->ahead;

	for (size_t i = worker->first; i < ahead->job_count; i += ahead->worker_count)
		unpack(ahead, ahead->jobs[i].feed, ahead->jobs[i].index);
}

/* Until all that was given is unpacked. */
static void collect(struct wk_etl_ahead *ahead)
{
	if (!ahead->is_running)
		return;
	for (unsigned i = 0; i < ahead->worker_count; i++)
		if (ahead->workers[i].thread)
			wk_os_thread_join(ahead->workers[i].thread);
	for (size_t i = 0; i < ahead->feed_count; i++)
		ahead->feeds[i].ready = ahead->feeds[i].given;
	ahead->is_running = false;
}

/* Where the system gives no thread its part is done here. */
static void start(struct wk_etl_ahead *ahead)
{
	for (unsigned i = 0; i < ahead->worker_count; i++) {
		struct worker *worker = &ahead->workers[i];

		*worker = (struct worker){ .ahead = ahead, .first = i };
		if (i < ahead->job_count)
			worker->thread = wk_os_thread_start(work, worker);
		if (!worker->thread)
			work(worker);
	}
	ahead->is_running = true;
}

static void give(struct wk_etl_ahead *ahead, struct wk_etl_feed *feed)
{
	size_t end = feed->taken + feed->depth;

	if (end > feed->count)
		end = feed->count;
	for (; feed->given < end; feed->given++) {
		ahead->jobs = wk_grow(ahead->jobs, &ahead->job_cap, ahead->job_count + 1,
				      sizeof(*ahead->jobs));
		ahead->jobs[ahead->job_count++] = (struct job){ feed, feed->given };
	}
}

static void give_all(struct wk_etl_ahead *ahead)
{
	collect(ahead);
	ahead->job_count = 0;
	for (size_t i = 0; i < ahead->feed_count; i++)
		give(ahead, &ahead->feeds[i]);
	start(ahead);
}

const struct wk_etl_plain *wk_etl_ahead_take(struct wk_etl_ahead *ahead, struct wk_etl_feed *feed)
{
	size_t index = feed->taken;

	if (index == feed->count)
		return NULL;
	if (index == feed->given) {
		unpack(ahead, feed, index);
		feed->given = feed->ready = index + 1;
	} else if (index >= feed->ready) {
		collect(ahead);
	}
	feed->taken++;
	if (feed->given < feed->count && feed->given - feed->taken < (feed->depth + 1) / 2)
		give_all(ahead);
	return place(feed, index);
}

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

static struct sums sum_up(const struct wk_etl_ahead *ahead)
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

/* As many buffers ahead as there is memory for; none where they are so small that to start threads
 * costs more than to unpack them. */
static size_t depth_of(const struct wk_etl_ahead *ahead, const struct sums *sums)
{
	size_t depth;

	if (ahead->worker_count == 0 || sums->packed_bytes < LEAST_PACKED * sums->buffers)
		return 0;
	depth = MOST_AHEAD / sums->plain_bytes;
	return depth < MOST_DEPTH ? depth : MOST_DEPTH;
}

struct wk_etl_ahead *wk_etl_ahead_new(struct wk_etl_feed *feeds, size_t count, unsigned threads)
{
	struct wk_etl_ahead *ahead = wk_alloc_zeroed(1, sizeof(*ahead));
	unsigned workers = threads > 1 ? threads - 1 : 0;
	struct sums sums;
	size_t depth = 0;

	ahead->feeds = feeds;
	ahead->feed_count = count;
	ahead->worker_count = workers < MOST_WORKERS ? workers : MOST_WORKERS;
	sums = sum_up(ahead);
	if (sums.feeds) {
		depth = depth_of(ahead, &sums);
		ahead->most_plain = (LEAST_MEMORY + MOST_MEMORY_RATIO * sums.packed_bytes) /
				    (sums.feeds * (depth + 1));
	}
	for (size_t i = 0; i < count; i++) {
		feeds[i].depth = is_packed(&feeds[i]) ? depth : 0;
		feeds[i].ring = wk_alloc_zeroed(feeds[i].depth + 1, sizeof(*feeds[i].ring));
	}
	return ahead;
}

void wk_etl_ahead_free(struct wk_etl_ahead *ahead)
{
	if (!ahead)
		return;
	collect(ahead);
	for (size_t i = 0; i < ahead->feed_count; i++) {
		struct wk_etl_feed *feed = &ahead->feeds[i];

		for (size_t k = 0; k <= feed->depth; k++)
			free(feed->ring[k].room.at);
		free(feed->ring);
	}
	free(ahead->jobs);
	free(ahead);
}

void wk_etl_ahead_rewind(struct wk_etl_ahead *ahead)
{
	collect(ahead);
	for (size_t i = 0; i < ahead->feed_count; i++)
		ahead->feeds[i].taken = ahead->feeds[i].ready = ahead->feeds[i].given = 0;
}
