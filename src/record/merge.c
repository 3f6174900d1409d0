#include "record/merge.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/layout.h"

void wk_merge_add(struct wk_merge *merge, struct wk_chunk *chunk)
{
	for (size_t at = 0; chunk->len - at >= sizeof(struct perf_event_header);) {
		const uint8_t *record = chunk->bytes + at;
		struct perf_event_header header;
		uint64_t time_ns;

		memcpy(&header, record, sizeof(header));
		if (header.size < sizeof(header) || header.size > chunk->len - at)
			break;
		time_ns = wk_layout_time(record, header.size);
		*WK_APPEND(merge->entries, merge->count, merge->cap) = (struct wk_merge_entry){
			.time_ns = time_ns,
			.record = record,
			.chunk = chunk,
			.size = header.size,
		};
		chunk->live++;
		at += header.size;
	}
}

/* The end of the run of ascending times that begins at `from`. */
static size_t run_end(const struct wk_merge_entry *entries, size_t from, size_t count)
{
	size_t end = from + 1;

	while (end < count && entries[end - 1].time_ns <= entries[end].time_ns)
		end++;
	return end;
}

static void merge_runs(const struct wk_merge_entry *a, size_t a_count,
		       const struct wk_merge_entry *b, size_t b_count, struct wk_merge_entry *out)
{
	while (a_count && b_count) {
		if (a->time_ns <= b->time_ns) {
			*out++ = *a++;
			a_count--;
		} else {
			*out++ = *b++;
			b_count--;
		}
	}
	memcpy(out, a, a_count * sizeof(*a));
	memcpy(out + a_count, b, b_count * sizeof(*b));
}

/* A merge sort that starts with the existing runs: each ring delivers long ones. */
static void sort(struct wk_merge *merge)
{
	if (merge->count < 2)
		return;
	WK_RESERVE(merge->scratch, merge->scratch_cap, merge->count);
	while (run_end(merge->entries, 0, merge->count) < merge->count) {
		struct wk_merge_entry *from = merge->entries;
		size_t from_cap = merge->cap;

		for (size_t a = 0; a < merge->count;) {
			size_t b = run_end(from, a, merge->count);
			size_t end = b < merge->count ? run_end(from, b, merge->count) : b;

			merge_runs(from + a, b - a, from + b, end - b, merge->scratch + a);
			a = end;
		}
		merge->entries = merge->scratch;
		merge->cap = merge->scratch_cap;
		merge->scratch = from;
		merge->scratch_cap = from_cap;
	}
}

static void drop(struct wk_merge_entry *entry, struct wk_queue *queue)
{
	if (--entry->chunk->live == 0 && queue)
		wk_queue_release(queue, entry->chunk);
}

bool wk_merge_flush(struct wk_merge *merge, uint64_t final_ns, struct wk_queue *queue,
		    wk_merge_next take, void *context, struct wk_err *err)
{
	size_t done = 0;
	bool ok = true;

	sort(merge);
	while (ok && done < merge->count && merge->entries[done].time_ns <= final_ns) {
		struct wk_merge_entry *entry = &merge->entries[done++];

		if (entry->time_ns < merge->last_ns)
			merge->late++;
		else
			merge->last_ns = entry->time_ns;
		ok = take(context, entry->record, entry->size, merge->last_ns, err);
		drop(entry, queue);
	}
	merge->count -= done;
	if (merge->count)
		memmove(merge->entries, merge->entries + done,
			merge->count * sizeof(*merge->entries));
	return ok;
}

void wk_merge_fini(struct wk_merge *merge, struct wk_queue *queue)
{
	for (size_t i = 0; i < merge->count; i++)
		drop(&merge->entries[i], queue);
	WK_FREE_ALL(merge->entries, merge->scratch);
	*merge = (struct wk_merge){ 0 };
}
