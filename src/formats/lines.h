/* Lines of text inputs, and lines that cannot be parsed.
 *
 * A bad line does not end the reading: lines are counted, the first is stored, and
 * wk_bad_lines_emit emits one note. An input without any stack is an error: wk_fail_no_stacks
 * describes what was found and what was expected. */
#ifndef WK_FORMATS_LINES_H
#define WK_FORMATS_LINES_H

#include "base/bytes.h"
#include "formats/stack_writer.h"

struct wk_lines {
	const char *at, *end;
	uint64_t number; /* of the last line, from 1 */
};

struct wk_lines wk_lines_of(struct wk_bytes bytes);

/* The next line without its "\n" or "\r\n"; false at the end. A line feed at the very end of the
 * input does not begin another line. */
static inline bool wk_lines_next(struct wk_lines *lines, struct wk_str *line)
{
	const char *feed;
	size_t len;

	if (lines->at == lines->end)
		return false;
	feed = (const char *)memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	len = (size_t)((feed ? feed : lines->end) - lines->at);
	*line = wk_str_of(lines->at, len > 0 && lines->at[len - 1] == '\r' ? len - 1 : len);
	lines->at = feed ? feed + 1 : lines->end;
	lines->number++;
	return true;
}

/* For probes: the number of lines for which `is_one` is true. */
size_t wk_probe_lines(struct wk_bytes first, bool (*is_one)(struct wk_str line));

struct wk_bad_lines {
	uint64_t count;
	uint64_t first_number;
	struct wk_str first;  /* borrowed from the input */
	const char *expected; /* instead of the first */
};

/* Counts a bad line. `expected` describes what the line should contain ("a count at the end"); a
 * text with static lifetime. */
void wk_bad_line(struct wk_bad_lines *bad, const struct wk_lines *lines, struct wk_str line,
		 const char *expected);

/* One note for all of them; nothing if there were none. */
void wk_bad_lines_emit(const struct wk_bad_lines *bad, struct wk_stack_writer *writer);

/* A note from a printf format. */
void wk_note(struct wk_stack_writer *writer, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

/* A note "what: count"; nothing if the count is 0. */
void wk_note_count(struct wk_stack_writer *writer, uint64_t count, const char *what);

/* "no stacks in it: 12 lines, the first \"...\"; expected ...". Returns false. */
bool wk_fail_no_stacks(struct wk_err *err, struct wk_bytes input, const char *expected);

/* The same if nothing was emitted; `is_one`: the input is of the format, and only has no samples.
 */
void wk_check_samples(struct wk_stack_writer *writer, bool is_one, struct wk_bytes input,
		      const char *expected, struct wk_err *err);

/* The same for a file that can end early: if it `is_cut`, that is the note or the error. */
void wk_check_samples_of_cut(struct wk_stack_writer *writer, bool is_cut, bool is_one,
			     struct wk_bytes input, const char *expected, struct wk_err *err);

#endif
