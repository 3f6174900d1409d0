#include "formats/profiles/spans.h"

#include "base/mem.h"
#include "base/sort.h"

#define MOST_LOOKED_AT 64 /* open spans, for the one that an end names */
#define FEW_TIES       16 /* spans that begin at once, sorted by hand */
#define NO_END         UINT64_MAX
#define ROUNDING_NS    1000 /* producers round to microseconds */

struct wk_span_event {
	uint64_t time_ns, duration_ns;
	uint32_t thread, frame;
	uint8_t kind;
};

struct wk_span_piece {
	uint64_t time_ns, weight;
	uint32_t thread, stack;
	uint32_t source;
};

struct wk_span_thread {
	uint32_t pid, tid, source;
	bool has_no_time;
	uint32_t top;     /* innermost open span + 1 */
	uint64_t from_ns; /* the time from which the stack is valid */
	uint64_t last_ns;
};

struct wk_span_open {
	uint64_t end_ns; /* its latest possible end, or NO_END */
	uint32_t stack, frame;
	uint32_t below; /* the span around it + 1, or the next free one */
	bool is_begin;  /* its end is in the input */
};

void wk_spans_fini(struct wk_spans *spans)
{
	WK_FREE_ALL(spans->events, spans->pieces, spans->threads, spans->open);
}

void wk_spans_source(struct wk_spans *spans, uint32_t number, const char *name, const char *unit)
{
	if (!(spans->sources & 1u << number))
		wk_stack_writer_source(spans->writer, number, name, unit, false);
	spans->sources |= 1u << number;
}

uint32_t wk_spans_thread(struct wk_spans *spans, uint32_t pid, uint32_t tid, uint32_t source)
{
	*WK_APPEND(spans->threads, spans->thread_count, spans->thread_cap) =
		(struct wk_span_thread){ .pid = pid, .tid = tid, .source = source };
	return (uint32_t)spans->thread_count - 1;
}

void wk_spans_no_time(struct wk_spans *spans, uint32_t thread)
{
	spans->threads[thread].has_no_time = true;
}

void wk_spans_add(struct wk_spans *spans, enum wk_span_kind kind, uint32_t thread, uint64_t time_ns,
		  uint64_t duration_ns, uint32_t frame)
{
	struct wk_span_thread *row = &spans->threads[thread];
	uint64_t end_ns;

	/* Times stay in a range whose sums cannot overflow. */
	if (time_ns > INT64_MAX)
		time_ns = INT64_MAX;
	if (duration_ns > INT64_MAX - time_ns)
		duration_ns = INT64_MAX - time_ns;
	end_ns = time_ns + duration_ns;
	if (end_ns > row->last_ns)
		row->last_ns = end_ns;
	*WK_APPEND(spans->events, spans->event_count, spans->event_cap) = (struct wk_span_event){
		.time_ns = time_ns,
		.duration_ns = duration_ns,
		.thread = thread,
		.frame = frame,
		.kind = (uint8_t)kind,
	};
}

void wk_spans_sample(struct wk_spans *spans, uint32_t thread, uint32_t source, uint32_t stack,
		     uint64_t time_ns, uint64_t weight)
{
	*WK_APPEND(spans->pieces, spans->piece_count, spans->piece_cap) = (struct wk_span_piece){
		.time_ns = spans->threads[thread].has_no_time ? 0 : time_ns,
		.weight = weight,
		.thread = thread,
		.stack = stack,
		.source = source,
	};
}

/* --- Order --------------------------------------------------------------------------------- */

/* Whole spans that begin at the same time: the longer one is around the shorter. */
static void sort_by_length(const struct wk_spans *spans, struct wk_sort_key *keys, size_t count)
{
	if (count > FEW_TIES) {
		uint64_t time_ns = keys[0].key;

		for (size_t i = 0; i < count; i++)
			keys[i].key = ~spans->events[keys[i].row].duration_ns;
		wk_sort_keys(keys, count);
		for (size_t i = 0; i < count; i++)
			keys[i].key = time_ns;
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct wk_sort_key moved = keys[i];
		uint64_t length = spans->events[moved.row].duration_ns;
		size_t to = i;

		for (; to && spans->events[keys[to - 1].row].duration_ns < length; to--)
			keys[to] = keys[to - 1];
		keys[to] = moved;
	}
}

static bool is_whole(const struct wk_spans *spans, const struct wk_sort_key *key)
{
	return spans->events[key->row].kind == WK_SPAN_WHOLE;
}

static struct wk_sort_key *events_in_order(const struct wk_spans *spans)
{
	size_t count = spans->event_count;
	struct wk_sort_key *keys = WK_SORT_ORDER(spans->events, count, time_ns);
	size_t next;

