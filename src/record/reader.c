#include "record/reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/os.h"
#include "record/parse.h"

#define NAP_MS      100
#define NAP_MS_FULL 10
#define PATIENCE_NS UINT64_C(3000000000) /* for a command that was interrupted */

/* The worker sleeps until so much has come, or so long has passed. */
#define WORTH_BYTES (1536u << 10)
#define WORTH_NS    UINT64_C(50000000)
#define EMPTY_NS    UINT64_C(200000000) /* without records, if it is not requested */

/* A record gets its time first and its place in the ring a little later: later than this
 * only if the machine stopped in between. */
#define SLACK_NS UINT64_C(20000000)

/* Becomes readable when the process has ended; -1 on kernels before 5.3. */
static int open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

static void prepare_polls(struct wk_reader *reader)
{
	size_t rings = reader->perf->cpu_count;
	size_t processes = reader->command ? 1 : reader->pid_count;

	reader->poll_count = rings + 1 + processes;
	reader->polls = wk_alloc_zeroed(reader->poll_count, sizeof(*reader->polls));
	reader->ends = wk_alloc_zeroed(rings, sizeof(*reader->ends));
	for (size_t i = 0; i < rings; i++)
		reader->polls[i] = (struct pollfd){ reader->perf->cpus[i].owner, POLLIN, 0 };
	reader->polls[rings] = (struct pollfd){ reader->wake_fd, POLLIN, 0 };
	for (size_t i = 0; i < processes; i++) {
		pid_t pid = reader->command ? reader->command : reader->pids[i];

		reader->polls[rings + 1 + i] = (struct pollfd){ open_process(pid), POLLIN, 0 };
	}
}

static void close_polls(struct wk_reader *reader)
{
	for (size_t i = reader->perf->cpu_count + 1; i < reader->poll_count; i++)
		if (reader->polls[i].fd >= 0)
			close(reader->polls[i].fd);
}

static void forget_own(struct wk_reader *reader)
{
	close_polls(reader);
	WK_FREE_ALL(reader->polls, reader->ends);
}

/* Not reaped here: its exit code is for the other thread. */
static bool child_has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		return errno == ECHILD;
	return info.si_pid == pid;
}

/* One of the watched processes; its `events` is 0 once it has ended. */
static bool has_ended(struct pollfd *process, pid_t pid)
{
	if (process->events == 0)
		return true;
	if (process->fd >= 0 ? !(process->revents & POLLIN) : kill(pid, 0) == 0 || errno != ESRCH)
		return false;
	/* A descriptor that stays readable would end every nap at once. */
	if (process->fd >= 0)
		close(process->fd);
	process->fd = -1;
	process->events = 0;
	return true;
}

static bool all_have_ended(struct wk_reader *reader)
{
	struct pollfd *processes = reader->polls + reader->perf->cpu_count + 1;
	bool all = reader->pid_count > 0;

	for (size_t i = 0; i < reader->pid_count; i++)
		all = has_ended(&processes[i], reader->pids[i]) && all;
	return all;
}

/* Not longer than until `end_ns`. */
static int shorten(int nap_ms, uint64_t now_ns, uint64_t end_ns)
{
	if (end_ns >= now_ns + (uint64_t)nap_ms * 1000000)
		return nap_ms;
	return end_ns > now_ns ? (int)((end_ns - now_ns) / 1000000) + 1 : 0;
}

static void nap(struct wk_reader *reader)
{
	uint64_t now_ns = wk_os_clock_ns(), wanted_ns = atomic_load(&reader->wanted_ns);
	int nap_ms = reader->was_full ? NAP_MS_FULL : NAP_MS;
	uint64_t count;

	if (reader->duration_ns)
		nap_ms = shorten(nap_ms, now_ns, reader->started_ns + reader->duration_ns);
	if (wanted_ns)
		nap_ms = shorten(nap_ms, now_ns, wanted_ns + SLACK_NS);
	reader->was_woken = poll(reader->polls, reader->poll_count, nap_ms) > 0 &&
			    reader->polls[reader->perf->cpu_count].revents & POLLIN;
	if (reader->was_woken && read(reader->wake_fd, &count, sizeof(count)) < 0)
		return;
}

