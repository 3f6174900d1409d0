/* What the programs in this folder have made, written to a file. */
#ifndef WK_TEST_WRITE_FILE_H
#define WK_TEST_WRITE_FILE_H

#include <stdio.h>

#include "base/buf.h"

static inline bool write_file(const char *path, const struct wk_buf *bytes)
{
	FILE *out = fopen(path, "wb");
	bool ok;

	if (!out)
		return false;
	ok = fwrite(bytes->at, 1, bytes->len, out) == bytes->len;
	return fclose(out) == 0 && ok;
}

#endif
