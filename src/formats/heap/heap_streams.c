#include "formats/heap/heap_streams.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/heap/heap_clock.h"
#include "formats/heap/heap_memory.h"
#include "formats/heap/heap_notes.h"
#include "formats/heap/heap_estimate.h"
#include "formats/heap/heap_stacks.h"
#include "formats/heap/heap_thread.h"
#include "formats/heap/heap_turns.h"
#include "channel/channel.h"
#include "event/blocks.h"
#include "os/os.h"

static const struct wk_str functions[WK_HEAP_FUNCTIONS] = {
	[WK_HEAP_MALLOC] = WK_STR("malloc"),
	[WK_HEAP_CALLOC] = WK_STR("calloc"),
	[WK_HEAP_REALLOC] = WK_STR("realloc"),
	[WK_HEAP_REALLOCARRAY] = WK_STR("reallocarray"),
	[WK_HEAP_POSIX_MEMALIGN] = WK_STR("posix_memalign"),
	[WK_HEAP_ALIGNED_ALLOC] = WK_STR("aligned_alloc"),
	[WK_HEAP_MEMALIGN] = WK_STR("memalign"),
	[WK_HEAP_VALLOC] = WK_STR("valloc"),
	[WK_HEAP_PVALLOC] = WK_STR("pvalloc"),
};

enum { LOST, NESTED, EARLY, CUT, THREADLESS, COUNTS };

struct process {
	uint32_t number, pid;
	uint64_t sample_bytes;
	bool was_running, is_seen; /* the event for that was emitted */
	bool has_loose_times;
	struct wk_heap_stacks stacks;
	uint64_t counts[COUNTS];
};

/* Blocks of a thread that were read at once: merging those of several threads one by one takes less
 * than reading them so. Threads beyond MOST_AHEAD have none, so that a file cannot demand much. */
#define AHEAD_BLOCKS 128
#define MOST_AHEAD   256

struct ahead {
	uint64_t ticks[AHEAD_BLOCKS];
	struct wk_event_block blocks[AHEAD_BLOCKS];
	size_t from, count;
	uint32_t tid;
	struct ahead *next; /* of those that are unused */
};

struct thread {
	uint32_t process; /* row of `processes` */
	struct wk_heap_thread_stream stream;
	struct ahead *ahead; /* what comes before `next`; NULL: nothing */
	struct wk_heap_record_read next;
	bool has_next;
	uint64_t batch; /* the last one with a block of it, as `batch_thread`, ... */
	uint16_t batch_thread;
	uint32_t batch_tid; /* ... when it had this number */
};

/* What is emitted as one event. */
struct batch {
	uint64_t number; /* from 1 on */
	struct wk_event_block blocks[WK_MOST_BLOCKS];
	struct wk_block_estimate estimates[WK_MOST_BLOCKS];
	struct wk_block_thread threads[WK_MOST_BLOCKS];
	size_t count, thread_count;
};

/* One that the recorder took. */
struct snapshot {
	uint64_t ticks;
	uint32_t process; /* its number, which may come later; 0: all */
	enum wk_snapshot_cause cause;
	bool is_of_space; /* instead: the label is what the system says of an address space */
	char *label;
	size_t label_len;
};

struct wk_heap_streams {
	struct wk_os_lock *lock;   /* for the stacks and where they are: chain_of */
	struct process *processes; /* row 0 is none */
	size_t process_count, process_cap;
	struct wk_map process_of; /* number to row */
	struct thread *threads;
	size_t thread_count, thread_cap;
	struct wk_map thread_of; /* row of process, ring to index + 1 */
	struct wk_heap_clock clock;
	struct wk_heap_turns turns; /* of threads with a next event */
	struct ahead *unused;
	size_t ahead_count;
	struct snapshot *snapshots; /* in order of time; those from `snapshot` on are not emitted */
	size_t snapshot, snapshot_count, snapshot_cap;
	uint64_t snapshot_ticks; /* of the last one that the recorder took */
	struct wk_event_snapshot_request request;
	bool has_request;    /* not emitted yet */
	uint64_t emitted_ns; /* the time of the last event */
	uint64_t damaged;
	bool has_blocks, has_calls; /* any so far */
	bool is_ended;
	struct wk_heap_calls *calls;
	uint64_t sample_bytes; /* of a process that is sampled; 0: none is */
	struct batch batch;
};

