#include "formats/heap/heap_streams.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/heap/heap_memory.h"
#include "formats/heap/heap_notes.h"
#include "formats/heap/heap_estimate.h"
#include "formats/heap/heap_stacks.h"
#include "formats/heap/heap_thread.h"
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

struct thread {
	uint32_t process; /* row of `processes` */
	struct wk_heap_thread_stream stream;
	struct wk_heap_record_read next;
	bool has_next;
	uint64_t batch; /* the last one with a block of it, as `batch_thread`, ... */
	uint16_t batch_thread;
	uint32_t batch_tid; /* ... when it had this number */
};

/* A moment by both clocks, and how fast they go from there to the next, or went before if there is
 * none. */
struct pass {
	uint64_t ticks, ns;
	double ns_per_tick;
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
	struct pass last;
	struct pass
		*passes; /* in order; earlier ones than those around the next event were dropped */
	size_t pass, pass_count, pass_cap; /* `pass`: the last one used */
	struct pass at_hand;               /* this one, as far as it reaches: */
	uint64_t at_hand_ticks;
	uint32_t *order; /* threads with a next event: a heap, the earliest first */
	size_t order_count, order_cap;
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
	for (size_t i = 0; i < streams->thread_count; i++)
		wk_heap_thread_stream_fini(&streams->threads[i].stream);
	for (size_t i = streams->snapshot; i < streams->snapshot_count; i++)
		wk_free(streams->snapshots[i].label);
	wk_heap_calls_free(streams->calls);
	wk_os_lock_free(streams->lock);
	wk_map_fini(&streams->process_of);
	wk_map_fini(&streams->thread_of);
	WK_FREE_ALL(streams->passes, streams->processes, streams->threads, streams->order,
		    streams->snapshots);
	wk_free(streams);
}

/* ---- the order of threads */

static uint64_t next_ticks(const struct wk_heap_streams *streams, uint32_t thread)
{
	return streams->threads[thread].next.ticks;
}

static void sift_down(struct wk_heap_streams *streams, size_t at)
{
	uint32_t *order = streams->order, moved = order[at];
	uint64_t ticks = next_ticks(streams, moved);

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= streams->order_count)
			break;
		if (child + 1 < streams->order_count &&
		    next_ticks(streams, order[child + 1]) < next_ticks(streams, order[child]))
			child++;
		if (next_ticks(streams, order[child]) >= ticks)
			break;
		order[at] = order[child];
		at = child;
	}
	order[at] = moved;
}

