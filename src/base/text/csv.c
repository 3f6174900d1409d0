#include "base/text/csv.h"

#include "base/mem.h"
#include "base/text/utf16.h"

void wk_csv_fini(struct wk_csv *csv)
{
	wk_arena_fini(&csv->unquoted);
	wk_free(csv->fields);
	*csv = (struct wk_csv){ .separator = csv->separator };
}

static void add_field(struct wk_csv *csv, struct wk_str field)
{
	*WK_APPEND(csv->fields, csv->count, csv->cap) = field;
}

static size_t blanks_of(struct wk_str text)
{
	size_t count = 0;

	while (count < text.len && text.at[count] == ' ')
		count++;
	return count;
}

/* The length of the quoted text that begins with the quote at `from`, its quotes included. */
static size_t quoted_length(struct wk_str text, size_t from)
{
	size_t at = from + 1;

	while (at < text.len) {
		if (text.at[at] != '"')
			at++;
		else if (at + 1 < text.len && text.at[at + 1] == '"')
			at += 2;
		else
			return at + 1 - from;
	}
	return text.len - from;
}

/* The text of `raw`, a field with a quote after its `blanks`. */
static struct wk_str unquoted(struct wk_csv *csv, struct wk_str raw, size_t blanks, size_t quoted)
{
	size_t end = blanks + quoted;
	char *text = wk_arena_alloc(&csv->unquoted, raw.len + 1);
	size_t len = blanks;
	bool is_closed = quoted >= 2 && raw.at[end - 1] == '"';

	memcpy(text, raw.at, blanks);
	for (size_t i = blanks + 1; i < end - (is_closed ? 1 : 0); i++) {
		text[len++] = raw.at[i];
		if (raw.at[i] == '"')
			i++;
	}
	memcpy(text + len, raw.at + end, raw.len - end);
	return wk_str_of(text, len + raw.len - end);
}

void wk_csv_split(struct wk_csv *csv, struct wk_str line)
{
	wk_arena_reset(&csv->unquoted);
	csv->count = 0;
	for (;;) {
		size_t blanks = blanks_of(line), quoted = 0, len;
		const char *comma;
		struct wk_str raw;

		if (blanks < line.len && line.at[blanks] == '"')
			quoted = quoted_length(line, blanks);
		len = quoted ? blanks + quoted : 0;
		comma = len < line.len ? memchr(line.at + len, csv->separator, line.len - len)
				       : NULL;
		raw = wk_str_of(line.at, comma ? (size_t)(comma - line.at) : line.len);
		add_field(csv, quoted ? unquoted(csv, raw, blanks, quoted) : raw);
		if (!comma)
			return;
		line = wk_str_skip(line, raw.len + 1);
	}
}

size_t wk_csv_column(const struct wk_csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->count; i++)
		if (wk_str_is(wk_trim(csv->fields[i]), name))
			return i;
	return SIZE_MAX;
}

char wk_csv_separator_of(struct wk_str heading)
{
	static const char separators[] = { ',', ';', '\t' };
	size_t most = 0;
	char best = ',';

	for (size_t i = 0; i < sizeof(separators); i++) {
		size_t count = 0;

		for (size_t at = 0; at < heading.len; at++)
			count += heading.at[at] == separators[i];
		if (count > most) {
			most = count;
			best = separators[i];
		}
	}
	return best;
}

struct wk_bytes wk_csv_text(struct wk_bytes bytes, struct wk_buf *buf)
{
	const uint8_t *at = bytes.at;
	bool unmarked = wk_bytes_left(&bytes) >= 4 && at[0] && !at[1] && at[2] && !at[3];

	if (!unmarked)
		return wk_utf16_plain(bytes, buf);
	wk_utf16_add(buf, bytes, false);
	return wk_bytes_of(wk_buf_text(buf), buf->len);
}
