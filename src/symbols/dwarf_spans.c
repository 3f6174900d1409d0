/* Intervals that overlay one another to spans, of which each address has one. */
#include "base/mem.h"
#include "symbols/dwarf_internal.h"

/* A heap with the highest node first. What ended already stays in it until it comes up. */
static void push(struct wk_dwarf_interval *heap, size_t count, struct wk_dwarf_interval added)
{
	size_t at = count;

	while (at > 0 && heap[(at - 1) / 2].node < added.node) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = added;
}

static void pop(struct wk_dwarf_interval *heap, size_t count)
{
	struct wk_dwarf_interval last = heap[count - 1];
	size_t at = 0;

	for (size_t child = 1; child < count - 1; child = 2 * at + 1) {
		if (child + 1 < count - 1 && heap[child + 1].node > heap[child].node)
			child++;
		if (heap[child].node <= last.node)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

static void add_span(struct wk_dwarf_block *b, uint64_t base, uint64_t start, uint32_t node)
{
	uint32_t before = b->span_count ? b->spans[b->span_count - 1].node : 0;

	if (node == before)
		return;
	b->spans = wk_grow(b->spans, &b->span_cap, b->span_count + 1, sizeof(*b->spans));
	b->spans[b->span_count++] = (struct wk_code_span){ (uint32_t)(start - base), node };
}

/* By their starts; those that a block cannot hold are left out. Gives how many there are. */
static size_t sort_intervals(struct wk_dwarf_block *b, uint64_t base)
{
	size_t count = 0;

	b->order = wk_grow(b->order, &b->order_cap, b->interval_count, sizeof(*b->order));
	b->heap = wk_grow(b->heap, &b->heap_cap, b->interval_count, sizeof(*b->heap));
	for (size_t i = 0; i < b->interval_count; i++)
		if (b->intervals[i].end - base <= UINT32_MAX)
			b->order[count++] = (struct wk_sort_key){ b->intervals[i].start,
								  (uint32_t)i };
	if (count > 0)
		wk_sort_keys(b->order, count);
	return count;
}

/* Goes from one place where something begins or ends to the next. */
void wk_dwarf_make_spans(struct wk_dwarf_block *b, uint64_t base)
{
	size_t next = 0, open = 0, count;
	uint64_t at = base;

	b->span_count = 0;
	count = sort_intervals(b, base);
	while (next < count || open > 0) {
		if (open == 0 && b->order[next].key > at) {
			add_span(b, base, at, 0);
			at = b->order[next].key;
		}
		for (; next < count && b->order[next].key <= at; next++)
			push(b->heap, open++, b->intervals[b->order[next].row]);
		while (open > 0 && b->heap[0].end <= at)
			pop(b->heap, open--);
		if (open == 0)
			continue;
		add_span(b, base, at, b->heap[0].node);
		at = b->heap[0].end;
		if (next < count && b->order[next].key < at)
			at = b->order[next].key;
	}
	add_span(b, base, at, 0);
}
