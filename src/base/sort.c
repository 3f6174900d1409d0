#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

/* Counting passes, lowest bits first. Bits that all keys share need no pass, so addresses of one
 * image take two or three. Where keys are few, counting costs less than going through many
 * buckets. */
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

static void pass(const struct wk_sort_key *from, struct wk_sort_key *to, size_t count,
		 unsigned shift, unsigned bits)
{
	size_t at[1 << MANY_BITS], buckets = (size_t)1 << bits, sum = 0;

	memset(at, 0, buckets * sizeof(*at));
	for (size_t i = 0; i < count; i++)
		at[from[i].key >> shift & (buckets - 1)]++;
	for (size_t b = 0; b < buckets; b++) {
		size_t here = at[b];

		at[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i].key >> shift & (buckets - 1)]++] = from[i];
}

void wk_sort_keys(struct wk_sort_key *keys, size_t count)
{
	wk_sort_keys_above(keys, count, 0);
}

void wk_sort_keys_above(struct wk_sort_key *keys, size_t count, unsigned first_bit)
{
	struct wk_sort_key *from = keys, *to, *spare;
	unsigned bits = count < MANY ? FEW_BITS : MANY_BITS;
	uint64_t differing = 0;

	if (is_sorted(keys, count, first_bit))
		return;
	for (size_t i = 1; i < count; i++)
		differing |= keys[i].key ^ keys[0].key;
	spare = wk_alloc(count * sizeof(*spare));
	to = spare;
	for (unsigned shift = first_bit; shift < 64; shift += bits) {
		struct wk_sort_key *done = to;

		if ((differing >> shift & ((1u << bits) - 1)) == 0)
			continue;
		pass(from, to, count, shift, bits);
		to = from;
		from = done;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
	free(spare);
}
