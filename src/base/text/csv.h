/* Lines of comma-separated values (or separated by tabs, semicolons ...), and text as Windows
 * writes it.
 *
 * A field in quotes holds separators as they are, and a quote where there are two. A quote that
 * is never closed ends with its line: no stray one can swallow a file. Blanks in front of
 * a quoted field stay in front of its text, for tables whose indentation stands there. */
#ifndef WK_BASE_TEXT_CSV_H
#define WK_BASE_TEXT_CSV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"

struct wk_csv {
	char separator;
	struct wk_str *fields; /* of the last line; borrowed until the next */
	size_t count, cap;
	struct wk_arena unquoted;
};

void wk_csv_fini(struct wk_csv *csv);

/* Fills `fields`; an empty line has one, which is empty. */
void wk_csv_split(struct wk_csv *csv, struct wk_str line);

/* Field `at` of the last line; empty if it has not so many. */
static inline struct wk_str wk_csv_field(const struct wk_csv *csv, size_t at)
{
	return at < csv->count ? csv->fields[at] : (struct wk_str){ "", 0 };
}

/* The one of ',', ';' and tab that stands in a heading most often. */
char wk_csv_separator_of(struct wk_str heading);

/* As wk_utf16_plain; UTF-16 is also known by zeros where Latin letters have them. */
struct wk_bytes wk_csv_text(struct wk_bytes bytes, struct wk_buf *buf);

#endif
