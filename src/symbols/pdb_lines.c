/* The line information of a module (C13): files, lines, and where inlined functions begin. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/pdb_block.h"

#define PATH_LIMIT 4096
#define NAMES_MARK 0xeffeeffe

/* With the highest bit set a part is to be ignored. */
enum {
	PART_LINES = 0xf2,
	PART_CHECKSUMS = 0xf4,
	PART_INLINEES = 0xf6,
};

enum {
	INLINEES_HAVE_FILES = 1,
	LINE_BITS = 0xffffff,
	HIDDEN_1 = 0xf00f00, /* lines that debuggers do not stop at */
	HIDDEN_2 = 0xfeefee,
};

/* The next part; false at the end. */
static bool next_part(struct wk_bytes *in, uint32_t *type, struct wk_bytes *body)
{
	uint32_t size;

	if (wk_bytes_left(in) < 8)
		return false;
	*type = wk_u32le(in);
	size = wk_u32le(in);
	*body = wk_bytes_take(in, size);
	if (in->bad)
		return false;
	wk_bytes_skip(in, wk_bytes_left(in) < 3 ? wk_bytes_left(in) : -size % 4);
	return true;
}

/* A file's name by its offset in /names. */
static uint32_t name_text(struct wk_pdb *pdb, uint32_t offset)
{
	uint32_t text = wk_map_find(&pdb->file_names, offset);
	struct wk_bytes at;
	struct wk_str name;

	if (text == 0) {
		at = wk_bytes_of(pdb->names.at, wk_bytes_left(&pdb->names));
		wk_bytes_skip(&at, offset);
		if (wk_bytes_left(&at) > PATH_LIMIT)
			at.end = at.at + PATH_LIMIT;
		name = wk_bytes_text(&at);
		text = at.bad ? 0 : wk_pdb_text(pdb, name);
		text = text ? text : UINT32_MAX;
		wk_map_set(&pdb->file_names, offset, text);
	}
	return text == UINT32_MAX ? 0 : text;
}

static void open_names(struct wk_pdb *pdb)
{
	struct wk_bytes in;
	uint32_t size;

	if (pdb->has_names)
		return;
	pdb->has_names = true;
	pdb->names = wk_bytes_of("", 0);
	if (!wk_msf_read(&pdb->msf, pdb->names_stream, &pdb->names_whole, NULL))
		return;
	in = pdb->names_whole.bytes;
	if (wk_u32le(&in) != NAMES_MARK)
		return;
	wk_bytes_skip(&in, 4);
	size = wk_u32le(&in);
	pdb->names = wk_bytes_take(&in, size);
}

static uint32_t find_file_text(struct wk_pdb *pdb, struct wk_pdb_block *block, uint32_t file_id)
{
	struct wk_bytes at = block->checksums;
	uint32_t text = wk_map_find(&block->file_texts, file_id), offset;

	if (text == 0) {
		open_names(pdb);
		wk_bytes_skip(&at, file_id);
		offset = wk_u32le(&at);
		text = at.bad ? 0 : name_text(pdb, offset);
		text = text ? text : UINT32_MAX;
		wk_map_set(&block->file_texts, file_id, text);
	}
	return text == UINT32_MAX ? 0 : text;
}

uint32_t wk_pdb_file_text(struct wk_pdb *pdb, struct wk_pdb_block *block, uint32_t file_id)
{
	if (!block->has_last_file || block->last_file != file_id) {
		block->last_text = find_file_text(pdb, block, file_id);
		block->last_file = file_id;
		block->has_last_file = true;
	}
	return block->last_text;
}

static void read_inlinees(struct wk_pdb_block *block, struct wk_bytes in)
{
	bool has_files = wk_u32le(&in) & INLINEES_HAVE_FILES;

	while (wk_bytes_left(&in) >= 12) {
		uint32_t id = wk_u32le(&in);
		struct wk_pdb_inlinee inlinee = { wk_u32le(&in), 0 };

		inlinee.line = wk_u32le(&in);
		if (has_files)
			wk_bytes_skip(&in, (uint64_t)wk_u32le(&in) * 4);
		block->inlinees = wk_grow(block->inlinees, &block->inlinee_cap,
					  block->inlinee_count + 1, sizeof(*block->inlinees));
		block->inlinees[block->inlinee_count++] = inlinee;
		wk_map_set(&block->inlinee_of, id, (uint32_t)block->inlinee_count);
	}
}

/* Lines of code that lies in one piece; where it ends, one without a number stands behind them. */
struct stretch {
	uint32_t start, end;
	uint32_t first, count; /* among the block's, without the one behind */
};

struct stretches {
	struct wk_pdb *pdb;
	struct wk_pdb_block *block;
	struct stretch *rows;
	size_t count, cap;
	bool is_disordered; /* one begins before the end of the one before */
};

static void add_line(struct wk_pdb_block *b, struct wk_pdb_line line)
{
	b->lines = wk_grow(b->lines, &b->line_cap, b->line_count + 1, sizeof(*b->lines));
	b->lines[b->line_count++] = line;
}

