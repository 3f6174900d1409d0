#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

/* Counting passes of eleven bits, lowest first. Bits that all keys share need no pass, so
 * addresses of one image take two or three. */
#define PASS_BITS 11
#define BUCKETS   (1u << PASS_BITS)

static bool is_sorted(const struct wk_sort_key *keys, size_t count, unsigned first_bit)
{
	for (size_t i = 1; i < count; i++)
		if (keys[i - 1].key >> first_bit > keys[i].key >> first_bit)
			return false;
	return true;
}

static void pass(const struct wk_sort_key *from, struct wk_sort_key *to, size_t count,
		 unsigned shift)
{
	size_t at[BUCKETS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i].key >> shift & (BUCKETS - 1)]++;
	for (size_t b = 0; b < BUCKETS; b++) {
		size_t here = at[b];

		at[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
}

void wk_sort_keys(struct wk_sort_key *keys, size_t count)
{
	wk_sort_keys_above(keys, count, 0);
}

void wk_sort_keys_above(struct wk_sort_key *keys, size_t count, unsigned first_bit)
{
	struct wk_sort_key *from = keys, *to, *spare;
	uint64_t differing = 0;

	if (is_sorted(keys, count, first_bit))
		return;
	for (size_t i = 1; i < count; i++)
		differing |= keys[i].key ^ keys[0].key;
	spare = wk_alloc(count * sizeof(*spare));
	to = spare;
	for (unsigned shift = first_bit; shift < 64; shift += PASS_BITS) {
		struct wk_sort_key *done = to;

		if ((differing >> shift & (BUCKETS - 1)) == 0)
			continue;
		pass(from, to, count, shift);
		to = from;
		from = done;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
	free(spare);
}
