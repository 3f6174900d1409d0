#include "cli/as/source.h"

#include <stdlib.h>

#include "base/mem.h"

static const char *path_at(const struct wk_words *words, size_t index)
{
	if (words->count + words->rest_count == 0)
		return "-";
	return index < words->count ? words->at[index] : words->rest[index - words->count];
}

static void join(struct wk_as_source *source, struct wk_bytes bytes)
{
	size_t len = wk_bytes_left(&bytes);

	wk_buf_add(&source->joined, bytes.at, len);
	if (len && bytes.at[len - 1] != '\n')
		wk_buf_add_char(&source->joined, '\n');
}

bool wk_as_source_open(struct wk_as_source *source, const struct wk_words *words,
		       const char *format, struct wk_err *err)
{
	size_t count = words->count + words->rest_count;

	source->files = wk_alloc_zeroed(count + 1, sizeof(*source->files));
	for (size_t i = 0; i < (count ? count : 1); i++) {
		struct wk_opened *opened = &source->files[i];

		if (!wk_reader_open(path_at(words, i), format, opened, err))
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
	}
	return true;
}

void wk_as_source_from_latin1(struct wk_as_source *source)
{
	for (const uint8_t *at = source->input.bytes.at; at < source->input.bytes.end; at++) {
		if (*at >= 0x80) {
			wk_buf_add_char(&source->changed, (char)(0xc0 | *at >> 6));
			wk_buf_add_char(&source->changed, (char)(0x80 | (*at & 0x3f)));
		} else {
			wk_buf_add_char(&source->changed, (char)*at);
		}
	}
	source->input.bytes = wk_bytes_of(wk_buf_text(&source->changed), source->changed.len);
	source->input.file = NULL;
}

void wk_as_source_close(struct wk_as_source *source)
{
	for (size_t i = 0; i < source->count; i++)
		wk_reader_close(&source->files[i]);
	wk_free(source->files);
	wk_buf_fini(&source->joined);
	wk_buf_fini(&source->changed);
}
