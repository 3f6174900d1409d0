#include "formats/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/out.h"

#define MOST_QUOTED 120 /* bytes of a line */

struct wk_lines wk_lines_of(struct wk_bytes bytes)
{
	return (struct wk_lines){ (const char *)bytes.at, (const char *)bytes.end, 0 };
}

size_t wk_probe_lines(struct wk_bytes first, bool (*is_one)(struct wk_str line))
{
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	size_t count = 0;

	while (wk_lines_next(&lines, &line))
		count += is_one(line);
	return count;
}

void wk_bad_line(struct wk_bad_lines *bad, const struct wk_lines *lines, struct wk_str line,
		 const char *expected)
{
	if (bad->count++)
		return;
	bad->first_number = lines->number;
	bad->first = line;
	bad->expected = expected;
}

/* The start of a line, in quotes, without control characters. */
static void add_quoted(struct wk_buf *text, struct wk_str line)
{
	bool is_cut = line.len > MOST_QUOTED;
	size_t len = is_cut ? MOST_QUOTED : line.len;
	struct wk_out out = wk_out_to_buf(text);

	while (is_cut && len > 0 && (line.at[len] & 0xc0) == 0x80)
		len--;
	wk_out_char(&out, '"');
	wk_out_term(&out, wk_str_of(line.at, len));
	wk_out_text(&out, is_cut ? "\u2026\"" : "\"");
	wk_out_end(&out);
}

void wk_bad_lines_emit(const struct wk_bad_lines *bad, struct wk_stack_writer *writer)
{
	struct wk_buf text = { 0 };

	if (bad->count == 0)
		return;
	if (bad->count == 1)
		wk_buf_add_fmt(&text, "line %" PRIu64 " cannot be parsed and was skipped: ",
			       bad->first_number);
	else
		wk_buf_add_fmt(&text,
			       "%" PRIu64 " lines cannot be parsed and were skipped, the "
			       "first is line %" PRIu64 ": ",
			       bad->count, bad->first_number);
	add_quoted(&text, bad->first);
	wk_buf_add_fmt(&text, "; expected %s", bad->expected);
	wk_stack_writer_note(writer, wk_buf_str(&text));
	wk_buf_fini(&text);
}

void wk_note(struct wk_stack_writer *writer, const char *format, ...)
{
	struct wk_buf text = { 0 };
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	va_start(args, format);
	vsnprintf(wk_buf_extend(&text, (size_t)len), (size_t)len + 1, format, args);
	va_end(args);
	wk_stack_writer_note(writer, wk_buf_str(&text));
	wk_buf_fini(&text);
}

void wk_note_count(struct wk_stack_writer *writer, uint64_t count, const char *what)
{
	if (count)
		wk_note(writer, "%s: %" PRIu64, what, count);
}

bool wk_fail_no_stacks(struct wk_err *err, struct wk_bytes input, const char *expected)
{
	struct wk_lines lines = wk_lines_of(input);
	struct wk_str line, first = { 0 };
	struct wk_buf quoted = { 0 };
	uint64_t blank = 0;

	while (wk_lines_next(&lines, &line)) {
		if (wk_trim(line).len == 0)
			blank++;
		else if (first.len == 0)
			first = line;
	}
	add_quoted(&quoted, first);
	if (lines.number == blank)
		wk_fail(err, WK_EFORMAT, WK_NOWHERE, "no stacks in it: %s; expected %s",
			lines.number ? "only blank lines" : "it is empty", expected);
	else
		wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			"no stacks in it: %" PRIu64 " %s, the first %s; expected %s",
			lines.number - blank, lines.number - blank == 1 ? "line" : "lines",
			wk_buf_text(&quoted), expected);
	wk_buf_fini(&quoted);
	return false;
}

void wk_check_samples(struct wk_stack_writer *writer, bool is_one, struct wk_bytes input,
		      const char *expected, struct wk_err *err)
{
	if (wk_stack_writer_samples(writer) || wk_stack_writer_is_done(writer))
		return;
	if (is_one)
		wk_fail(err, WK_EFORMAT, WK_NOWHERE, "the profile holds no samples");
	else
		wk_fail_no_stacks(err, input, expected);
}

void wk_check_samples_of_cut(struct wk_stack_writer *writer, bool is_cut, bool is_one,
			     struct wk_bytes input, const char *expected, struct wk_err *err)
{
	struct wk_event note = {
		.kind = WK_EVENT_NOTE,
		.cpu = WK_NO_CPU,
		.note = { .offset = WK_NOWHERE,
			  .text = WK_STR("the file is truncated; its beginning was read"),
			  .severity = WK_NOTE_INCOMPLETE },
	};

	if (is_cut && wk_stack_writer_samples(writer))
		wk_stack_writer_event(writer, &note);
	else if (is_cut && !wk_stack_writer_is_done(writer))
		wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			"the file is truncated before its first sample");
	else
		wk_check_samples(writer, is_one, input, expected, err);
}
