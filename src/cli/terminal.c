#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "os/os.h"

bool wk_color_wanted(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return wk_os_is_terminal(fd) && terminal && strcmp(terminal, "dumb") != 0;
}
