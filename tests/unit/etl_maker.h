/* Makes .etl files for tests and seeds: buffers, their records of every header, packed or plain,
 * from docs/formats/etl.md. What no real file has is tested on these alone. */
#ifndef WK_TEST_ETL_MAKER_H
#define WK_TEST_ETL_MAKER_H

#include "formats/etl/file/file.h"
#include "lz_maker.h"

#define ETL_BUFFER_BYTES 4096
#define ETL_T0           1000000u

struct etl_maker {
	struct wk_buf out;
	uint32_t buffer_bytes;
	unsigned packing; /* 0 plain, 2 LZNT1, 3 Xpress, 4 Huffman */
	unsigned clock, cpu_mhz, mode;
	uint64_t frequency, boot_time;
	bool is_32_bit, is_windows_7;
	struct wk_buf records; /* of the buffer that is being made */
	uint64_t sequence;
	uint32_t events_lost, buffers_lost, buffers_written;
};

static inline void etl_put_text(struct wk_buf *out, const char *text)
{
	for (; *text; text++)
		wk_buf_add_u16(out, (uint16_t)*text);
	wk_buf_add_u16(out, 0);
}

static inline void etl_zeros(struct wk_buf *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wk_buf_add_char(out, 0);
}

/* The first four bytes of most headers, and of System ones. */
static inline size_t etl_begin(struct etl_maker *m, uint16_t first, uint8_t type)
{
	size_t at;

	while (m->records.len % 8)
		wk_buf_add_char(&m->records, 0);
	at = m->records.len;
	wk_buf_add_u16(&m->records, first);
	wk_buf_add_char(&m->records, (char)type);
	wk_buf_add_char(&m->records, (char)0xc0);
	return at;
}

/* Fills in the size that stands at `size_at` of the record that began at `at`. */
static inline void etl_end(struct etl_maker *m, size_t at, size_t size_at)
{
	lz_put_at(&m->records, at + size_at, m->records.len - at, 2);
}

/* System headers (1, 2) have two times of the processor behind, Compact ones (3, 4) have not. */
static inline size_t etl_system(struct etl_maker *m, uint8_t type, uint16_t hook, uint64_t time)
{
	size_t at = etl_begin(m, 2, type);

	wk_buf_add_u16(&m->records, 0);
	wk_buf_add_u16(&m->records, hook);
	wk_buf_add_u32(&m->records, 77); /* thread */
	wk_buf_add_u32(&m->records, 66); /* process */
	wk_buf_add_u64(&m->records, time);
	if (type < 3)
		wk_buf_add_u64(&m->records, 0);
	return at;
}

static inline size_t etl_perf_info(struct etl_maker *m, uint8_t type, uint16_t version,
				   uint16_t hook, uint64_t time)
{
	size_t at = etl_begin(m, version, type);

	wk_buf_add_u16(&m->records, 0);
	wk_buf_add_u16(&m->records, hook);
	wk_buf_add_u64(&m->records, time);
	return at;
}

/* Full (10, 20), Instance (11, 21) and EventHeader (18, 19) are alike up to the provider. */
static inline size_t etl_event(struct etl_maker *m, uint8_t type, uint32_t at4, uint64_t time)
{
	size_t at = etl_begin(m, 0, type);

	wk_buf_add_u32(&m->records, at4);
	wk_buf_add_u32(&m->records, 77);
	wk_buf_add_u32(&m->records, 66);
	wk_buf_add_u64(&m->records, time);
	for (uint8_t i = 0; i < 16; i++)
		wk_buf_add_char(&m->records, (char)(0x10 + i));
	return at;
}

/* A whole record of the kind that samples are, with eight bytes of payload. */
static inline void etl_sample(struct etl_maker *m, uint64_t time, uint64_t payload)
{
	size_t at = etl_perf_info(m, m->is_32_bit ? 16 : 17, 2, 0x0f2e, time);

	wk_buf_add_u64(&m->records, payload);
	etl_end(m, at, 4);
}

static inline void etl_buffer_head(struct etl_maker *m, uint32_t size, uint32_t filled,
				   uint16_t cpu, uint16_t flags, uint16_t type)
{
	bool is_header = type == 4;

	wk_buf_add_u32(&m->out, size);
	wk_buf_add_u32(&m->out, is_header && m->is_windows_7 ? 0 : filled);
	wk_buf_add_u32(&m->out, filled);
	wk_buf_add_u32(&m->out, 0);
	wk_buf_add_u64(&m->out, 0);
	wk_buf_add_u64(&m->out, m->sequence);
	wk_buf_add_u64(&m->out, 0);
	wk_buf_add_u16(&m->out, m->is_windows_7 ? 0x800 | cpu : cpu);
	wk_buf_add_u16(&m->out, 9);
	wk_buf_add_u32(&m->out, m->packing);
	wk_buf_add_u32(&m->out, filled);
	wk_buf_add_u16(&m->out, m->is_windows_7 ? flags & ~0x20 : flags);
	wk_buf_add_u16(&m->out, type);
	etl_zeros(&m->out, 16);
}