/* A round without records costs two threads a moment of the processor. */
static bool puts_empty_round(const struct wk_reader *reader)
{
	return reader->puts_empty_rounds && (reader->was_woken || reader->is_hasty ||
					     wk_os_clock_ns() - reader->woke_ns >= EMPTY_NS);
}

/* Is this the round that the worker wants? */
static bool is_wanted(struct wk_reader *reader, uint64_t final_ns)
{
	uint64_t wanted_ns = atomic_load(&reader->wanted_ns);

	if (!wanted_ns || final_ns < wanted_ns)
		return false;
	atomic_store(&reader->wanted_ns, 0);
	return true;
}

/* A command gets time to end by itself after Ctrl-C, which reaches it as well. */
static bool is_stopped(struct wk_reader *reader, uint64_t now_ns)
{
	int stops = atomic_load(&reader->stops);

	if (stops && !reader->stopped_ns)
		reader->stopped_ns = now_ns;
	if (stops == 1 && reader->command)
		return now_ns - reader->stopped_ns > PATIENCE_NS;
	return stops > 0;
}

static bool is_over(struct wk_reader *reader)
{
	uint64_t now_ns = wk_os_clock_ns();
	bool is_over;

	if (reader->command && child_has_ended(reader->command))
		atomic_store(&reader->command_ended, true);
	is_over = atomic_load(&reader->command_ended) || atomic_load(&reader->is_cancelled) ||
		  (!reader->command && all_have_ended(reader)) || is_stopped(reader, now_ns) ||
		  (reader->duration_ns && now_ns >= reader->started_ns + reader->duration_ns);
	if (is_over)
		atomic_store(&reader->end_ns, now_ns);
	return is_over;
}

/* The number of bytes in all rings, and the end of each for this round. */
static uint64_t look_at_rings(struct wk_reader *reader)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < reader->perf->cpu_count; i++) {
		const struct wk_ring *ring = &reader->perf->cpus[i].ring;
		uint64_t pending = wk_ring_pending(ring);

		reader->ends[i] = ring->tail + pending;
		sum += pending;
	}
	return sum;
}

static void add_chunk(struct wk_round *round, struct wk_chunk *chunk)
{
	if (round->last)
		round->last->next = chunk;
	else
		round->first = chunk;
	round->last = chunk;
}

static void copy_ring(struct wk_reader *reader, struct wk_ring *ring, uint64_t end,
		      struct wk_round *round)
{
	while (ring->tail != end) {
		struct wk_chunk *chunk = round->last;
		size_t got = 0;

		if (chunk)
			got = wk_ring_read(ring, end - ring->tail, chunk->bytes + chunk->len,
					   WK_CHUNK_BYTES - chunk->len);
		if (chunk)
			chunk->len += got;
		if (got == 0 && ring->tail != end)
			add_chunk(round, wk_queue_chunk(reader->queue));
	}
}

/* The worker comes to these records when they are in order, and a short-lived process is gone then.
 */
static void look_at_full_stack(struct wk_reader *reader, const uint8_t *record, size_t size)
{
	const struct wk_perf *perf = reader->perf;
	struct wk_full_stack full;

	if (wk_parse_full_stack(&perf->layout, &perf->with_fields, record, size, &full)) {
		reader->is_hasty = true;
		reader->on_full_stack(reader->stack_context, full.pid, full.tid, &full.stack);
	}
}

static void look_at(struct wk_reader *reader, const struct wk_round *round)
{
	struct perf_event_header header;

	for (const struct wk_chunk *chunk = round->first; chunk; chunk = chunk->next) {
		for (size_t at = 0; at + sizeof(header) <= chunk->len; at += header.size) {
			memcpy(&header, chunk->bytes + at, sizeof(header));
			if (header.size < sizeof(header) || header.size > chunk->len - at)
				break;
			look_at_full_stack(reader, chunk->bytes + at, header.size);
		}
	}
}

/* Records may stay in the rings until one of them is half full. */
static bool is_urgent(const struct wk_reader *reader)
{
	for (size_t i = 0; i < reader->perf->cpu_count; i++) {
		const struct wk_ring *ring = &reader->perf->cpus[i].ring;

		if (reader->ends[i] - ring->tail >= ring->size_bytes / 2)
			return true;
	}
	return false;
}

/* Waking the worker costs as much as a dozen samples. But what is not in the copy of a stack has to
 * be read while it is still there: a process may end within 50 ms. */
