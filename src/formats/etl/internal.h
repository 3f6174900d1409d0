/* What the files of the .etl container share: buffers (etl_buffer.c), the heads of records and
 * their parts (etl_record.c), the first record (etl_header.c). etl_feeds.h puts buffers in order,
 * etl_ahead.h unpacks them before they are needed, etl_file.c merges it all. */
#ifndef WK_FORMATS_ETL_INTERNAL_H
#define WK_FORMATS_ETL_INTERNAL_H

#include "base/printf.h"
#include "formats/etl/file/file.h"
#include "os/os.h"

#define WK_ETL_BUFFER_HEAD 72
#define WK_ETL_MOST_BUFFER (16u << 20)

enum wk_etl_packing { WK_ETL_PLAIN = 0, WK_ETL_LZNT1 = 2, WK_ETL_XPRESS = 3, WK_ETL_HUFFMAN = 4 };

/* One of the files that were opened. */
struct wk_etl_input {
	struct wk_bytes bytes;
	uint32_t number; /* from 0 */
	uint32_t step;   /* size of its first buffer, which in a plain file is that of all */
	enum wk_etl_packing packing;
	struct wk_etl_header header;
	const struct wk_os_file *mapped; /* behind `bytes`, or NULL */
};

/* After so many bytes the pages that were looked at are given back. */
#define WK_ETL_RELEASED_BYTES (16u << 20)

/* A buffer's header, bounded by the file. */
struct wk_etl_buffer {
	uint64_t offset, sequence;
	uint32_t size_bytes;   /* in the file, its header with it; clamped to what is there */
	uint32_t filled_bytes; /* once unpacked, its header with it; a claim */
	uint16_t cpu, logger, flags;
	bool is_cut;
};

enum { WK_ETL_EVENTS_LOST = 2, WK_ETL_BUFFER_LOST = 4, WK_ETL_PACKED_BUFFER = 0x40 };

/* Every buffer of a file from its first. */
struct wk_etl_walk {
	const struct wk_etl_input *input;
	struct wk_etl_damage *damage;
	uint64_t offset;
	uint64_t released; /* up to this offset pages were given back */
	uint64_t holes;    /* empty headers, which are damage only if something comes behind them */
};

bool wk_etl_walk_next(struct wk_etl_walk *walk, struct wk_etl_buffer *buffer);

/* The header at an offset that the walk has found. */
void wk_etl_buffer_at(const struct wk_etl_input *input, uint64_t offset,
		      struct wk_etl_buffer *buffer);

/* Memory for an unpacked buffer, kept from one to the next; zeroed at first, freed by its owner. */
struct wk_etl_limits {
	uint8_t *at;
	size_t cap;
};

/* The records of a buffer, where they lie in the file or, unpacked, in `room`. False where fewer
 * are there than its header claims; those that are there are in `records`. Packed ones become
 * `most` bytes at most. */
bool wk_etl_buffer_records(const struct wk_etl_input *input, const struct wk_etl_buffer *buffer,
			   size_t most, struct wk_etl_limits *room, struct wk_bytes *records);

/* The size of the record that `left` begins with, header and all, without what it is rounded up by,
 * and its time, which stays as it was if the header has none. 0 at the end of what is filled, or,
 * with `*is_broken` set, where none can be. */
uint32_t wk_etl_record_peek(const struct wk_bytes *left, uint64_t *time, bool *is_broken);

/* The time of the record that `left` begins with, of which only the header need be there; 0 if
 * there is none. */
uint64_t wk_etl_record_time(const struct wk_bytes *left);

/* Takes apart a record of the size that `peek` has found. Sets all but time, cpu, file and offset.
 * False where its inner sizes contradict it. */
bool wk_etl_record_read(const uint8_t *at, size_t size_bytes, struct wk_etl_record *record);

/* The header that a file begins with; sets all of `input` but `number`. */
bool wk_etl_input_open(struct wk_etl_input *input, struct wk_bytes bytes, struct wk_err *err);

/* Notes the first fault, with its place. */
void wk_etl_damaged(struct wk_etl_damage *damage, uint32_t file, uint64_t offset, uint64_t *count,
		    const char *format, ...) __attribute__((format(WK_PRINTF, 5, 6)));

#endif
