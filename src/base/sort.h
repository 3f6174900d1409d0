/* Sorting by a 64-bit number, in time proportional to the count, and searching in sorted rows.
 *
 * The rows stay in place: keys are sorted, each with the number of its row; then the caller visits
 * its rows in that order, or has them gathered. Equal keys keep their order. */
#ifndef WK_BASE_SORT_H
#define WK_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

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

/* By the keys' bits from `first_bit` up; the lower ones are carried along. */
void wk_sort_keys_above(struct wk_sort_key *keys, size_t count, unsigned first_bit);

/* Rows in the order of their keys, on the heap, for the caller to free; those that come are freed.
 */
void *wk_sort_gather(void *rows, const struct wk_sort_key *keys, size_t count, size_t row_bytes);

/* The same by the uint64_t that is `number_at` bytes into each row. */
void *wk_sort_rows(void *rows, size_t count, size_t row_bytes, size_t number_at);

/* How many of `count` sorted rows have a number of at most `most`, the number being the uint64_t
 * `number_at` bytes into each. The last of those is the one that may contain `most`. */
static inline size_t wk_sorted_up_to(const void *rows, size_t count, size_t row_bytes,
				     size_t number_at, uint64_t most)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *row = (const char *)rows + middle * row_bytes;

		if (*(const uint64_t *)(const void *)(row + number_at) <= most)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
