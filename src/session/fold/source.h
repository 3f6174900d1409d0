/* The files that a tool is given, as one input: the scripts read several as one long one. */
#ifndef WK_CLI_AS_SOURCE_H
#define WK_CLI_AS_SOURCE_H

#include "cli/as/tool.h"
#include "formats/reader.h"

struct wk_as_source {
	struct wk_opened *files;
	size_t count;
	struct wk_buf joined;  /* the bytes one behind another; a single file is read in place */
	struct wk_buf changed; /* the bytes, where they are not as they stand in the files */
	struct wk_input input;
	const struct wk_reader *reader;
};

/* Opens the files among the words, or standard input where there are none; `format` names the
 * reader, NULL: seen from the bytes. Close it also after a failure. */
bool wk_as_source_open(struct wk_as_source *source, const struct wk_words *words,
		       const char *format, struct wk_err *err);
/* Makes UTF-8 of text in ISO-8859-1. */
void wk_as_source_from_latin1(struct wk_as_source *source);

void wk_as_source_close(struct wk_as_source *source);

#endif
