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
