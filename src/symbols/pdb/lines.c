/* The line information of a module (C13): files, lines, and the starts of inlined functions. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "symbols/pdb/block.h"

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
	*body = wk_bytes_slice(in, size);
	if (in->bad)
		return false;
	wk_bytes_skip(in, wk_bytes_left(in) < 3 ? wk_bytes_left(in) : -size % 4);
	return true;
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
	pdb->names = wk_bytes_slice(&in, size);
}

/* A file's name by its offset in /names. */
static uint32_t name_text(struct wk_pdb *pdb, uint32_t offset)
{
	uint32_t *text = wk_map_at(&pdb->file_names, offset);
	struct wk_bytes at = wk_bytes_of(pdb->names.at, wk_bytes_left(&pdb->names));
	struct wk_str name;

	if (*text == 0) {
		wk_bytes_skip(&at, offset);
		if (wk_bytes_left(&at) > PATH_LIMIT)
			at.end = at.at + PATH_LIMIT;
		name = wk_bytes_text(&at);
		*text = at.bad ? 0 : wk_pdb_text(pdb, name);
		*text = *text ? *text : UINT32_MAX;
	}
	return *text == UINT32_MAX ? 0 : *text;
}

uint32_t wk_pdb_file_text(struct wk_pdb *pdb, struct wk_pdb_block *block, uint32_t file_id)
{
	struct wk_bytes at = block->outline->checksums;
	uint32_t offset;

	if (!block->has_last_file || block->last_file != file_id) {
		open_names(pdb);
		wk_bytes_skip(&at, file_id);
		offset = wk_u32le(&at);
		block->last_text = at.bad ? 0 : name_text(pdb, offset);
		block->last_file = file_id;
		block->has_last_file = true;
	}
	return block->last_text;
}

static void read_inlinees(struct wk_pdb_outline *outline, struct wk_bytes in)
{
	bool has_files = wk_u32le(&in) & INLINEES_HAVE_FILES;

	while (wk_bytes_left(&in) >= 12) {
		uint32_t id = wk_u32le(&in);
		struct wk_pdb_inlinee inlinee = { wk_u32le(&in), 0 };

		inlinee.line = wk_u32le(&in);
		if (has_files)
			wk_bytes_skip(&in, (uint64_t)wk_u32le(&in) * 4);
		*WK_APPEND(outline->inlinees, outline->inlinee_count, outline->inlinee_cap) =
			inlinee;
		wk_map_set(&outline->inlinee_of, id, (uint32_t)outline->inlinee_count);
	}
}

static void outline_stretch(const struct wk_pdb *pdb, struct wk_pdb_outline *outline,
			    struct wk_bytes in)
{
	uint32_t offset = wk_u32le(&in), start, size;
	uint16_t section = wk_u16le(&in);

	wk_bytes_skip(&in, 2); /* columns follow the lines of their file */
	size = wk_u32le(&in);
	if (in.bad || !wk_pdb_source_rva(pdb, section, offset, &start) || size == 0 ||
	    size > UINT32_MAX - start)
		return;
	*WK_APPEND(outline->stretches, outline->stretch_count, outline->stretch_cap) =
		(struct wk_pdb_stretch){ .start = start, .end = start + size, .files = in };
}

/* By address. Functions whose code was folded have stretches at the same place: the first has it,
 * as with the functions themselves. */
static void order_stretches(struct wk_pdb_outline *outline)
{
	struct wk_sort_key *keys = WK_SORT_ORDER(outline->stretches, outline->stretch_count, start);
	struct wk_pdb_stretch *sorted = wk_alloc((outline->stretch_count + 1) * sizeof(*sorted));
	size_t count = 0;

	for (size_t i = 0; i < outline->stretch_count; i++) {
		struct wk_pdb_stretch s = outline->stretches[keys[i].row];
		uint32_t from = count ? sorted[count - 1].end : 0;

		s.from = s.start < from ? from : s.start;
		if (s.end > s.from)
			sorted[count++] = s;
	}
	WK_FREE_ALL(keys, outline->stretches);
	outline->stretches = sorted;
	outline->stretch_count = count;
}

static void add_line(struct wk_pdb_block *b, struct wk_pdb_line line)
{
	*WK_APPEND(b->lines, b->line_count, b->line_cap) = line;
}

