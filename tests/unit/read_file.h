/* Reads a file with the reader for its content. */
#ifndef WK_TESTS_READ_FILE_H
#define WK_TESTS_READ_FILE_H

#include "formats/reader.h"

static inline bool read_file(const char *path, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_opened opened;
	bool ok;

	if (!wk_reader_open(path, NULL, &opened, err))
		return false;
	ok = opened.reader->read(&opened.input, sink, err);
	wk_reader_close(&opened);
	return ok || wk_opened_fail(&opened, err);
}

#endif
