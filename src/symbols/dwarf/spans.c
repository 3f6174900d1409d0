/* Overlapping intervals to spans that cover each address once.
 *
 * One function at a time, so that the working set is small; functions seldom overlap, and then
 * their spans only need sorting. */
#include <string.h>

#include "base/mem.h"
#include "symbols/code_index/innermost.h"
#include "symbols/dwarf/internal.h"

/* Up to this number is sorted by insertion. */
#define FEW 32

/* An open interval: its node in the upper half, its end in the lower one. */
static uint64_t cover_of(const struct wk_sort_key *interval)
{
	return (uint64_t)interval->row << 32 | wk_dwarf_end_of(interval);
}

static uint32_t end_of(uint64_t cover)
{
	return (uint32_t)cover;
}

static uint32_t node_of(uint64_t cover)
{
	return (uint32_t)(cover >> 32);
}

/* Where spans are written: the next one, and the first of the interval. */
struct place {
	struct wk_code_span *at, *first;
};

/* If an interval begins where the preceding one ended, nothing is between them. */
static void begin_stretch(struct wk_dwarf_block *b, struct place *place, uint32_t start)
{
	const struct wk_dwarf_stretch *last =
		b->stretch_count > 0 ? &b->stretches[b->stretch_count - 1] : NULL;

	if (last && start == last->end)
		place->at--;
	else if (last && start < last->end)
		b->is_sorted = false;
	place->first = place->at;
	b->stretches[b->stretch_count++] = (struct wk_dwarf_stretch){
		.start = start, .first = (uint32_t)(place->at - b->spans) };
}

static void end_stretch(struct wk_dwarf_block *b, struct place *place, uint32_t end)
{
	struct wk_dwarf_stretch *stretch = &b->stretches[b->stretch_count - 1];

	stretch->end = end;
	stretch->count = (uint32_t)(place->at - place->first);
	*place->at++ = (struct wk_code_span){ end, 0 };
}

/* Instead of what begins at the same address. */
static inline void set_span(struct place *place, uint32_t start, uint32_t node)
{
	if (place->at > place->first && place->at[-1].start == start)
		place->at--;
	*place->at++ = (struct wk_code_span){ start, node };
}

/* Closes nested intervals that end at or before `at`. */
static inline size_t unnest(struct wk_dwarf_block *b, struct place *place, size_t depth,
			    uint32_t at)
{
	const uint64_t *open = b->covers;

	while (depth > 0 && end_of(open[depth - 1]) <= at) {
		uint32_t end = end_of(open[--depth]);

		if (depth == 0)
			end_stretch(b, place, end);
		else if (end_of(open[depth - 1]) > end)
			set_span(place, end, node_of(open[depth - 1]));
	}
	return depth;
}

/* The path for nearly all functions. False if intervals are not nested. */
static bool nest(struct wk_dwarf_block *b, struct place *out)
{
	const struct wk_sort_key *interval = b->intervals, *end = interval + b->interval_count;
	uint64_t *open = b->covers;
	struct place place = *out;
	size_t depth = 0;

	for (; interval < end; interval++) {
		uint32_t start = wk_dwarf_start_of(interval);
		uint64_t added = cover_of(interval);

		depth = unnest(b, &place, depth, start);
		if (depth == 0)
			begin_stretch(b, &place, start);
		else if (node_of(added) < node_of(open[depth - 1]) ||
			 end_of(added) > end_of(open[depth - 1]))
			return false;
		set_span(&place, start, interval->row);
		open[depth++] = added;
	}
	unnest(b, &place, depth, UINT32_MAX);
	*out = place;
	return true;
}

/* Visits each address at which an interval begins or ends. */
static void overlay(struct wk_dwarf_block *b, struct place *place)
{
	const struct wk_sort_key *next = b->intervals, *end = next + b->interval_count;
	uint64_t *open = b->covers;
	size_t count = 0;
	uint32_t at = 0;

	while (next < end || count > 0) {
		if (count == 0) {
			at = wk_dwarf_start_of(next);
			begin_stretch(b, place, at);
		}
		for (; next < end && wk_dwarf_start_of(next) <= at; next++)
			wk_innermost_push(open, &count, cover_of(next));
		set_span(place, at, node_of(open[0]));
		at = end_of(open[0]);
		if (next < end && wk_dwarf_start_of(next) < at)
			at = wk_dwarf_start_of(next);
		while (count > 0 && end_of(open[0]) <= at)
			wk_innermost_pop(open, &count);
		if (count == 0)
			end_stretch(b, place, at);
	}
}

