/* Packed bytes to plain ones: the one interface to zlib, zstd, lzma and libdeflate.
 *
 * Each library may be missing from a build; what needs it then fails with a sentence that names it,
 * and everything else works. libdeflate only saves time: it does some of zlib's work in half the
 * time. Formats are detected from their first bytes.
 *
 * Sizes in packed input are not trusted: unpacking stops with an error at wk_unpack_limit, which is
 * more than real recordings need and far less than a decompression bomb wants. Several packed
 * streams one after the other, as gzip, zstd and xz allow, are one text; unpacked bytes after the
 * last (padding) are ignored. */
#ifndef WK_BASE_PACKED_UNPACK_H
#define WK_BASE_PACKED_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum wk_packing {
	WK_NOT_PACKED,
	WK_PACKED_GZIP,
	WK_PACKED_ZLIB,    /* has no mark of its own: only for wk_unpack_as */
	WK_PACKED_DEFLATE, /* nor has this, which is in zlib, gzip and zip archives */
	WK_PACKED_ZSTD,
	WK_PACKED_XZ,
};

enum wk_packing wk_packing_of(struct wk_bytes first);

/* "gzip", "zlib", "deflate", "zstd", "xz". */
const char *wk_packing_name(enum wk_packing packing);

/* 64 MiB and 300 times the packed size. */
uint64_t wk_unpack_limit(struct wk_bytes packed);
uint64_t wk_unpack_limit_of(uint64_t packed_bytes);

/* Adds the plain bytes to `plain`. False, with a sentence, if the library is missing, the
 * input is broken or ends early, or the limit is reached. */
bool wk_unpack(struct wk_bytes packed, struct wk_buf *plain, struct wk_err *err);

/* The same for at most `most` plain bytes, to examine the start: the rest is not read, and input
 * that ends early gives what there is. */
bool wk_unpack_first(struct wk_bytes packed, size_t most, struct wk_buf *plain, struct wk_err *err);

/* The same if method and plain size are stored elsewhere, as for sections of ELF files: exactly
 * that many bytes are appended. The rest of the stream is ignored. A size above wk_unpack_limit is
 * rejected. */
bool wk_unpack_as(enum wk_packing packing, struct wk_bytes packed, uint64_t size_bytes,
		  struct wk_buf *plain, struct wk_err *err);

/* A zstd stream that comes in pieces. NULL, with a sentence, without libzstd. */
struct wk_unzstd;
struct wk_unzstd *wk_unzstd_new(struct wk_err *err);
void wk_unzstd_free(struct wk_unzstd *stream);

/* Appends to `plain` all output that is available after `piece`; bounded by all pieces so far, as
 * by wk_unpack_limit. After a failure the stream is unusable. */
bool wk_unzstd_add(struct wk_unzstd *stream, struct wk_bytes piece, struct wk_buf *plain,
		   struct wk_err *err);

#endif