	for (size_t i = 0; i < count; i = next) {
		next = i + 1;
		if (!is_whole(spans, &keys[i]))
			continue;
		while (next < count && keys[next].key == keys[i].key &&
		       is_whole(spans, &keys[next]))
			next++;
		sort_by_length(spans, keys + i, next - i);
	}
	return keys;
}

/* --- Nesting ------------------------------------------------------------------------------- */

/* The time up to `time_ns` with the current stack becomes a sample. */
static void close_piece(struct wk_spans *spans, uint32_t thread, uint64_t time_ns)
{
	struct wk_span_thread *row = &spans->threads[thread];

	if (row->top && time_ns > row->from_ns)
		wk_spans_sample(spans, thread, row->source, spans->open[row->top - 1].stack,
				row->from_ns, time_ns - row->from_ns);
	if (time_ns > row->from_ns)
		row->from_ns = time_ns;
}

static void pop(struct wk_spans *spans, uint32_t thread)
{
	struct wk_span_thread *row = &spans->threads[thread];
	uint32_t top = row->top;

	row->top = spans->open[top - 1].below;
	spans->open[top - 1].below = spans->free_open;
	spans->free_open = top;
}

/* Ends what ended by itself until `time_ns`. */
static void advance(struct wk_spans *spans, uint32_t thread, uint64_t time_ns)
{
	struct wk_span_thread *row = &spans->threads[thread];

	while (row->top && spans->open[row->top - 1].end_ns <= time_ns) {
		close_piece(spans, thread, spans->open[row->top - 1].end_ns);
		pop(spans, thread);
	}
	close_piece(spans, thread, time_ns);
}

static uint32_t new_open(struct wk_spans *spans)
{
	uint32_t at = spans->free_open;

	if (at) {
		spans->free_open = spans->open[at - 1].below;
		return at;
	}
	WK_RESERVE(spans->open, spans->open_cap, spans->open_count + 1);
	return (uint32_t)++spans->open_count;
}

static void push(struct wk_spans *spans, const struct wk_span_event *event)
{
	uint32_t at = new_open(spans);
	struct wk_span_thread *row = &spans->threads[event->thread];
	const struct wk_span_open *around = row->top ? &spans->open[row->top - 1] : NULL;
	struct wk_span_open open = { .end_ns = NO_END, .frame = event->frame, .below = row->top };

	open.is_begin = event->kind == WK_SPAN_BEGIN;
	if (!open.is_begin)
		open.end_ns = event->time_ns + event->duration_ns;
	if (around && open.end_ns > around->end_ns) {
		spans->cut += !open.is_begin && open.end_ns - around->end_ns > ROUNDING_NS;
		open.end_ns = around->end_ns;
	}
	open.stack = wk_stack_writer_stack(spans->writer, around ? around->stack : 0, event->frame);
	spans->open[at - 1] = open;
	row->top = at;
}

/* Whole spans end by themselves and are never meant. */
static bool is_meant(const struct wk_span_open *open, uint32_t frame)
{
	return open->is_begin && (frame == 0 || open->frame == frame);
}

static void end(struct wk_spans *spans, const struct wk_span_event *event)
{
	uint32_t *top = &spans->threads[event->thread].top;
	uint32_t at = *top;

	for (int i = 0; at && i < MOST_LOOKED_AT; i++) {
		if (is_meant(&spans->open[at - 1], event->frame))
			break;
		at = spans->open[at - 1].below;
	}
	if (!at || !is_meant(&spans->open[at - 1], event->frame)) {
		spans->stray_ends++;
		return;
	}
	while (*top != at)
		pop(spans, event->thread);
	pop(spans, event->thread);
}

static void nest(struct wk_spans *spans)
{
	struct wk_sort_key *keys = events_in_order(spans);

	for (size_t i = 0; i < spans->event_count; i++) {
		const struct wk_span_event *event = &spans->events[keys[i].row];

		advance(spans, event->thread, event->time_ns);
		if (event->kind == WK_SPAN_END)
			end(spans, event);
		else
			push(spans, event);
	}
	wk_free(keys);
	for (uint32_t i = 0; i < spans->thread_count; i++)
		advance(spans, i, spans->threads[i].last_ns);
}

void wk_spans_emit(struct wk_spans *spans)
{
	struct wk_sort_key *keys;

	nest(spans);
	keys = WK_SORT_ORDER(spans->pieces, spans->piece_count, time_ns);
	for (size_t i = 0; i < spans->piece_count; i++) {
		const struct wk_span_piece *piece = &spans->pieces[keys[i].row];
		const struct wk_span_thread *thread = &spans->threads[piece->thread];

		wk_stack_writer_sample(spans->writer, piece->time_ns, thread->pid, thread->tid,
				       piece->source, piece->stack, piece->weight);
	}
	wk_free(keys);
}
