/* Recordings that come in an archive (.zip, .etl.zip, .diagsession). */
#ifndef WK_FORMATS_ARCHIVE_ARCHIVE_H
#define WK_FORMATS_ARCHIVE_ARCHIVE_H

#include "base/buf.h"
#include "base/packed/zip.h"
#include "formats/archive/parts.h"

/* A session has a handful of traces; each may unpack to what wk_unpack_limit lets it. */
#define WK_ARCHIVE_MOST 64

/* Extracts the recording: all event traces (.etl) in the archive, which belong to one session; if
 * there are none, the text of `perf script` that perfcollect packs, or the only file. The first
 * goes to `plain`, the others become `parts`. False, with a sentence about the contents, for other
 * archives. */
bool wk_archive_open(struct wk_bytes archive, struct wk_buf *plain, struct wk_parts *parts,
		     struct wk_err *err);

/* The members that make the recording; how many of `wanted` they are. */
size_t wk_archive_choose(const struct wk_zip *zip,
			 const struct wk_zip_member *wanted[WK_ARCHIVE_MOST]);
bool wk_archive_is_trace(const struct wk_zip_member *member);

#endif
