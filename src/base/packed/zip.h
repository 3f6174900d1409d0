/* Zip archives, read only: the members by the central directory, stored or deflated, also Zip64.
 *
 * Only the directory at the end determines the contents of an archive; the headers before the
 * members only give the start of their bytes. Bytes before the archive (a self-extracting program)
 * and a comment after it are skipped. Members that share bytes, as bombs do, and those inside the
 * directory are rejected.
 *
 * Everything points into the opened bytes, which belong to the caller and must outlive the zip.
 * Names are as stored, in any encoding, and may be anything: "../x", "C:\x", duplicates, empty.
 * Never use them as a path. Those that end with '/' are folders. Order of calls: open, read for
 * each member that is needed, close. */
#ifndef WK_BASE_PACKED_ZIP_H
#define WK_BASE_PACKED_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

enum wk_zip_method {
	WK_ZIP_STORED = 0,
	WK_ZIP_DEFLATED = 8,
};

struct wk_zip_member {
	struct wk_str name;
	uint64_t size_bytes; /* plain, as it claims */
	struct wk_bytes packed;
	uint32_t crc;    /* of the plain bytes */
	uint16_t method; /* one of wk_zip_method, or another's number */
	bool is_encrypted;
};

struct wk_zip {
	struct wk_zip_member *members; /* in the directory's order */
	size_t count, cap;
};

/* Does it begin as an archive does? One with something in front of it does not, and can be opened
 * all the same. */
bool wk_zip_is(struct wk_bytes first);

/* The directory; false, with a sentence, if it is missing or damaged: then there is nothing to
 * close. */
bool wk_zip_open(struct wk_bytes bytes, struct wk_zip *zip, struct wk_err *err);
void wk_zip_close(struct wk_zip *zip);

/* Appends the member's plain bytes, checked by size and CRC-32; false, with a sentence without its
 * name, if they do not match, are encrypted, packed by another method, or larger than
 * wk_unpack_limit; `plain` is then as before. A stored member need not be copied: its `packed` are
 * the bytes. */
bool wk_zip_read(const struct wk_zip_member *member, struct wk_buf *plain, struct wk_err *err);

#endif
