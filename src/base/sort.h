/* Sorting by a 64-bit number, in time proportional to the count.
 *
 * The rows stay where they are: what is sorted is keys that say which row they are of, and
 * the caller gathers its rows in that order. Equal keys keep their order. */
#ifndef WK_BASE_SORT_H
#define WK_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct wk_sort_key {
	uint64_t key;
	uint32_t row;
};

void wk_sort_keys(struct wk_sort_key *keys, size_t count);

/* By the keys' bits from `first_bit` up; those below are taken along. */
void wk_sort_keys_above(struct wk_sort_key *keys, size_t count, unsigned first_bit);

#endif