struct wk_heap_streams *wk_heap_streams_new(void)
{
	struct wk_heap_streams *streams = wk_alloc_zeroed(1, sizeof(*streams));

	*WK_APPEND(streams->processes, streams->process_count, streams->process_cap) =
		(struct process){ 0 };
	streams->batch.number = 1;
	streams->calls = wk_heap_calls_new();
	streams->lock = wk_os_lock_new();
	return streams;
}

void wk_heap_streams_free(struct wk_heap_streams *streams)
{
	if (!streams)
		return;
	for (size_t i = 0; i < streams->process_count; i++)
		wk_heap_stacks_fini(&streams->processes[i].stacks);
	for (size_t i = 0; i < streams->thread_count; i++) {
		wk_heap_thread_stream_fini(&streams->threads[i].stream);
		wk_free(streams->threads[i].ahead);
	}
	for (struct ahead *ahead = streams->unused, *next; ahead; ahead = next) {
		next = ahead->next;
		wk_free(ahead);
	}
	for (size_t i = streams->snapshot; i < streams->snapshot_count; i++)
		wk_free(streams->snapshots[i].label);
	wk_heap_calls_free(streams->calls);
	wk_os_lock_free(streams->lock);
	wk_map_fini(&streams->process_of);
	wk_map_fini(&streams->thread_of);
	wk_heap_clock_fini(&streams->clock);
	wk_heap_turns_fini(&streams->turns);
	WK_FREE_ALL(streams->processes, streams->threads, streams->snapshots);
	wk_free(streams);
}

/* ---- rows */

static bool add_process(struct wk_heap_streams *streams, uint32_t number, struct wk_bytes *row)
{
	struct process process = { .number = number, .pid = wk_u32le(row) };
	uint32_t *known = wk_map_at(&streams->process_of, number);

	wk_u64le(row); /* when it began */
	process.sample_bytes = wk_u64le(row);
	if (row->bad || *known)
		return false;
	wk_os_lock_acquire(streams->lock);
	*WK_APPEND(streams->processes, streams->process_count, streams->process_cap) = process;
	wk_os_lock_leave(streams->lock);
	*known = (uint32_t)streams->process_count - 1;
	if (process.sample_bytes)
		streams->sample_bytes = process.sample_bytes;
	return true;
}

static struct thread *thread_of(struct wk_heap_streams *streams, uint32_t process, uint32_t ring)
{
	uint32_t *known = wk_map_at(&streams->thread_of, (uint64_t)process << 32 | ring);

	if (!*known) {
		*WK_APPEND(streams->threads, streams->thread_count, streams->thread_cap) =
			(struct thread){ .process = process };
		*known = (uint32_t)streams->thread_count;
	}
	return &streams->threads[*known - 1];
}

static bool add_events(struct wk_heap_streams *streams, uint32_t process, bool is_packed,
		       bool stays, struct wk_bytes *row)
{
	uint32_t ring = wk_u32le(row), tid = wk_u32le(row);
	uint64_t position = wk_u64le(row);
	struct wk_bytes bytes = wk_bytes_slice(row, wk_u32le(row));
	struct wk_heap_part part = {
		.at = bytes.at,
		.position = position,
		.bytes = (uint32_t)wk_bytes_left(&bytes),
		.tid = tid,
		.is_packed = is_packed,
		.is_copy = !stays,
	};
	struct thread *thread;

	if (row->bad || bytes.bad || ring >= WK_CHANNEL_THREADS)
		return false;
	thread = thread_of(streams, process, ring);
	wk_heap_thread_stream_add(&thread->stream, &part);
	if (thread->has_next)
		return true;
	thread->has_next = wk_heap_thread_stream_next(&thread->stream, &thread->next);
	if (thread->has_next && !thread->ahead)
		wk_heap_turns_add(&streams->turns,
				  (struct wk_heap_turn){ thread->next.ticks,
							 (uint32_t)(thread - streams->threads) });
	return true;
}

