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

	return renderer ? (struct wk_format){ .name = renderer->name, .summary = renderer->summary }
			: (struct wk_format){ 0 };
}

bool wk_is_recording(const char *path)
{
	struct wk_os_identity identity;
	struct wk_os_file file;
	struct wk_bytes first;
	bool found = false;

	if (!wk_os_identify(path, &identity, NULL) || !identity.is_regular ||
	    !wk_os_open(path, &file, NULL))
		return false;
	first = wk_bytes_of(file.at,
			    file.size_bytes < WK_PROBE_BYTES ? file.size_bytes : WK_PROBE_BYTES);
	for (size_t i = 0; file.at && wk_readers()[i] && !found; i++)
		found = wk_readers()[i]->probe(first) == 100;
	wk_os_close(&file);
	return found;
}
