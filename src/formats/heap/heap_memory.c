#include "formats/heap/heap_memory.h"

#include "base/mem.h"
#include "channel/stream.h"
#include "formats/perf/space_calls.h"

#define MOST_FRAMES 1024

struct wk_heap_calls {
	struct wk_space_calls *spaces;
	uint64_t chain[MOST_FRAMES];
	struct wk_space_seen *ranges; /* of the row at hand */
	size_t range_count, range_cap;
};

struct wk_heap_calls *wk_heap_calls_new(void)
{
	struct wk_heap_calls *calls = wk_alloc_zeroed(1, sizeof(*calls));

	calls->spaces = wk_space_calls_new();
	return calls;
}

void wk_heap_calls_free(struct wk_heap_calls *calls)
{
	if (!calls)
		return;
	wk_space_calls_free(calls->spaces);
	WK_FREE_ALL(calls->ranges);
	wk_free(calls);
}

/* Where the changes of a call go. */
struct change {
	struct wk_event event;
	const struct wk_sink *sink;
	struct wk_err *err;
};

static bool emit_change(void *context, uint32_t changes, uint64_t start, uint64_t size_bytes)
{
	struct change *change = context;

	change->event.memory.changes = changes;
	change->event.memory.start = start;
	change->event.memory.size_bytes = size_bytes;
	return wk_sink_emit(change->sink, &change->event, change->err);
}

static struct wk_event event_of(uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	return (struct wk_event){ .kind = WK_EVENT_MEMORY,
				  .time_ns = time_ns,
				  .pid = pid,
				  .tid = tid,
				  .cpu = WK_NO_CPU,
				  .memory = { .owner_pid = pid } };
}

bool wk_heap_calls_add(struct wk_heap_calls *calls, const struct wk_heap_call_read *call,
		       const struct wk_sink *sink, struct wk_err *err)
{
	static const enum wk_space_call kinds[WK_HEAP_CALLS] = {
		[WK_HEAP_CALL_MMAP] = WK_SPACE_MMAP,       [WK_HEAP_CALL_MUNMAP] = WK_SPACE_MUNMAP,
		[WK_HEAP_CALL_MREMAP] = WK_SPACE_MREMAP,   [WK_HEAP_CALL_MPROTECT] = WK_SPACE_MPROTECT,
		[WK_HEAP_CALL_MADVISE] = WK_SPACE_MADVISE,
	};
	struct change change = { event_of(call->time_ns, call->pid, call->tid), sink, err };
	const struct wk_space_changes changes = { emit_change, &change };
	enum wk_space_call kind = kinds[call->call & ~WK_HEAP_CALL_ENDED];
	struct wk_event_sample *sample = &change.event.memory.sample;
	uint64_t arguments[WK_SPACE_ARGUMENTS] = { 0 };

	for (size_t i = 0; i < WK_HEAP_CALL_ARGUMENTS; i++)
		arguments[i] = call->arguments[i];
	if (call->call & WK_HEAP_CALL_ENDED) {
		sample->user_chain = calls->chain;
		sample->user_count = wk_heap_stacks_get(
			call->stacks, wk_heap_stacks_row(call->stacks, call->stack), calls->chain,
			MOST_FRAMES);
		sample->user_is_exact = true;
		sample->address = sample->user_count ? calls->chain[0] : 0;
	}
	if (!wk_space_calls_begin(calls->spaces, call->pid, call->tid, kind, arguments, &changes))
		return false;
	return !(call->call & WK_HEAP_CALL_ENDED) ||
	       wk_space_calls_end(calls->spaces, call->pid, call->tid, kind, (int64_t)call->result,
				  &changes);
}

static bool read_ranges(struct wk_heap_calls *calls, struct wk_bytes *row)
{
	calls->range_count = 0;
	while (wk_bytes_left(row)) {
		struct wk_space_seen range = { .start = wk_u64le(row), .end = wk_u64le(row) };
		uint8_t use = wk_u8(row);

		if (row->bad || !use || use >= WK_SPACE_USES)
			return false;
		range.use = (enum wk_space_use)use;
		*WK_APPEND(calls->ranges, calls->range_count, calls->range_cap) = range;
	}
	return !row->bad;
}

bool wk_heap_calls_see(struct wk_heap_calls *calls, uint64_t time_ns, struct wk_bytes row,
		       uint64_t *damaged, const struct wk_sink *sink, struct wk_err *err)
{
	uint8_t flags = wk_u8(&row);
	uint32_t pid = wk_u32le(&row);
	struct wk_space_seen all = { .start = wk_u64le(&row), .end = wk_u64le(&row) };
	struct change change = { event_of(time_ns, pid, pid), sink, err };
	const struct wk_space_changes changes = { emit_change, &change };

	if (!read_ranges(calls, &row)) {
		(*damaged)++;
		return true;
	}
	if (flags & WK_HEAP_SPACE_BEGINS)
		wk_space_calls_forget(calls->spaces, pid);
	return wk_space_calls_seen(calls->spaces, pid, &all, calls->ranges, calls->range_count,
				   flags & WK_HEAP_SPACE_FROM_BEFORE, &changes);
}
