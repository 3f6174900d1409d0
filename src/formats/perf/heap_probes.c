/* Samples of tracepoints on an allocator's functions to HEAP events. */
#include "formats/perf/internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "formats/perf/heap_pairs.h"

#define MOST_FRAMES 1024

/* Of the attr of a tracepoint. */
struct point {
	bool is_known; /* the next is filled */
	enum wk_allocator_call call;
	bool is_exit;
	struct wk_str function;
	uint32_t number; /* of the function */
};

struct wk_perf_heap {
	struct wk_heap_pairs *pairs;
	struct point *points; /* of each attr */
	size_t point_count;
};

void wk_perf_heap_free(struct wk_perf_heap *heap)
{
	if (!heap)
		return;
	wk_heap_pairs_free(heap->pairs);
	wk_free(heap->points);
	wk_free(heap);
}

static struct point read_name(struct wk_str name)
{
	struct point point = { .is_known = true };
	struct wk_str system = wk_str_cut(&name, ':');

	if (wk_str_starts(system, WK_HEAP_POINTS))
		point.call = wk_allocator_call_of_point(wk_str_cut(&name, ':'), &point.is_exit,
							&point.function);
	point.number = (uint32_t)wk_hash_bytes(point.function.at, point.function.len);
	return point;
}

/* NULL: the attr came after the first sample, or is not one of these. */
static const struct point *point_of(struct wk_perf *perf, const struct wk_perf_attr *attr)
{
	size_t index = (size_t)(attr - perf->attrs);
	struct point *point;

	if (!(attr->sample_type & WK_PERF_SAMPLE_RAW))
		return NULL;
	if (!perf->heap_calls) {
		perf->heap_calls = wk_alloc_zeroed(1, sizeof(*perf->heap_calls));
		perf->heap_calls->points =
			wk_alloc_zeroed(perf->attr_count, sizeof(*perf->heap_calls->points));
		perf->heap_calls->point_count = perf->attr_count;
		perf->heap_calls->pairs = wk_heap_pairs_new();
	}
	if (index >= perf->heap_calls->point_count)
		return NULL;
	point = &perf->heap_calls->points[index];
	if (!point->is_known)
		*point = read_name(attr->name);
	return point->call ? point : NULL;
}

bool wk_perf_is_heap_call(struct wk_perf *perf, const struct wk_perf_attr *attr)
{
	return !perf->keeps_heap_streams && point_of(perf, attr) != NULL;
}

/* Of the sample at hand. */
struct change {
	struct wk_perf *perf;
	const struct wk_event *sample;
	const struct point *point;
};

static bool emit_change(void *context, const struct wk_heap_block_change *block)
{
	const struct change *change = context;
	struct wk_event event = {
		.kind = WK_EVENT_HEAP,
		.time_ns = change->sample->time_ns,
		.pid = change->sample->pid,
		.tid = change->sample->tid,
		.cpu = change->sample->cpu,
		.heap = { .change = block->is_freed ? WK_HEAP_FREE : WK_HEAP_ALLOCATE,
			  .address = block->address,
			  .size_bytes = block->size_bytes },
	};

	if (!block->is_freed) {
		event.heap.made_by = change->point->function;
		event.heap.sample.user_chain = block->chain;
		event.heap.sample.user_count = block->chain_count;
		event.heap.sample.user_is_exact = true;
	}
	return wk_perf_give(change->perf, &event);
}

/* The callers of the function, each inside its call. */
static size_t callers_of(const struct wk_event_sample *sample, uint64_t *chain)
{
	size_t count = 0;

	for (size_t i = 1; i < sample->user_count && count < MOST_FRAMES; i++)
		chain[count++] = sample->user_chain[i] - !sample->user_is_exact;
	return count;
}

static bool emit_begin(struct change *change, struct wk_heap_thread_call *call, struct wk_bytes raw,
		       const struct wk_heap_changes *changes)
{
	uint64_t chain[MOST_FRAMES];
	struct wk_heap_begin begin = { .chain = chain };

	for (int i = 0; i < WK_HEAP_ARGUMENTS; i++)
		begin.arguments[i] = wk_u64(&raw);
	call->stack_pointer = wk_u64(&raw);
	begin.chain_count = callers_of(&change->sample->sample, chain);
	return raw.bad ||
	       wk_heap_pairs_begin(change->perf->heap_calls->pairs, call, &begin, changes);
}

static bool emit_end(struct change *change, struct wk_heap_thread_call *call, struct wk_bytes raw,
		     const struct wk_heap_changes *changes)
{
	struct wk_heap_end end = { .result = wk_u64(&raw) };
	uint64_t unknown;
	bool ok;

	call->stack_pointer = wk_u64(&raw);
	if (raw.bad)
		return true;
	for (int i = 0; i < WK_HEAP_STACK_WORDS; i++)
		end.stack[i] = wk_u64(&raw);
	unknown = wk_heap_pairs_unknown(change->perf->heap_calls->pairs);
	ok = wk_heap_pairs_end(change->perf->heap_calls->pairs, call, &end, changes);
	if (wk_heap_pairs_unknown(change->perf->heap_calls->pairs) != unknown)
		wk_perf_odd(change->perf, WK_PERF_ODD_BLOCK, NULL);
	return ok;
}

bool wk_perf_emit_heap(struct wk_perf *perf, const struct wk_perf_attr *attr,
		       const struct wk_perf_fields *fields, const struct wk_event *sample)
{
	const struct point *point = point_of(perf, attr);
	struct change change = { perf, sample, point };
	struct wk_heap_changes changes = { emit_change, &change };
	struct wk_heap_thread_call call = { .pid = sample->pid,
					    .tid = sample->tid,
					    .function = point->number,
					    .call = point->call };
	struct wk_bytes raw = fields->raw;

	wk_bytes_skip(&raw, point->is_exit ? WK_HEAP_EXIT_HEAD : WK_HEAP_ENTER_HEAD);
	return point->is_exit ? emit_end(&change, &call, raw, &changes)
			      : emit_begin(&change, &call, raw, &changes);
}

void wk_perf_heap_lost(struct wk_perf *perf, const struct wk_event *event)
{
	if (perf->heap_calls && event->kind == WK_EVENT_LOST)
		wk_heap_pairs_forget(perf->heap_calls->pairs);
}
