/* Intervals that overlay one another to spans, of which each address has one. */
#include "base/mem.h"
#include "symbols/dwarf_internal.h"

/* The intervals that are open at an address. Calls mostly lie within one another: then they are a
 * stack, the last the innermost. Where they do not, they become a heap with the highest node
 * first; what ended already stays in that until it comes up. */
struct covers {
	struct wk_dwarf_cover *rows;
	size_t count;
	bool is_heap;
};

static struct wk_dwarf_cover *top(const struct covers *c)
{
	return &c->rows[c->is_heap ? 0 : c->count - 1];
}

/* From the lowest node first to the highest, which is a heap too. */
static void reverse(struct covers *c)
{
	for (size_t i = 0; i < c->count / 2; i++) {
		struct wk_dwarf_cover row = c->rows[i];

		c->rows[i] = c->rows[c->count - 1 - i];
		c->rows[c->count - 1 - i] = row;
	}
	c->is_heap = true;
}

static void push(struct covers *c, struct wk_dwarf_cover added)
{
	size_t at = c->count++;

	while (at > 0 && c->rows[(at - 1) / 2].node < added.node) {
		c->rows[at] = c->rows[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	c->rows[at] = added;
}

static void pop(struct covers *c)
{
	struct wk_dwarf_cover last = c->rows[--c->count];
	size_t at = 0;

	for (size_t child = 1; child < c->count; child = 2 * at + 1) {
		if (child + 1 < c->count && c->rows[child + 1].node > c->rows[child].node)
			child++;
		if (c->rows[child].node <= last.node)
			break;
		c->rows[at] = c->rows[child];
		at = child;
	}
	c->rows[at] = last;
}

static void open_cover(struct covers *c, struct wk_dwarf_cover added)
{
	if (c->count == 0)
		c->is_heap = false;
	else if (!c->is_heap && (added.node < top(c)->node || added.end > top(c)->end))
		reverse(c);
	if (c->is_heap)
		push(c, added);
	else
		c->rows[c->count++] = added;
}

static void close_ended(struct covers *c, uint64_t at)
{
	while (c->count > 0 && top(c)->end <= at) {
		if (c->is_heap)
			pop(c);
		else
			c->count--;
	}
}

static void add_span(struct wk_dwarf_block *b, uint64_t base, uint64_t start, uint32_t node)
{
	uint32_t before = b->span_count ? b->spans[b->span_count - 1].node : 0;

	if (node == before)
		return;
	b->spans = wk_grow(b->spans, &b->span_cap, b->span_count + 1, sizeof(*b->spans));
	b->spans[b->span_count++] = (struct wk_code_span){ (uint32_t)(start - base), node };
}

static void open_at(struct covers *c, const struct wk_dwarf_block *b, size_t *next, uint64_t at)
{
	for (; *next < b->interval_count && wk_dwarf_interval_start(b, *next) <= at; (*next)++)
		open_cover(c, (struct wk_dwarf_cover){ wk_dwarf_interval_end(b, *next),
						       b->intervals[*next].row });
}

/* Where the next one begins, if that is before `end`. */
static uint64_t next_place(const struct wk_dwarf_block *b, size_t next, uint64_t end)
{
	if (next < b->interval_count && wk_dwarf_interval_start(b, next) < end)
		return wk_dwarf_interval_start(b, next);
	return end;
}

/* What a block cannot hold, since it ends too far from its base, is left out. */
static void leave_out(struct wk_dwarf_block *b, uint64_t base)
{
	size_t count = 0;

	for (size_t i = 0; i < b->interval_count; i++)
		if (wk_dwarf_interval_end(b, i) - base <= UINT32_MAX)
			b->intervals[count++] = b->intervals[i];
	b->interval_count = count;
}

/* Goes from one place where something begins or ends to the next. */
void wk_dwarf_make_spans(struct wk_dwarf_block *b, uint64_t base)
{
	struct covers open = { 0 };
	uint64_t at = base;
	size_t next = 0;

	b->span_count = 0;
	leave_out(b, base);
	wk_sort_keys_above(b->intervals, b->interval_count, 32);
	b->covers = wk_grow(b->covers, &b->cover_cap, b->interval_count, sizeof(*b->covers));
	open.rows = b->covers;
	while (next < b->interval_count || open.count > 0) {
		if (open.count == 0 && wk_dwarf_interval_start(b, next) > at) {
			add_span(b, base, at, 0);
			at = wk_dwarf_interval_start(b, next);
		}
		open_at(&open, b, &next, at);
		add_span(b, base, at, top(&open)->node);
		at = next_place(b, next, top(&open)->end);
		close_ended(&open, at);
	}
	add_span(b, base, at, 0);
}
