#include "formats/heap/heap_clock.h"

#include <string.h>

#include "base/mem.h"

#define MOST_OLD_PASSES 64

/* 0: they are one moment. */
static double rate_between(const struct wk_heap_pass *from, const struct wk_heap_pass *to)
{
	if (to->ticks <= from->ticks)
		return 0;
	return (double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
}

static void drop_old(struct wk_heap_clock *clock)
{
	size_t old = clock->used - 1;

	clock->count -= old;
	memmove(clock->passes, clock->passes + old, clock->count * sizeof(*clock->passes));
	clock->used = 1;
}

bool wk_heap_clock_add(struct wk_heap_clock *clock, uint64_t ticks, uint64_t ns)
{
	struct wk_heap_pass pass = { .ticks = ticks, .ns = ns }, *before;

	if (ticks < clock->last.ticks || ns < clock->last.ns)
		return false;
	if (clock->used > MOST_OLD_PASSES)
		drop_old(clock);
	if (clock->count) {
		before = &clock->passes[clock->count - 1];
		before->ns_per_tick = pass.ns_per_tick = rate_between(before, &pass);
	}
	*WK_APPEND(clock->passes, clock->count, clock->cap) = pass;
	clock->last = pass;
	clock->at_hand_ticks = 0;
	return true;
}

uint64_t wk_heap_clock_elsewhere(struct wk_heap_clock *clock, uint64_t ticks)
{
	const struct wk_heap_pass *passes = clock->passes;
	size_t at = clock->used;
	uint64_t back;

	if (!clock->count)
		return 0;
	while (at + 1 < clock->count && passes[at + 1].ticks <= ticks)
		at++;
	while (at && passes[at].ticks > ticks)
		at--;
	clock->used = at;
	clock->at_hand = passes[at];
	clock->at_hand_ticks = at + 1 < clock->count ? passes[at + 1].ticks - passes[at].ticks : 0;
	if (ticks >= passes[at].ticks)
		return passes[at].ns + wk_heap_pass_length(&passes[at], ticks - passes[at].ticks);
	back = wk_heap_pass_length(&passes[at], passes[at].ticks - ticks);
	return back < passes[at].ns ? passes[at].ns - back : 0;
}

bool wk_heap_clock_reach(const struct wk_heap_clock *clock, uint64_t *most_ticks)
{
	const struct wk_heap_pass *pass = &clock->at_hand;

	if (!clock->at_hand_ticks || clock->last.ticks < pass->ticks)
		return false;
	*most_ticks = clock->last.ticks - pass->ticks;
	if (*most_ticks >= clock->at_hand_ticks)
		*most_ticks = clock->at_hand_ticks - 1;
	return wk_heap_pass_length(pass, *most_ticks) < UINT64_MAX / 2;
}

void wk_heap_clock_fini(struct wk_heap_clock *clock)
{
	wk_free(clock->passes);
}