/* Lines of one file. */
static void read_file_lines(struct wk_pdb_block *block, struct wk_bytes in,
			    const struct stretch *s, uint32_t file, uint32_t count)
{
	for (uint32_t i = 0; i < count && wk_bytes_left(&in) >= 8; i++) {
		uint32_t offset = wk_u32le(&in);
		uint32_t line = wk_u32le(&in) & LINE_BITS;

		if (offset < s->end - s->start && line != HIDDEN_1 && line != HIDDEN_2)
			add_line(block, (struct wk_pdb_line){ s->start + offset, file, line });
	}
}

/* The lines in the order of `keys`. */
static void reorder(struct wk_pdb_line *lines, const struct wk_sort_key *keys, size_t count)
{
	struct wk_pdb_line *copy = wk_alloc(count * sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = lines[keys[i].row];
	memcpy(lines, copy, count * sizeof(*copy));
	free(copy);
}

/* Files are told one after the other, but their lines lie among one another. */
static void sort_lines(struct wk_pdb_line *lines, uint32_t count)
{
	struct wk_sort_key *keys;
	uint32_t sorted = 1;

	while (sorted < count && lines[sorted - 1].start <= lines[sorted].start)
		sorted++;
	if (sorted >= count)
		return;
	keys = wk_alloc(count * sizeof(*keys));
	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct wk_sort_key){ lines[i].start, i };
	wk_sort_keys(keys, count);
	reorder(lines, keys, count);
	free(keys);
}

static void end_stretch(struct stretches *all, struct stretch s)
{
	struct wk_pdb_block *b = all->block;

	s.count = (uint32_t)b->line_count - s.first;
	if (s.count > 1)
		sort_lines(b->lines + s.first, s.count);
	add_line(b, (struct wk_pdb_line){ s.end, 0, 0 });
	if (all->count > 0 && all->rows[all->count - 1].end > s.start)
		all->is_disordered = true;
	all->rows = wk_grow(all->rows, &all->cap, all->count + 1, sizeof(*all->rows));
	all->rows[all->count++] = s;
}

static void read_stretch(struct stretches *all, struct wk_bytes in)
{
	uint32_t offset = wk_u32le(&in), size;
	uint16_t section = wk_u16le(&in);
	struct stretch s = { .first = (uint32_t)all->block->line_count };

	wk_bytes_skip(&in, 2); /* columns lie behind the lines of their file */
	size = wk_u32le(&in);
	if (in.bad || !wk_pdb_source_rva(all->pdb, section, offset, &s.start) || size == 0 ||
	    size > UINT32_MAX - s.start)
		return;
	s.end = s.start + size;
	while (wk_bytes_left(&in) >= 12) {
		uint32_t file_id = wk_u32le(&in), count = wk_u32le(&in), bytes = wk_u32le(&in);

		if (bytes < 12)
			break;
		read_file_lines(all->block, wk_bytes_take(&in, bytes - 12), &s,
				wk_pdb_file_text(all->pdb, all->block, file_id), count);
	}
	end_stretch(all, s);
}

/* Only what begins at `from` or reaches there: before it, another stretch has told. */
static void put_stretch(struct wk_pdb_block *block, const struct wk_pdb_line *lines,
			const struct stretch *s, uint32_t from)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct wk_pdb_line line = lines[s->first + i];

		if (line.start < from && i + 1 < s->count && lines[s->first + i + 1].start <= from)
			continue;
		if (line.start < from)
			line.start = from;
		add_line(block, line);
	}
	add_line(block, (struct wk_pdb_line){ s->end, 0, 0 });
}

/* By address. Functions whose code was folded have stretches at the same place: the first has it,
 * as with the functions themselves. */
static void order_stretches(struct stretches *all)
{
	struct wk_sort_key *keys = wk_alloc((all->count + 1) * sizeof(*keys));
	struct wk_pdb_block *block = all->block;
	struct wk_pdb_line *lines = block->lines;
	uint32_t from = 0;

	for (size_t i = 0; i < all->count; i++)
		keys[i] = (struct wk_sort_key){ all->rows[i].start, (uint32_t)i };
	wk_sort_keys(keys, all->count);
	block->lines = NULL;
	block->line_count = block->line_cap = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct stretch *s = &all->rows[keys[i].row];

		if (s->end <= from)
			continue;
		put_stretch(block, lines, s, from);
		from = s->end;
	}
	free(lines);
	free(keys);
}

static void find_part(struct wk_bytes in, uint32_t wanted, struct wk_bytes *found)
{
	struct wk_bytes body;
	uint32_t type;

	*found = wk_bytes_of("", 0);
	while (next_part(&in, &type, &body))
		if (type == wanted) {
			*found = wk_bytes_of(body.at, wk_bytes_left(&body));
			return;
		}
}

void wk_pdb_read_lines(struct wk_pdb *pdb, struct wk_pdb_block *block)
{
	struct stretches all = { .pdb = pdb, .block = block };
	struct wk_bytes in = block->line_parts, body;
	uint32_t type;

	find_part(in, PART_CHECKSUMS, &block->checksums);
	while (next_part(&in, &type, &body)) {
		if (type == PART_LINES)
			read_stretch(&all, body);
		else if (type == PART_INLINEES)
			read_inlinees(block, body);
	}
	if (all.is_disordered)
		order_stretches(&all);
	free(all.rows);
}
