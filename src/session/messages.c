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