/* The records since the last buffer become one of `cpu`; the first is the header's and plain. */
static inline void etl_end_buffer(struct etl_maker *m, uint16_t cpu)
{
	struct wk_buf packed = { 0 };
	const uint8_t *plain = (const uint8_t *)m->records.at;
	bool is_header = m->out.len == 0;
	uint32_t filled;

	while (m->records.len % 8)
		wk_buf_add_char(&m->records, 0);
	plain = (const uint8_t *)m->records.at;
	filled = 72 + (uint32_t)m->records.len;
	if (is_header || !m->packing) {
		size_t head_at = m->out.len;

		etl_buffer_head(m, m->buffer_bytes, filled, cpu, 0x20, is_header ? 4 : 0);
		wk_buf_add_str(&m->out, wk_buf_str(&m->records));
		while (m->out.len - head_at < m->buffer_bytes)
			wk_buf_add_char(&m->out, (char)0xff);
	} else {
		if (m->packing == 2)
			lz_pack_lznt1(&packed, plain, m->records.len);
		else if (m->packing == 3)
			lz_pack_plain(&packed, plain, m->records.len);
		else
			lz_pack_huffman(&packed, plain, m->records.len);
		etl_buffer_head(m, 72 + (uint32_t)packed.len, filled, cpu, 0x60, 0);
		wk_buf_add_str(&m->out, wk_buf_str(&packed));
	}
	m->sequence++;
	wk_buf_reset(&m->records);
	wk_buf_fini(&packed);
}

static inline void etl_header_system(struct etl_maker *m)
{
	struct wk_buf *r = &m->records;

	wk_buf_add_u32(r, m->buffer_bytes);
	wk_buf_add_char(r, 6);
	wk_buf_add_char(r, 1);
	wk_buf_add_char(r, m->packing ? 2 : 1);
	wk_buf_add_char(r, m->packing ? 0 : 5);
	wk_buf_add_u32(r, 7601);
	wk_buf_add_u32(r, 4); /* processors */
	wk_buf_add_u64(r, 132000000090000000);
	wk_buf_add_u32(r, 156250); /* timer */
	wk_buf_add_u32(r, 0);
	wk_buf_add_u32(r, m->mode | (m->packing ? 0x4000000 : 0));
	wk_buf_add_u32(r, m->buffers_written); /* 0: nobody said */
	wk_buf_add_u32(r, 1);
	wk_buf_add_u32(r, m->is_32_bit ? 4 : 8);
	wk_buf_add_u32(r, m->events_lost);
	wk_buf_add_u32(r, m->cpu_mhz);
}

/* The first buffer: the header of the trace, which begins at the raw time ETL_T0. */
static inline void etl_begin_file(struct etl_maker *m)
{
	struct wk_buf *r = &m->records;
	size_t at;

	m->buffer_bytes = m->buffer_bytes ? m->buffer_bytes : ETL_BUFFER_BYTES;
	m->clock = m->clock ? m->clock : 1;
	m->frequency = m->frequency ? m->frequency : 10000000;
	m->boot_time = m->boot_time ? m->boot_time : 131000000000000000;
	at = etl_system(m, m->is_32_bit ? 1 : 2, 0, ETL_T0);
	etl_header_system(m);
	etl_zeros(r, m->is_32_bit ? 8 : 16);
	wk_buf_add_u32(r, (uint32_t)-60);
	etl_zeros(r, 168);
	while ((r->len - at) % 8)
		wk_buf_add_char(r, 0);
	wk_buf_add_u64(r, m->boot_time);
	wk_buf_add_u64(r, m->frequency);
	wk_buf_add_u64(r, 132000000000000000);
	wk_buf_add_u32(r, m->clock);
	wk_buf_add_u32(r, m->buffers_lost);
	etl_put_text(r, "Made");
	etl_put_text(r, "made.etl");
	etl_end(m, at, 4);
	etl_end_buffer(m, 0);
}

static inline struct wk_bytes etl_bytes(const struct etl_maker *m)
{
	return wk_bytes_of(m->out.at, m->out.len);
}

static inline void etl_fini(struct etl_maker *m)
{
	wk_buf_fini(&m->out);
	wk_buf_fini(&m->records);
}

#endif
