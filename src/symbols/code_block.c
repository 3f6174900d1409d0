#include "symbols/code_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

#define MOST_SHORT 0xffff /* files and columns that fit */

/* What stands in front; nodes, lines and then all that is 4 bytes wide follow. */
struct head {
	uint64_t base;
	uint32_t node_count, file_count, span_count, line_count;
	uint32_t span_hint_shift, span_hint_count, line_hint_shift, line_hint_count;
};

struct packer {
	const struct wk_code_block *block;
	struct head head;
	uint32_t rebase; /* the block's starts count from its own base: what that is less */
	struct wk_map file_numbers;
	uint32_t *files;
	size_t file_cap;
	uint32_t last_file, last_number;
	uint32_t *span_rows, *line_rows; /* the rows that say something new */
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

static uint16_t column_of(uint32_t column)
{
	return column <= MOST_SHORT ? (uint16_t)column : 0;
}

static void choose_spans(struct packer *packer)
{
	const struct wk_code_block *block = packer->block;
	uint32_t last = 0;

	packer->span_rows = wk_alloc(block->span_count * sizeof(*packer->span_rows));
	for (uint32_t i = 0; i < block->span_count; i++) {
		if (block->spans[i].node == last)
			continue;
		last = block->spans[i].node;
		packer->span_rows[packer->head.span_count++] = i;
	}
}

static bool is_same_line(const struct wk_code_line *a, const struct wk_code_line *b)
{
	if (a->line == 0 || b->line == 0)
		return a->line == b->line;
	return a->line == b->line && a->file == b->file && a->column == b->column;
}

static void choose_lines(struct packer *packer)
{
	static const struct wk_code_line none;
	const struct wk_code_block *block = packer->block;
	const struct wk_code_line *last = &none;

	packer->line_rows = wk_alloc(block->line_count * sizeof(*packer->line_rows));
	for (uint32_t i = 0; i < block->line_count; i++) {
		if (is_same_line(&block->lines[i], last))
			continue;
		last = &block->lines[i];
		packer->line_rows[packer->head.line_count++] = i;
	}
}

static uint32_t span_start(const struct packer *packer, uint32_t i)
{
	return packer->block->spans[packer->span_rows[i]].start - packer->rebase;
}

static uint32_t line_start(const struct packer *packer, uint32_t i)
{
	return packer->block->lines[packer->line_rows[i]].start - packer->rebase;
}

/* The first row becomes the base, so that hints are not spent on what lies before it. */
static void choose_base(struct packer *packer)
{
	struct head *head = &packer->head;
	uint32_t first = UINT32_MAX;

	if (head->span_count > 0)
		first = span_start(packer, 0);
	if (head->line_count > 0 && line_start(packer, 0) < first)
		first = line_start(packer, 0);
	packer->rebase = head->span_count || head->line_count ? first : 0;
	head->base = packer->block->base + packer->rebase;
}

static void add_nodes(struct packer *packer, struct wk_buf *out)
{
	size_t size_bytes = packer->block->node_count * sizeof(struct wk_code_packed_node);
	struct wk_code_packed_node *to = wk_buf_extend(out, size_bytes);

	for (uint32_t i = 0; i < packer->block->node_count; i++) {
		const struct wk_code_node *node = &packer->block->nodes[i];

		to[i] = (struct wk_code_packed_node){
			.parent = node->parent,
			.function = node->function,
			.call_line = node->call_line,
			.call_file = file_number(packer, node->call_file),
			.call_column = column_of(node->call_column),
		};
	}
}

static void add_lines(struct packer *packer, struct wk_buf *out)
{
	size_t size_bytes = packer->head.line_count * sizeof(struct wk_code_packed_line);
	struct wk_code_packed_line *to = wk_buf_extend(out, size_bytes);

	for (uint32_t i = 0; i < packer->head.line_count; i++) {
		const struct wk_code_line *line = &packer->block->lines[packer->line_rows[i]];

		to[i] = (struct wk_code_packed_line){ 0 };
		if (line->line == 0)
			continue;
		to[i].line = line->line;
		to[i].file = file_number(packer, line->file);
		to[i].column = column_of(line->column);
	}
}

/* The starts themselves and then the hints on them. */
static void add_starts(const struct packer *packer, uint32_t count,
		       uint32_t (*start)(const struct packer *packer, uint32_t i),
		       struct wk_code_hints hints, struct wk_buf *out)
{
	uint32_t *to = wk_buf_extend(out, ((size_t)count + hints.count + 1) * sizeof(*to));
	uint32_t *hint = to + count;
	uint32_t stretch = 0;

