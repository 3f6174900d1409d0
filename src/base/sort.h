/* Sorting by a 64-bit number, in time proportional to the count, and searching in sorted rows.
 *
 * The rows stay in place: keys are sorted, each with the number of its row; then the caller visits
 * its rows in that order, or has them gathered. Equal keys keep their order. */
#ifndef WK_BASE_SORT_H
#define WK_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/bisect.h"

struct wk_sort_key {
	uint64_t key;
	uint32_t row;
};

void wk_sort_keys(struct wk_sort_key *keys, size_t count);

/* The sorted keys of rows, for the caller to free. A key is the number of `number_bytes` bytes, 4
 * or 8, that is `number_at` bytes into its row. */
struct wk_sort_key *wk_sort_order(const void *rows, size_t count, size_t row_bytes,
				  size_t number_at, size_t number_bytes);

/* The same by the field `number` of the rows. */
#define WK_SORT_ORDER(rows, count, number) \
	wk_sort_order(rows, count, sizeof(*(rows)), offsetof(__typeof__(*(rows)), number), \
		      sizeof((rows)->number))

/* By the bits of the keys from `first_bit` on; lower bits are ignored. */
void wk_sort_keys_above(struct wk_sort_key *keys, size_t count, unsigned first_bit);

/* Frees the rows, and returns a copy in the order of their keys, which the caller frees. */
void *wk_sort_gather(void *rows, const struct wk_sort_key *keys, size_t count, size_t row_bytes);

/* The same by the uint64_t that is `number_at` bytes into each row. */
void *wk_sort_rows(void *rows, size_t count, size_t row_bytes, size_t number_at);

/* How many of `count` sorted rows have a number of at most `most`, the number being the uint64_t
 * `number_at` bytes into each. The last of those is the one that may contain `most`. */
static inline size_t wk_sorted_up_to(const void *rows, size_t count, size_t row_bytes,
				     size_t number_at, uint64_t most)
{
	const char *numbers = rows ? (const char *)rows + number_at : NULL;
	size_t low = 0, high = count;

	WK_BISECT(low, high,
		  *(const uint64_t *)(const void *)(numbers + middle * row_bytes) <= most);
	return low;
}

#endif
