#include "session/messages.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

void wk_warn_fmt(const struct wk_messages *messages, const char *format, ...)
{
	va_list args, again;
	char *text;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = wk_alloc((size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	wk_warn(messages, text);
	wk_free(text);
}

void wk_warn_buf(const struct wk_messages *messages, struct wk_buf *sentence)
{
	if (sentence->len)
		wk_warn(messages, wk_buf_text(sentence));
	wk_buf_fini(sentence);
}

void wk_busy(const struct wk_messages *messages, const char *verb, const char *path)
{
	struct wk_buf what = { 0 };

	if (!messages || !messages->busy)
		return;
	wk_buf_add_text(&what, verb);
	if (path)
		wk_buf_add_fmt(&what, " %.*s", WK_STR_ARG(wk_str_basename(wk_str_c(path))));
	messages->busy(messages->context, wk_buf_text(&what));
	wk_buf_fini(&what);
}

void wk_busy_end(const struct wk_messages *messages)
{
	if (messages && messages->busy)
		messages->busy(messages->context, NULL);
}

void wk_warn_lines(const struct wk_messages *messages, struct wk_str lines)
{
	struct wk_str line;

	while (lines.len) {
		wk_str_split(lines, '\n', &line, &lines);
		wk_warn_fmt(messages, "%.*s", WK_STR_ARG(line));
	}
}