	for (uint32_t i = 0; i < count; i++) {
		to[i] = start(packer, i);
		for (; stretch <= to[i] >> hints.shift && stretch < hints.count; stretch++)
			hint[stretch] = i;
	}
	for (; stretch <= hints.count; stretch++)
		hint[stretch] = count;
}

static void add_span_nodes(const struct packer *packer, struct wk_buf *out)
{
	uint32_t *to = wk_buf_extend(out, packer->head.span_count * sizeof(*to));

	for (uint32_t i = 0; i < packer->head.span_count; i++)
		to[i] = packer->block->spans[packer->span_rows[i]].node;
}

static void add_all(struct packer *packer, struct wk_buf *out)
{
	struct head *head = &packer->head;
	struct wk_code_hints spans = { 0 }, lines = { 0 };
	size_t at = out->len;

	if (head->span_count > 0)
		spans = wk_code_hints_for(span_start(packer, head->span_count - 1),
					  head->span_count);
	if (head->line_count > 0)
		lines = wk_code_hints_for(line_start(packer, head->line_count - 1),
					  head->line_count);
	wk_buf_extend(out, sizeof(*head));
	add_nodes(packer, out);
	add_lines(packer, out);
	wk_buf_add(out, packer->files, head->file_count * sizeof(*packer->files));
	add_starts(packer, head->span_count, span_start, spans, out);
	add_span_nodes(packer, out);
	add_starts(packer, head->line_count, line_start, lines, out);
	head->span_hint_shift = spans.shift;
	head->span_hint_count = spans.count;
	head->line_hint_shift = lines.shift;
	head->line_hint_count = lines.count;
	memcpy(out->at + at, head, sizeof(*head));
	if ((out->len - at) % 8)
		wk_buf_add_u32(out, 0);
}

void *wk_code_block_pack(const struct wk_code_block *block, size_t *size_bytes)
{
	struct packer packer = { .block = block, .head.node_count = block->node_count };
	struct wk_buf out = { 0 };

	packer.files = wk_grow(NULL, &packer.file_cap, 1, sizeof(*packer.files));
	packer.files[packer.head.file_count++] = 0;
	choose_spans(&packer);
	choose_lines(&packer);
	choose_base(&packer);
	add_all(&packer, &out);
	free(packer.span_rows);
	free(packer.line_rows);
	free(packer.files);
	wk_map_fini(&packer.file_numbers);
	*size_bytes = out.len;
	return wk_realloc(out.at, out.len);
}

static const void *take(const uint8_t **at, uint64_t count, size_t size_bytes)
{
	const void *taken = *at;

	*at += count * size_bytes;
	return taken;
}

static uint64_t need_of(const struct head *head)
{
	uint64_t words = 2;

	words += (uint64_t)head->file_count + head->line_count + head->line_hint_count;
	words += (uint64_t)head->span_count * 2 + head->span_hint_count;
	return sizeof(*head) + words * sizeof(uint32_t) +
	       (uint64_t)head->node_count * sizeof(struct wk_code_packed_node) +
	       (uint64_t)head->line_count * sizeof(struct wk_code_packed_line);
}

static void spread(struct wk_code_packed *packed, const struct head *head)
{
	const uint8_t *at = (const uint8_t *)(head + 1);

	packed->nodes = take(&at, head->node_count, sizeof(*packed->nodes));
	packed->lines = take(&at, head->line_count, sizeof(*packed->lines));
	packed->files = take(&at, head->file_count, sizeof(*packed->files));
	packed->span_starts = take(&at, head->span_count, sizeof(*packed->span_starts));
	packed->span_hints.at = take(&at, (uint64_t)head->span_hint_count + 1, sizeof(uint32_t));
	packed->span_nodes = take(&at, head->span_count, sizeof(*packed->span_nodes));
	packed->line_starts = take(&at, head->line_count, sizeof(*packed->line_starts));
	packed->line_hints.at = take(&at, (uint64_t)head->line_hint_count + 1, sizeof(uint32_t));
}

bool wk_code_block_open(struct wk_code_packed *packed, const void *bytes, size_t len)
{
	const struct head *head = bytes;
	uint64_t need;

	if (len < sizeof(*head))
		return false;
	need = (need_of(head) + 7) & ~(uint64_t)7;
	if (len < need)
		return false;
	packed->base = head->base;
	packed->node_count = head->node_count;
	packed->file_count = head->file_count;
	packed->span_count = head->span_count;
	packed->line_count = head->line_count;
	packed->span_hints.shift = head->span_hint_shift;
	packed->span_hints.count = head->span_hint_count;
	packed->line_hints.shift = head->line_hint_shift;
	packed->line_hints.count = head->line_hint_count;
	packed->size_bytes = (size_t)need;
	spread(packed, head);
	return true;
}

void wk_code_block_find(const struct wk_code_packed *packed, uint64_t vaddr, uint32_t *node,
			const struct wk_code_packed_line **line)
{
	uint64_t offset = vaddr - packed->base;
	uint32_t upto;

	*node = 0;
	*line = NULL;
	if (vaddr < packed->base || offset > UINT32_MAX)
		return;
	upto = wk_code_search(packed->span_starts, packed->span_count, &packed->span_hints,
			      (uint32_t)offset);
	if (upto && packed->span_nodes[upto - 1] < packed->node_count)
		*node = packed->span_nodes[upto - 1];
	upto = wk_code_search(packed->line_starts, packed->line_count, &packed->line_hints,
			      (uint32_t)offset);
	if (upto && packed->lines[upto - 1].line)
		*line = &packed->lines[upto - 1];
}
