#include "symbols/code_index/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"

#define MOST_SHORT 0xffff /* files and columns that fit */

/* The header; nodes, rows, files, intervals and their parts follow. */
struct head {
	uint64_t base;
	uint32_t node_count, row_count, file_count;
	uint32_t shift, stretch_count, part_count;
};

static const size_t first_node = sizeof(struct head);

static void set_bytes(struct wk_code_maker *maker, void *bytes, size_t cap)
{
	maker->bytes = bytes;
	maker->cap = cap;
	maker->nodes = bytes ? (void *)(maker->bytes + first_node) : NULL;
	cap = bytes ? (cap - first_node) / sizeof(*maker->nodes) : 0;
	maker->node_cap = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
}

static void set_room(struct wk_code_maker *maker, size_t cap)
{
	set_bytes(maker, wk_realloc(maker->bytes, cap), cap);
}

void wk_code_maker_grow(struct wk_code_maker *maker)
{
	set_room(maker, maker->cap * 2);
}

void wk_code_maker_begin(struct wk_code_maker *maker, size_t likely_bytes)
{
	wk_map_fini(&maker->file_numbers);
	WK_RESERVE(maker->files, maker->file_cap, 1);
	maker->files[0] = 0;
	maker->file_count = 1;
	memset(maker->known_files, 0, sizeof(maker->known_files));
	maker->node_count = 0;
	likely_bytes += first_node + sizeof(*maker->nodes);
	if (likely_bytes > maker->cap) {
		wk_free(maker->bytes);
		set_bytes(maker, wk_alloc_table(likely_bytes), likely_bytes);
	}
	*wk_code_maker_node(maker) = (struct wk_code_packed_node){ 0 };
}

void wk_code_maker_fini(struct wk_code_maker *maker)
{
	WK_FREE_ALL(maker->bytes, maker->files);
	wk_map_fini(&maker->file_numbers);
	*maker = (struct wk_code_maker){ 0 };
}

uint16_t wk_code_maker_file(struct wk_code_maker *maker, uint32_t text)
{
	struct wk_code_known_file *known = &maker->known_files[text / 8 % WK_CODE_KNOWN_FILES];
	uint32_t *number;

	if (text == known->text)
		return (uint16_t)known->number;
	number = wk_map_at(&maker->file_numbers, text);
	if (!*number && maker->file_count <= MOST_SHORT) {
		*number = maker->file_count++;
		WK_RESERVE(maker->files, maker->file_cap, maker->file_count);
		maker->files[*number] = text;
	}
	*known = (struct wk_code_known_file){ text, *number };
	return (uint16_t)*number;
}

uint16_t wk_code_maker_column(uint32_t column)
{
	return column <= MOST_SHORT ? (uint16_t)column : 0;
}

/* The input for the rows of a block. */
struct rows {
	struct wk_code_maker *maker;
	const struct wk_code_block *block;
	struct wk_code_packed_row *at;
	uint32_t first; /* the base of the rows, from the block's */
	uint32_t count;
};

static void set_line(struct wk_code_maker *maker, struct wk_code_packed_row *row,
		     const struct wk_code_line *line)
{
	row->line = line->line;
	row->file = wk_code_maker_file(maker, line->file);
	row->column = line->line ? wk_code_maker_column(line->column) : 0;
}

static bool says_the_same(const struct wk_code_packed_row *a, const struct wk_code_packed_row *b)
{
	return a->node == b->node && a->line == b->line && a->file == b->file &&
	       a->column == b->column;
}

/* For a block without lines. */
static void add_spans(struct rows *rows)
{
	const struct wk_code_span *span = rows->block->spans;
	uint32_t node = 0;

	for (uint32_t i = 0; i < rows->block->span_count; i++, span++) {
		if (span->node == node)
			continue;
		node = span->node;
		rows->at[rows->count++] = (struct wk_code_packed_row){
			.start = span->start - rows->first, .node = node };
	}
}

