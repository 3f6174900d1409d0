#include "base/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

/* Counting passes, lowest bits first, over no more bits than the keys use relative to the smallest:
 * addresses of one image need two or three passes, those of one function two cheap ones. For few
 * keys, counting costs less than visiting many buckets. */
#define MANY      2048
#define MANY_BITS 11
#define FEW_BITS  8

static bool is_sorted(const struct wk_sort_key *keys, size_t count, unsigned first_bit)
{
	for (size_t i = 1; i < count; i++)
		if (keys[i - 1].key >> first_bit > keys[i].key >> first_bit)
			return false;
	return true;
}

/* The bits of the keys for one pass, after subtracting the smallest key. */
struct digit {
	uint64_t least;
	unsigned shift, bits;
};

static inline size_t bucket(struct digit digit, uint64_t key)
{
	return (key - digit.least) >> digit.shift & (((size_t)1 << digit.bits) - 1);
}

static void pass(const struct wk_sort_key *from, struct wk_sort_key *to, size_t count,
		 struct digit digit)
{
	size_t at[1 << MANY_BITS], buckets = (size_t)1 << digit.bits, sum = 0;

	memset(at, 0, buckets * sizeof(*at));
	for (size_t i = 0; i < count; i++)
		at[bucket(digit, from[i].key)]++;
	for (size_t b = 0; b < buckets; b++) {
		size_t here = at[b];

		at[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[bucket(digit, from[i].key)]++] = from[i];
}

/* With no bits below `first_bit`, so that these play no part. */
static uint64_t least_key(const struct wk_sort_key *keys, size_t count, unsigned first_bit)
{
	uint64_t least = keys[0].key;

	for (size_t i = 1; i < count; i++)
		if (keys[i].key < least)
			least = keys[i].key;
	return least >> first_bit << first_bit;
}

void wk_sort_keys(struct wk_sort_key *keys, size_t count)
{
	wk_sort_keys_above(keys, count, 0);
}

void wk_sort_keys_above(struct wk_sort_key *keys, size_t count, unsigned first_bit)
{
	unsigned most = count < MANY ? FEW_BITS : MANY_BITS, end = first_bit;
	struct wk_sort_key *from = keys, *to, *spare;
	struct digit digit;
	uint64_t taken = 0; /* bits that are set in some key */

	if (is_sorted(keys, count, first_bit))
		return;
	digit.least = least_key(keys, count, first_bit);
	for (size_t i = 0; i < count; i++)
		taken |= keys[i].key - digit.least;
	while (end < 64 && taken >> end)
		end++;
	digit.bits = (end - first_bit + most - 1) / most;
	digit.bits = (end - first_bit + digit.bits - 1) / digit.bits;
	spare = wk_alloc(count * sizeof(*spare));
	to = spare;
	for (digit.shift = first_bit; digit.shift < end; digit.shift += digit.bits) {
		struct wk_sort_key *done = to;

		if ((taken >> digit.shift & (((uint64_t)1 << digit.bits) - 1)) == 0)
			continue;
		pass(from, to, count, digit);
		to = from;
		from = done;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
	assert(is_sorted(keys, count, first_bit));
	wk_free(spare);
}

struct wk_sort_key *wk_sort_order(const void *rows, size_t count, size_t row_bytes,
				  size_t number_at, size_t number_bytes)
{
	struct wk_sort_key *keys = wk_alloc_table(count * sizeof(*keys));

	assert(number_bytes == sizeof(uint32_t) || number_bytes == sizeof(uint64_t));
	for (size_t i = 0; i < count; i++) {
		const char *at = (const char *)rows + i * row_bytes + number_at;
		uint32_t number;

		if (number_bytes == sizeof(number)) {
			memcpy(&number, at, sizeof(number));
			keys[i].key = number;
		} else {
			memcpy(&keys[i].key, at, sizeof(keys[i].key));
		}
		keys[i].row = (uint32_t)i;
	}
	wk_sort_keys(keys, count);
	return keys;
}

void *wk_sort_gather(void *rows, const struct wk_sort_key *keys, size_t count, size_t row_bytes)
{
	char *sorted = wk_alloc(count * row_bytes);

	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * row_bytes, (char *)rows + keys[i].row * row_bytes, row_bytes);
	wk_free(rows);
	return sorted;
}

void *wk_sort_rows(void *rows, size_t count, size_t row_bytes, size_t number_at)
{
	struct wk_sort_key *keys =
		wk_sort_order(rows, count, row_bytes, number_at, sizeof(uint64_t));

	rows = wk_sort_gather(rows, keys, count, row_bytes);
	wk_free(keys);
	return rows;
}
