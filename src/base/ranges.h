/* Ranges of numbers, none overlapping, each with a value: the owner of each page of a memory.
 *
 * Numbers belong to independent spaces. A claim covers what was free; a release removes ranges from
 * any owner, and splits them if necessary. A call searches n ranges in O(log n) steps and then
 * costs what it adds or removes; claiming owned ranges costs a step for some hundred of them. Each
 * call adds at most one range more than it fills gaps, so there are never more ranges than twice
 * the calls. Zero-initialised; freed with _fini. */
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

/* Gives the free parts of [first, end) to `value`; returns their total size. */
uint64_t wk_ranges_claim(struct wk_ranges *ranges, const struct wk_range *claimed);

/* Called for each part that is removed, in order. */
typedef void (*wk_ranges_gone)(void *context, uint32_t value, uint64_t count);

/* Removes [first, end) from every owner; the value does not matter. */
void wk_ranges_release(struct wk_ranges *ranges, const struct wk_range *released,
		       wk_ranges_gone gone, void *context);

/* The range that contains `number` or, if there is none, the next one in its space, or NULL. It
 * stays in place until the next claim or release. */
const struct wk_range *wk_ranges_from(const struct wk_ranges *ranges, uint32_t space,
				      uint64_t number);

#endif
