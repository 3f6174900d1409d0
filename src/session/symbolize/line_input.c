#include "session/symbolize/line_input.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"

#define READ_BYTES (64 * 1024)

#define MOST_LINE_BYTES (64 * 1024)

/* Text without a newline so far. The rest of a line that is too long is skipped. */
struct input {
	struct wk_buf text;
	bool passes_over;
};

static size_t read_lines(const struct wk_line_taker *taker, struct wk_str text)
{
	const char *begin = text.at, *newline;

	while (text.len && (newline = memchr(text.at, '\n', text.len)) != NULL) {
		size_t len = (size_t)(newline - text.at);

		taker->take(taker->context, wk_str_of(text.at, len));
		text = wk_str_skip(text, len + 1);
	}
	return (size_t)(text.at - begin);
}

static void read_text(const struct wk_line_taker *taker, struct input *input)
{
	struct wk_buf *text = &input->text;
	const char *newline = text->len ? memchr(text->at, '\n', text->len) : NULL;
	size_t done = 0;

	if (input->passes_over && newline) {
		done = (size_t)(newline - text->at) + 1;
		input->passes_over = false;
	}
	if (!input->passes_over)
		done += read_lines(taker, wk_str_of(text->at + done, text->len - done));
	if (done > 0 && done < text->len)
		memmove(text->at, text->at + done, text->len - done);
	text->len -= done;
	if (text->len > MOST_LINE_BYTES && !input->passes_over) {
		taker->take(taker->context, wk_str_of(text->at, MOST_LINE_BYTES));
		input->passes_over = true;
	}
	if (input->passes_over)
		wk_buf_reset(text);
}

bool wk_line_input(int file, const struct wk_line_taker *taker, struct wk_err *err)
{
	struct input input = { 0 };
	struct wk_buf *text = &input.text;
	bool goes_on = true;
	ssize_t got = 1;

	while (got > 0 && goes_on) {
		got = read(file, wk_buf_extend(text, READ_BYTES), READ_BYTES);
		text->len -= READ_BYTES - (size_t)(got > 0 ? got : 0);
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		read_text(taker, &input);
		goes_on = taker->pause(taker->context);
	}
	if (got < 0)
		wk_fail_os(err, errno, "cannot read standard input");
	else if (text->len)
		taker->take(taker->context, wk_buf_str(text));
	taker->pause(taker->context);
	wk_buf_fini(text);
	return got >= 0;
}