static bool add_definitions(struct wk_heap_streams *streams, struct process *process,
			    struct wk_bytes *row)
{
	uint64_t position = wk_u64le(row);
	struct wk_bytes bytes = wk_bytes_slice(row, wk_u32le(row));

	if (row->bad || bytes.bad)
		return false;
	wk_os_lock_acquire(streams->lock);
	wk_heap_stacks_add(&process->stacks, position, bytes);
	wk_os_lock_leave(streams->lock);
	return true;
}

static bool add_pass(struct wk_heap_streams *streams, struct wk_bytes *row)
{
	uint64_t ticks = wk_u64le(row), ns = wk_u64le(row);

	return !row->bad && wk_heap_clock_add(&streams->clock, ticks, ns);
}

static bool add_counts(struct process *process, struct wk_bytes *row)
{
	for (size_t i = 0; i < COUNTS; i++)
		process->counts[i] = wk_u64le(row);
	return !row->bad;
}

#define MOST_OUT_OF_ORDER 64 /* snapshots that came after one of a later time */

/* Before those of later times that are not emitted. */
static bool insert_snapshot(struct wk_heap_streams *streams, const struct snapshot *snapshot,
			    struct wk_str label)
{
	size_t at = streams->snapshot_count;

	while (at > streams->snapshot && streams->snapshots[at - 1].ticks > snapshot->ticks)
		if (streams->snapshot_count - --at > MOST_OUT_OF_ORDER)
			return false;
	WK_APPEND(streams->snapshots, streams->snapshot_count, streams->snapshot_cap);
	memmove(streams->snapshots + at + 1, streams->snapshots + at,
		(streams->snapshot_count - 1 - at) * sizeof(*streams->snapshots));
	streams->snapshots[at] = *snapshot;
	streams->snapshots[at].label = wk_strndup(label.at, label.len);
	streams->snapshots[at].label_len = label.len;
	return true;
}

static bool add_snapshot(struct wk_heap_streams *streams, uint32_t process, struct wk_bytes *row)
{
	struct snapshot snapshot = { .ticks = wk_u64le(row), .process = process };
	uint8_t cause = wk_u8(row);
	struct wk_str label = wk_bytes_str(wk_bytes_slice(row, wk_u32le(row)));

	if (row->bad || (cause != WK_HEAP_SNAPSHOT_USER && cause != WK_HEAP_SNAPSHOT_INTERVAL) ||
	    snapshot.ticks < streams->snapshot_ticks)
		return false;
	snapshot.cause = cause == WK_HEAP_SNAPSHOT_USER ? WK_SNAPSHOT_USER : WK_SNAPSHOT_INTERVAL;
	streams->snapshot_ticks = snapshot.ticks;
	return insert_snapshot(streams, &snapshot, label);
}

static bool add_space(struct wk_heap_streams *streams, uint32_t process, struct wk_bytes *row)
{
	struct snapshot snapshot = { .ticks = wk_u64le(row), .process = process,
				     .is_of_space = true };

	return !row->bad && insert_snapshot(streams, &snapshot, wk_bytes_str(*row));
}

static bool add_moments(struct wk_heap_streams *streams, struct wk_bytes *row)
{
	uint8_t which = wk_u8(row);
	uint64_t over_bytes = wk_u64le(row);

	streams->request = (struct wk_event_snapshot_request){
		.at_exit = which & WK_HEAP_MOMENT_EXIT,
		.at_peak = which & WK_HEAP_MOMENT_PEAK,
		.over_bytes = which & WK_HEAP_MOMENT_OVER ? over_bytes : 0,
	};
	streams->has_request = !row->bad;
	return !row->bad;
}

