#include "symbols/dwarf/line.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbols/dwarf/line_head.h"

/* The programs of compilers have 4 to 8 bytes a row. Space for those of a large one is allocated at
 * once. */
#define LIKELY_ROW_BYTES 4
#define LARGE_PROGRAM    ((size_t)128 * 1024)

enum standard_opcode {
	LNS_EXTENDED,
	LNS_COPY,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	LNS_SET_PROLOGUE_END,
	LNS_SET_EPILOGUE_BEGIN,
	LNS_SET_ISA,
};

enum extended_opcode {
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	LNE_DEFINE_FILE = 3,
};

/* Rows from `first` on, the one that ends it aside. */
struct sequence {
	uint64_t start, end;
	size_t first, count;
};

/* The state machine of the specification: input, registers, output. */
struct machine {
	struct wk_line_head head;
	struct wk_line_files files;
	struct wk_bytes in;

	uint64_t address, address_mask;
	uint32_t operation; /* of an instruction that has several */
	uint32_t file;      /* text id */
	uint32_t line, column;

	struct wk_dwarf_lines *lines;
	struct sequence *sequences;
	size_t sequence_count, sequence_cap;
	size_t first;   /* row of the current sequence */
	bool is_begun;  /* has the sequence a row? */
	bool is_sorted; /* the sequences so far, one behind the other */
	bool is_kept;   /* false: the linker threw the code away */
};

static uint32_t file_id(const struct machine *m, uint64_t number)
{
	return number < m->lines->file_count ? m->lines->files[number] : 0;
}

static void reset(struct machine *m)
{
	m->address = 0;
	m->operation = 0;
	m->file = file_id(m, 1);
	m->line = 1;
	m->column = 0;
	m->is_begun = false;
	m->is_kept = true;
	m->first = m->lines->row_count;
}

/* Starts again, for about that many. */
static void expect_rows(struct wk_dwarf_lines *lines, size_t likely)
{
	lines->row_count = 0;
	if (likely <= lines->row_cap)
		return;
	wk_free(lines->rows);
	lines->rows = wk_alloc_table(likely * sizeof(*lines->rows));
	lines->row_cap = likely;
}

static struct wk_dwarf_row *add_row(struct wk_dwarf_lines *lines)
{
	if (lines->row_count == lines->row_cap)
		WK_RESERVE(lines->rows, lines->row_cap, lines->row_count + 1);
	return &lines->rows[lines->row_count++];
}

/* Code dropped by a linker keeps its lines, at impossible addresses: at 0 or at the last ones. */
static bool is_dropped(const struct machine *m, uint64_t address)
{
	return address == 0 || address >= m->address_mask - 1;
}

/* Ends the sequence at `end`, which later rows may not go below. */
static void end_sequence(struct machine *m, uint64_t end)
{
	struct wk_dwarf_lines *lines = m->lines;
	struct sequence *s, *before;

	while (lines->row_count > m->first && lines->rows[lines->row_count - 1].address >= end)
		lines->row_count--; /* no address is left for it */
	if (lines->row_count == m->first)
		return;
	WK_RESERVE(m->sequences, m->sequence_cap, m->sequence_count + 1);
	s = &m->sequences[m->sequence_count];
	*s = (struct sequence){
		.start = lines->rows[m->first].address,
		.end = end,
		.first = m->first,
		.count = lines->row_count - m->first,
	};
	before = m->sequence_count > 0 ? s - 1 : NULL;
	if (before && before->end > s->start)
		m->is_sorted = false;
	*add_row(lines) = (struct wk_dwarf_row){ .address = end, .is_end = true };
	m->sequence_count++;
}

/* The first row of a sequence, or one below the preceding row, which starts a new sequence. */
static void begin_row(struct machine *m)
{
	if (m->is_begun) {
		end_sequence(m, m->lines->rows[m->lines->row_count - 1].address);
		m->first = m->lines->row_count;
	} else if (is_dropped(m, m->address)) {
		m->is_kept = false;
		return;
	}
	m->is_begun = true;
	*add_row(m->lines) = (struct wk_dwarf_row){
		.address = m->address, .file = m->file, .line = m->line, .column = m->column };
}

