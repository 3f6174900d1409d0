/* Binary annotations: small programs by which an inlined call stores its code ranges and lines. */
#include "base/mem.h"
#include "symbols/pdb/block.h"

enum {
	OP_END,
	OP_CODE_OFFSET,
	OP_CODE_OFFSET_BASE,
	OP_CHANGE_CODE_OFFSET,
	OP_CODE_LENGTH,
	OP_FILE,
	OP_LINE_OFFSET,
	OP_LINE_END_DELTA,
	OP_RANGE_KIND,
	OP_COLUMN_START,
	OP_COLUMN_END_DELTA,
	OP_CODE_AND_LINE_OFFSET,
	OP_CODE_LENGTH_AND_OFFSET,
	OP_COLUMN_END,
};

struct state {
	struct wk_pdb *pdb;
	struct wk_pdb_block *block;
	uint64_t start, limit; /* of the function */
	uint32_t site;
	uint32_t code, file, line;
	bool is_open; /* the last row has no end yet */
};

/* One to four bytes; what no writer makes ends the program. */
static uint32_t number(struct wk_bytes *in)
{
	uint32_t first = wk_u8(in);

	if (first < 0x80)
		return first;
	if (first < 0xc0)
		return (first & 0x3f) << 8 | wk_u8(in);
	if (first < 0xe0) {
		uint32_t second = wk_u8(in), third = wk_u8(in);

		return (first & 0x1f) << 24 | second << 16 | third << 8 | wk_u8(in);
	}
	in->bad = true;
	return 0;
}

/* Its lowest bit is the sign. */
static uint32_t signed_of(uint32_t value)
{
	return value & 1 ? 0 - (value >> 1) : value >> 1;
}

/* The open row ends at `code`; one without any code is none. */
static void end_row(struct state *s, uint64_t code)
{
	struct wk_pdb_block *b = s->block;
	uint64_t end = s->start + code;

	if (!s->is_open)
		return;
	s->is_open = false;
	end = end < s->limit ? end : s->limit;
	if (end > b->rows[b->row_count - 1].start)
		b->rows[b->row_count - 1].end = (uint32_t)end;
	else
		b->row_count--;
}

static void begin_row(struct state *s)
{
	struct wk_pdb_block *b = s->block;
	uint64_t start = s->start + s->code;

	end_row(s, s->code);
	if (start >= s->limit)
		return;
	*WK_APPEND(b->rows, b->row_count, b->row_cap) = (struct wk_pdb_site_row){
		.start = (uint32_t)start, .site = s->site, .file = s->file, .line = s->line };
	s->is_open = true;
}

/* A change of line is a row of its own if nothing that starts a row follows. */
static bool is_followed_by_none(const struct wk_bytes *in)
{
	return wk_bytes_left(in) == 0 || *in->at == OP_END || *in->at == OP_CODE_LENGTH ||
	       *in->at == OP_CODE_AND_LINE_OFFSET;
}

static void step(struct state *s, struct wk_bytes *in, uint32_t op)
{
	uint32_t value = number(in), second;

	if (in->bad)
		return;
	switch (op) {
	case OP_CODE_OFFSET:
		s->code = value;
		break;
	case OP_CHANGE_CODE_OFFSET:
		s->code += value;
		begin_row(s);
		break;
	case OP_CODE_LENGTH:
		end_row(s, (uint64_t)s->code + value);
		s->code += value;
		break;
	case OP_FILE:
		s->file = wk_pdb_file_text(s->pdb, s->block, value);
		break;
	case OP_LINE_OFFSET:
		s->line += signed_of(value);
		if (is_followed_by_none(in))
			begin_row(s);
		break;
	case OP_CODE_AND_LINE_OFFSET:
		s->line += signed_of(value >> 4);
		s->code += value & 15;
		begin_row(s);
		break;
	case OP_CODE_LENGTH_AND_OFFSET:
		second = number(in);
		s->code += second;
		begin_row(s);
		end_row(s, (uint64_t)s->code + value);
		break;
	default: /* columns and the like */
		break;
	}
}

void wk_pdb_run_annotations(struct wk_pdb *pdb, struct wk_pdb_block *block, struct wk_bytes in,
			    uint32_t site, const struct wk_pdb_inlinee *inlinee)
{
	const struct wk_pdb_proc *proc = &block->procs[block->sites[site].proc];
	struct state s = {
		.pdb = pdb,
		.block = block,
		.start = proc->start,
		.limit = proc->end,
		.site = site,
		.file = wk_pdb_file_text(pdb, block, inlinee->file_id),
		.line = inlinee->line,
	};

	while (!in.bad && wk_bytes_left(&in) > 0) {
		uint32_t op = number(&in);

		if (in.bad || op == OP_END || op > OP_COLUMN_END)
			break;
		step(&s, &in, op);
	}
	end_row(&s, 0);
}