static bool add_row(struct wk_heap_streams *streams, bool stays, struct wk_bytes *row)
{
	uint8_t kind = wk_u8(row);
	uint32_t number, process;

	if (kind == WK_HEAP_ROW_PASS)
		return add_pass(streams, row);
	number = wk_u32le(row);
	if (kind == WK_HEAP_ROW_SNAPSHOT)
		return add_snapshot(streams, number, row);
	if (kind == WK_HEAP_ROW_MOMENTS)
		return add_moments(streams, row);
	if (kind == WK_HEAP_ROW_SPACE)
		return add_space(streams, number, row);
	if (kind == WK_HEAP_ROW_PROCESS)
		return add_process(streams, number, row);
	process = wk_map_find(&streams->process_of, number);
	if (row->bad || !process)
		return false;
	switch (kind) {
	case WK_HEAP_ROW_PACKED:
	case WK_HEAP_ROW_EVENTS:
		return add_events(streams, process, kind == WK_HEAP_ROW_PACKED, stays, row);
	case WK_HEAP_ROW_DEFINITIONS:
		return add_definitions(streams, &streams->processes[process], row);
	case WK_HEAP_ROW_COUNTS:
		return add_counts(&streams->processes[process], row);
	case WK_HEAP_ROW_SEEN:
		streams->processes[process].was_running = true;
		return true;
	case WK_HEAP_ROW_LOOSE:
		streams->processes[process].has_loose_times = true;
		return true;
	case WK_HEAP_ROW_GONE:
		return true;
	default:
		return false;
	}
}

bool wk_heap_streams_add(struct wk_heap_streams *streams, struct wk_bytes row, bool stays)
{
	bool ok = add_row(streams, stays, &row);

	streams->damaged += !ok;
	return ok;
}

/* ---- events */

/* Another thread than the one that reads may ask for it. */
static size_t chain_of(const void *context, uint32_t group, uint32_t stack, uint64_t *addresses,
		       size_t most)
{
	const struct wk_heap_streams *streams = context;
	size_t count;

	wk_os_lock_acquire(streams->lock);
	count = wk_heap_stacks_get(&streams->processes[group].stacks, stack, addresses, most);
	wk_os_lock_leave(streams->lock);
	return count;
}

static bool emit_batch(struct wk_heap_streams *streams, const struct wk_sink *sink,
		       struct wk_err *err)
{
	struct batch *batch = &streams->batch;
	struct wk_event event = {
		.kind = WK_EVENT_BLOCKS,
		.time_ns = batch->blocks[0].time_ns,
		.pid = batch->threads[0].pid,
		.tid = batch->threads[0].tid,
		.cpu = WK_NO_CPU,
		.blocks = { .at = batch->blocks,
			    .count = batch->count,
			    .estimates = streams->sample_bytes ? batch->estimates : NULL,
			    .sample_bytes = streams->sample_bytes,
			    .threads = batch->threads,
			    .thread_count = batch->thread_count,
			    .parts = functions,
			    .part_count = WK_HEAP_FUNCTIONS,
			    .chain = chain_of,
			    .context = streams },
	};

	if (!batch->count)
		return true;
	batch->count = batch->thread_count = 0;
	batch->number++;
	return wk_blocks_emit(sink, &event, err);
}

/* A ring may have had several threads. */
static uint16_t batch_thread(struct wk_heap_streams *streams, struct thread *thread, uint32_t tid)
{
	struct batch *batch = &streams->batch;

	if (thread->batch == batch->number && thread->batch_tid == tid)
		return thread->batch_thread;
	thread->batch = batch->number;
	thread->batch_tid = tid;
	thread->batch_thread = (uint16_t)batch->thread_count;
	batch->threads[batch->thread_count++] = (struct wk_block_thread){
		.pid = streams->processes[thread->process].pid,
		.tid = tid,
		.group = thread->process,
		.has_loose_times = streams->processes[thread->process].has_loose_times,
	};
	return thread->batch_thread;
}

static struct wk_block_estimate estimate_of(const struct process *process,
					    const struct wk_heap_record_read *record)
{
	struct wk_block_estimate estimate = { 0 };

	if (process->sample_bytes)
		wk_heap_estimate(record, process->sample_bytes, &estimate);
	return estimate;
}

static bool add_block(struct wk_heap_streams *streams, struct thread *thread, uint64_t time_ns,
		      const struct wk_sink *sink, struct wk_err *err)
{
	const struct wk_heap_record_read *record = &thread->next;
	const struct process *process = &streams->processes[thread->process];
	struct batch *batch = &streams->batch;
	struct wk_event_block *block = &batch->blocks[batch->count];
	bool is_freed =
		record->kind == WK_HEAP_RECORD_FREED || record->kind == WK_HEAP_RECORD_RELEASED;

	*block = (struct wk_event_block){ .time_ns = time_ns,
					  .address = record->address,
					  .thread = batch_thread(streams, thread, record->tid),
					  .part = (uint8_t)record->function,
					  .is_freed = is_freed };
	if (!is_freed) {
		block->size_bytes = record->size_bytes;
		block->stack = (uint32_t)wk_heap_stacks_row(&process->stacks, record->stack);
	}
	if (streams->sample_bytes && !is_freed)
		batch->estimates[batch->count] = estimate_of(process, record);
	batch->count++;
	streams->has_blocks = true;
	return batch->count < WK_MOST_BLOCKS || emit_batch(streams, sink, err);
}

