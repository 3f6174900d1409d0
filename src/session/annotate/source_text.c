#include "session/annotate/source_text.h"

#include <string.h>

#include "base/mem.h"

static void split(struct wk_source_text *text)
{
	struct wk_str rest = wk_str_of((const char *)text->file.at, text->file.size_bytes), line;
	size_t cap = 0;

	while (rest.len && text->count < UINT32_MAX) {
		wk_str_split(rest, '\n', &line, &rest);
		if (wk_str_ends(line, "\r"))
			line.len--;
		*WK_APPEND(text->lines, text->count, cap) = line;
	}
}

static bool open_at(struct wk_source_text *text, const char *path)
{
	struct wk_os_identity identity;
	struct wk_err err = { 0 };

	if (!wk_os_open_named(path, &text->file, &identity, &err))
		return false;
	text->changed_ns = identity.changed_ns;
	text->is_open = true;
	if (memchr(text->file.at, '\0', text->file.size_bytes)) {
		wk_source_text_close(text);
		return false;
	}
	wk_buf_reset(&text->path);
	wk_buf_add_text(&text->path, path);
	split(text);
	return true;
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* With the longest end first. */
static bool open_below(struct wk_source_text *text, struct wk_str path, const char *folder)
{
	struct wk_buf whole = { 0 };
	bool is_found = false;

	for (size_t i = 0; i < path.len && !is_found; i++) {
		if (i > 0 && !is_slash(path.at[i - 1]))
			continue;
		wk_buf_reset(&whole);
		wk_buf_add_fmt(&whole, "%s/%.*s", folder, WK_STR_ARG(wk_str_skip(path, i)));
		is_found = open_at(text, wk_buf_text(&whole));
	}
	wk_buf_fini(&whole);
	return is_found;
}

bool wk_source_text_open(struct wk_source_text *text, struct wk_str path,
			 const char *const *folders)
{
	struct wk_buf whole = { 0 };
	bool is_found;

	*text = (struct wk_source_text){ 0 };
	wk_buf_add_str(&whole, path);
	is_found = path.len && open_at(text, wk_buf_text(&whole));
	for (size_t i = 0; !is_found && path.len && folders[i]; i++)
		is_found = open_below(text, path, folders[i]);
	wk_buf_fini(&whole);
	return is_found;
}

void wk_source_text_close(struct wk_source_text *text)
{
	if (text->is_open)
		wk_os_close(&text->file);
	wk_free(text->lines);
	wk_buf_fini(&text->path);
	*text = (struct wk_source_text){ 0 };
}

struct wk_str wk_source_text_line(const struct wk_source_text *text, uint32_t number)
{
	return number > 0 && number <= text->count ? text->lines[number - 1] : wk_str_c("");
}
