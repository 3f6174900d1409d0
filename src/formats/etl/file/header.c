/* The first record of every file. */
#include "formats/etl/internal.h"
#include "formats/etl/payload/payload.h"

#define FIRST_RECORD  WK_ETL_BUFFER_HEAD
#define ZONE_BYTES    172 /* TIME_ZONE_INFORMATION, of which the first four bytes are read */
#define MODE_CIRCULAR 0x2
#define MODE_MERGED   0x10000
#define MODE_PACKED   0x4000000
#define SECOND_100NS  10000000u

static bool is_first_record(const struct wk_bytes *bytes)
{
	struct wk_bytes b = wk_bytes_at(bytes, FIRST_RECORD, 8);
	uint8_t type, flags;

	wk_bytes_skip(&b, 2);
	type = wk_u8(&b);
	flags = wk_u8(&b);
	wk_bytes_skip(&b, 2);
	return (type == 1 || type == 2) && (flags & 0xc0) == 0xc0 && wk_u16le(&b) == 0 && !b.bad;
}

int wk_etl_probe(struct wk_bytes first)
{
	struct wk_bytes b = first;
	uint32_t size = wk_u32le(&b);

	return size > WK_ETL_BUFFER_HEAD && size <= WK_ETL_MOST_BUFFER && is_first_record(&first)
		       ? 95
		       : 0;
}

static void read_system(struct wk_bytes *b, struct wk_etl_header *h)
{
	h->buffer_bytes = wk_u32le(b);
	h->os_major = wk_u8(b);
	h->os_minor = wk_u8(b);
	h->layout_major = wk_u8(b);
	h->layout_minor = wk_u8(b);
	h->os_build = wk_u32le(b);
	h->processors = wk_u32le(b);
	h->end_time = wk_u64le(b);
	h->timer_100ns = wk_u32le(b);
	wk_bytes_skip(b, 4);
	h->log_mode = wk_u32le(b);
	h->buffers_written = wk_u32le(b);
	wk_bytes_skip(b, 4);
	h->pointer_bytes = wk_u32le(b);
	h->events_lost = wk_u32le(b);
	h->cpu_mhz = wk_u32le(b);
}

/* For every clock, a raw time divided by this is in seconds. */
static uint64_t ticks_per_second(const struct wk_etl_header *h, uint64_t counter_frequency)
{
	uint64_t ticks = counter_frequency;

	if (h->clock == WK_ETL_SYSTEM_TIME)
		ticks = SECOND_100NS;
	else if (h->clock == WK_ETL_CYCLES)
		ticks = (uint64_t)h->cpu_mhz * 1000000;
	return ticks ? ticks : SECOND_100NS;
}

static void read_times(struct wk_bytes *b, struct wk_etl_header *h)
{
	uint64_t frequency;
	uint32_t clock;

	h->boot_time = wk_u64le(b);
	frequency = wk_u64le(b);
	h->start_time = wk_u64le(b);
	clock = wk_u32le(b);
	h->buffers_lost = wk_u32le(b);
	h->clock = clock == WK_ETL_SYSTEM_TIME || clock == WK_ETL_CYCLES ? (enum wk_etl_clock)clock
									 : WK_ETL_QPC;
	h->ticks_per_second = ticks_per_second(h, frequency);
}

/* The two pointers in the middle have the record's pointer size; the rest is aligned. */
static bool read_payload(struct wk_bytes b, unsigned pointer_bytes, struct wk_etl_header *h)
{
	read_system(&b, h);
	wk_bytes_skip(&b, 2 * pointer_bytes);
	h->time_zone_minutes = (int32_t)wk_u32le(&b);
	wk_bytes_skip(&b, ZONE_BYTES - 4);
	wk_bytes_skip(&b, -wk_bytes_offset(&b) & 7);
	read_times(&b, h);
	if (b.bad)
		return false;
	h->session = wk_utf16_text(&b);
	h->file = wk_utf16_text(&b);
	h->is_merged = h->log_mode & MODE_MERGED;
	h->is_packed = h->log_mode & MODE_PACKED;
	h->is_circular = h->log_mode & MODE_CIRCULAR;
	return true;
}

/* The header of the first buffer, which is plain, says how the others are packed. */
static bool read_packing(struct wk_etl_input *input, struct wk_err *err)
{
	struct wk_bytes state = wk_bytes_at(&input->bytes, 0x2c, 2);
	unsigned packing = wk_u16le(&state);

	input->packing = WK_ETL_PLAIN;
	if (!input->header.is_packed)
		return true;
	if (packing != WK_ETL_LZNT1 && packing != WK_ETL_XPRESS && packing != WK_ETL_HUFFMAN)
		return wk_fail(err, WK_EUNSUPPORTED, 0x2c,
			       "an .etl file whose buffers are packed in way %u; 2 (LZNT1), 3 "
			       "(Xpress) and 4 (Xpress with Huffman codes) are known",
			       packing);
	input->packing = (enum wk_etl_packing)packing;
	return true;
}

static bool read_first_record(struct wk_etl_input *input, struct wk_err *err)
{
	struct wk_bytes b = wk_bytes_at(&input->bytes, FIRST_RECORD,
					wk_bytes_left(&input->bytes) - FIRST_RECORD);
	struct wk_etl_record record;
	uint64_t time = 0;
	bool is_broken = false;
	uint32_t size = wk_etl_record_peek(&b, &time, &is_broken);

	if (size == 0 || !wk_etl_record_read(b.at, size, &record) ||
	    !read_payload(record.payload, record.pointer_bytes, &input->header))
		return wk_fail(err, WK_ECORRUPT, FIRST_RECORD,
			       "the trace is truncated in its first record: %zu bytes are left",
			       wk_bytes_left(&input->bytes) - FIRST_RECORD);
	input->header.first_tick = time;
	return true;
}

bool wk_etl_input_open(struct wk_etl_input *input, struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_bytes head = wk_bytes_of(bytes.at, wk_bytes_left(&bytes));

	input->bytes = head;
	input->step = wk_u32le(&head);
	if (wk_etl_probe(input->bytes) == 0)
		return wk_fail(err, WK_EFORMAT, 0,
			       "not an .etl file: it does not begin with a buffer that holds the "
			       "header of a trace");
	return read_first_record(input, err) && read_packing(input, err);
}