static bool emit_text(struct wk_heap_streams *streams, const struct thread *thread,
		      uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err)
{
	const struct wk_heap_record_read *record = &thread->next;
	struct wk_str text = wk_heap_thread_stream_text(&thread->stream);
	struct wk_event event = {
		.time_ns = time_ns,
		.pid = streams->processes[thread->process].pid,
		.tid = record->tid,
		.cpu = WK_NO_CPU,
	};

	if (record->kind == WK_HEAP_RECORD_SNAPSHOT) {
		event.kind = WK_EVENT_SNAPSHOT;
		event.snapshot = (struct wk_event_snapshot){ text, WK_SNAPSHOT_PROGRAM };
	} else {
		event.kind = WK_EVENT_MARK;
		event.mark.label = text;
	}
	return wk_sink_emit(sink, &event, err);
}

static bool emit_seen(struct wk_heap_streams *streams, const struct thread *thread,
		      uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err)
{
	struct process *process = &streams->processes[thread->process];
	struct wk_event event = {
		.kind = WK_EVENT_HEAP,
		.time_ns = time_ns,
		.pid = process->pid,
		.tid = thread->next.tid,
		.cpu = WK_NO_CPU,
		.heap = { .change = WK_HEAP_SEEN },
	};

	process->is_seen = true;
	return emit_batch(streams, sink, err) && wk_sink_emit(sink, &event, err);
}

static bool emit_call(struct wk_heap_streams *streams, const struct thread *thread,
		      uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err)
{
	const struct process *process = &streams->processes[thread->process];
	struct wk_heap_call_read call = {
		.call = thread->next.call,
		.pid = process->pid,
		.tid = thread->next.tid,
		.time_ns = time_ns,
		.result = thread->stream.call_result,
		.arguments = thread->stream.call_arguments,
		.stacks = &process->stacks,
		.stack = thread->next.stack,
	};

	streams->has_calls = true;
	return wk_heap_calls_add(streams->calls, &call, sink, err);
}

static bool is_text(enum wk_heap_record kind)
{
	return kind == WK_HEAP_RECORD_SNAPSHOT || kind == WK_HEAP_RECORD_MARK;
}

static bool add_record(struct wk_heap_streams *streams, struct thread *thread, uint64_t time_ns,
		       const struct wk_sink *sink, struct wk_err *err)
{
	const struct process *process = &streams->processes[thread->process];

	if (process->was_running && !process->is_seen &&
	    !emit_seen(streams, thread, time_ns, sink, err))
		return false;
	if (thread->next.kind == WK_HEAP_RECORD_END)
		return emit_batch(streams, sink, err) &&
		       emit_call(streams, thread, time_ns, sink, err);
	if (is_text(thread->next.kind))
		return emit_batch(streams, sink, err) &&
		       emit_text(streams, thread, time_ns, sink, err);
	return thread->next.kind == WK_HEAP_RECORD_KEPT ||
	       add_block(streams, thread, time_ns, sink, err);
}

/* A thread that is interrupted after it has read the time writes its event later than the recorder
 * has said that all until then are there. What the event is about happens after that as well: other
 * threads saw nothing of it before. */
static uint64_t no_earlier(struct wk_heap_streams *streams, uint64_t time_ns)
{
	if (time_ns > streams->emitted_ns)
		streams->emitted_ns = time_ns;
	return streams->emitted_ns;
}

/* What a thread does in realloc is known when it has left it: if the block was kept, it was not
 * released. False: that is not known yet, and nothing later may be emitted. */
