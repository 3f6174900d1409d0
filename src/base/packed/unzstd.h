/* A zstd stream that comes in pieces, unpacked piece by piece by one decompressor.
 *
 * For whole packed files and sections there is base/packed/unpack.h. The library may be missing
 * from a build; wk_unzstd_new then fails with a sentence that names it. What comes out is bounded
 * by what went in, as with wk_unpack_limit. */
#ifndef WK_BASE_PACKED_UNZSTD_H
#define WK_BASE_PACKED_UNZSTD_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

struct wk_unzstd;

struct wk_unzstd *wk_unzstd_new(struct wk_err *err);
void wk_unzstd_free(struct wk_unzstd *stream);

/* Appends to `plain` all output that is available after `piece`. After a failure the stream is
 * unusable. */
bool wk_unzstd_add(struct wk_unzstd *stream, struct wk_bytes piece, struct wk_buf *plain,
		   struct wk_err *err);

#endif