/* Of several rows at one address the last counts; one that only repeats the preceding row, as rows
 * that mark the start of a statement do, is dropped. */
static inline void emit(struct machine *m)
{
	struct wk_dwarf_row *last;

	m->address &= m->address_mask;
	last = m->is_begun ? &m->lines->rows[m->lines->row_count - 1] : NULL;
	if (!last || m->address < last->address) {
		if (m->is_kept)
			begin_row(m);
		return;
	}
	if (m->address != last->address) {
		if (m->line == last->line && m->column == last->column && m->file == last->file)
			return;
		last = add_row(m->lines);
		last->address = m->address;
		last->is_end = false;
	}
	last->file = m->file;
	last->line = m->line;
	last->column = m->column;
}

static inline void advance(struct machine *m, uint64_t operations)
{
	if (m->head.max_operations <= 1) {
		m->address += m->head.min_instruction_bytes * operations;
		return;
	}
	operations += m->operation;
	m->address += m->head.min_instruction_bytes * (operations / m->head.max_operations);
	m->operation = (uint32_t)(operations % m->head.max_operations);
}

static void set_address(struct machine *m, struct wk_bytes *in)
{
	uint64_t address = 0;
	size_t size = wk_bytes_left(in);

	for (size_t i = 0; i < size && i < 8; i++) {
		unsigned shift = 8 * (unsigned)(in->big_endian ? size - 1 - i : i);

		address |= (uint64_t)wk_u8(in) << (shift & 63);
	}
	m->address = address;
	m->operation = 0;
}

/* Their length comes first, so one that is not known is passed over. */
static void run_extended(struct machine *m)
{
	uint64_t length = wk_uleb(&m->in);
	struct wk_bytes in = wk_bytes_slice(&m->in, length);

	switch (wk_u8(&in)) {
	case LNE_END_SEQUENCE:
		end_sequence(m, m->address & m->address_mask);
		reset(m);
		break;
	case LNE_SET_ADDRESS:
		set_address(m, &in);
		break;
	case LNE_DEFINE_FILE:
		wk_line_files_define(&m->files, &in);
		break;
	default:
		break;
	}
}

/* The header contains the number of operands of opcodes that this version of wick does not know. */
static void pass_over(struct machine *m, uint8_t opcode)
{
	for (uint8_t i = 0; i < m->head.opcode_lengths[opcode - 1]; i++)
		wk_uleb(&m->in);
}

static void run_standard(struct machine *m, uint8_t opcode)
{
	switch (opcode) {
	case LNS_EXTENDED:
		run_extended(m);
		break;
	case LNS_COPY:
		emit(m);
		break;
	case LNS_ADVANCE_PC:
		advance(m, wk_uleb(&m->in));
		break;
	case LNS_ADVANCE_LINE:
		m->line += (uint32_t)wk_sleb(&m->in);
		break;
	case LNS_SET_FILE:
		m->file = file_id(m, wk_uleb(&m->in));
		break;
	case LNS_SET_COLUMN:
		m->column = (uint32_t)wk_uleb(&m->in);
		break;
	case LNS_CONST_ADD_PC:
		advance(m, (UINT8_MAX - m->head.opcode_base) / m->head.line_range);
		break;
	case LNS_FIXED_ADVANCE_PC:
		m->address += wk_u16(&m->in);
		m->operation = 0;
		break;
	case LNS_NEGATE_STMT:
	case LNS_SET_BASIC_BLOCK:
	case LNS_SET_PROLOGUE_END:
	case LNS_SET_EPILOGUE_BEGIN:
		break;
	case LNS_SET_ISA:
	default:
		pass_over(m, opcode);
		break;
	}
}

