/* Times of events, which programs count in ticks of the processor, on the clock of the recording:
 * the recorder notes both with each of its passes. */
#ifndef WK_FORMATS_HEAP_HEAP_CLOCK_H
#define WK_FORMATS_HEAP_HEAP_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A moment by both clocks, and how fast they go from there to the next, or went before if there is
 * none. */
struct wk_heap_pass {
	uint64_t ticks, ns;
	double ns_per_tick;
};

/* Zero-initialised is ready. */
struct wk_heap_clock {
	struct wk_heap_pass last;
	/* In order; earlier ones than those around the next event were dropped. */
	struct wk_heap_pass *passes;
	size_t used, count, cap;     /* `used`: the last one that was */
	struct wk_heap_pass at_hand; /* this one, as far as it reaches: */
	uint64_t at_hand_ticks;
};

/* False: it is earlier than the last one. */
bool wk_heap_clock_add(struct wk_heap_clock *clock, uint64_t ticks, uint64_t ns);

uint64_t wk_heap_clock_elsewhere(struct wk_heap_clock *clock, uint64_t ticks);

/* In ns. Numbers with a sign are converted faster. */
static inline uint64_t wk_heap_pass_length(const struct wk_heap_pass *pass, uint64_t ticks)
{
	double ns = (double)(int64_t)ticks * pass->ns_per_tick;

	return ns >= 0 && ns < 0x1p63 ? (uint64_t)(int64_t)ns : UINT64_MAX / 2;
}

/* Between the passes around it, or as fast as between the nearest two. */
static inline uint64_t wk_heap_clock_time(struct wk_heap_clock *clock, uint64_t ticks)
{
	const struct wk_heap_pass *pass = &clock->at_hand;

	if (ticks - pass->ticks < clock->at_hand_ticks)
		return pass->ns + wk_heap_pass_length(pass, ticks - pass->ticks);
	return wk_heap_clock_elsewhere(clock, ticks);
}

/* For how many ticks the pass at hand reaches, and no further than the last one; false: it does
 * not. */
bool wk_heap_clock_reach(const struct wk_heap_clock *clock, uint64_t *most_ticks);

void wk_heap_clock_fini(struct wk_heap_clock *clock);

#endif
