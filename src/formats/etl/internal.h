/* Shared by the files of the .etl container: buffers (buffer.c), record headers (record.c), the
 * first record (header.c). feeds.h puts buffers in order, prefetch.h unpacks them before they are
 * needed, and file.c merges everything. */
#ifndef WK_FORMATS_ETL_INTERNAL_H
#define WK_FORMATS_ETL_INTERNAL_H

#include "base/text/printf.h"
#include "formats/etl/file/file.h"
#include "os/os.h"

#define WK_ETL_BUFFER_HEAD 72
#define WK_ETL_MOST_BUFFER (16u << 20)

enum wk_etl_packing { WK_ETL_PLAIN = 0, WK_ETL_LZNT1 = 2, WK_ETL_XPRESS = 3, WK_ETL_HUFFMAN = 4 };

/* One of the files that were opened. */
struct wk_etl_input {
	struct wk_bytes bytes;
	uint32_t number; /* from 0 */
	uint32_t step;   /* size of its first buffer; in a plain file all have it */
	enum wk_etl_packing packing;
	struct wk_etl_header header;
	const struct wk_os_file *mapped; /* the mapping of `bytes`, or NULL */
};

/* Pages are released after that many bytes. */
#define WK_ETL_RELEASED_BYTES (16u << 20)

/* A buffer's header, bounded by the file. */
struct wk_etl_buffer {
	uint64_t offset, sequence;
	uint32_t size_bytes;   /* in the file, with the header; limited to the file */
	uint32_t filled_bytes; /* unpacked, with the header; a claim */
	uint16_t cpu, logger, flags;
	bool is_cut;
};

enum { WK_ETL_EVENTS_LOST = 2, WK_ETL_BUFFER_LOST = 4, WK_ETL_PACKED_BUFFER = 0x40 };

/* Walks over the buffers of a file. */
struct wk_etl_walk {
	const struct wk_etl_input *input;
	struct wk_etl_damage *damage;
	uint64_t offset;
	uint64_t released; /* pages up to this offset were released */
	uint64_t holes;    /* empty headers, which are damage only if a buffer follows */
};

bool wk_etl_walk_next(struct wk_etl_walk *walk, struct wk_etl_buffer *buffer);

/* The header at an offset that the walk has found. */
void wk_etl_buffer_at(const struct wk_etl_input *input, uint64_t offset,
		      struct wk_etl_buffer *buffer);

/* Memory for an unpacked buffer, reused for the next; zeroed at first, freed by its owner. */
struct wk_etl_scratch {
	uint8_t *at;
	size_t cap;
};

/* The records of a buffer, in place in the file or unpacked in `scratch`. False if there are fewer
 * than its header claims; `records` then contains those. At most `most` bytes are unpacked. */
bool wk_etl_buffer_records(const struct wk_etl_input *input, const struct wk_etl_buffer *buffer,
			   size_t most, struct wk_etl_scratch *scratch, struct wk_bytes *records);

/* The size of the first record in `left`, with its header and without padding. Sets `*time` if the
 * header has one. 0 at the end of the filled part, or, with `*is_broken` set, if there is no valid
 * record. */
uint32_t wk_etl_record_peek(const struct wk_bytes *left, uint64_t *time, bool *is_broken);

/* The time of the first record in `left`, of which only the header is needed; 0 if it has none. */
uint64_t wk_etl_record_time(const struct wk_bytes *left);

/* Parses a record of the size returned by `peek`. Sets all but time, cpu, file and offset. False if
 * its inner sizes contradict it. */
bool wk_etl_record_read(const uint8_t *at, size_t size_bytes, struct wk_etl_record *record);

/* Parses the first header of a file; sets all of `input` but `number`. */
bool wk_etl_input_open(struct wk_etl_input *input, struct wk_bytes bytes, struct wk_err *err);

/* Counts a fault; the first is stored with its place. */
void wk_etl_damaged(struct wk_etl_damage *damage, uint32_t file, uint64_t offset, uint64_t *count,
		    const char *format, ...) __attribute__((format(WK_PRINTF, 5, 6)));

#endif
