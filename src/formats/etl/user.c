#include "formats/etl/user.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/text/utf16.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/stacks.h"
#include "formats/etl/trace.h"

#define CLR_STACK 82 /* the id of an event */

/* The latest event of the CLR by a thread: the next stack belongs to it. */
struct latest {
	uint64_t time;
	uint32_t pid, tid, kind; /* 0: it has its stack */
	uint32_t place;          /* of its buffer */
};

struct wk_etl_user {
	struct wk_etl_stacks *stacks;
	struct wk_map latest_of; /* by thread: row + 1 */
	struct latest *latest;
	size_t latest_count, latest_cap;
	struct wk_map half_of;             /* by the number that halves share: row + 1 */
	struct wk_etl_stack_owner *halves; /* its event */
	size_t half_count, half_cap;
	bool has_stack;             /* of some event */
	struct wk_etl_sums counted; /* the source is the kind */
	struct wk_strtab *sources;  /* names; the first is number 1 */
	uint32_t source_count;
};

struct wk_etl_user *wk_etl_user_new(void)
{
	struct wk_etl_user *user = wk_alloc_zeroed(1, sizeof(*user));

	user->stacks = wk_etl_stacks_new();
	user->sources = wk_strtab_new();
	return user;
}

void wk_etl_user_free(struct wk_etl_user *user)
{
	wk_etl_stacks_free(user->stacks);
	wk_etl_sums_fini(&user->counted);
	wk_strtab_free(user->sources);
	wk_map_fini(&user->latest_of);
	wk_map_fini(&user->half_of);
	WK_FREE_ALL(user->latest, user->halves, user);
}

/* ---- stacks */

static void note_kind(const struct wk_etl_trace *trace, uint32_t kind)
{
	wk_etl_kinds_get(trace->kinds, kind)->has_stacks = true;
}

/* A thread is 0 where the record does not say. */
static uint32_t emitted_id(uint32_t id)
{
	return id == WK_ETL_NO_THREAD ? 0 : id;
}

static void count(struct wk_etl_user *user, const struct latest *event)
{
	struct wk_event_whose whose = { emitted_id(event->pid), emitted_id(event->tid),
					event->kind };
	struct wk_event_sum sum = { .time_ns = event->time, .until_ns = event->time, .weight = 1,
				    .times = 1, .cpu = WK_NO_CPU };

	wk_etl_sums_add(&user->counted, &whose, &sum);
}

/* The event has a stack: it is noted, or its buffer is marked for the second pass. */
static void note_stack(struct wk_etl_trace *trace, const struct latest *latest)
{
	note_kind(trace, latest->kind);
	if (wk_etl_sums_others(trace))
		count(trace->user, latest);
	else
		wk_etl_mark_buffer(trace->file, latest->place);
}

static struct latest latest_of(const struct wk_etl_trace *trace, uint32_t kind)
{
	const struct wk_etl_record *record = &trace->record;

	return (struct latest){ record->time, record->pid, record->tid, kind,
				wk_etl_buffer_index(trace->file) };
}

static bool has_address(struct wk_bytes addresses)
{
	for (; addresses.at < addresses.end; addresses.at++)
		if (*addresses.at)
			return true;
	return false;
}

static void add_stack(struct wk_etl_user *user, struct wk_etl_stack_owner owner,
		      struct wk_bytes addresses, unsigned pointer_bytes)
{
	user->has_stack = true;
	wk_etl_stacks_add(user->stacks, owner, addresses, pointer_bytes);
}

/* 32-bit programs may have code above the middle of their address space, which is not kernel code
 * on a 64-bit system. */
static void add_program_stack(struct wk_etl_user *user, struct wk_etl_stack_owner owner,
			      struct wk_bytes addresses, unsigned pointer_bytes)
{
	struct wk_buf wide = { 0 };

	if (pointer_bytes == 8) {
		add_stack(user, owner, addresses, 8);
		return;
	}
	while (wk_bytes_left(&addresses) >= 4)
		wk_buf_add_u64(&wide, wk_u32le(&addresses));
	add_stack(user, owner, wk_bytes_of(wide.at, wide.len), 8);
	wk_buf_fini(&wide);
}

/* It belongs to the first event with that number. */
static bool is_second_half(struct wk_etl_user *user, uint64_t number,
			   struct wk_etl_stack_owner *owner)
{
	uint32_t *row = wk_map_at(&user->half_of, number);

