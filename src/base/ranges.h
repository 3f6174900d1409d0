/* Ranges of numbers, none overlapping, each with a value: who has which pages of a memory.
 *
 * Numbers live in spaces that know nothing of each other. What is claimed goes to the claimer as
 * far as nobody had it; what is released is taken from whoever had it, and splits ranges where it
 * must. A call looks among n ranges in O(log n) steps and then costs what it makes or removes; to
 * claim what is had already costs a step for some hundred ranges. Each call makes at most one range
 * more than it fills gaps, so there never are more ranges than twice the calls. Zero-initialised;
 * freed with _fini. */
#ifndef WK_BASE_RANGES_H
#define WK_BASE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct wk_range {
	uint64_t first, end; /* the number behind the last */
	uint32_t space, value;
};

struct wk_range_chunk;

struct wk_ranges {
	struct wk_range_chunk *chunks; /* in order */
	size_t count, cap;
};

void wk_ranges_fini(struct wk_ranges *ranges);

/* Gives `value` what nobody has of [first, end); returns how much that was. */
uint64_t wk_ranges_claim(struct wk_ranges *ranges, const struct wk_range *claimed);

/* Told of each part that is taken away, in order. */
typedef void (*wk_ranges_gone)(void *context, uint32_t value, uint64_t count);

/* Takes [first, end) away from everybody; the value does not count. */
void wk_ranges_release(struct wk_ranges *ranges, const struct wk_range *released,
		       wk_ranges_gone gone, void *context);

/* The range that has `number` or, where there is none, the first one behind it in its space, or
 * NULL. It stays where it is until the next claim or release. */
const struct wk_range *wk_ranges_from(const struct wk_ranges *ranges, uint32_t space,
				      uint64_t number);

#endif
