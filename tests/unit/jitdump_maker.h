/* Makes jitdump bytes for tests, in either byte order. */
#ifndef WK_TEST_JITDUMP_MAKER_H
#define WK_TEST_JITDUMP_MAKER_H

#include "base/buf.h"

struct jitdump_maker {
	struct wk_buf out;
	bool big_endian;
	size_t record_at;
};

static inline void jit_put(struct jitdump_maker *m, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		wk_buf_add_char(&m->out, (char)(value >> 8 * (m->big_endian ? bytes - 1 - i : i)));
}

static inline void jit_put32(struct jitdump_maker *m, uint32_t a, uint32_t b)
{
	jit_put(m, a, 4);
	jit_put(m, b, 4);
}

static inline void jit_text(struct jitdump_maker *m, const char *text)
{
	wk_buf_add(&m->out, text, strlen(text) + 1);
}

static inline void jit_begin(struct jitdump_maker *m, uint32_t pid, uint64_t time_ns,
			     uint64_t flags)
{
	jit_put32(m, 0x4a695444, 1);
	jit_put32(m, 40, 62);
	jit_put32(m, 0, pid);
	jit_put(m, time_ns, 8);
	jit_put(m, flags, 8);
}

static inline void jit_record(struct jitdump_maker *m, uint32_t kind, uint64_t time_ns)
{
	m->record_at = m->out.len;
	jit_put32(m, kind, 0);
	jit_put(m, time_ns, 8);
}

static inline void jit_end(struct jitdump_maker *m)
{
	uint32_t size = (uint32_t)(m->out.len - m->record_at);

	for (size_t i = 0; i < 4; i++)
		m->out.at[m->record_at + 4 + i] = (char)(size >> 8 * (m->big_endian ? 3 - i : i));
}

static inline void jit_load(struct jitdump_maker *m, uint64_t time_ns, uint64_t start,
			    uint64_t size, uint64_t index, const char *name)
{
	jit_record(m, 0, time_ns);
	jit_put32(m, 7, 7);
	jit_put(m, start, 8);
	jit_put(m, start, 8);
	jit_put(m, size, 8);
	jit_put(m, index, 8);
	jit_text(m, name);
	for (uint64_t i = 0; i < size; i++)
		wk_buf_add_char(&m->out, (char)0xc3);
	jit_end(m);
}

static inline void jit_move(struct jitdump_maker *m, uint64_t time_ns, uint64_t from, uint64_t to,
			    uint64_t size, uint64_t index)
{
	jit_record(m, 1, time_ns);
	jit_put32(m, 7, 7);
	jit_put(m, to, 8);
	jit_put(m, from, 8);
	jit_put(m, to, 8);
	jit_put(m, size, 8);
	jit_put(m, index, 8);
	jit_end(m);
}

static inline void jit_lines(struct jitdump_maker *m, uint64_t time_ns, uint64_t start,
			     uint64_t count)
{
	jit_record(m, 2, time_ns);
	jit_put(m, start, 8);
	jit_put(m, count, 8);
}

static inline void jit_line(struct jitdump_maker *m, uint64_t address, uint32_t line,
			    const char *file)
{
	jit_put(m, address, 8);
	jit_put32(m, line, 0);
	jit_text(m, file);
}

#endif
