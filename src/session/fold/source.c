#include "session/fold/source.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text/utf8.h"

static void join(struct wk_fold_source *source, struct wk_bytes bytes)
{
	size_t len = wk_bytes_left(&bytes);

	wk_buf_add(&source->joined, bytes.at, len);
	if (len && bytes.at[len - 1] != '\n')
		wk_buf_add_char(&source->joined, '\n');
}

bool wk_fold_source_open(struct wk_fold_source *source, const char *const *paths,
			 const char *format, bool may_stream, struct wk_err *err)
{
	static const char *const standard_input[] = { "-", NULL };
	size_t count = 0;

	if (!paths[0])
		paths = standard_input;
	while (paths[count])
		count++;
	source->files = wk_alloc_zeroed(count, sizeof(*source->files));
	for (size_t i = 0; i < count; i++) {
		struct wk_opened *opened = &source->files[i];

		if (!wk_reader_open_unchecked(paths[i], format, may_stream && count == 1, opened,
					      err))
			return false;
		source->count++;
		if (count > 1)
			join(source, opened->input.bytes);
	}
	source->input = source->files[0].input;
	source->reader = source->files[0].reader;
	if (count > 1) {
		source->input.bytes = wk_bytes_of(wk_buf_text(&source->joined), source->joined.len);
		source->input.file = NULL;
		source->input.rest = NULL;
	}
	return true;
}

void wk_fold_source_from_latin1(struct wk_fold_source *source)
{
	for (const uint8_t *at = source->input.bytes.at; at < source->input.bytes.end; at++)
		wk_utf8_add(&source->changed, *at);
	source->input.bytes = wk_bytes_of(wk_buf_text(&source->changed), source->changed.len);
	source->input.file = NULL;
	source->input.rest = NULL;
}

void wk_fold_source_close(struct wk_fold_source *source)
{
	for (size_t i = 0; i < source->count; i++)
		wk_reader_close(&source->files[i]);
	wk_free(source->files);
	WK_BUF_FINI_ALL(&source->joined, &source->changed);
}
