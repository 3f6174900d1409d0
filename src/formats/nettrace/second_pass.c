/* The second pass: events in order of time. */
#include "base/mem.h"
#include "base/sort.h"
#include "formats/nettrace/trace.h"

bool wk_nettrace_has_source(const struct wk_nettrace_type *type)
{
	return type->has_stacks &&
	       (type->use == WK_NETTRACE_COUNT || type->use == WK_NETTRACE_ALLOCATION ||
		type->use == WK_NETTRACE_VALUE);
}

static bool is_emitted(const struct wk_nettrace_type *type)
{
	switch (type->use) {
	case WK_NETTRACE_SAMPLE:
	case WK_NETTRACE_METHOD_LOADED:
	case WK_NETTRACE_PROCESS_SEEN:
	case WK_NETTRACE_PROCESS_START:
	case WK_NETTRACE_PROCESS_EXIT:
	case WK_NETTRACE_MAPPING:
	case WK_NETTRACE_SYMBOL:
		return true;
	default:
		return wk_nettrace_has_source(type);
	}
}

bool wk_nettrace_is_used(const struct wk_nettrace_type *type)
{
	return is_emitted(type) ||
	       (type->use != WK_NETTRACE_COUNT && type->use != WK_NETTRACE_IGNORED &&
		type->use != WK_NETTRACE_ALLOCATION);
}

/* The sources of types follow those of the samples. */
static uint32_t source_of(uint32_t type)
{
	return WK_NETTRACE_OTHER_SOURCES + type;
}

/* ---- sources */

static bool is_cpu(const struct wk_nettrace_type *type)
{
	return type->use == WK_NETTRACE_VALUE && wk_str_is(type->name, "cpu");
}

static bool is_switch(const struct wk_nettrace_type *type)
{
	return type->use == WK_NETTRACE_VALUE && wk_str_is(type->name, "cswitch");
}

static bool emit_source(const struct wk_nettrace *trace, uint32_t row)
{
	const struct wk_nettrace_type *type = &trace->types.at[row];
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU };
	bool is_time = is_cpu(type) || is_switch(type);
	struct wk_buf name = { 0 };
	bool ok;

	if (type->use != WK_NETTRACE_VALUE) {
		wk_buf_add_str(&name, type->provider);
		wk_buf_add_char(&name, '/');
	}
	wk_buf_add_str(&name, type->name);
	event.source = (struct wk_event_source){
		.source = source_of(row), .name = wk_buf_str(&name),
		.unit = wk_str_c(is_time                                ? "ns"
				 : type->use == WK_NETTRACE_ALLOCATION ? "bytes"
								       : "events"),
		.is_cpu_time = is_cpu(type), .is_weighed = type->use != WK_NETTRACE_COUNT };
	ok = wk_nettrace_emit(trace, &event);
	wk_buf_fini(&name);
	return ok;
}

bool wk_nettrace_emit_sources(const struct wk_nettrace *trace)
{
	bool ok = wk_nettrace_samples_emit_sources(&trace->samples, trace->sink, trace->err);

	for (uint32_t row = 0; ok && row < trace->types.count; row++)
		if (wk_nettrace_has_source(&trace->types.at[row]))
			ok = emit_source(trace, row);
	return ok;
}

/* ---- weights */

