#include "formats/heap/heap_streams.h"

#include <inttypes.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/heap/heap_estimate.h"
#include "formats/heap/heap_stacks.h"
#include "formats/heap/heap_thread.h"
#include "channel/channel.h"

#define MOST_FRAMES 1024

static const char *const functions[WK_HEAP_FUNCTIONS] = {
	[WK_HEAP_MALLOC] = "malloc",
	[WK_HEAP_CALLOC] = "calloc",
	[WK_HEAP_REALLOC] = "realloc",
	[WK_HEAP_REALLOCARRAY] = "reallocarray",
	[WK_HEAP_POSIX_MEMALIGN] = "posix_memalign",
	[WK_HEAP_ALIGNED_ALLOC] = "aligned_alloc",
	[WK_HEAP_MEMALIGN] = "memalign",
	[WK_HEAP_VALLOC] = "valloc",
	[WK_HEAP_PVALLOC] = "pvalloc",
};

enum { LOST, NESTED, EARLY, CUT, THREADLESS, COUNTS };

struct process {
	uint32_t number, pid;
	uint64_t sample_bytes;
	struct wk_heap_stacks stacks;
	uint64_t counts[COUNTS];
};

struct thread {
	uint32_t process; /* row of `processes` */
	struct wk_heap_thread_stream stream;
	struct wk_heap_record_read next;
	bool has_next;
	bool is_moving; /* a block was released that realloc moves: `next` says where to */
};

/* A moment by both clocks. */
struct pass {
	uint64_t ticks, ns;
};

/* One that the recorder took. */
struct snapshot {
	uint64_t ticks;
	uint32_t process; /* its number, which may come later; 0: all */
	enum wk_snapshot_cause cause;
	char *label;
	size_t label_len;
};

struct wk_heap_streams {
	struct process *processes; /* row 0 is none */
	size_t process_count, process_cap;
	struct wk_map process_of; /* number to row */
	struct thread *threads;
	size_t thread_count, thread_cap;
	struct wk_map thread_of; /* row of process, ring to index + 1 */
	struct pass first, before, last;
	uint32_t *order; /* threads with a next event: a heap, the earliest first */
	size_t order_count, order_cap;
	struct snapshot *snapshots; /* in order of time; those from `snapshot` on are not emitted */
	size_t snapshot, snapshot_count, snapshot_cap;
	struct wk_event_snapshot_request request;
	bool has_request; /* not emitted yet */
	uint64_t damaged;
	bool is_ended;
};

struct wk_heap_streams *wk_heap_streams_new(void)
{
	struct wk_heap_streams *streams = wk_alloc_zeroed(1, sizeof(*streams));

