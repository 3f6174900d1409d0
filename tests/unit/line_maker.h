/* Line programs made by hand, for tests: a header of any version, tables, opcodes.
 *
 * Order of calls: line_begin, the tables' bytes, line_end_tables, opcodes, line_end. */
#ifndef WK_TESTS_LINE_MAKER_H
#define WK_TESTS_LINE_MAKER_H

#include "elf_writer.h"

struct line_maker {
	struct wk_buf out;
	bool big_endian, is_64;
	uint16_t version;
	uint8_t max_operations, min_instruction_bytes, opcode_base;
	size_t length_at, tables_length_at;
};

static inline void line_u8(struct line_maker *m, unsigned value)
{
	elf_put(&m->out, m->big_endian, value, 1);
}

static inline void line_offset(struct line_maker *m, uint64_t value)
{
	elf_put(&m->out, m->big_endian, value, m->is_64 ? 8 : 4);
}

static inline void line_text(struct line_maker *m, const char *text)
{
	wk_buf_add(&m->out, text, strlen(text) + 1);
}

static inline void line_uleb(struct line_maker *m, uint64_t value)
{
	do {
		line_u8(m, (value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
}

static inline void line_sleb(struct line_maker *m, int64_t value)
{
	bool more = true;

	while (more) {
		unsigned byte = value & 0x7f;

		value >>= 7;
		more = !((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40));
		line_u8(m, byte | (more ? 0x80 : 0));
	}
}

/* Puts `value` where room was left for it. */
static inline void line_patch(struct line_maker *m, size_t at, uint64_t value)
{
	struct wk_buf bytes = { 0 };

	elf_put(&bytes, m->big_endian, value, m->is_64 ? 8 : 4);
	memcpy(m->out.at + at, bytes.at, bytes.len);
	wk_buf_fini(&bytes);
}

/* line_base -3, line_range 12. */
static inline void line_begin(struct line_maker *m)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0 };

	if (m->is_64)
		elf_put(&m->out, m->big_endian, UINT32_MAX, 4);
	m->length_at = m->out.len;
	line_offset(m, 0);
	elf_put(&m->out, m->big_endian, m->version, 2);
	if (m->version >= 5) {
		line_u8(m, 8);
		line_u8(m, 0);
	}
	m->tables_length_at = m->out.len;
	line_offset(m, 0);
	line_u8(m, m->min_instruction_bytes ? m->min_instruction_bytes : 1);
	if (m->version >= 4)
		line_u8(m, m->max_operations ? m->max_operations : 1);
	line_u8(m, 1);
	line_u8(m, (uint8_t)-3);
	line_u8(m, 12);
	m->opcode_base = m->opcode_base ? m->opcode_base : m->version == 2 ? 10 : 13;
	line_u8(m, m->opcode_base);
	for (unsigned i = 0; i + 1u < m->opcode_base; i++)
		line_u8(m, lengths[i]);
}

static inline void line_end_tables(struct line_maker *m)
{
	line_patch(m, m->tables_length_at, m->out.len - m->tables_length_at - (m->is_64 ? 8 : 4));
}

static inline void line_end(struct line_maker *m)
{
	line_patch(m, m->length_at, m->out.len - m->length_at - (m->is_64 ? 8 : 4));
}

/* The tables of DWARF 2 to 4 that most tests want: /inc and sub; a.c, b.h in /inc, c.h in sub. */
static inline void line_old_tables(struct line_maker *m)
{
	static const struct {
		const char *name;
		unsigned directory;
	} files[] = { { "a.c", 0 }, { "b.h", 1 }, { "c.h", 2 } };

	line_text(m, "/inc");
	line_text(m, "sub");
	line_u8(m, 0);
	for (unsigned i = 0; i < 3; i++) {
		line_text(m, files[i].name);
		line_uleb(m, files[i].directory);
		line_uleb(m, 1234567);
		line_uleb(m, 0);
	}
	line_u8(m, 0);
	line_end_tables(m);
}

enum {
	LINE_COPY = 1,
	LINE_ADVANCE_PC,
	LINE_ADVANCE_LINE,
	LINE_SET_FILE,
	LINE_SET_COLUMN,
	LINE_NEGATE_STMT,
	LINE_SET_BASIC_BLOCK,
	LINE_CONST_ADD_PC,
	LINE_FIXED_ADVANCE_PC,
	LINE_SET_PROLOGUE_END,
	LINE_SET_EPILOGUE_BEGIN,
	LINE_SET_ISA,
};

static inline void line_set_address(struct line_maker *m, uint64_t address)
{
	line_u8(m, 0);
	line_uleb(m, 9);
	line_u8(m, 2);
	elf_put(&m->out, m->big_endian, address, 8);
}

static inline void line_end_sequence(struct line_maker *m)
{
	line_u8(m, 0);
	line_uleb(m, 1);
	line_u8(m, 1);
}

/* Opcode and its one number. */
static inline void line_op(struct line_maker *m, unsigned opcode, uint64_t value)
{
	line_u8(m, opcode);
	line_uleb(m, value);
}

/* The special opcode that moves on by so many operations and lines (-3 to 8), with a row. */
static inline void line_special(struct line_maker *m, unsigned operations, int lines)
{
	line_u8(m, m->opcode_base + operations * 12 + (unsigned)(lines + 3));
}

#endif