/* Bytes since the last such event: as 32 bits, kind, runtime; newer versions add all 64 bits. */
static uint64_t allocated_bytes(struct wk_bytes in)
{
	uint64_t bytes = wk_u32le(&in), wide;

	wk_bytes_skip(&in, 6);
	wide = wk_u64le(&in);
	return in.bad ? bytes : wide;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static uint64_t value_of(const struct wk_nettrace *trace, const struct wk_nettrace_type *type,
			 struct wk_bytes payload)
{
	const struct wk_nettrace_head *head = &trace->head;
	struct wk_nettrace_fields fields;
	uint64_t value = wk_nettrace_fields_read(type, payload, &fields)
				 ? fields.numbers[WK_NETTRACE_WEIGHT]
				 : 0;

	if (is_cpu(type))
		return times(value, head->interval_ns);
	return is_switch(type) ? wk_nettrace_ns(head, head->start + value) : value;
}

static uint64_t weight_of(const struct wk_nettrace *trace, const struct wk_nettrace_type *type,
			  struct wk_bytes payload)
{
	switch (type->use) {
	case WK_NETTRACE_ALLOCATION:
		return allocated_bytes(payload);
	case WK_NETTRACE_VALUE:
		return value_of(trace, type, payload);
	default:
		return 1;
	}
}

/* ---- events */

/* Kernel code is innermost. */
static void set_chains(struct wk_event_sample *sample, const struct wk_nettrace_chain *chain)
{
	size_t kernel = chain->kernel_count;

	sample->kernel_chain = kernel ? chain->at : NULL;
	sample->kernel_count = kernel;
	sample->user_chain = kernel < chain->count ? chain->at + kernel : NULL;
	sample->user_count = chain->count - kernel;
	sample->address = chain->count ? chain->at[0] : 0;
	sample->in_kernel = kernel > 0;
	sample->chain_number = chain->unique;
}

static bool emit_sample(struct wk_nettrace *trace, const struct wk_nettrace_row *row,
			struct wk_event *event)
{
	const struct wk_nettrace_type *type = &trace->types.at[row->type];
	struct wk_bytes payload = wk_bytes_of(row->payload, row->payload_bytes);
	struct wk_nettrace_chain *chain =
		wk_nettrace_stacks_find(&trace->stacks, row->stack, trace->head.pointer_bytes);

	trace->unknown_stacks += !chain;
	if (!chain)
		return true;
	event->kind = WK_EVENT_SAMPLE;
	set_chains(&event->sample, chain);
	if (type->use == WK_NETTRACE_SAMPLE)
		return wk_nettrace_samples_emit(&trace->samples, &trace->methods, chain, event,
						payload, trace->head.interval_ns, trace->sink,
						trace->err);
	if (chain->count == 0)
		return true;
	event->sample.source = source_of(row->type);
	event->sample.weight = weight_of(trace, type, payload);
	return wk_nettrace_emit(trace, event);
}

static bool emit_universal(struct wk_nettrace *trace, const struct wk_nettrace_row *row,
			   struct wk_event *event)
{
	const struct wk_nettrace_type *type = &trace->types.at[row->type];
	struct wk_nettrace_fields fields;

	if (!wk_nettrace_fields_read(type, wk_bytes_of(row->payload, row->payload_bytes),
				     &fields)) {
		trace->short_payloads++;
		return true;
	}
	return wk_nettrace_universal_emit(&trace->universal, type->use, &fields, event, trace->sink,
					  trace->err);
}

/* Threads are named at their first event, when their process has begun. */
static bool emit_name(struct wk_nettrace *trace, struct wk_nettrace_who who, uint64_t time_ns)
{
	struct wk_event event = { .kind = WK_EVENT_THREAD, .time_ns = time_ns, .pid = who.pid,
				  .tid = who.tid, .cpu = WK_NO_CPU };
	const struct wk_nettrace_thread_name *name =
		wk_nettrace_threads_take_name(&trace->threads, who.pid, who.tid);

	if (!name)
		return true;
	event.thread = (struct wk_event_thread){ .change = WK_THREAD_NAME, .name = name->name };
	return wk_nettrace_emit(trace, &event);
}

static bool emit_kind(struct wk_nettrace *trace, const struct wk_nettrace_row *row)
{
	struct wk_nettrace_who who = wk_nettrace_who(trace, row->thread);
	struct wk_event event = { .time_ns = row->time_ns, .pid = who.pid, .tid = who.tid,
				  .cpu = row->cpu };

	switch (trace->types.at[row->type].use) {
	case WK_NETTRACE_METHOD_LOADED:
		return wk_nettrace_methods_emit(&trace->owners, who.pid,
						wk_bytes_of(row->payload, row->payload_bytes),
						row->time_ns, trace->sink, trace->err);
	case WK_NETTRACE_PROCESS_SEEN:
	case WK_NETTRACE_PROCESS_START:
	case WK_NETTRACE_PROCESS_EXIT:
	case WK_NETTRACE_MAPPING:
	case WK_NETTRACE_SYMBOL:
		return emit_universal(trace, row, &event);
	default:
		return emit_sample(trace, row, &event);
	}
}

static bool emit_row(struct wk_nettrace *trace, const struct wk_nettrace_row *row)
{
	enum wk_nettrace_use use = trace->types.at[row->type].use;
	bool ends = use == WK_NETTRACE_PROCESS_EXIT;

	return emit_kind(trace, row) &&
	       (ends || emit_name(trace, wk_nettrace_who(trace, row->thread), row->time_ns));
}

/* ---- spans */

static bool end_span(struct wk_nettrace *trace)
{
	struct wk_sort_key *order = WK_SORT_ORDER(trace->rows, trace->row_count, time_ns);
	bool ok = true;

	for (size_t i = 0; ok && i < trace->row_count; i++)
		ok = emit_row(trace, &trace->rows[order[i].row]);
	wk_free(order);
	trace->row_count = 0;
	return ok;
}

/* The processor is that of the thread which wrote the event. */
static void add_row(struct wk_nettrace *trace, const struct wk_nettrace_event *event)
{
	uint32_t row = wk_nettrace_types_find(&trace->types, event->metadata);

	if (row == UINT32_MAX || !is_emitted(&trace->types.at[row]) ||
	    trace->row_count == UINT32_MAX)
		return;
	*WK_APPEND(trace->rows, trace->row_count, trace->row_cap) = (struct wk_nettrace_row){
		.time_ns = wk_nettrace_ns(&trace->head, event->time), .thread = event->thread,
		.payload = event->payload.at,
		.payload_bytes = (uint32_t)wk_bytes_left(&event->payload), .type = row,
		.stack = event->stack,
		.cpu = event->thread == event->capturer ? event->cpu : WK_NO_CPU };
}

static void add_events(struct wk_nettrace *trace, struct wk_bytes block)
{
	struct wk_nettrace_events events = wk_nettrace_events_of(block, trace->is_v6);
	struct wk_nettrace_event event;

	while (wk_nettrace_events_next(&events, &event))
		add_row(trace, &event);
}

bool wk_nettrace_second_pass(struct wk_nettrace *trace, struct wk_nettrace_file *file)
{
	struct wk_nettrace_block block;
	bool ok = true;

	wk_nettrace_stacks_forget(&trace->stacks);
	wk_nettrace_threads_forget(&trace->threads);
	wk_nettrace_types_forget(&trace->types);
	while (ok && wk_nettrace_next(file, &block)) {
		if (block.kind == WK_NETTRACE_EVENTS) {
			add_events(trace, block.content);
		} else if (block.kind == WK_NETTRACE_SEQUENCE_POINT) {
			ok = end_span(trace);
			wk_nettrace_pass_point(trace, block.content, NULL);
		} else {
			wk_nettrace_take_block(trace, &block);
		}
	}
	return ok && end_span(trace);
}
