/* Zip archives, read only: the members by the central directory, stored or deflated, Zip64 too.
 *
 * Only the directory at the end says what is in an archive; the headers in front of the members
 * say where their bytes begin, and nothing else of them is believed. Bytes in front of the archive
 * (a program that unpacks itself) and a comment behind it are passed over. Members that share
 * bytes, as bombs do, and those that lie in the directory are refused.
 *
 * Everything points into the bytes that were opened, which stay the caller's and must outlive
 * the zip. Names are as written, in whichever encoding, and may be anything: "../x", "C:\x", twice
 * the same, empty. They are never to be used as a path. Those that end with '/' are folders.
 * Order of calls: open, read for each member that is wanted, close. */
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

/* The directory; false, with a sentence, where it cannot be found or is broken: then there is
 * nothing to close. */
bool wk_zip_open(struct wk_bytes bytes, struct wk_zip *zip, struct wk_err *err);
void wk_zip_close(struct wk_zip *zip);

/* Adds the member's plain bytes, checked by size and CRC-32; false, with a sentence that does not
 * name it, where they are not what was promised, are encrypted, or packed in another way, or
 * larger than wk_unpack_limit. What was added by then is taken back. A stored one need not be
 * copied: its `packed` are the bytes. */
bool wk_zip_read(const struct wk_zip_member *member, struct wk_buf *plain, struct wk_err *err);

#endif
