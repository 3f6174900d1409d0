/* Lines of comma-separated values (or separated by tabs, semicolons ...), and text encodings of
 * Windows.
 *
 * A quoted field contains separators as they are, and a doubled quote as one. An unclosed quote
 * ends with its line, so that it cannot swallow a file. Blanks before a quoted field stay in its
 * text, for tables that indent this way. */
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

/* Field `at` of the last line; empty if there is none. */
static inline struct wk_str wk_csv_field(const struct wk_csv *csv, size_t at)
{
	return at < csv->count ? csv->fields[at] : (struct wk_str){ "", 0 };
}

/* The field of the last line with this text but for blanks around it, or SIZE_MAX. */
size_t wk_csv_column(const struct wk_csv *csv, const char *name);

/* The most frequent of ',', ';' and tab in a heading. */
char wk_csv_separator_of(struct wk_str heading);

/* Like wk_utf16_plain; UTF-16 is also detected by the zero bytes of Latin letters. */
struct wk_bytes wk_csv_text(struct wk_bytes bytes, struct wk_buf *buf);

#endif
