#include "model/memory_lifetimes.h"

#define PAGE_BITS 12
#define LAST_PAGE (UINT64_MAX >> PAGE_BITS)

enum kind {
	COMMITTED,
	RESERVED,
};

/* For memory from before the recording. */
#define UNOWNED 0

void wk_memory_lifetimes_fini(struct wk_memory_lifetimes *lifetimes)
{
	wk_ranges_fini(&lifetimes->ranges);
}

/* Row 0 of processes is none, and there are fewer than half as many as numbers. */
static uint32_t space_of(wk_process_id process, enum kind kind)
{
	return process << 1 | (uint32_t)kind;
}

/* All pages that the bytes touch. */
static struct wk_range pages_of(const struct wk_event_memory *memory, wk_process_id process,
				enum kind kind)
{
	uint64_t room = UINT64_MAX - memory->start;
	uint64_t size = memory->size_bytes < room ? memory->size_bytes : room;
	struct wk_range pages = { .first = memory->start >> PAGE_BITS,
				  .space = space_of(process, kind) };

	pages.end = size ? ((memory->start + size - 1) >> PAGE_BITS) + 1 : pages.first;
	return pages;
}

/* The value of a range is its sample row + 1. */
static void claim(struct wk_memory_lifetimes *lifetimes, wk_process_id owner, enum kind kind,
		  const struct wk_event_memory *memory, const struct wk_sample *who)
{
	bool is_from_before = memory->changes & WK_MEMORY_SEEN;
	struct wk_range pages = pages_of(memory, owner, kind);
	struct wk_model *model = lifetimes->model;
	struct wk_sample sample = *who;
	uint64_t count;

	pages.value = is_from_before ? UNOWNED : model->samples.count + 1;
	count = wk_ranges_claim(&lifetimes->ranges, &pages);
	if (count == 0 || is_from_before)
		return;
	sample.source = wk_model_derived_source(model, kind == COMMITTED ? WK_DERIVED_COMMIT
									 : WK_DERIVED_RESERVE);
	sample.weight = wk_model_fit_weight(model, count << PAGE_BITS);
	wk_model_add_sample(model, &sample);
}

/* One end for a row that loses several adjacent pieces in one call. */
struct giving {
	struct wk_model *model;
	struct wk_end end;
	bool has_end;
	uint64_t pages; /* of all */
};

static void add_end(struct giving *giving)
{
	if (giving->has_end)
		wk_model_add_end(giving->model, &giving->end);
	giving->has_end = false;
}

static void give_back(void *context, uint32_t value, uint64_t pages)
{
	struct giving *giving = context;

	if (value == UNOWNED)
		return;
	giving->pages += pages;
	if (!giving->has_end || giving->end.sample != value - 1) {
		add_end(giving);
		giving->end.sample = value - 1;
		giving->end.weight = 0;
		giving->has_end = true;
	}
	giving->end.weight += pages << PAGE_BITS;
}

/* How many pages had an owner. */
static uint64_t release(struct wk_memory_lifetimes *lifetimes, const struct wk_range *pages,
			const struct wk_sample *who)
{
	struct giving giving = {
		.model = lifetimes->model,
		.end = { .time_ns = who->time_ns, .thread = who->thread, .stack = who->stack,
			 .lived = WK_LIVED_UNKNOWN },
	};

	wk_ranges_release(&lifetimes->ranges, pages, give_back, &giving);
	add_end(&giving);
	return giving.pages;
}

/* The adjacent pieces from a position on that belong to one row. Unowned ones form one reservation
 * per range. */
static uint64_t end_of_run(const struct wk_memory_lifetimes *lifetimes, uint32_t space,
			   uint64_t first)
{
	const struct wk_range *next = wk_ranges_from(&lifetimes->ranges, space, first);
	uint32_t value = next ? next->value : UNOWNED;
	uint64_t end = first;

	while (next && next->first == end && next->value == value &&
	       (value != UNOWNED || end == first)) {
		end = next->end;
		next = wk_ranges_from(&lifetimes->ranges, space, end);
	}
	return end;
}

