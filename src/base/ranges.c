#include "base/ranges.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"

/* A sorted list in chunks: an insertion moves a part of its chunk, and occasionally a part of the
 * list of chunks. This size makes both equally cheap for ten million ranges. */
#define CHUNK 256

enum gaps { GAPS_UNKNOWN, HAS_GAPS, NO_GAPS };

struct wk_range_chunk { /* never empty between calls */
	struct wk_range *at;
	size_t count, cap;
	enum gaps gaps; /* between its ranges; unknown as soon as one of them changes */
};

/* The position of a range, or after the last one: then chunk == ranges->count. */
struct place {
	size_t chunk, row;
};

void wk_ranges_fini(struct wk_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++)
		wk_free(ranges->chunks[i].at);
	wk_free(ranges->chunks);
	*ranges = (struct wk_ranges){ 0 };
}

/* Is all of it below that number? */
static bool is_before(const struct wk_range *range, uint32_t space, uint64_t number)
{
	return range->space < space || (range->space == space && range->end <= number);
}

static const struct wk_range *last_of(const struct wk_range_chunk *chunk)
{
	return &chunk->at[chunk->count - 1];
}

static size_t find_chunk(const struct wk_ranges *ranges, uint32_t space, uint64_t number)
{
	size_t low = 0, high = ranges->count;

	WK_BISECT(low, high, is_before(last_of(&ranges->chunks[middle]), space, number));
	return low;
}

/* The first range that is not entirely below the number. */
static struct place find(const struct wk_ranges *ranges, uint32_t space, uint64_t number)
{
	struct place place = { .chunk = find_chunk(ranges, space, number) };
	const struct wk_range_chunk *chunk;
	size_t high;

	if (place.chunk == ranges->count)
		return place;
	chunk = &ranges->chunks[place.chunk];
	high = chunk->count - 1;
	WK_BISECT(place.row, high, is_before(&chunk->at[middle], space, number));
	assert(!is_before(&chunk->at[place.row], space, number));
	return place;
}

static struct wk_range *range_at(const struct wk_ranges *ranges, struct place place)
{
	return place.chunk < ranges->count ? &ranges->chunks[place.chunk].at[place.row] : NULL;
}

static void step(const struct wk_ranges *ranges, struct place *place)
{
	if (++place->row == ranges->chunks[place->chunk].count)
		*place = (struct place){ .chunk = place->chunk + 1 };
}

/* The range there, if it begins before `end`. */
static struct wk_range *range_below(const struct wk_ranges *ranges, struct place place,
				    uint32_t space, uint64_t end)
{
	struct wk_range *range = range_at(ranges, place);

	return range && range->space == space && range->first < end ? range : NULL;
}

static void add_chunk(struct wk_ranges *ranges, size_t at)
{
	WK_RESERVE(ranges->chunks, ranges->cap, ranges->count + 1);
	memmove(&ranges->chunks[at + 1], &ranges->chunks[at],
		(ranges->count - at) * sizeof(*ranges->chunks));
	ranges->chunks[at] = (struct wk_range_chunk){ 0 };
	ranges->count++;
}

/* Moves half of a full chunk into a new one after it; the position stays that of the same range. */
static void split_chunk(struct wk_ranges *ranges, struct place *place)
{
	struct wk_range_chunk *left, *right;

	add_chunk(ranges, place->chunk + 1);
	left = &ranges->chunks[place->chunk];
	right = left + 1;
	assert(left->count == CHUNK);
	right->at = wk_grow(NULL, &right->cap, CHUNK, sizeof(*right->at));
	left->gaps = GAPS_UNKNOWN;
	left->count = CHUNK / 2;
	right->count = CHUNK - left->count;
	memcpy(right->at, &left->at[left->count], right->count * sizeof(*right->at));
	if (place->row >= left->count)
		*place = (struct place){ place->chunk + 1, place->row - left->count };
}

/* The position for a range that is inserted before the one at `place`. */
static void make_room(struct wk_ranges *ranges, struct place *place)
{
	if (place->chunk == ranges->count && ranges->count &&
	    ranges->chunks[ranges->count - 1].count < CHUNK) {
		place->chunk--;
		place->row = ranges->chunks[place->chunk].count;
	} else if (place->chunk == ranges->count) {
		add_chunk(ranges, place->chunk);
	} else if (ranges->chunks[place->chunk].count == CHUNK) {
		split_chunk(ranges, place);
	}
}

/* Does the range at `row`, which is counted soon, begin and end between its neighbours? */
static bool is_in_order(const struct wk_range_chunk *chunk, size_t row)
{
	const struct wk_range *at = &chunk->at[row];

	return (row == 0 || is_before(&at[-1], at->space, at->first)) &&
	       (row == chunk->count || is_before(at, at[1].space, at[1].first));
}

/* Before the range at `place`, which stays the position of the same range. */
static void insert(struct wk_ranges *ranges, struct place *place, const struct wk_range *range)
{
	struct wk_range_chunk *chunk;
	struct wk_range copy = *range;

	make_room(ranges, place);
	chunk = &ranges->chunks[place->chunk];
	WK_RESERVE(chunk->at, chunk->cap, chunk->count + 1);
	memmove(&chunk->at[place->row + 1], &chunk->at[place->row],
		(chunk->count - place->row) * sizeof(*chunk->at));
	chunk->at[place->row] = copy;
	assert(copy.first < copy.end && is_in_order(chunk, place->row));
	chunk->gaps = GAPS_UNKNOWN;
	chunk->count++;
	step(ranges, place);
}