static bool settle_release(struct wk_heap_streams *streams, struct thread *thread, bool *is_kept)
{
	struct wk_heap_thread_stream ahead = thread->stream;
	struct wk_heap_record_read record;

	*is_kept = false;
	if (!wk_heap_thread_stream_next(&ahead, &record)) {
		/* What has no record need not be read again. */
		thread->stream = ahead;
		return streams->is_ended;
	}
	*is_kept = record.kind == WK_HEAP_RECORD_KEPT;
	return true;
}

static bool is_complete(const struct wk_heap_streams *streams, uint64_t ticks, uint64_t time_ns,
			uint64_t until_ns)
{
	return streams->is_ended || (ticks <= streams->clock.last.ticks && time_ns <= until_ns);
}

/* Does a snapshot come before the events that are left? */
static bool is_snapshot_next(const struct wk_heap_streams *streams)
{
	return streams->snapshot < streams->snapshot_count &&
	       (!streams->turns.count ||
		streams->snapshots[streams->snapshot].ticks <= streams->turns.at[0].ticks);
}

/* That of a process of which nothing is known is of nothing. */
static bool emit_snapshot(struct wk_heap_streams *streams, const struct wk_sink *sink,
			  struct wk_err *err)
{
	struct snapshot *snapshot = &streams->snapshots[streams->snapshot++];
	uint32_t process = wk_map_find(&streams->process_of, snapshot->process);
	uint32_t pid = process ? streams->processes[process].pid : WK_NO_PID;
	struct wk_event event = {
		.kind = WK_EVENT_SNAPSHOT,
		.time_ns = no_earlier(streams, wk_heap_clock_time(&streams->clock, snapshot->ticks)),
		.pid = pid,
		.tid = pid,
		.cpu = WK_NO_CPU,
		.snapshot = { wk_str_of(snapshot->label, snapshot->label_len), snapshot->cause },
	};
	bool ok = true;

	streams->has_calls |= snapshot->is_of_space;
	if (snapshot->is_of_space)
		ok = wk_heap_calls_see(streams->calls, event.time_ns,
				       wk_bytes_of(snapshot->label, snapshot->label_len),
				       &streams->damaged, sink, err);
	else if (process || !snapshot->process)
		ok = wk_sink_emit(sink, &event, err);
	else
		streams->damaged++;
	wk_free(snapshot->label);
	return ok;
}

static bool emit_request(struct wk_heap_streams *streams, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_SNAPSHOT_REQUEST, .cpu = WK_NO_CPU,
				  .snapshot_request = streams->request };
	bool has_request = streams->has_request;

	streams->has_request = false;
	return !has_request || wk_sink_emit(sink, &event, err);
}

/* The last time at which the earliest thread, or that and `second` if it is not 0, come before all
 * others and before the next snapshot. */
static uint64_t run_end(const struct wk_heap_streams *streams, size_t second)
{
	uint64_t end = wk_heap_turns_next(&streams->turns, second);

	if (streams->snapshot < streams->snapshot_count &&
	    streams->snapshots[streams->snapshot].ticks <= end)
		end = streams->snapshots[streams->snapshot].ticks - 1;
	return end;
}

static struct ahead *take_ahead(struct wk_heap_streams *streams)
{
	struct ahead *ahead = streams->unused;

	if (ahead)
		streams->unused = ahead->next;
	else if (streams->ahead_count < MOST_AHEAD && ++streams->ahead_count)
		ahead = wk_alloc(sizeof(*ahead));
	return ahead;
}

/* Its blocks before `to` were emitted. */
static void advance(struct wk_heap_streams *streams, struct thread *thread, size_t to)
{
	struct ahead *ahead = thread->ahead;

	ahead->from = to;
	if (to < ahead->count)
		return;
	ahead->next = streams->unused;
	streams->unused = ahead;
	thread->ahead = NULL;
}

