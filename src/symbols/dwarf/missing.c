/* What was needed and is missing, as text. */
#include "symbols/dwarf/internal.h"

static void add_part(struct wk_buf *out, const char *text)
{
	if (out->len > 0)
		wk_buf_add_text(out, "; ");
	wk_buf_add_text(out, text);
}

static void compose(struct wk_dwarf *dwarf)
{
	struct wk_buf *out = &dwarf->missing;

	wk_buf_reset(out);
	if (dwarf->missing_count == 1)
		wk_buf_add_fmt(out, "the split file %s is missing",
			       wk_buf_text(&dwarf->first_missing));
	else if (dwarf->missing_count > 1)
		wk_buf_add_fmt(out, "%zu split files are missing, the first of them %s",
			       dwarf->missing_count, wk_buf_text(&dwarf->first_missing));
	if (dwarf->misses_alternate)
		add_part(out, "the file that .gnu_debugaltlink names is missing");
	if (dwarf->misses_ranges)
		add_part(out, "it refers to lists of ranges far more often than real files do, "
			      "so the rest of them is left out");
	if (dwarf->misses_lines)
		add_part(out, "its line programs are far longer than the file, so some of them are "
			      "left out");
}

void wk_dwarf_misses_split(struct wk_dwarf *dwarf, struct wk_str directory, struct wk_str name)
{
	if (dwarf->missing_count++ == 0) {
		if (directory.len > 0 && !wk_str_starts(name, "/")) {
			wk_buf_add_str(&dwarf->first_missing, directory);
			wk_buf_add_char(&dwarf->first_missing, '/');
		}
		wk_buf_add_str(&dwarf->first_missing, name);
	}
	compose(dwarf);
}

void wk_dwarf_misses(struct wk_dwarf *dwarf, bool *is_missing)
{
	if (*is_missing)
		return;
	*is_missing = true;
	compose(dwarf);
}

struct wk_str wk_dwarf_missing_split(const struct wk_dwarf *dwarf)
{
	return wk_buf_str(&dwarf->first_missing);
}

bool wk_dwarf_lacks_alternate(const struct wk_dwarf *dwarf)
{
	return dwarf->misses_alternate;
}

struct wk_str wk_dwarf_missing(const struct wk_dwarf *dwarf)
{
	return wk_buf_str(&dwarf->missing);
}