	if (*row) {
		*owner = user->halves[*row - 1];
		return true;
	}
	*WK_APPEND(user->halves, user->half_count, user->half_cap) = *owner;
	*row = (uint32_t)user->half_count;
	return false;
}

/* An event counts once, and not for a stack without any address. */
static void meet_stack(struct wk_etl_trace *trace, uint32_t kind, bool has_frames, bool *is_met)
{
	const struct latest own = latest_of(trace, kind);

	if (!wk_etl_sums_others(trace) || (has_frames && !*is_met))
		note_stack(trace, &own);
	else
		note_kind(trace, kind);
	*is_met |= has_frames;
}

/* `*is_met`: a stack of the event was met before. */
static void scan_item(struct wk_etl_trace *trace, uint32_t kind, const struct wk_etl_item *item,
		      bool *is_met)
{
	const struct wk_etl_record *record = &trace->record;
	struct wk_etl_stack_owner owner = { record->time, record->tid, record->cpu };
	unsigned pointer_bytes = item->type == WK_ETL_ITEM_STACK_32 ? 4 : 8;
	struct wk_bytes addresses = item->data;
	uint64_t number = wk_u64le(&addresses);
	size_t left = wk_bytes_left(&addresses);

	if (addresses.bad)
		return;
	addresses = wk_bytes_slice(&addresses, left - left % pointer_bytes);
	if (number == 0 || !is_second_half(trace->user, number, &owner))
		meet_stack(trace, kind, number || has_address(addresses), is_met);
	if (!wk_etl_sums_others(trace))
		add_stack(trace->user, owner, addresses, pointer_bytes);
}

/* `kind` is 0 if the event is counted already. */
static void remember(struct wk_etl_trace *trace, uint32_t kind)
{
	struct wk_etl_user *user = trace->user;
	uint32_t *row = wk_map_at(&user->latest_of, (uint64_t)trace->record.tid + 1);

	if (!*row) {
		WK_RESERVE(user->latest, user->latest_cap, user->latest_count + 1);
		*row = (uint32_t)++user->latest_count;
	}
	user->latest[*row - 1] = latest_of(trace, kind);
}

/* Its frames are of the program alone, each as wide as the program's pointers. */
static void scan_clr_stack(struct wk_etl_trace *trace)
{
	const struct wk_etl_record *record = &trace->record;
	struct wk_etl_user *user = trace->user;
	uint32_t row = wk_map_find(&user->latest_of, (uint64_t)record->tid + 1);
	struct latest *latest = row ? &user->latest[row - 1] : NULL;
	struct wk_bytes addresses = record->payload;
	uint32_t count;

	wk_bytes_skip(&addresses, 4);
	count = wk_u32le(&addresses);
	if (!latest || latest->kind == 0 || addresses.bad)
		return;
	if (count > wk_bytes_left(&addresses) / record->pointer_bytes)
		count = (uint32_t)(wk_bytes_left(&addresses) / record->pointer_bytes);
	addresses = wk_bytes_slice(&addresses, (uint64_t)count * record->pointer_bytes);
	if (wk_etl_sums_others(trace) && !has_address(addresses))
		note_kind(trace, latest->kind);
	else
		note_stack(trace, latest);
	if (!wk_etl_sums_others(trace))
		add_program_stack(user, (struct wk_etl_stack_owner){ latest->time, latest->tid,
								     record->cpu },
				  addresses, record->pointer_bytes);
	latest->kind = 0;
}

/* Manifests are written by the runtime, not by what it runs. */
void wk_etl_user_scan(struct wk_etl_trace *trace, uint32_t kind)
{
	const struct wk_etl_record *record = &trace->record;
	bool is_met = false;

	if (record->kind != WK_ETL_MANIFEST || wk_etl_is_manifest_chunk(record))
		return;
	for (size_t i = 0; i < record->item_count; i++)
		if (record->items[i].type == WK_ETL_ITEM_STACK_32 ||
		    record->items[i].type == WK_ETL_ITEM_STACK_64)
			scan_item(trace, kind, &record->items[i], &is_met);
	if (trace->provider != WK_ETL_BY_CLR)
		return;
	if (record->id == CLR_STACK)
		scan_clr_stack(trace);
	else
		remember(trace, is_met && wk_etl_sums_others(trace) ? 0 : kind);
}

/* ---- sources */

