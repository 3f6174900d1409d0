/* Recordings that come in an archive (.zip, .etl.zip, .diagsession). */
#ifndef WK_FORMATS_ARCHIVE_H
#define WK_FORMATS_ARCHIVE_H

#include "base/buf.h"
#include "formats/parts.h"

/* Does it begin as one that wk_archive_open opens? */
bool wk_archive_is(struct wk_bytes first);

/* Takes out the recording: all event traces (.etl) that are in it, which are one session's, or,
 * where there are none, its only file. The first goes to `plain`, the others become `parts`. False,
 * with a sentence that says what is in it, where that is something else. */
bool wk_archive_open(struct wk_bytes archive, struct wk_buf *plain, struct wk_parts *parts,
		     struct wk_err *err);

#endif
