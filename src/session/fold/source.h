/* The files that a tool is given, as one input: the scripts read several as one long one. */
#ifndef WK_SESSION_FOLD_SOURCE_H
#define WK_SESSION_FOLD_SOURCE_H

#include "formats/reader.h"

struct wk_fold_source {
	struct wk_opened *files;
	size_t count;
	struct wk_buf joined;  /* the bytes one behind another; a single file is read in place */
	struct wk_buf changed; /* the bytes, where they are not as they stand in the files */
	struct wk_input input;
	const struct wk_reader *reader;
};

/* Opens the files (NULL-terminated), or standard input if there are none; `format` is the reader,
 * NULL: detected. Close it also after a failure. */
bool wk_fold_source_open(struct wk_fold_source *source, const char *const *paths,
			 const char *format, struct wk_err *err);

/* Makes UTF-8 of text in ISO-8859-1. */
void wk_fold_source_from_latin1(struct wk_fold_source *source);

void wk_fold_source_close(struct wk_fold_source *source);

#endif