static void sort_intervals(struct wk_dwarf_block *b)
{
	struct wk_sort_key *keys = b->intervals;

	if (b->interval_count > FEW) {
		wk_sort_keys_above(keys, b->interval_count, 32);
		return;
	}
	for (size_t i = 1; i < b->interval_count; i++) {
		struct wk_sort_key key = keys[i];
		size_t at = i;

		for (; at > 0 && keys[at - 1].key >> 32 > key.key >> 32; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* Each interval starts at most one span, and another one where it ends. */
static void make_room(struct wk_dwarf_block *b)
{
	size_t count = b->interval_count;

	WK_RESERVE(b->spans, b->span_cap, b->span_count + 2 * count);
	WK_RESERVE(b->stretches, b->stretch_cap, b->stretch_count + count);
	WK_RESERVE(b->covers, b->cover_cap, count);
}

static struct place place_of(const struct wk_dwarf_block *b)
{
	return (struct place){ b->spans + b->span_count, b->spans + b->span_count };
}

void wk_dwarf_end_function(struct wk_dwarf_block *b)
{
	size_t stretches = b->stretch_count;
	bool is_sorted = b->is_sorted;
	struct place place;

	if (b->interval_count == 0)
		return;
	make_room(b);
	sort_intervals(b);
	place = place_of(b);
	if (!nest(b, &place)) {
		b->stretch_count = stretches;
		b->is_sorted = is_sorted;
		overlay(b, &place);
	}
	b->span_count = (size_t)(place.at - b->spans);
	b->interval_count = 0;
}

static bool is_apart(const struct wk_dwarf_block *b, const struct wk_sort_key *order)
{
	for (size_t i = 1; i < b->stretch_count; i++)
		if (b->stretches[order[i - 1].row].end > b->stretches[order[i].row].start)
			return false;
	return true;
}

/* As if all functions were one. */
static void overlay_all(struct wk_dwarf_block *b)
{
	struct place place;

	for (size_t i = 0; i < b->stretch_count; i++) {
		const struct wk_dwarf_stretch *s = &b->stretches[i];

		for (uint32_t k = s->first; k < s->first + s->count; k++) {
			uint32_t end = k + 1 < s->first + s->count ? b->spans[k + 1].start : s->end;

			wk_dwarf_add_interval(b, b->spans[k].start, end, b->spans[k].node);
		}
	}
	b->span_count = b->stretch_count = 0;
	make_room(b);
	wk_sort_keys_above(b->intervals, b->interval_count, 32);
	place = place_of(b);
	overlay(b, &place);
	b->span_count = (size_t)(place.at - b->spans);
	b->ordered = b->spans;
}

static void gather(struct wk_dwarf_block *b, const struct wk_sort_key *order,
		   struct wk_code_span *to)
{
	const struct wk_code_span *ordered = to;

	for (size_t i = 0; i < b->stretch_count; i++) {
		const struct wk_dwarf_stretch *s = &b->stretches[order[i].row];

		if (i > 0 && to[-1].start == s->start)
			to--;
		memcpy(to, b->spans + s->first, s->count * sizeof(*to));
		to += s->count;
		*to++ = (struct wk_code_span){ s->end, 0 };
	}
	b->ordered = ordered;
	b->span_count = (size_t)(to - ordered);
}

void wk_dwarf_order_spans(struct wk_dwarf_block *b, size_t line_count)
{
	struct wk_sort_key *order;

	b->ordered = b->spans;
	if (b->is_sorted)
		return;
	order = WK_SORT_ORDER(b->stretches, b->stretch_count, start);
	if (is_apart(b, order))
		gather(b, order,
		       wk_code_maker_spans(&b->maker, b->span_count + b->stretch_count,
					   line_count));
	else
		overlay_all(b);
	wk_free(order);
}
