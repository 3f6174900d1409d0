#include "session/formats.h"

#include "formats/reader.h"
#include "render/renderer.h"

struct wk_format wk_format_read(size_t index)
{
	const struct wk_reader *reader = wk_readers()[index];

	return reader ? (struct wk_format){ reader->name, reader->summary, reader->suffixes }
		      : (struct wk_format){ 0 };
}

struct wk_format wk_format_written(size_t index)
{
	const struct wk_renderer *renderer = wk_renderers[index];

	if (!renderer || renderer->wants == WK_RENDER_SAMPLES)
		return (struct wk_format){ 0 };
	return (struct wk_format){ .name = renderer->name, .summary = renderer->summary };
}

/* The first bytes of a regular file; closed by the caller if true. */
static bool open_first(const char *path, struct wk_os_file *file, struct wk_bytes *first)
{
	struct wk_os_identity identity;

	if (!wk_os_identify(path, &identity, NULL) || !identity.is_regular ||
	    !wk_os_open(path, file, NULL))
		return false;
	*first = wk_bytes_of(file->at,
			     file->size_bytes < WK_PROBE_BYTES ? file->size_bytes : WK_PROBE_BYTES);
	return true;
}

bool wk_is_recording(const char *path)
{
	struct wk_os_file file;
	struct wk_bytes first;
	bool found = false;

	if (!open_first(path, &file, &first))
		return false;
	for (size_t i = 0; file.at && wk_readers()[i] && !found; i++)
		found = wk_reader_probe(wk_readers()[i], first) == 100;
	wk_os_close(&file);
	return found;
}

bool wk_is_elf(const char *path)
{
	struct wk_os_file file;
	struct wk_bytes first;
	bool found;

	if (!open_first(path, &file, &first))
		return false;
	found = wk_str_starts(wk_str_of((const char *)first.at, wk_bytes_left(&first)), "\177ELF");
	wk_os_close(&file);
	return found;
}
