/* Makes perf.data bytes for tests, in either byte order, and tells events as text.
 *
 * perf_begin_*, then attrs, then perf_begin_data (file mode), then records between
 * perf_record and perf_end_record, then perf_end (file mode). */
#ifndef WK_TEST_PERF_MAKER_H
#define WK_TEST_PERF_MAKER_H

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/out.h"
#include "event/dump.h"
#include "formats/perf/format.h"
#include "formats/reader.h"

struct perf_maker {
	struct wk_buf out;
	bool big_endian;
	size_t data_at, record_at;
};

static inline void put(struct perf_maker *m, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		wk_buf_add_char(&m->out, (char)(value >> 8 * (m->big_endian ? bytes - 1 - i : i)));
}

static inline void put_at(struct perf_maker *m, size_t at, uint64_t value, size_t bytes)
{
	size_t len = m->out.len;

	put(m, value, bytes);
	memmove(m->out.at + at, m->out.at + len, bytes);
	m->out.len = len;
}

static inline void put32(struct perf_maker *m, uint32_t first, uint32_t second)
{
	put(m, first, 4);
	put(m, second, 4);
}

static inline void put64(struct perf_maker *m, uint64_t value)
{
	put(m, value, 8);
}

/* Text with its NUL, padded to 8 bytes. */
static inline void put_text(struct perf_maker *m, const char *text)
{
	size_t len = strlen(text);

	wk_buf_add(&m->out, text, len);
	put(m, 0, 8 - len % 8);
}

static inline void perf_begin_pipe(struct perf_maker *m)
{
	wk_buf_add(&m->out, m->big_endian ? WK_PERF_MAGIC_BIG : WK_PERF_MAGIC, 8);
	put64(m, WK_PERF_PIPE_HEAD);
}

/* A header whose attr table lies right behind it; the features' bits stay empty. */
static inline void perf_begin_file(struct perf_maker *m, size_t stride, size_t attrs)
{
	wk_buf_add(&m->out, m->big_endian ? WK_PERF_MAGIC_BIG : WK_PERF_MAGIC, 8);
	put64(m, WK_PERF_FILE_HEAD);
	put64(m, stride);
	put64(m, WK_PERF_FILE_HEAD);
	put64(m, stride * attrs);
	for (int i = 0; i < 8; i++)
		put64(m, 0);
}

struct perf_attr_fields {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags;
	uint64_t branch_sample_type, user_registers;
	uint32_t user_stack_bytes;
};

/* An attr of `size` bytes: longer than any that is known, or shorter. */
static inline void put_attr(struct perf_maker *m, const struct perf_attr_fields *attr, size_t size)
{
	size_t start = m->out.len;
	uint64_t flags = attr->flags;

	if (m->big_endian) {
		flags = 0;
		for (int i = 0; i < 64; i++)
			flags |= (attr->flags >> i & 1) << (63 - i);
	}
	put32(m, attr->type, (uint32_t)size);
	put64(m, attr->config);
	put64(m, attr->period);
	put64(m, attr->sample_type);
	put64(m, attr->read_format);
	put64(m, flags);
	for (int i = 0; i < 3; i++)
		put64(m, 0);
	put64(m, attr->branch_sample_type);
	put64(m, attr->user_registers);
	put32(m, attr->user_stack_bytes, 0);
	while (m->out.len < start + size)
		put64(m, 0x1111111111111111);
	m->out.len = start + size;
}

/* Call right after the attr table. */
static inline void perf_begin_data(struct perf_maker *m)
{
	m->data_at = m->out.len;
	put_at(m, 40, m->data_at, 8);
}

static inline void perf_record(struct perf_maker *m, uint32_t type, uint32_t misc)
{
	m->record_at = m->out.len;
	put(m, type, 4);
	put(m, misc, 2);
	put(m, 0, 2);
}

static inline void perf_end_record(struct perf_maker *m)
{
	put_at(m, m->record_at + 6, m->out.len - m->record_at, 2);
}

/* Tells the header how many bytes of records there are (file mode). */
static inline void perf_end_data(struct perf_maker *m)
{
	put_at(m, WK_PERF_HEAD_DATA_SIZE, m->out.len - m->data_at, 8);
}

/* Ends a file with one feature; its content is what `content` holds. */
static inline void perf_end_with_feature(struct perf_maker *m, unsigned feature,
					 const struct wk_buf *content)
{
	perf_end_data(m);
	put_at(m, WK_PERF_HEAD_FEATURES + 8 * (size_t)(feature / 64), (uint64_t)1 << feature % 64,
	       8);
	put64(m, m->out.len + 16);
	put64(m, content->len);
	wk_buf_add_str(&m->out, wk_buf_str(content));
}

/* Ends a file with an empty feature, so that its recorder seems to have come to its end. */
static inline void perf_end(struct perf_maker *m)
{
	static const struct wk_buf nothing;

	perf_end_with_feature(m, 15, &nothing);
}

/* What a reader makes of the bytes: an event a line, and "error: ..." if it failed. The
 * answer is freed with wk_buf_fini. */
static inline struct wk_buf perf_told_as(const struct wk_buf *bytes, struct wk_parts parts,
					 struct wk_read_options options)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_sink sink = wk_dump_sink(&out);
	struct wk_err err = { 0 };
	/* Memory of exactly that size, so that a sanitizer sees each read beyond it. */
	uint8_t *exact = wk_alloc(bytes->len ? bytes->len : 1);
	struct wk_input input = { .name = "test", .parts = parts, .options = options };
	bool ok;

	memcpy(exact, bytes->at, bytes->len);
	input.bytes = wk_bytes_of(exact, bytes->len);
	ok = wk_reader_perf_data.read(&input, &sink, &err);
	wk_out_end(&out);
	if (!ok) {
		wk_buf_add_text(&text, "error: ");
		if (err.offset != WK_NOWHERE)
			wk_buf_add_fmt(&text, "0x%llx: ", (unsigned long long)err.offset);
		wk_buf_add_fmt(&text, "%s\n", err.text);
	}
	wk_free(exact);
	return text;
}

static inline struct wk_buf perf_told_with(const struct wk_buf *bytes, struct wk_parts parts)
{
	return perf_told_as(bytes, parts, (struct wk_read_options){ 0 });
}

static inline struct wk_buf perf_told(const struct wk_buf *bytes)
{
	return perf_told_with(bytes, (struct wk_parts){ 0 });
}

#endif
