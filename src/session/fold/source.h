/* The files of a tool as one input: the scripts concatenate several. */
#ifndef WK_SESSION_FOLD_SOURCE_H
#define WK_SESSION_FOLD_SOURCE_H

#include "formats/reader.h"

struct wk_fold_source {
	struct wk_opened *files;
	size_t count;
	struct wk_buf joined;  /* the bytes of several files; a single one is read in place */
	struct wk_buf changed; /* the converted bytes */
	struct wk_input input;
	const struct wk_reader *reader;
};

/* Opens the files (NULL-terminated), or standard input if there are none; `format` is the reader,
 * NULL: detected. With `may_stream` a pipe may be left to the reader (wk_reader_open_once). Close
 * it also after a failure. */
bool wk_fold_source_open(struct wk_fold_source *source, const char *const *paths,
			 const char *format, bool may_stream, struct wk_err *err);

/* Makes UTF-8 of text in ISO-8859-1. */
void wk_fold_source_from_latin1(struct wk_fold_source *source);

void wk_fold_source_close(struct wk_fold_source *source);

#endif
