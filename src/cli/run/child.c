#include "cli/run/child.h"

#include <string.h>

#include "cli/terminal.h"

static void report_word(const char *word, struct wk_buf *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_=+,./:@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		wk_buf_add_text(text, word);
		return;
	}
	wk_buf_add_char(text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			wk_buf_add_text(text, "'\\''");
		else
			wk_buf_add_char(text, *word);
	}
	wk_buf_add_char(text, '\'');
}

void wk_argv_say(const struct wk_text_list *argv)
{
	struct wk_buf line = { 0 };

	for (size_t i = 0; i < argv->count; i++) {
		wk_buf_add_text(&line, i ? " " : "");
		report_word(argv->at[i], &line);
	}
	wk_say(wk_buf_text(&line));
	wk_buf_fini(&line);
}
