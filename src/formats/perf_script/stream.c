/* `perf script` text from a pipe: read in pieces, so that memory does not grow with the input but
 * with what is different in it. Each piece ends between two samples. */
#include <errno.h>

#include "formats/perf_script/internal.h"
#include "formats/reader.h"

#define PIECE_BYTES  (1u << 20)
#define ROWS_AT_ONCE 4096

/* What was read of the input and not yet passed on. */
struct window {
	struct wk_os_stream *stream;
	struct wk_buf text;
	size_t piece_bytes; /* as many are read at once; more if a sample is that long */
	bool is_list;       /* each line is a sample */
	bool is_last;
};

/* False, with errno set, if reading fails. */
static bool fill(struct window *window)
{
	size_t wanted = window->text.len + window->piece_bytes;

	if (!wk_os_stream_read(window->stream, &window->text, wanted))
		return false;
	window->is_last = window->text.len < wanted;
	return true;
}

/* Behind the last line that is followed by a blank one; 0 if none is. */
static size_t last_blank(struct wk_str text)
{
	for (size_t at = text.len; at-- > 1;) {
		struct wk_str behind = wk_str_skip(text, at);

		if (text.at[at - 1] == '\n' &&
		    (wk_str_starts(behind, "\n") || wk_str_starts(behind, "\r\n")))
			return at;
	}
	return 0;
}

/* Before the last whole line that is a sample of its own; 0 if there is none. */
static size_t last_one_line(struct wk_str text)
{
	size_t end = text.len;
	struct wk_script_head head;

	while (end > 0) {
		size_t begin = end - 1;

		while (begin > 0 && text.at[begin - 1] != '\n')
			begin--;
		if (end < text.len && begin > 0 &&
		    wk_script_head_parse(wk_str_of(text.at + begin, end - begin - 1), &head) &&
		    head.frame.len)
			return begin;
		end = begin;
	}
	return 0;
}

/* How much of the window is whole samples. */
static size_t cut(const struct window *window)
{
	struct wk_str text = wk_buf_str(&window->text);
	size_t at = window->is_last   ? text.len
		    : window->is_list ? wk_str_find_last(text, '\n') + 1
				      : last_blank(text);

	return at || text.len < PIECE_BYTES ? at : last_one_line(text);
}

static void drop(struct window *window, size_t len)
{
	window->text.len -= len;
	memmove(window->text.at, window->text.at + len, window->text.len);
}

/* Reads the samples up to `len`, and emits them unless they are summed up. */
static void read_piece(struct wk_script_part *part, struct wk_script_emitter *emitter,
		       const struct window *window, size_t len)
{
	const char *begin = window->text.at;
	bool goes_on = true;

	wk_script_part_continue(part, begin, begin + len);
	while (goes_on && !wk_stack_writer_is_done(emitter->writer)) {
		goes_on = wk_script_part_read(part, part->sums ? SIZE_MAX : ROWS_AT_ONCE);
		if (!part->sums)
			wk_script_emit(emitter, part);
	}
	part->lines_before += wk_script_line_number(begin, begin + len) - 1;
}

/* False, with errno set, if reading fails. */
static bool read_pieces(struct wk_script_part *part, struct wk_script_emitter *emitter,
			struct window *window)
{
	const struct wk_collapse *collapse = part->collapse;

	while (!window->is_last && !wk_stack_writer_is_done(emitter->writer)) {
		size_t len;

		if (!fill(window))
			return false;
		len = cut(window);
		part->wants_blank =
			window->is_last && collapse && collapse->dialect == WK_COLLAPSE_PERL;
		if (len)
			read_piece(part, emitter, window, len);
		else
			window->piece_bytes *= 2;
		drop(window, len);
	}
	return true;
}

bool wk_script_stream(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	const struct wk_collapse *collapse = input->options.collapse;
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct window window = { .stream = input->rest, .piece_bytes = PIECE_BYTES };
	struct wk_script_part part;
	struct wk_script_emitter emitter;
	bool ok;

	wk_buf_add_str(&window.text, wk_bytes_str(input->bytes));
	wk_script_emit_start(writer, input);
	wk_script_part_init(&part, &input->options, window.text.at, window.text.at);
	part.is_streamed = true;
	part.is_list = window.is_list = !collapse && wk_script_is_list(input->bytes);
	wk_script_emitter_init(&emitter, writer, collapse);
	ok = read_pieces(&part, &emitter, &window) ||
	     wk_fail_os(err, errno, "cannot read %s",
			strcmp(input->name, "-") == 0 ? "standard input" : input->name);
	wk_script_part_end_reading(&part);
	wk_script_emit(&emitter, &part);
	wk_script_emit_end(writer, input, &part, 1);
	wk_script_part_end(&part);
	if (ok && !collapse)
		wk_check_samples(writer, false, input->bytes, WK_SCRIPT_EXPECTED, err);
	wk_script_emitter_fini(&emitter);
	wk_buf_fini(&window.text);
	return wk_stack_writer_end(writer, err) && ok;
}
