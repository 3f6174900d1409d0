#include "cli/run/child.h"

#include "cli/terminal.h"

void wk_argv_say(const struct wk_text_list *argv)
{
	struct wk_buf line = { 0 };

	for (size_t i = 0; i < argv->count; i++) {
		wk_buf_add_text(&line, i ? " " : "");
		wk_buf_add_shell(&line, wk_str_c(argv->at[i]));
	}
	wk_say(wk_buf_text(&line));
	wk_buf_fini(&line);
}
