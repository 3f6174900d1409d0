/* The container of program databases (multi-stream file, MSF 7.00): numbered streams, each in
 * blocks of one size anywhere in the file.
 *
 * A stream with consecutive blocks is used in place; any other is assembled on request. In a file
 * that was cut short, complete streams are readable. No block belongs to two streams, so all copies
 * together are never larger than the file.
 *
 * The bytes belong to the caller and must outlive it. Order of calls: open, read any number of
 * times (each ended by wk_msf_stream_fini), fini. */
#ifndef WK_SYMBOLS_PDB_MSF_H
#define WK_SYMBOLS_PDB_MSF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"

struct wk_msf_row {
	uint32_t size_bytes; /* 0 of streams that are not there */
	uint32_t first;      /* of its block numbers, counted in the directory's words */
	bool is_shared;      /* a block of it is another stream's too: damaged */
};

struct wk_msf {
	struct wk_bytes file;
	uint32_t block_bytes, block_count;
	struct wk_bytes directory;
	uint8_t *directory_copy; /* if its blocks are not consecutive */
	struct wk_msf_row *streams;
	uint32_t stream_count;
};

/* A stream's bytes: those of the file, or a copy. */
struct wk_msf_stream {
	struct wk_bytes bytes;
	uint8_t *copy;
};

/* False, with a sentence that names the kind of file, if it cannot be read. */
bool wk_msf_open(struct wk_msf *msf, const void *at, size_t size_bytes, struct wk_err *err);
void wk_msf_fini(struct wk_msf *msf);

/* 0 if there is no such stream, and for stream 0, which is an older directory. */
uint32_t wk_msf_stream_bytes(const struct wk_msf *msf, uint32_t stream);

/* False, with the empty window, if it is missing or incomplete. */
bool wk_msf_read(const struct wk_msf *msf, uint32_t stream, struct wk_msf_stream *out,
		 struct wk_err *err);
void wk_msf_stream_fini(struct wk_msf_stream *stream);

#endif