/* Walks spans and lines side by side; `now` is what both say together. */
static void add_both(struct rows *rows)
{
	const struct wk_code_block *block = rows->block;
	struct wk_code_packed_row now = { 0 }, last = { 0 };
	uint32_t span = 0, line = 0, start;

	while (span < block->span_count || line < block->line_count) {
		start = UINT32_MAX;
		if (span < block->span_count)
			start = block->spans[span].start;
		if (line < block->line_count && block->lines[line].start < start)
			start = block->lines[line].start;
		if (span < block->span_count && block->spans[span].start == start)
			now.node = block->spans[span++].node;
		if (line < block->line_count && block->lines[line].start == start)
			set_line(rows->maker, &now, &block->lines[line++]);
		now.start = start - rows->first;
		if (!says_the_same(&now, &last))
			rows->at[rows->count++] = now;
		last = now;
	}
}

/* The first row is at the base, so that no interval is spent on addresses before it. */
static uint32_t first_start(const struct wk_code_block *block)
{
	uint32_t first = block->span_count ? block->spans[0].start : UINT32_MAX;

	if (block->line_count && block->lines[0].start < first)
		first = block->lines[0].start;
	return first != UINT32_MAX ? first : 0;
}

static size_t rounded(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

/* Start of the block's rows, with space for that many bytes. */
static size_t room_for(struct wk_code_maker *maker, size_t bytes)
{
	size_t begin = first_node + maker->node_count * sizeof(*maker->nodes);

	if (maker->cap < begin + bytes)
		set_room(maker, begin + bytes);
	return begin;
}

static size_t row_bytes(size_t rows)
{
	return rows * sizeof(struct wk_code_packed_row);
}

/* A row replaces a span or a line that must have been read already: for lines, the first comes
 * after as many rows as there are spans; for spans, the first is where half of the rows end if
 * there are no lines, otherwise after all of them. */
struct wk_code_line *wk_code_maker_lines(struct wk_code_maker *maker, size_t span_count,
					 size_t line_count)
{
	size_t begin = room_for(maker, row_bytes(span_count + line_count));

	_Static_assert(sizeof(struct wk_code_line) <= sizeof(struct wk_code_packed_row),
		       "lines fit where rows will be");
	return (void *)(maker->bytes + begin + row_bytes(span_count));
}

struct wk_code_span *wk_code_maker_spans(struct wk_code_maker *maker, size_t span_count,
					 size_t line_count)
{
	size_t bytes = span_count * sizeof(struct wk_code_span);
	size_t before =
		line_count ? row_bytes(span_count + line_count) : row_bytes(span_count) - bytes;

	size_t begin = room_for(maker, before + bytes);

	return (void *)(maker->bytes + begin + before);
}

/* Behind `len` bytes of head, nodes and rows, what their files and places in a search are. */
static size_t put_rest(struct wk_code_maker *maker, size_t len,
		       const struct wk_code_packed_row *rows, uint32_t row_count,
		       struct wk_code_parts *parts)
{
	size_t file_bytes = maker->file_count * sizeof(*maker->files);
	struct wk_code_stretch *stretches = (void *)(maker->bytes + len + file_bytes);
	uint32_t *part_rows = (void *)&stretches[parts->count + 1];
	size_t end;

	memcpy(maker->bytes + len, maker->files, file_bytes);
	wk_code_parts_make(rows, row_count, parts, stretches, part_rows);
	end = (size_t)((uint8_t *)&part_rows[parts->part_count] - maker->bytes);
	memset(maker->bytes + end, 0, rounded(end) - end);
	return rounded(end);
}

/* The most bytes of it. */
static size_t most_rest(const struct wk_code_maker *maker, uint32_t row_count,
			const struct wk_code_parts *parts)
{
	size_t words = (size_t)maker->file_count + row_count;

	return rounded(words * sizeof(uint32_t) +
		       ((size_t)parts->count + 1) * sizeof(struct wk_code_stretch));
}

void *wk_code_maker_end(struct wk_code_maker *maker, const struct wk_code_block *block,
			size_t *size_bytes)
{
	struct rows rows = { .maker = maker, .block = block, .first = first_start(block) };
	size_t begin = room_for(maker, row_bytes((size_t)block->span_count + block->line_count));
	struct head head = { .base = block->base + rows.first, .node_count = maker->node_count };
	struct wk_code_parts parts;
	void *made;

	rows.at = (void *)(maker->bytes + begin);
	if (block->line_count)
		add_both(&rows);
	else
		add_spans(&rows);
	assert(rows.count <= block->span_count + block->line_count);
	wk_code_parts_plan(rows.at, rows.count, &parts);
	room_for(maker, row_bytes(rows.count) + most_rest(maker, rows.count, &parts));
	*size_bytes = put_rest(maker, begin + row_bytes(rows.count), (void *)(maker->bytes + begin),
			       rows.count, &parts);
	assert(*size_bytes <= maker->cap && *size_bytes % 8 == 0);
	head.row_count = rows.count;
	head.file_count = maker->file_count;
	head.shift = parts.shift;
	head.stretch_count = parts.count;
	head.part_count = parts.part_count;
	memcpy(maker->bytes, &head, sizeof(head));
	set_room(maker, *size_bytes);
	made = maker->bytes;
	set_bytes(maker, NULL, 0);
	return made;
}

static const void *take(const uint8_t **at, uint64_t count, size_t size_bytes)
{
	const void *taken = *at;

	*at += count * size_bytes;
	return taken;
}

static uint64_t need_of(const struct head *head)
{
	uint64_t stretches = ((uint64_t)head->stretch_count + 1) * sizeof(struct wk_code_stretch);
	uint64_t words = (uint64_t)head->file_count + head->part_count;

	return (sizeof(*head) + (uint64_t)head->node_count * sizeof(struct wk_code_packed_node) +
		(uint64_t)head->row_count * sizeof(struct wk_code_packed_row) + stretches +
		words * sizeof(uint32_t) + 7) &
	       ~(uint64_t)7;
}

bool wk_code_block_open(struct wk_code_packed *packed, const void *bytes, size_t len)
{
	const struct head *head = bytes;
	const uint8_t *at = (const uint8_t *)(head + 1);

	if (len < sizeof(*head) || len < need_of(head))
		return false;
	packed->base = head->base;
	packed->node_count = head->node_count;
	packed->row_count = head->row_count;
	packed->file_count = head->file_count;
	packed->nodes = take(&at, head->node_count, sizeof(*packed->nodes));
	packed->rows = take(&at, head->row_count, sizeof(*packed->rows));
	packed->files = take(&at, head->file_count, sizeof(*packed->files));
	packed->parts.shift = head->shift;
	packed->parts.count = head->stretch_count;
	packed->parts.part_count = head->part_count;
	packed->parts.stretches =
		take(&at, (uint64_t)head->stretch_count + 1, sizeof(struct wk_code_stretch));
	packed->parts.rows = take(&at, head->part_count, sizeof(uint32_t));
	packed->size_bytes = (size_t)need_of(head);
	return true;
}

void wk_code_block_expect(const struct wk_code_packed *packed, uint64_t vaddr)
{
	uint64_t offset = vaddr - packed->base;
	uint32_t low, high;

	if (vaddr < packed->base || offset > UINT32_MAX)
		return;
	wk_code_parts_narrow(&packed->parts, (uint32_t)offset, packed->row_count, &low, &high);
	__builtin_prefetch(&packed->rows[low]);
}

const struct wk_code_packed_row *wk_code_block_find(const struct wk_code_packed *packed,
						    uint64_t vaddr)
{
	uint64_t offset = vaddr - packed->base;
	uint32_t low, high;

	if (vaddr < packed->base || offset > UINT32_MAX)
		return NULL;
	wk_code_parts_narrow(&packed->parts, (uint32_t)offset, packed->row_count, &low, &high);
	WK_BISECT(low, high, packed->rows[middle].start <= offset);
	return low ? &packed->rows[low - 1] : NULL;
}