static bool is_worth_waking(struct wk_reader *reader)
{
	uint64_t now_ns = wk_os_clock_ns();

	if (reader->unseen_bytes < WORTH_BYTES && !reader->is_hasty &&
	    now_ns - reader->woke_ns < WORTH_NS)
		return false;
	reader->is_hasty = false;
	reader->unseen_bytes = 0;
	reader->woke_ns = now_ns;
	return true;
}

/* A round is all or nothing: a part of the rings does not determine which time is final. */
static void drain(struct wk_reader *reader, bool is_last)
{
	struct wk_round round = { .final_ns = wk_os_clock_ns() - SLACK_NS, .is_last = is_last };
	uint64_t pending = look_at_rings(reader);

	reader->is_hasty |= is_wanted(reader, round.final_ns);
	if (is_last) {
		round.final_ns = UINT64_MAX;
		wk_queue_wait_idle(reader->queue);
	}
	reader->was_full =
		!is_last && !wk_queue_has_space(reader->queue, pending, is_urgent(reader));
	if (reader->was_full ||
	    (!pending && !reader->had_records && !is_last && !puts_empty_round(reader)))
		return;
	for (size_t i = 0; i < reader->perf->cpu_count && !atomic_load(&reader->is_cancelled); i++)
		copy_ring(reader, &reader->perf->cpus[i].ring, reader->ends[i], &round);
	if (reader->on_full_stack)
		look_at(reader, &round);
	/* More rounds after the last records, until the youngest of them are final. */
	if (pending)
		reader->pending_ns = round.final_ns + SLACK_NS;
	reader->had_records = round.final_ns < reader->pending_ns;
	reader->unseen_bytes += pending;
	wk_queue_put(reader->queue, &round, is_last || is_worth_waking(reader));
}

static void read_rings(void *context)
{
	struct wk_reader *reader = context;
	bool over = false;

	while (!over) {
		nap(reader);
		over = is_over(reader);
		if (over)
			wk_perf_disable(reader->perf);
		drain(reader, over);
	}
	wk_perf_leave_family(reader->perf);
}

static void *reader_main(void *context)
{
	struct wk_reader *reader = context;

	wk_heap_run(reader->heap, read_rings, reader);
	return NULL;
}

static void stop_undone(struct wk_undo *undo)
{
	struct wk_reader *reader = undo->at;

	wk_reader_cancel(reader);
	pthread_join(reader->thread, NULL);
	reader->is_running = false;
	close_polls(reader);
}

bool wk_reader_start(struct wk_reader *reader, struct wk_err *err)
{
	sigset_t all, before;
	int cause;

	reader->heap = wk_heap_current();
	reader->undo = wk_undo_new_thread();
	prepare_polls(reader);
	for (size_t i = 0; i < reader->perf->cpu_count; i++)
		wk_ring_limit_stacks(&reader->perf->cpus[i].ring, reader->find_stack_end,
				     reader->stack_context);
	/* Signals are for the caller's thread: its handlers may rely on that. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	cause = pthread_create(&reader->thread, NULL, reader_main, reader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (cause == 0) {
		reader->is_running = true;
		wk_undo_arm(reader->undo, stop_undone, reader, 0);
		return true;
	}
	wk_undo_free(reader->undo);
	forget_own(reader);
	return wk_fail_os(err, cause, "cannot start a thread");
}

static void wake(struct wk_reader *reader)
{
	uint64_t one = 1;
	int saved = errno;

	if (write(reader->wake_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

void wk_reader_want(struct wk_reader *reader, uint64_t time_ns)
{
	if (!atomic_exchange(&reader->wanted_ns, time_ns))
		wake(reader);
}

void wk_reader_stop(struct wk_reader *reader)
{
	atomic_fetch_add(&reader->stops, 1);
	wake(reader);
}

void wk_reader_cancel(struct wk_reader *reader)
{
	atomic_store(&reader->is_cancelled, true);
	wk_queue_abandon(reader->queue);
	wake(reader);
}

void wk_reader_join(struct wk_reader *reader)
{
	if (!reader->is_running)
		return;
	pthread_join(reader->thread, NULL);
	reader->is_running = false;
	wk_undo_free(reader->undo);
	forget_own(reader);
	wk_heap_check();
}
