#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "os/os.h"

bool wk_color_wanted(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return wk_os_is_terminal(fd) && terminal && strcmp(terminal, "dumb") != 0;
}

void wk_say(const char *sentence)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);

	wk_out_text(&out, "wick: ");
	wk_out_term(&out, wk_str_c(sentence));
	wk_out_char(&out, '\n');
	wk_out_end(&out);
}

void wk_say_lines(const char *lines)
{
	struct wk_str rest = wk_str_c(lines);

	while (rest.len) {
		const char *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;
		struct wk_buf line = { 0 };

		wk_buf_add(&line, rest.at, len);
		wk_say(wk_buf_text(&line));
		wk_buf_fini(&line);
		rest = wk_str_skip(rest, len + (end != NULL));
	}
}
