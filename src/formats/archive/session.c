#include "formats/archive/session.h"

struct wk_session_part wk_session_part(const char *path)
{
	struct wk_session_part part = { 0 };
	struct wk_os_file file;

	if (!wk_os_open_named(path, &file, NULL, NULL))
		return part;
	part.may_have_others = wk_etl_identify(wk_file_bytes(&file), &part.identity);
	wk_os_close(&file);
	return part;
}

bool wk_session_is_one(const struct wk_session_part *a, const struct wk_session_part *b)
{
	return a->may_have_others && b->may_have_others &&
	       wk_etl_is_one_session(&a->identity, &b->identity);
}

bool wk_session_open(const char *const *paths, size_t count, const char *format,
		     struct wk_opened *opened, struct wk_err *err)
{
	struct wk_os_file file;

	if (!wk_reader_open(paths[0], format, opened, err))
		return false;
	for (size_t i = 1; i < count; i++) {
		if (!wk_os_open(paths[i], &file, err)) {
			wk_reader_close(opened);
			return false;
		}
		wk_parts_add(&opened->input.parts, &file);
	}
	return true;
}
