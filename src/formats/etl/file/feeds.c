#include "formats/etl/file/feeds.h"

#include <assert.h>

#include "base/mem.h"
#include "base/sort.h"

#define FIRST_BYTES 40 /* of a buffer, until the time of its first record is known */

/* A buffer; `key` is its file, session and processor. */
struct place {
	uint64_t key, order, offset;
};

/* The places of all buffers; freed by the caller. */
static struct place *find_places(const struct wk_etl_input *inputs, size_t input_count,
				 struct wk_etl_damage *damage, size_t *count)
{
	struct place *places = NULL;
	struct wk_etl_buffer buffer;
	size_t cap = 0;

	for (size_t i = 0; i < input_count; i++) {
		struct wk_etl_walk walk = { .input = &inputs[i], .damage = damage };

		while (*count < UINT32_MAX && wk_etl_walk_next(&walk, &buffer)) {
			WK_RESERVE(places, cap, *count + 1);
			places[(*count)++] = (struct place){
				.key = (uint64_t)i << 32 | (uint32_t)buffer.logger << 16 |
				       buffer.cpu,
				.order = buffer.sequence,
				.offset = buffer.offset,
			};
		}
	}
	return places;
}

/* Sorted by feed and then by Windows' sequence number. */
static struct place *sort_places(struct place *places, size_t count)
{
	places = wk_sort_rows(places, count, sizeof(*places), offsetof(struct place, order));
	return wk_sort_rows(places, count, sizeof(*places), offsetof(struct place, key));
}

static uint64_t first_time(const struct wk_etl_input *input, uint64_t offset,
			   struct wk_etl_scratch *scratch)
{
	struct wk_etl_buffer buffer;
	struct wk_bytes records;

	wk_etl_buffer_at(input, offset, &buffer);
	wk_etl_buffer_records(input, &buffer, FIRST_BYTES, scratch, &records);
	return wk_etl_record_time(&records);
}

/* Repeated numbers give no order; the time of the first record does. */
static struct place *order_by_time(const struct wk_etl_input *inputs, struct place *places,
				   size_t count)
{
	struct wk_etl_scratch scratch = { 0 };
	bool is_changed = false;
	size_t end;

	for (size_t first = 0; first < count; first = end) {
		bool repeats = false;

		for (end = first + 1; end < count && places[end].key == places[first].key; end++)
			repeats = repeats || places[end].order == places[end - 1].order;
		for (size_t i = first; repeats && i < end; i++)
			places[i].order = first_time(&inputs[places[i].key >> 32], places[i].offset,
						     &scratch);
		is_changed = is_changed || repeats;
	}
	wk_free(scratch.at);
	return is_changed ? sort_places(places, count) : places;
}

static size_t count_feeds(const struct place *places, size_t count)
{
	size_t feeds = 0;

	for (size_t i = 0; i < count; i++)
		feeds += i == 0 || places[i].key != places[i - 1].key;
	return feeds;
}

static void make_feeds(const struct wk_etl_input *inputs, const struct place *places, size_t count,
		       struct wk_etl_feeds *feeds)
{
	size_t at = 0;

	*feeds = (struct wk_etl_feeds){ .buffer_count = count };
	feeds->count = count_feeds(places, count);
	feeds->feeds = wk_alloc_zeroed(feeds->count, sizeof(*feeds->feeds));
	feeds->offsets = wk_alloc_zeroed(count, sizeof(*feeds->offsets));
	for (size_t i = 0; i < count; i++) {
		struct wk_etl_feed *feed;

		at += i > 0 && places[i].key != places[i - 1].key;
		feed = &feeds->feeds[at];
		if (feed->count++ == 0) {
			feed->cpu = places[i].key & 0xffff;
			feed->input = &inputs[places[i].key >> 32];
			feed->offsets = feeds->offsets + i;
		}
		assert(feed->offsets + feed->count == feeds->offsets + i + 1);
		feeds->offsets[i] = places[i].offset;
	}
}

void wk_etl_feeds_find(const struct wk_etl_input *inputs, size_t input_count,
		       struct wk_etl_damage *damage, struct wk_etl_feeds *feeds)
{
	size_t count = 0;
	struct place *places = find_places(inputs, input_count, damage, &count);

	places = order_by_time(inputs, sort_places(places, count), count);
	make_feeds(inputs, places, count, feeds);
	wk_free(places);
}

void wk_etl_feeds_fini(struct wk_etl_feeds *feeds)
{
	WK_FREE_ALL(feeds->feeds, feeds->offsets);
}