/* The blocks that follow a record, whose time is at hand, as far as the passes at hand reach. */
static void read_ahead(struct wk_heap_streams *streams, struct thread *thread)
{
	const struct wk_heap_pass *pass = &streams->clock.at_hand;
	struct wk_heap_run run = { .from_ticks = pass->ticks,
				   .from_ns = pass->ns,
				   .ns_per_tick = pass->ns_per_tick,
				   .stacks = &streams->processes[thread->process].stacks };
	struct ahead *ahead;

	if (streams->sample_bytes || !wk_heap_clock_reach(&streams->clock, &run.most_ticks) ||
	    (ahead = take_ahead(streams)) == NULL)
		return;
	ahead->count = wk_heap_thread_stream_blocks(&thread->stream, &run, ahead->blocks,
						    ahead->ticks, AHEAD_BLOCKS);
	ahead->tid = thread->next.tid;
	thread->ahead = ahead;
	advance(streams, thread, 0);
}

/* Those that were read ahead, up to `end`. */
static bool emit_ahead(struct wk_heap_streams *streams, struct thread *thread, uint64_t end,
		       uint64_t until_ns, bool *is_waiting, const struct wk_sink *sink,
		       struct wk_err *err)
{
	struct batch *batch = &streams->batch;
	struct ahead *ahead = thread->ahead;
	uint64_t known_in = 0; /* the batch in which the thread is `number` */
	uint16_t number = 0;
	size_t at = ahead->from;
	bool ok = true;

	for (; ok && at < ahead->count && ahead->ticks[at] <= end; at++) {
		struct wk_event_block *block = &batch->blocks[batch->count];

		*is_waiting = ahead->blocks[at].time_ns > until_ns && !streams->is_ended;
		if (*is_waiting)
			break;
		if (known_in != batch->number) {
			number = batch_thread(streams, thread, ahead->tid);
			known_in = batch->number;
		}
		*block = ahead->blocks[at];
		block->time_ns = no_earlier(streams, block->time_ns);
		block->thread = number;
		if (++batch->count == WK_MOST_BLOCKS)
			ok = emit_batch(streams, sink, err);
	}
	streams->has_blocks = true;
	advance(streams, thread, at);
	return ok;
}

/* Of two threads that were read ahead, while both are and neither passes `end`: which one is next
 * is by chance, so nothing here branches on it. */
static bool emit_two(struct wk_heap_streams *streams, struct thread *const threads[2], uint64_t end,
		     uint64_t until_ns, bool *is_waiting, const struct wk_sink *sink,
		     struct wk_err *err)
{
	struct batch *batch = &streams->batch;
	struct ahead *const ahead[2] = { threads[0]->ahead, threads[1]->ahead };
	const uint16_t numbers[2] = { batch_thread(streams, threads[0], ahead[0]->tid),
				      batch_thread(streams, threads[1], ahead[1]->tid) };
	size_t at[2] = { ahead[0]->from, ahead[1]->from }, count = batch->count;
	uint64_t emitted_ns = streams->emitted_ns;

	while (count < WK_MOST_BLOCKS && at[0] < ahead[0]->count && at[1] < ahead[1]->count) {
		size_t which = ahead[1]->ticks[at[1]] < ahead[0]->ticks[at[0]];
		const struct wk_event_block *from = &ahead[which]->blocks[at[which]];
		struct wk_event_block *block = &batch->blocks[count];

		if (ahead[which]->ticks[at[which]] > end)
			break;
		*is_waiting = from->time_ns > until_ns && !streams->is_ended;
		if (*is_waiting)
			break;
		emitted_ns = from->time_ns > emitted_ns ? from->time_ns : emitted_ns;
		*block = *from;
		block->time_ns = emitted_ns;
		block->thread = numbers[which];
		count++;
		at[which]++;
	}
	streams->has_blocks = true;
	streams->emitted_ns = emitted_ns;
	batch->count = count;
	for (int i = 0; i < 2; i++)
		advance(streams, threads[i], at[i]);
	return count < WK_MOST_BLOCKS || emit_batch(streams, sink, err);
}

/* The next record, and those that are read at once with it. */
static bool emit_next(struct wk_heap_streams *streams, struct thread *thread, uint64_t until_ns,
		      bool *is_waiting, const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t time_ns = wk_heap_clock_time(&streams->clock, thread->next.ticks);
	bool is_kept = false, ok;

	*is_waiting = !is_complete(streams, thread->next.ticks, time_ns, until_ns) ||
		      (thread->next.kind == WK_HEAP_RECORD_RELEASED &&
		       !settle_release(streams, thread, &is_kept));
	if (*is_waiting)
		return true;
	ok = is_kept || add_record(streams, thread, no_earlier(streams, time_ns), sink, err);
	read_ahead(streams, thread);
	thread->has_next = wk_heap_thread_stream_next(&thread->stream, &thread->next);
	return ok;
}

