/* Records on their way from the thread that empties the rings to the thread that uses them.
 *
 * The reader gets chunks, fills them with whole records, and passes them on as a round; the worker
 * pops rounds and returns chunks whose records are no longer needed. A round is complete: no record
 * older than its `final_ns` can come in a later one. Memory is bounded: wk_queue_has_space decides
 * when to leave records in the rings instead, where the kernel counts what it drops. */
#ifndef WK_RECORD_QUEUE_H
#define WK_RECORD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WK_CHUNK_BYTES (264u << 10) /* four samples with whole copies */

/* Enough while the worker keeps up. Copies of stacks come at 64 MB/s and CPU, and memory that was
 * never touched costs as much as all else that is done with them. */
#define WK_QUEUE_USUAL_BYTES (8u << 20)

struct wk_chunk {
	struct wk_chunk *next;
	size_t len;
	size_t live; /* records still needed; updated by the worker */
	uint8_t bytes[];
};

struct wk_round {
	struct wk_round *next;
	struct wk_chunk *first, *last;
	uint64_t final_ns;
	bool is_last;
};

struct wk_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct wk_round *first, *last;
	struct wk_chunk *spare;
	size_t limit_bytes, used_bytes; /* in chunks that are out */
	size_t rounds;                  /* handed over and not yet done */
	bool is_abandoned;
};

void wk_queue_init(struct wk_queue *queue, size_t limit_bytes);
void wk_queue_fini(struct wk_queue *queue);

/* Reader's side. Records that are not urgent, because the rings have room for more, may use
 * WK_QUEUE_USUAL_BYTES. */
bool wk_queue_has_space(struct wk_queue *queue, size_t bytes, bool is_urgent);
/* Waits until the worker has finished all rounds passed to it, or has given up. */
void wk_queue_wait_idle(struct wk_queue *queue);
struct wk_chunk *wk_queue_chunk(struct wk_queue *queue);
/* Without `wakes` a sleeping worker sleeps on. */
void wk_queue_put(struct wk_queue *queue, const struct wk_round *round, bool wakes);

/* Worker's side: the next round, owned by the caller until wk_queue_done, or NULL after
 * `patience_ns`. */
struct wk_round *wk_queue_pop(struct wk_queue *queue, uint64_t patience_ns);
void wk_queue_release(struct wk_queue *queue, struct wk_chunk *chunk);
void wk_queue_done(struct wk_queue *queue, struct wk_round *round);
/* The worker pops nothing more; waiting threads continue. */
void wk_queue_abandon(struct wk_queue *queue);

#endif