	*WK_APPEND(streams->processes, streams->process_count, streams->process_cap) =
		(struct process){ 0 };
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
	wk_map_fini(&streams->process_of);
	wk_map_fini(&streams->thread_of);
	WK_FREE_ALL(streams->processes, streams->threads, streams->order, streams->snapshots);
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

/* The earliest thread goes on, or leaves the order until more of its stream comes. */
static void advance(struct wk_heap_streams *streams)
{
	struct thread *thread = &streams->threads[streams->order[0]];

	thread->has_next = wk_heap_thread_stream_next(&thread->stream, &thread->next);
	if (!thread->has_next)
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
	*WK_APPEND(streams->processes, streams->process_count, streams->process_cap) = process;
	*known = (uint32_t)streams->process_count - 1;
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

static bool add_definitions(struct process *process, struct wk_bytes *row)
{
	uint64_t position = wk_u64le(row);
	struct wk_bytes bytes = wk_bytes_slice(row, wk_u32le(row));

	if (row->bad || bytes.bad)
		return false;
	wk_heap_stacks_add(&process->stacks, position, bytes);
	return true;
}

static bool add_pass(struct wk_heap_streams *streams, struct wk_bytes *row)
{
	struct pass pass = { .ticks = wk_u64le(row), .ns = wk_u64le(row) };

	if (row->bad || pass.ticks < streams->last.ticks || pass.ns < streams->last.ns)
		return false;
	if (!streams->first.ns)
		streams->first = pass;
	streams->before = streams->last;
	streams->last = pass;
	return true;
}

static bool add_counts(struct process *process, struct wk_bytes *row)
{
	for (size_t i = 0; i < COUNTS; i++)
		process->counts[i] = wk_u64le(row);
	return !row->bad;
}

static bool add_snapshot(struct wk_heap_streams *streams, uint32_t process, struct wk_bytes *row)
{
	uint64_t ticks = wk_u64le(row);
	uint8_t cause = wk_u8(row);
	struct wk_str label = wk_bytes_str(wk_bytes_slice(row, wk_u32le(row)));
	size_t count = streams->snapshot_count;

	if (row->bad || (cause != WK_HEAP_SNAPSHOT_USER && cause != WK_HEAP_SNAPSHOT_INTERVAL) ||
	    (count && ticks < streams->snapshots[count - 1].ticks))
		return false;
	*WK_APPEND(streams->snapshots, streams->snapshot_count,
		   streams->snapshot_cap) = (struct snapshot){
		.ticks = ticks,
		.process = process,
		.cause = cause == WK_HEAP_SNAPSHOT_USER ? WK_SNAPSHOT_USER : WK_SNAPSHOT_INTERVAL,
		.label = wk_strndup(label.at, label.len),
		.label_len = label.len,
	};
	return true;
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
	if (kind == WK_HEAP_ROW_PROCESS)
		return add_process(streams, number, row);
	process = wk_map_find(&streams->process_of, number);
	if (row->bad || !process)
		return false;
	switch (kind) {
	case WK_HEAP_ROW_EVENTS:
		return add_events(streams, process, row);
	case WK_HEAP_ROW_DEFINITIONS:
		return add_definitions(&streams->processes[process], row);
	case WK_HEAP_ROW_COUNTS:
		return add_counts(&streams->processes[process], row);
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

/* Between the passes around it, or as fast as between the first and the last. */
static uint64_t time_of(const struct wk_heap_streams *streams, uint64_t ticks)
{
	struct pass from = streams->before, to = streams->last;
	double rate;

	if (!from.ns || ticks < from.ticks)
		from = streams->first;
	if (to.ticks <= from.ticks)
		return to.ns;
	rate = (double)(to.ns - from.ns) / (double)(to.ticks - from.ticks);
	if (ticks < from.ticks) {
		uint64_t back = (uint64_t)((double)(from.ticks - ticks) * rate);

		return back < from.ns ? from.ns - back : 0;
	}
	return from.ns + (uint64_t)((double)(ticks - from.ticks) * rate);
}

static bool emit_block(struct wk_heap_streams *streams, const struct thread *thread,
		       enum wk_heap_change change, const struct wk_sink *sink, struct wk_err *err)
{
	const struct wk_heap_record_read *record = &thread->next;
	const struct process *process = &streams->processes[thread->process];
	uint64_t chain[MOST_FRAMES];
	struct wk_event event = {
		.kind = WK_EVENT_HEAP,
		.time_ns = time_of(streams, record->ticks),
		.pid = process->pid,
		.tid = record->tid,
		.cpu = WK_NO_CPU,
		.heap = { .change = change, .address = record->address },
	};

	if (change != WK_HEAP_FREE) {
		event.heap.size_bytes = record->size_bytes;
		if (process->sample_bytes)
			wk_heap_estimate(record, process->sample_bytes, &event.heap);
		event.heap.made_by = wk_str_c(functions[record->function]);
		event.heap.sample = (struct wk_event_sample){
			.user_chain = chain,
			.user_count = wk_heap_stacks_get(&process->stacks, record->stack, chain,
							 MOST_FRAMES),
			.user_is_exact = true,
			.chain_number = (uint64_t)process->number << 32 | record->stack,
		};
	}
	return wk_sink_emit(sink, &event, err);
}

static bool emit_text(struct wk_heap_streams *streams, const struct thread *thread,
		      const struct wk_sink *sink, struct wk_err *err)
{
	const struct wk_heap_record_read *record = &thread->next;
	struct wk_str text = wk_heap_thread_stream_text(&thread->stream);
	struct wk_event event = {
		.time_ns = time_of(streams, record->ticks),
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

static bool emit_record(struct wk_heap_streams *streams, const struct thread *thread,
			const struct wk_sink *sink, struct wk_err *err)
{
	switch (thread->next.kind) {
	case WK_HEAP_RECORD_ALLOCATED:
	case WK_HEAP_RECORD_MOVED:
		return emit_block(streams, thread, WK_HEAP_ALLOCATE, sink, err);
	case WK_HEAP_RECORD_FREED:
	case WK_HEAP_RECORD_RELEASED:
		return emit_block(streams, thread, WK_HEAP_FREE, sink, err);
	case WK_HEAP_RECORD_SNAPSHOT:
	case WK_HEAP_RECORD_MARK:
		return emit_text(streams, thread, sink, err);
	default:
		return true;
	}
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

static bool is_complete(const struct wk_heap_streams *streams, uint64_t ticks, uint64_t until_ns)
{
	return streams->is_ended ||
	       (ticks <= streams->last.ticks && time_of(streams, ticks) <= until_ns);
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
		.time_ns = time_of(streams, snapshot->ticks),
		.pid = pid,
		.tid = pid,
		.cpu = WK_NO_CPU,
		.snapshot = { wk_str_of(snapshot->label, snapshot->label_len), snapshot->cause },
	};
	bool ok = true;

	if (process || !snapshot->process)
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

bool wk_heap_streams_emit(struct wk_heap_streams *streams, uint64_t until_ns,
			  const struct wk_sink *sink, struct wk_err *err)
{
	bool ok = emit_request(streams, sink, err);

	while (ok && (streams->order_count || is_snapshot_next(streams))) {
		struct thread *thread;
		bool is_kept = false;

		if (is_snapshot_next(streams)) {
			uint64_t ticks = streams->snapshots[streams->snapshot].ticks;

			if (!is_complete(streams, ticks, until_ns))
				break;
			ok = emit_snapshot(streams, sink, err);
			continue;
		}
		thread = &streams->threads[streams->order[0]];
		if (!is_complete(streams, thread->next.ticks, until_ns))
			break;
		if (thread->next.kind == WK_HEAP_RECORD_RELEASED &&
		    !settle_release(streams, thread, &is_kept))
			break;
		ok = is_kept || emit_record(streams, thread, sink, err);
		advance(streams);
	}
	return ok;
}

static bool emit_sampling(uint64_t sample_bytes, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok;

	wk_buf_add_text(&text,
			"sizes and numbers of blocks are estimates: one block was recorded for "
			"each ");
	wk_num_add_bytes(&text, sample_bytes);
	wk_buf_add_text(&text, " on average");
	ok = wk_sink_note(sink, WK_NOTE_REMARK, wk_buf_str(&text), err);
	wk_buf_fini(&text);
	return ok;
}

static bool emit_notes(const struct wk_heap_streams *streams, const struct wk_sink *sink,
		       struct wk_err *err)
{
	uint64_t sum[COUNTS] = { 0 }, damaged = streams->damaged, sampled = 0;

	for (size_t i = 0; i < streams->process_count; i++) {
		damaged += streams->processes[i].stacks.damaged;
		sampled |= streams->processes[i].sample_bytes;
		for (size_t k = 0; k < COUNTS; k++)
			sum[k] += streams->processes[i].counts[k];
	}
	for (size_t i = 0; i < streams->thread_count; i++)
		damaged += streams->threads[i].stream.damaged;
	if (sampled && !emit_sampling(sampled, sink, err))
		return false;
	return wk_sink_note_count(sink, WK_NOTE_FAULT, damaged,
				  " part of the heap's events is damaged and was left out",
				  " parts of the heap's events are damaged and were left out",
				  err) &&
	       wk_sink_note_count(sink, WK_NOTE_FAULT, sum[LOST] + sum[THREADLESS],
				  " allocation or release was lost: the recorder did not keep up",
				  " allocations or releases were lost: the recorder did not keep "
				  "up",
				  err) &&
	       wk_sink_note_count(
		       sink, WK_NOTE_FAULT, sum[NESTED],
		       " allocation or release was not recorded: a signal handler made "
		       "it while another one was being recorded",
		       " allocations or releases were not recorded: signal handlers made "
		       "them while others were being recorded",
		       err) &&
	       wk_sink_note_count(
		       sink, WK_NOTE_FAULT, sum[EARLY],
		       " allocation or release was not recorded: it came before the heap "
		       "library could begin",
		       " allocations or releases were not recorded: they came before the "
		       "heap library could begin",
		       err) &&
	       wk_sink_note_count(sink, WK_NOTE_REMARK, sum[CUT],
				  " allocation has a stack of which the outermost frames are "
				  "missing: it is deeper than 384",
				  " allocations have stacks of which the outermost frames are "
				  "missing: they are deeper than 384",
				  err);
}

bool wk_heap_streams_end(struct wk_heap_streams *streams, const struct wk_sink *sink,
			 struct wk_err *err)
{
	streams->is_ended = true;
	return wk_heap_streams_emit(streams, UINT64_MAX, sink, err) &&
	       emit_notes(streams, sink, err);
}