/* A call without a size means the reservation that begins there; or, if that is unknown, what one
 * call committed there. */
static struct wk_range find_whole(const struct wk_memory_lifetimes *lifetimes, wk_process_id owner,
				  const struct wk_event_memory *memory)
{
	struct wk_range whole = pages_of(memory, owner, COMMITTED);

	if (memory->size_bytes)
		return whole;
	whole.end = end_of_run(lifetimes, space_of(owner, RESERVED), whole.first);
	if (whole.end == whole.first)
		whole.end = end_of_run(lifetimes, whole.space, whole.first);
	return whole;
}

static void add_decommit(struct wk_model *model, uint64_t pages, const struct wk_sample *who)
{
	struct wk_sample sample = *who;

	if (pages == 0)
		return;
	sample.source = wk_model_derived_source(model, WK_DERIVED_DECOMMIT);
	sample.weight = wk_model_fit_weight(model, pages << PAGE_BITS);
	wk_model_put_sample(model, &sample);
}

static void handle_back(struct wk_memory_lifetimes *lifetimes, wk_process_id owner,
			const struct wk_event_memory *memory, const struct wk_sample *who)
{
	struct wk_range pages = find_whole(lifetimes, owner, memory);

	add_decommit(lifetimes->model, release(lifetimes, &pages, who), who);
	pages.space = space_of(owner, RESERVED);
	if (memory->changes & WK_MEMORY_RELEASE)
		release(lifetimes, &pages, who);
}

/* For a file that discards many ranges again and again; those of real programs are one or a few. */
#define FREE_STEPS        (1u << 20)
#define STEPS_PER_DISCARD 64

static bool may_step(struct wk_memory_lifetimes *lifetimes)
{
	return lifetimes->discard_steps++ < FREE_STEPS + lifetimes->discards * STEPS_PER_DISCARD;
}

/* Its committed pages stay so, whosever they are. */
static void discard(struct wk_memory_lifetimes *lifetimes, wk_process_id owner,
		    const struct wk_event_memory *memory, const struct wk_sample *who)
{
	struct wk_range pages = pages_of(memory, owner, COMMITTED);
	const struct wk_range *next;
	uint64_t count = 0;

	lifetimes->discards++;
	for (uint64_t page = pages.first; page < pages.end && may_step(lifetimes);
	     page = next->end) {
		next = wk_ranges_from(&lifetimes->ranges, pages.space, page);
		if (!next || next->first >= pages.end)
			break;
		count += (next->end < pages.end ? next->end : pages.end) -
			 (next->first > page ? next->first : page);
	}
	add_decommit(lifetimes->model, count, who);
}

void wk_memory_lifetimes_add(struct wk_memory_lifetimes *lifetimes, wk_process_id owner,
			     const struct wk_event_memory *memory, const struct wk_sample *who)
{
	if (memory->changes & (WK_MEMORY_DECOMMIT | WK_MEMORY_RELEASE))
		handle_back(lifetimes, owner, memory, who);
	if (memory->changes & WK_MEMORY_DISCARD)
		discard(lifetimes, owner, memory, who);
	if (memory->changes & WK_MEMORY_RESERVE)
		claim(lifetimes, owner, RESERVED, memory, who);
	if (memory->changes & WK_MEMORY_COMMIT)
		claim(lifetimes, owner, COMMITTED, memory, who);
}

void wk_memory_lifetimes_end(struct wk_memory_lifetimes *lifetimes, wk_process_id process,
			     uint64_t time_ns)
{
	struct wk_sample ended = { .time_ns = time_ns };
	struct wk_range all = { .end = LAST_PAGE + 1, .space = space_of(process, COMMITTED) };

	release(lifetimes, &all, &ended);
	all.space = space_of(process, RESERVED);
	release(lifetimes, &all, &ended);
}
