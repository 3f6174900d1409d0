#include "symbols/code_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

#define MOST_SHORT 0xffff /* files and columns that fit */

/* What stands in front; nodes, rows, files and hints follow. */
struct head {
	uint64_t base;
	uint32_t node_count, row_count, file_count;
	uint32_t hint_shift, hint_count, unused;
};

struct packer {
	const struct wk_code_block *block;
	struct head head;
	struct wk_map file_numbers;
	uint32_t *files;
	size_t file_cap;
	uint32_t last_file, last_number;
	struct wk_buf out; /* nodes and rows have their places in it from the start */
	struct wk_code_packed_row *rows;
};

static uint16_t file_number(struct packer *packer, uint32_t file)
{
	uint32_t *number;

	if (file == packer->last_file)
		return (uint16_t)packer->last_number;
	number = wk_map_at(&packer->file_numbers, file);
	if (!*number && packer->head.file_count <= MOST_SHORT) {
		*number = packer->head.file_count++;
		packer->files = wk_grow(packer->files, &packer->file_cap,
					packer->head.file_count, sizeof(*packer->files));
		packer->files[*number] = file;
	}
	packer->last_file = file;
	packer->last_number = *number;
	return (uint16_t)*number;
}

static uint16_t short_column(uint32_t column)
{
	return column <= MOST_SHORT ? (uint16_t)column : 0;
}

static void set_line(struct packer *packer, struct wk_code_packed_row *row,
		     const struct wk_code_line *line)
{
	row->line = line->line;
	row->file = file_number(packer, line->file);
	row->column = line->line ? short_column(line->column) : 0;
}

static bool says_the_same(const struct wk_code_packed_row *a, const struct wk_code_packed_row *b)
{
	return a->node == b->node && a->line == b->line && a->file == b->file &&
	       a->column == b->column;
}

/* Walks spans and lines side by side; `now` is what both say together. */
static void make_rows(struct packer *packer)
{
	const struct wk_code_block *block = packer->block;
	struct wk_code_packed_row now = { 0 }, last = { 0 };
	uint32_t span = 0, line = 0;

	while (span < block->span_count || line < block->line_count) {
		now.start = UINT32_MAX;
		if (span < block->span_count)
			now.start = block->spans[span].start;
		if (line < block->line_count && block->lines[line].start < now.start)
			now.start = block->lines[line].start;
		if (span < block->span_count && block->spans[span].start == now.start)
			now.node = block->spans[span++].node;
		if (line < block->line_count && block->lines[line].start == now.start)
			set_line(packer, &now, &block->lines[line++]);
		if (!says_the_same(&now, &last))
			packer->rows[packer->head.row_count++] = now;
		last = now;
	}
}

/* The first row becomes the base, so that hints are not spent on what lies before it. */
static void set_base(struct packer *packer)
{
	struct head *head = &packer->head;
	uint32_t first = head->row_count ? packer->rows[0].start : 0;

	for (uint32_t i = 0; i < head->row_count; i++)
		packer->rows[i].start -= first;
	head->base = packer->block->base + first;
}

static size_t node_bytes(const struct wk_code_block *block)
{
	return block->node_count * sizeof(struct wk_code_packed_node);
}

/* `len` more bytes; what is there may move. */
static void *extend(struct packer *packer, size_t len)
{
	void *added = wk_buf_extend(&packer->out, len);

	packer->rows = (void *)(packer->out.at + sizeof(struct head) + node_bytes(packer->block));
	return added;
}

/* There may be as many rows as spans and lines. */
static void make_room(struct packer *packer)
{
	const struct wk_code_block *block = packer->block;
	size_t rows = (size_t)block->span_count + block->line_count;

	extend(packer, sizeof(struct head) + node_bytes(block) + rows * sizeof(*packer->rows));
}

static void set_nodes(struct packer *packer)
{
	struct wk_code_packed_node *to = (void *)(packer->out.at + sizeof(struct head));

	for (uint32_t i = 0; i < packer->block->node_count; i++) {
		const struct wk_code_node *node = &packer->block->nodes[i];

		to[i] = (struct wk_code_packed_node){
			.parent = node->parent,
			.function = node->function,
			.call_line = node->call_line,
			.call_file = file_number(packer, node->call_file),
			.call_column = short_column(node->call_column),
		};
	}
}

static void add_hints(struct packer *packer, struct wk_code_hints hints)
{
	uint32_t *hint = extend(packer, ((size_t)hints.count + 1) * sizeof(*hint));
	uint32_t stretch = 0;

	for (uint32_t i = 0; i < packer->head.row_count; i++)
		for (; stretch < hints.count && stretch <= packer->rows[i].start >> hints.shift;
		     stretch++)
			hint[stretch] = i;
	for (; stretch <= hints.count; stretch++)
		hint[stretch] = packer->head.row_count;
}

static void add_rest(struct packer *packer)
{
	struct wk_buf *out = &packer->out;
	struct head *head = &packer->head;
	struct wk_code_hints hints = { 0 };

	if (head->row_count > 0)
		hints = wk_code_hints_for(packer->rows[head->row_count - 1].start,
					  head->row_count);
	out->len = sizeof(*head) + node_bytes(packer->block) +
		   head->row_count * sizeof(*packer->rows);
	wk_buf_add(out, packer->files, head->file_count * sizeof(*packer->files));
	add_hints(packer, hints);
	if (out->len % 8)
		wk_buf_add_u32(out, 0);
	head->hint_shift = hints.shift;
	head->hint_count = hints.count;
	memcpy(out->at, head, sizeof(*head));
}

void *wk_code_block_pack(const struct wk_code_block *block, size_t *size_bytes)
{
	struct packer packer = { .block = block, .head.node_count = block->node_count };

	packer.files = wk_grow(NULL, &packer.file_cap, 1, sizeof(*packer.files));
	packer.files[packer.head.file_count++] = 0;
	make_room(&packer);
	make_rows(&packer);
	set_base(&packer);
	set_nodes(&packer);
	add_rest(&packer);
	free(packer.files);
	wk_map_fini(&packer.file_numbers);
	*size_bytes = packer.out.len;
	return wk_realloc(packer.out.at, packer.out.len);
}

static const void *take(const uint8_t **at, uint64_t count, size_t size_bytes)
{
	const void *taken = *at;

	*at += count * size_bytes;
	return taken;
}

static uint64_t need_of(const struct head *head)
{
	uint64_t words = (uint64_t)head->file_count + head->hint_count + 1;

	return (sizeof(*head) + (uint64_t)head->node_count * sizeof(struct wk_code_packed_node) +
		(uint64_t)head->row_count * sizeof(struct wk_code_packed_row) +
		words * sizeof(uint32_t) + 7) & ~(uint64_t)7;
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
	packed->hints.shift = head->hint_shift;
	packed->hints.count = head->hint_count;
	packed->hints.at = take(&at, (uint64_t)head->hint_count + 1, sizeof(uint32_t));
	packed->size_bytes = (size_t)need_of(head);
	return true;
}

const struct wk_code_packed_row *wk_code_block_find(const struct wk_code_packed *packed,
						    uint64_t vaddr)
{
	uint64_t offset = vaddr - packed->base;
	uint32_t low, high;

	if (vaddr < packed->base || offset > UINT32_MAX)
		return NULL;
	wk_code_hints_narrow(&packed->hints, offset, packed->row_count, &low, &high);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (packed->rows[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &packed->rows[low - 1] : NULL;
}