/* Lines of one file. */
static void read_file_lines(struct wk_pdb_block *block, struct wk_bytes in,
			    const struct wk_pdb_stretch *s, uint32_t file, uint32_t count)
{
	for (uint32_t i = 0; i < count && wk_bytes_left(&in) >= 8; i++) {
		uint32_t offset = wk_u32le(&in);
		uint32_t line = wk_u32le(&in) & LINE_BITS;

		if (offset < s->end - s->start && line != HIDDEN_1 && line != HIDDEN_2)
			add_line(block, (struct wk_pdb_line){ s->start + offset, file, line });
	}
}

/* Files come one after the other, but their lines interleave. */
static void sort_lines(struct wk_pdb_line *lines, uint32_t count)
{
	struct wk_pdb_line *copy;
	struct wk_sort_key *keys;
	uint32_t sorted = 1;

	while (sorted < count && lines[sorted - 1].start <= lines[sorted].start)
		sorted++;
	if (sorted >= count)
		return;
	keys = WK_SORT_ORDER(lines, count, start);
	copy = wk_alloc(count * sizeof(*copy));
	memcpy(copy, lines, count * sizeof(*copy));
	for (uint32_t i = 0; i < count; i++)
		lines[i] = copy[keys[i].row];
	WK_FREE_ALL(keys, copy);
}

/* Only what begins at `from` or reaches there, and before `end`. */
static void cut_lines(struct wk_pdb_block *b, size_t first, uint32_t from, uint64_t end)
{
	size_t to = first;

	for (size_t i = first; i < b->line_count; i++) {
		struct wk_pdb_line line = b->lines[i];

		if (line.start >= end ||
		    (line.start < from && i + 1 < b->line_count && b->lines[i + 1].start <= from))
			continue;
		if (line.start < from)
			line.start = from;
		b->lines[to++] = line;
	}
	b->line_count = to;
}

/* An interval that ends is followed by a line without a number. */
static void read_stretch(struct wk_pdb *pdb, struct wk_pdb_block *b, const struct wk_pdb_stretch *s)
{
	struct wk_bytes in = s->files;
	size_t first = b->line_count;
	uint32_t from = s->from < b->low ? b->low : s->from;

	while (wk_bytes_left(&in) >= 12) {
		uint32_t file_id = wk_u32le(&in), count = wk_u32le(&in), bytes = wk_u32le(&in);

		if (bytes < 12)
			break;
		read_file_lines(b, wk_bytes_slice(&in, bytes - 12), s,
				wk_pdb_file_text(pdb, b, file_id), count);
	}
	if (b->line_count - first > 1)
		sort_lines(b->lines + first, (uint32_t)(b->line_count - first));
	/* A function that begins with an inlined call has no row for its own first bytes. */
	if (b->line_count > first)
		b->lines[first].start = s->start;
	if (from > s->start || b->high < s->end)
		cut_lines(b, first, from, b->high);
	if (s->end < b->high)
		add_line(b, (struct wk_pdb_line){ s->end, 0, 0 });
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

void wk_pdb_outline_lines(const struct wk_pdb *pdb, struct wk_pdb_outline *outline)
{
	struct wk_bytes in = outline->line_parts, body;
	uint32_t type;

	find_part(in, PART_CHECKSUMS, &outline->checksums);
	while (next_part(&in, &type, &body)) {
		if (type == PART_LINES)
			outline_stretch(pdb, outline, body);
		else if (type == PART_INLINEES)
			read_inlinees(outline, body);
	}
	order_stretches(outline);
}

/* The first that reaches beyond `address`. */
static size_t stretches_from(const struct wk_pdb_outline *outline, uint32_t address)
{
	size_t low = 0, high = outline->stretch_count;

	WK_BISECT(low, high, outline->stretches[middle].end <= address);
	return low;
}

void wk_pdb_read_lines(struct wk_pdb *pdb, struct wk_pdb_block *block)
{
	const struct wk_pdb_outline *outline = block->outline;

	for (size_t i = stretches_from(outline, block->low);
	     i < outline->stretch_count && outline->stretches[i].from < block->high; i++)
		read_stretch(pdb, block, &outline->stretches[i]);
}
