#include "formats/etl/paths.h"

#include "base/mem.h"
#include "base/text/utf16.h"

/* Real prefixes are a volume, a server or a folder. They are added to every path, so a long one
 * would turn a small file into many long texts. */
#define MOST_PREFIXES     1000
#define MOST_PREFIX_BYTES 520 /* of UTF-16 */

void wk_etl_paths_add(struct wk_etl_paths *paths, struct wk_bytes kernel, struct wk_bytes shown)
{
	struct prefix prefix = { 0 };

	if (paths->count >= MOST_PREFIXES || wk_bytes_left(&kernel) == 0 ||
	    wk_bytes_left(&kernel) > MOST_PREFIX_BYTES || wk_bytes_left(&shown) > MOST_PREFIX_BYTES)
		return;
	wk_utf16_add(&prefix.kernel, kernel, false);
	wk_utf16_add(&prefix.shown, shown, false);
	*WK_APPEND(paths->prefixes, paths->count, paths->cap) = prefix;
}

void wk_etl_paths_fini(struct wk_etl_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++) {
		WK_BUF_FINI_ALL(&paths->prefixes[i].kernel, &paths->prefixes[i].shown);
	}
	wk_free(paths->prefixes);
	*paths = (struct wk_etl_paths){ 0 };
}

#define DOS_PREFIX "\\??\\" /* the kernel's prefix of a path written by programs */

static bool begins_with(struct wk_str text, struct wk_str prefix)
{
	return text.len >= prefix.len && wk_str_eq_any_case(wk_str_of(text.at, prefix.len), prefix);
}

static const struct prefix *longest_prefix(const struct wk_etl_paths *paths, struct wk_str path)
{
	const struct prefix *best = NULL;

	for (size_t i = 0; i < paths->count; i++) {
		const struct prefix *prefix = &paths->prefixes[i];

		if ((!best || prefix->kernel.len > best->kernel.len) &&
		    begins_with(path, wk_buf_str(&prefix->kernel)))
			best = prefix;
	}
	return best;
}

/* "C:" of "C:\Windows\", the value of "\SystemRoot\". */
static struct wk_str system_drive(const struct wk_etl_paths *paths)
{
	const struct prefix *root = longest_prefix(paths, wk_str_c("\\SystemRoot\\"));
	struct wk_str shown = root ? wk_buf_str(&root->shown) : wk_str_c("");

	return shown.len >= 2 && shown.at[1] == ':' ? wk_str_of(shown.at, 2) : wk_str_c("");
}

void wk_etl_paths_show(const struct wk_etl_paths *paths, struct wk_bytes utf16, struct wk_buf *out)
{
	struct wk_buf text = { 0 };
	const struct prefix *prefix;
	struct wk_str path;

	wk_utf16_add(&text, utf16, false);
	path = wk_buf_str(&text);
	prefix = longest_prefix(paths, path);
	if (prefix) {
		wk_buf_add_str(out, wk_buf_str(&prefix->shown));
		path = wk_str_skip(path, prefix->kernel.len);
	} else if (begins_with(path, wk_str_c(DOS_PREFIX))) {
		path = wk_str_skip(path, sizeof(DOS_PREFIX) - 1);
	} else if (begins_with(path, wk_str_c("\\Windows\\"))) {
		wk_buf_add_str(out, system_drive(paths));
	}
	wk_buf_add_str(out, path);
	wk_buf_fini(&text);
}