static uint32_t name_source(struct wk_etl_trace *trace, uint32_t kind)
{
	struct wk_buf name = { 0 };
	struct wk_str provider, event;
	uint32_t number;

	wk_etl_kinds_name(trace->kinds, trace->schemas, kind, &provider, &event);
	wk_buf_add_str(&name, provider);
	wk_buf_add_char(&name, '/');
	wk_buf_add_str(&name, event);
	number = wk_strtab_add_str(trace->user->sources, wk_buf_str(&name));
	wk_buf_fini(&name);
	return number;
}

/* Versions of an event have one name, and so one source. */
void wk_etl_user_settle(struct wk_etl_trace *trace)
{
	struct wk_etl_user *user = trace->user;

	wk_etl_stacks_settle(user->stacks);
	for (uint32_t kind = 1; kind <= wk_etl_kinds_count(trace->kinds); kind++) {
		struct wk_etl_event_kind *row = wk_etl_kinds_get(trace->kinds, kind);

		if (!row->has_stacks)
			continue;
		row->source = name_source(trace, kind);
		row->tally.is_used = true;
		if (row->source > user->source_count)
			user->source_count = row->source;
	}
}

/* The sources of kernel events have smaller numbers. */
static uint32_t source_number(uint32_t source)
{
	return WK_ETL_FIRST_EVENT_SOURCE + source - 1;
}

bool wk_etl_user_emit_sources(const struct wk_etl_trace *trace)
{
	bool ok = true;

	for (uint32_t number = 1; ok && number <= trace->user->source_count; number++) {
		struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU };

		event.source = (struct wk_event_source){
			.source = source_number(number), .unit = wk_str_c("events"),
			.name = wk_strtab_str(trace->user->sources, number) };
		ok = wk_etl_emit_event(trace, &event);
	}
	return ok;
}

/* ---- events */

static bool emit_sample(struct wk_etl_trace *trace, struct wk_event event, uint32_t source)
{
	const struct wk_etl_record *record = &trace->record;
	struct wk_etl_stack_owner owner = { record->time, record->tid, record->cpu };
	struct wk_etl_chain chain;

	if (!wk_etl_stacks_find(trace->user->stacks, owner, &chain))
		return true;
	event.kind = WK_EVENT_SAMPLE;
	event.sample = (struct wk_event_sample){
		.source = source_number(source), .weight = 1,
		.address = chain.kernel_count ? chain.kernel[0] : chain.user[0],
		.in_kernel = chain.kernel_count > 0,
		.kernel_chain = chain.kernel, .kernel_count = chain.kernel_count,
		.user_chain = chain.user, .user_count = chain.user_count };
	return wk_etl_emit_event(trace, &event);
}

/* By PerfView's command `mark`. */
bool wk_etl_emit_perfview_mark(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_MARK);
	struct wk_bytes payload = trace->record.payload;
	struct wk_buf label = { 0 };
	bool ok;

	event.pid = emitted_id(trace->record.pid);
	event.tid = emitted_id(trace->record.tid);
	wk_utf16_add(&label, wk_utf16_text(&payload), false);
	event.mark = (struct wk_event_mark){ .label = wk_buf_str(&label),
					     .provider = wk_str_c("PerfView") };
	ok = wk_etl_emit_event(trace, &event);
	wk_buf_fini(&label);
	return ok;
}

bool wk_etl_user_emit(struct wk_etl_trace *trace)
{
	const struct wk_etl_record *record = &trace->record;
	struct wk_event event = wk_etl_event(trace, WK_EVENT_OTHER);
	uint32_t kind, source;

	if (!trace->in_full && !trace->user->has_stack)
		return true;
	event.pid = emitted_id(record->pid);
	event.tid = emitted_id(record->tid);
	kind = wk_etl_kinds_add(trace->kinds, record);
	source = wk_etl_kinds_get(trace->kinds, kind)->source;
	if (source && !emit_sample(trace, event, source))
		return false;
	return !trace->in_full ||
	       wk_etl_schemas_emit(trace->schemas, record, kind, &event, trace->sink, trace->err);
}

/* Kinds of one name have one source. */
void wk_etl_user_sum(const struct wk_etl_trace *trace, struct wk_etl_sums *sums)
{
	const struct wk_etl_sums *counted = &trace->user->counted;

	for (size_t i = 0; i < counted->count; i++) {
		struct wk_event_whose whose = counted->whose[i];

		whose.source = source_number(wk_etl_kinds_get(trace->kinds, whose.source)->source);
		wk_etl_sums_add(sums, &whose, &counted->rows[i]);
	}
}