static bool has_no_gaps(struct wk_range_chunk *chunk)
{
	if (chunk->gaps == GAPS_UNKNOWN) {
		chunk->gaps = NO_GAPS;
		for (size_t i = 1; i < chunk->count; i++)
			if (chunk->at[i].space != chunk->at[0].space ||
			    chunk->at[i].first != chunk->at[i - 1].end)
				chunk->gaps = HAS_GAPS;
	}
	return chunk->gaps == NO_GAPS;
}

/* Skips the chunk at the position if nothing in it is free: repeated claims of owned ranges do not
 * visit every range. Returns its end, or 0. */
static uint64_t pass_chunk(struct wk_ranges *ranges, struct place *place, uint64_t first)
{
	struct wk_range_chunk *chunk = &ranges->chunks[place->chunk];

	if (place->row > 0 || chunk->at[0].first > first || !has_no_gaps(chunk))
		return 0;
	*place = (struct place){ .chunk = place->chunk + 1 };
	return chunk->at[chunk->count - 1].end;
}

uint64_t wk_ranges_claim(struct wk_ranges *ranges, const struct wk_range *claimed)
{
	struct wk_range part = *claimed;
	struct place place = find(ranges, claimed->space, claimed->first);
	uint64_t count = 0;

	while (part.first < claimed->end) {
		const struct wk_range *had =
			range_below(ranges, place, claimed->space, claimed->end);
		uint64_t behind = had ? had->end : claimed->end;
		uint64_t passed = had ? pass_chunk(ranges, &place, part.first) : 0;

		if (passed) {
			part.first = passed;
			continue;
		}
		part.end = had ? had->first : claimed->end;
		if (part.first < part.end) {
			insert(ranges, &place, &part);
			count += part.end - part.first;
		}
		if (had)
			step(ranges, &place);
		part.first = behind;
	}
	return count;
}

static void remove_rows(struct wk_range_chunk *chunk, size_t from, size_t to)
{
	assert(from <= to && to <= chunk->count);
	memmove(&chunk->at[from], &chunk->at[to], (chunk->count - to) * sizeof(*chunk->at));
	chunk->count -= to - from;
	chunk->gaps = GAPS_UNKNOWN;
}

/* All ranges from one place up to another. */
static void erase(struct wk_ranges *ranges, struct place from, struct place to)
{
	size_t first = from.chunk, last = to.chunk;

	if (from.chunk == to.chunk) {
		if (from.chunk < ranges->count)
			remove_rows(&ranges->chunks[from.chunk], from.row, to.row);
		return;
	}
	assert(from.chunk < to.chunk && to.chunk <= ranges->count);
	ranges->chunks[from.chunk].count = from.row;
	ranges->chunks[from.chunk].gaps = GAPS_UNKNOWN;
	if (to.row)
		remove_rows(&ranges->chunks[to.chunk], 0, to.row);
	if (from.row)
		first++;
	for (size_t i = first; i < last; i++)
		wk_free(ranges->chunks[i].at);
	memmove(&ranges->chunks[first], &ranges->chunks[last],
		(ranges->count - last) * sizeof(*ranges->chunks));
	ranges->count -= last - first;
}

/* The range there begins before the released one: its remainders on both sides stay. */
static void cut_tail(struct wk_ranges *ranges, struct place *place, const struct wk_range *released,
		     wk_ranges_gone gone, void *context)
{
	struct wk_range *range = range_at(ranges, *place);
	struct wk_range behind = *range;
	uint64_t end = range->end < released->end ? range->end : released->end;

	range->end = released->first;
	ranges->chunks[place->chunk].gaps = GAPS_UNKNOWN;
	gone(context, range->value, end - released->first);
	step(ranges, place);
	behind.first = end;
	if (behind.first < behind.end)
		insert(ranges, place, &behind);
}

void wk_ranges_release(struct wk_ranges *ranges, const struct wk_range *released,
		       wk_ranges_gone gone, void *context)
{
	struct place from = find(ranges, released->space, released->first), to;
	struct wk_range *range = range_below(ranges, from, released->space, released->end);

	if (released->first >= released->end)
		return;
	if (range && range->first < released->first)
		cut_tail(ranges, &from, released, gone, context);
	to = from;
	while ((range = range_below(ranges, to, released->space, released->end))) {
		if (range->end > released->end) {
			gone(context, range->value, released->end - range->first);
			range->first = released->end;
			ranges->chunks[to.chunk].gaps = GAPS_UNKNOWN;
			break;
		}
		gone(context, range->value, range->end - range->first);
		step(ranges, &to);
	}
	erase(ranges, from, to);
}

const struct wk_range *wk_ranges_from(const struct wk_ranges *ranges, uint32_t space,
				      uint64_t number)
{
	const struct wk_range *range = range_at(ranges, find(ranges, space, number));

	return range && range->space == space ? range : NULL;
}
