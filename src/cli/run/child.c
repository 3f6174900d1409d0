#include "cli/run/child.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/terminal.h"

void wk_argv_add(struct wk_argv *argv, const char *word)
{
	argv->at = wk_grow(argv->at, &argv->cap, argv->count + 2, sizeof(*argv->at));
	argv->at[argv->count++] = word;
	argv->at[argv->count] = NULL;
}

void wk_argv_add_pair(struct wk_argv *argv, const char *option, const char *value)
{
	if (!value)
		return;
	wk_argv_add(argv, option);
	wk_argv_add(argv, value);
}

void wk_argv_fini(struct wk_argv *argv)
{
	wk_free(argv->at);
	*argv = (struct wk_argv){ 0 };
}

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

void wk_argv_say(const struct wk_argv *argv)
{
	struct wk_buf line = { 0 };

	for (size_t i = 0; i < argv->count; i++) {
		wk_buf_add_text(&line, i ? " " : "");
		report_word(argv->at[i], &line);
	}
	wk_say(wk_buf_text(&line));
	wk_buf_fini(&line);
}