static void add_to_order(struct wk_heap_streams *streams, uint32_t thread)
{
	size_t at = streams->order_count;
	uint64_t ticks = next_ticks(streams, thread);

	WK_RESERVE(streams->order, streams->order_cap, at + 1);
	streams->order_count++;
	while (at && next_ticks(streams, streams->order[(at - 1) / 2]) > ticks) {
		streams->order[at] = streams->order[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	streams->order[at] = thread;
}

/* The thread that was the earliest has advanced; without a next event it leaves the order until
 * more of its stream comes. */
static void restore_order(struct wk_heap_streams *streams)
{
	if (!streams->threads[streams->order[0]].has_next)
		streams->order[0] = streams->order[--streams->order_count];
	if (streams->order_count)
		sift_down(streams, 0);
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

static bool add_events(struct wk_heap_streams *streams, uint32_t process, struct wk_bytes *row)
{
	uint32_t ring = wk_u32le(row), tid = wk_u32le(row);
	uint64_t position = wk_u64le(row);
	struct wk_bytes bytes = wk_bytes_slice(row, wk_u32le(row));
	struct thread *thread;

	if (row->bad || bytes.bad || ring >= WK_CHANNEL_THREADS)
		return false;
	thread = thread_of(streams, process, ring);
	wk_heap_thread_stream_add(&thread->stream, tid, position, bytes);
	if (thread->has_next)
		return true;
	thread->has_next = wk_heap_thread_stream_next(&thread->stream, &thread->next);
	if (thread->has_next)
		add_to_order(streams, (uint32_t)(thread - streams->threads));
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

/* 0: they are one moment. */
static double rate_between(const struct pass *from, const struct pass *to)
{
	if (to->ticks <= from->ticks)
		return 0;
	return (double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
}

#define MOST_OLD_PASSES   64
#define MOST_OUT_OF_ORDER 64 /* snapshots that came after one of a later time */

static void append_pass(struct wk_heap_streams *streams, struct pass *pass)
{
	struct pass *before;

	if (streams->pass > MOST_OLD_PASSES) {
		size_t old = streams->pass - 1;

		streams->pass_count -= old;
		memmove(streams->passes, streams->passes + old,
			streams->pass_count * sizeof(*streams->passes));
		streams->pass = 1;
	}
	if (streams->pass_count) {
		before = &streams->passes[streams->pass_count - 1];
		before->ns_per_tick = pass->ns_per_tick = rate_between(before, pass);
	}
	*WK_APPEND(streams->passes, streams->pass_count, streams->pass_cap) = *pass;
	streams->last = *pass;
	streams->at_hand_ticks = 0;
}

static bool add_pass(struct wk_heap_streams *streams, struct wk_bytes *row)
{
	struct pass pass = { .ticks = wk_u64le(row), .ns = wk_u64le(row) };

	if (row->bad || pass.ticks < streams->last.ticks || pass.ns < streams->last.ns)
		return false;
	append_pass(streams, &pass);
	return true;
}

static bool add_counts(struct process *process, struct wk_bytes *row)
{
	for (size_t i = 0; i < COUNTS; i++)
		process->counts[i] = wk_u64le(row);
	return !row->bad;
}

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

static bool add_row(struct wk_heap_streams *streams, struct wk_bytes *row)
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
	case WK_HEAP_ROW_EVENTS:
		return add_events(streams, process, row);
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

bool wk_heap_streams_add(struct wk_heap_streams *streams, struct wk_bytes row)
{
	bool ok = add_row(streams, &row);

	streams->damaged += !ok;
	return ok;
}

/* ---- events */

/* Numbers with a sign are converted faster. */
static uint64_t ns_between(const struct pass *pass, uint64_t from_ticks, uint64_t to_ticks)
{
	double ns = (double)(int64_t)(to_ticks - from_ticks) * pass->ns_per_tick;

	return ns >= 0 && ns < 0x1p63 ? (uint64_t)(int64_t)ns : UINT64_MAX / 2;
}

static uint64_t time_elsewhere(struct wk_heap_streams *streams, uint64_t ticks)
{
	const struct pass *passes = streams->passes;
	size_t at = streams->pass;
	uint64_t back;

	if (!streams->pass_count)
		return 0;
	while (at + 1 < streams->pass_count && passes[at + 1].ticks <= ticks)
		at++;
	while (at && passes[at].ticks > ticks)
		at--;
	streams->pass = at;
	streams->at_hand = passes[at];
	streams->at_hand_ticks =
		at + 1 < streams->pass_count ? passes[at + 1].ticks - passes[at].ticks : 0;
	if (ticks >= passes[at].ticks)
		return passes[at].ns + ns_between(&passes[at], passes[at].ticks, ticks);
	back = ns_between(&passes[at], ticks, passes[at].ticks);
	return back < passes[at].ns ? passes[at].ns - back : 0;
}

/* Between the passes around it, or as fast as between the nearest two. */
static inline uint64_t time_of(struct wk_heap_streams *streams, uint64_t ticks)
{
	const struct pass *pass = &streams->at_hand;

	if (ticks - pass->ticks < streams->at_hand_ticks)
		return pass->ns + ns_between(pass, pass->ticks, ticks);
	return time_elsewhere(streams, ticks);
}

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
static uint16_t batch_thread(struct wk_heap_streams *streams, struct thread *thread)
{
	struct batch *batch = &streams->batch;
	uint32_t tid = thread->next.tid;

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
					  .thread = batch_thread(streams, thread),
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
	if (!wk_heap_thread_stream_next(&ahead, &record))
		return streams->is_ended;
	*is_kept = record.kind == WK_HEAP_RECORD_KEPT;
	return true;
}

static bool is_complete(const struct wk_heap_streams *streams, uint64_t ticks, uint64_t time_ns,
			uint64_t until_ns)
{
	return streams->is_ended || (ticks <= streams->last.ticks && time_ns <= until_ns);
}

/* Does a snapshot come before the events that are left? */
static bool is_snapshot_next(const struct wk_heap_streams *streams)
{
	return streams->snapshot < streams->snapshot_count &&
	       (!streams->order_count || streams->snapshots[streams->snapshot].ticks <=
						 next_ticks(streams, streams->order[0]));
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
		.time_ns = no_earlier(streams, time_of(streams, snapshot->ticks)),
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

/* The last time at which the earliest thread still comes before the others and the next snapshot.
 */
static uint64_t run_end(const struct wk_heap_streams *streams)
{
	uint64_t end = UINT64_MAX;

	for (size_t i = 1; i <= 2 && i < streams->order_count; i++)
		if (next_ticks(streams, streams->order[i]) < end)
			end = next_ticks(streams, streams->order[i]);
	if (streams->snapshot < streams->snapshot_count &&
	    streams->snapshots[streams->snapshot].ticks <= end)
		end = streams->snapshots[streams->snapshot].ticks - 1;
	return end;
}

/* Where the blocks from a record on may be read at once, until `last_ticks`: as far as the passes
 * at hand reach. */
static bool find_blocks(struct wk_heap_streams *streams, struct thread *thread, uint64_t last_ticks,
			uint64_t until_ns, struct wk_heap_run *run)
{
	const struct pass *pass = &streams->at_hand;

	if (last_ticks > streams->last.ticks)
		last_ticks = streams->last.ticks;
	if (streams->sample_bytes || !streams->at_hand_ticks || last_ticks < pass->ticks)
		return false;
	*run = (struct wk_heap_run){
		.from_ticks = pass->ticks,
		.most_ticks = last_ticks - pass->ticks,
		.from_ns = pass->ns,
		.until_ns = streams->is_ended ? UINT64_MAX : until_ns,
		.ns_per_tick = pass->ns_per_tick,
		.no_earlier_ns = streams->emitted_ns,
		.stacks = &streams->processes[thread->process].stacks,
	};
	if (run->most_ticks >= streams->at_hand_ticks)
		run->most_ticks = streams->at_hand_ticks - 1;
	return ns_between(pass, 0, run->most_ticks) < UINT64_MAX / 2;
}

/* Adds the blocks that follow the record at hand. */
static bool add_blocks(struct wk_heap_streams *streams, struct thread *thread, uint64_t last_ticks,
		       uint64_t until_ns, const struct wk_sink *sink, struct wk_err *err)
{
	struct batch *batch = &streams->batch;
	struct wk_heap_run run;
	size_t count;
	bool ok = true;

	if (!find_blocks(streams, thread, last_ticks, until_ns, &run))
		return true;
	do {
		run.thread = batch_thread(streams, thread);
		count = wk_heap_thread_stream_blocks(&thread->stream, &run,
						     batch->blocks + batch->count,
						     WK_MOST_BLOCKS - batch->count);
		batch->count += count;
		if (count)
			streams->emitted_ns = run.no_earlier_ns =
				batch->blocks[batch->count - 1].time_ns;
		if (batch->count == WK_MOST_BLOCKS)
			ok = emit_batch(streams, sink, err);
		else
			count = 0;
	} while (ok && count);
	return ok;
}

/* The events of the earliest thread up to those of others. `*is_waiting`: what comes next is not
 * complete. */
static bool emit_run(struct wk_heap_streams *streams, uint64_t until_ns, bool *is_waiting,
		     const struct wk_sink *sink, struct wk_err *err)
{
	struct thread *thread = &streams->threads[streams->order[0]];
	uint64_t end = run_end(streams);
	bool ok = true;

	do {
		uint64_t time_ns = time_of(streams, thread->next.ticks);
		bool is_kept = false;

		*is_waiting = !is_complete(streams, thread->next.ticks, time_ns, until_ns) ||
			      (thread->next.kind == WK_HEAP_RECORD_RELEASED &&
			       !settle_release(streams, thread, &is_kept));
		if (*is_waiting)
			break;
		ok = is_kept ||
		     (add_record(streams, thread, no_earlier(streams, time_ns), sink, err) &&
		      add_blocks(streams, thread, end, until_ns, sink, err));
		thread->has_next = wk_heap_thread_stream_next(&thread->stream, &thread->next);
	} while (ok && thread->has_next && thread->next.ticks <= end);
	restore_order(streams);
	return ok;
}

/* The same for a snapshot. */
static bool pass_snapshot(struct wk_heap_streams *streams, uint64_t until_ns, bool *is_waiting,
			  const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t ticks = streams->snapshots[streams->snapshot].ticks;

	*is_waiting = !is_complete(streams, ticks, time_of(streams, ticks), until_ns);
	return *is_waiting || (emit_batch(streams, sink, err) && emit_snapshot(streams, sink, err));
}

bool wk_heap_streams_emit(struct wk_heap_streams *streams, uint64_t until_ns,
			  const struct wk_sink *sink, struct wk_err *err)
{
	bool ok = emit_request(streams, sink, err), is_waiting = false;

	while (ok && !is_waiting && (streams->order_count || is_snapshot_next(streams)))
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
		missing.lost += process->counts[LOST] + process->counts[THREADLESS];
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