static inline void run_special(struct machine *m, uint8_t opcode)
{
	uint8_t adjusted = opcode - m->head.opcode_base;

	advance(m, adjusted / m->head.line_range);
	m->line += (uint32_t)(m->head.line_base + adjusted % m->head.line_range);
	emit(m);
}

static void run(struct machine *m)
{
	while (m->in.at < m->in.end) {
		uint8_t opcode = *m->in.at++;

		if (opcode >= m->head.opcode_base)
			run_special(m, opcode);
		else
			run_standard(m, opcode);
	}
	/* Cut off before its end: how far its last row reaches is not known. */
	if (m->is_begun)
		end_sequence(m, m->lines->rows[m->lines->row_count - 1].address);
}

/* If two sequences claim an address, the one that begins first wins. */
static void gather(struct machine *m, const struct wk_dwarf_row *from, const struct sequence *s,
		   uint64_t *covered)
{
	const struct wk_dwarf_row *row = from + s->first, *end = row + s->count;
	struct wk_dwarf_row *added;

	if (s->end <= *covered)
		return;
	while (row + 1 < end && row[1].address <= *covered)
		row++;
	for (; row < end; row++) {
		added = add_row(m->lines);
		*added = *row;
		if (added->address < *covered)
			added->address = *covered;
	}
	*add_row(m->lines) = (struct wk_dwarf_row){ .address = s->end, .is_end = true };
	*covered = s->end;
}

static void sort_sequences(struct machine *m)
{
	struct wk_dwarf_lines *lines = m->lines;
	struct wk_dwarf_row *from = lines->rows;
	size_t count = lines->row_count;
	struct wk_sort_key *keys = WK_SORT_ORDER(m->sequences, m->sequence_count, start);
	uint64_t covered = 0;

	lines->rows = NULL;
	lines->row_cap = 0;
	expect_rows(lines, count);
	for (size_t i = 0; i < m->sequence_count; i++)
		gather(m, from, &m->sequences[keys[i].row], &covered);
	WK_FREE_ALL(from, keys);
}

/* At the start of the next sequence, the end of the preceding one is meaningless. */
static void drop_ends(struct wk_dwarf_lines *lines)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->row_count; i++) {
		if (lines->rows[i].is_end && i + 1 < lines->row_count &&
		    lines->rows[i + 1].address == lines->rows[i].address)
			continue;
		if (kept != i)
			lines->rows[kept] = lines->rows[i];
		kept++;
	}
	lines->row_count = kept;
}

static void read_rows(struct machine *m)
{
	m->in = m->head.program;
	if (wk_bytes_left(&m->in) >= LARGE_PROGRAM)
		expect_rows(m->lines, wk_bytes_left(&m->in) / LIKELY_ROW_BYTES);
	m->is_sorted = true;
	m->address_mask = m->head.address_size == 4 ? UINT32_MAX : UINT64_MAX;
	reset(m);
	run(m);
	if (!m->is_sorted)
		sort_sequences(m);
	if (m->sequence_count > 1)
		drop_ends(m->lines);
	wk_free(m->sequences);
}

bool wk_dwarf_lines_read(const struct wk_dwarf_line_input *input, bool wants_rows,
			 struct wk_code_index *index, struct wk_dwarf_lines *lines,
			 struct wk_err *err)
{
	struct machine m = { .lines = lines };
	bool ok;

	lines->file_count = lines->row_count = 0;
	if (!wk_line_head_read(input, &m.head, err))
		return false;
	wk_line_files_init(&m.files, input, &m.head, index, lines);
	ok = wk_line_files_read(&m.files, err);
	if (wants_rows)
		read_rows(&m);
	wk_line_files_fini(&m.files);
	return ok;
}

void wk_dwarf_lines_fini(struct wk_dwarf_lines *lines)
{
	WK_FREE_ALL(lines->files, lines->rows);
	*lines = (struct wk_dwarf_lines){ 0 };
}