/* After events of the thread there. Without a next one it has no turn until more of its stream
 * comes. */
static void restore_turn(struct wk_heap_streams *streams, size_t place)
{
	const struct thread *thread = &streams->threads[streams->turns.at[place].thread];

	if (thread->ahead)
		wk_heap_turns_delay(&streams->turns, place,
				    thread->ahead->ticks[thread->ahead->from]);
	else if (thread->has_next)
		wk_heap_turns_delay(&streams->turns, place, thread->next.ticks);
	else
		wk_heap_turns_remove(&streams->turns, place);
}

/* The events of the earliest thread up to those of others, or of the earliest two. `*is_waiting`:
 * what comes next is not complete. */
static bool emit_run(struct wk_heap_streams *streams, uint64_t until_ns, bool *is_waiting,
		     const struct wk_sink *sink, struct wk_err *err)
{
	size_t second = wk_heap_turns_second(&streams->turns);
	struct thread *const threads[] = {
		&streams->threads[streams->turns.at[0].thread],
		&streams->threads[streams->turns.at[second].thread],
	};
	bool ok;

	if (!threads[0]->ahead) {
		ok = emit_next(streams, threads[0], until_ns, is_waiting, sink, err);
	} else if (second && threads[1]->ahead &&
		   streams->batch.thread_count + 2 <= WK_MOST_BLOCKS) {
		ok = emit_two(streams, threads, run_end(streams, second), until_ns, is_waiting,
			      sink, err);
		restore_turn(streams, second);
	} else {
		ok = emit_ahead(streams, threads[0], run_end(streams, 0), until_ns, is_waiting,
				sink, err);
	}
	restore_turn(streams, 0);
	return ok;
}

/* The same for a snapshot. */
static bool pass_snapshot(struct wk_heap_streams *streams, uint64_t until_ns, bool *is_waiting,
			  const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t ticks = streams->snapshots[streams->snapshot].ticks;

	*is_waiting =
		!is_complete(streams, ticks, wk_heap_clock_time(&streams->clock, ticks), until_ns);
	return *is_waiting || (emit_batch(streams, sink, err) && emit_snapshot(streams, sink, err));
}

bool wk_heap_streams_emit(struct wk_heap_streams *streams, uint64_t until_ns,
			  const struct wk_sink *sink, struct wk_err *err)
{
	bool ok = emit_request(streams, sink, err), is_waiting = false;

	while (ok && !is_waiting && (streams->turns.count || is_snapshot_next(streams)))
		ok = is_snapshot_next(streams)
			     ? pass_snapshot(streams, until_ns, &is_waiting, sink, err)
			     : emit_run(streams, until_ns, &is_waiting, sink, err);
	return ok && emit_batch(streams, sink, err);
}

static bool emit_notes(const struct wk_heap_streams *streams, const struct wk_sink *sink,
		       struct wk_err *err)
{
	struct wk_heap_missing missing = {
		.has_blocks = streams->has_blocks,
		.has_calls = streams->has_calls,
		.damaged = streams->damaged,
	};

	for (size_t i = 0; i < streams->process_count; i++) {
		const struct process *process = &streams->processes[i];

		missing.damaged += process->stacks.damaged;
		missing.sample_bytes |= process->sample_bytes;
		missing.lost += process->counts[LOST];
		missing.threadless += process->counts[THREADLESS];
		missing.nested += process->counts[NESTED];
		missing.early += process->counts[EARLY];
		missing.cut += process->counts[CUT];
	}
	for (size_t i = 0; i < streams->thread_count; i++)
		missing.damaged += streams->threads[i].stream.damaged;
	return wk_heap_notes_emit(&missing, sink, err);
}

bool wk_heap_streams_end(struct wk_heap_streams *streams, const struct wk_sink *sink,
			 struct wk_err *err)
{
	streams->is_ended = true;
	return wk_heap_streams_emit(streams, UINT64_MAX, sink, err) &&
	       emit_notes(streams, sink, err);
}
