/* The thread that empties the rings.
 *
 * It sleeps until a ring is a quarter full or a tenth of a second has passed, copies the contents
 * into the queue, and sleeps again: it never waits for disk, symbols or the other thread. It also
 * reports stacks that are deeper than their copies, while their processes live, and detects the
 * end of the recording. */
#ifndef WK_RECORD_READER_H
#define WK_RECORD_READER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/heap.h"
#include "base/map.h"
#include "event/stack_end.h"
#include "record/perf_open.h"
#include "record/queue.h"

struct wk_reader {
	struct wk_perf *perf;
	struct wk_queue *queue;
	pid_t command;     /* a child whose end ends the recording, or 0 */
	const pid_t *pids; /* or these, when all have ended */
	size_t pid_count;
	uint64_t duration_ns; /* 0: no limit */
	void (*on_full_stack)(void *context, uint32_t pid, uint32_t tid,
			      const struct wk_event_stack *stack);
	bool (*find_stack_end)(void *context, uint32_t tid, struct wk_stack_end *end);
	void *stack_context;            /* of both */
	bool puts_empty_rounds;         /* now and then: their time is of interest */
	atomic_uint_fast64_t wanted_ns; /* wk_reader_want; 0: nothing is */
	uint64_t started_ns;
	int wake_fd;      /* written to by wk_reader_stop and wk_reader_want */
	atomic_int stops; /* how often the user requested a stop */
	atomic_bool is_cancelled;
	atomic_uint_fast64_t end_ns; /* when it was over; 0 before */
	atomic_bool command_ended;

	/* The thread's own. */
	pthread_t thread;
	struct wk_heap *heap; /* of the one who started it */
	struct wk_undo *undo;
	bool is_running;
	struct pollfd *polls; /* the rings, the wake fd, then the processes */
	size_t poll_count;
	uint64_t stopped_ns; /* when it first saw that it should stop */
	uint64_t *ends;      /* the end of each ring in this round */
	bool was_full, had_records, was_woken;
	uint64_t pending_ns;            /* when there were records last */
	uint64_t unseen_bytes, woke_ns; /* put since the worker was woken; when that was */
	bool is_hasty; /* stacks that are deeper than their copies wait, or the worker does */
};

bool wk_reader_start(struct wk_reader *reader, struct wk_err *err);

/* The worker wants a round, even an empty one, as soon as all records until `time_ns` are final. */
void wk_reader_want(struct wk_reader *reader, uint64_t time_ns);

/* Async-signal-safe. The first time it waits a little for the command to end by itself. */
void wk_reader_stop(struct wk_reader *reader);

/* Ends it at once; the contents of the rings are dropped. */
void wk_reader_cancel(struct wk_reader *reader);
void wk_reader_join(struct wk_reader *reader); /* unless that was done */

#endif
