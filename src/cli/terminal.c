#include "cli/terminal.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/out.h"
#include "cli/progress.h"
#include "os/os.h"

bool wk_color_wanted(int fd)
{
	const char *no_color = wk_os_env("NO_COLOR");

	if (no_color && *no_color)
		return false;
	return wk_os_shows_colors(fd);
}

/* "en_US.UTF-8", "C.utf8", "UTF-8". */
static bool is_of_utf8(const char *locale)
{
	const char *dot = strchr(locale, '.');
	const char *charset = dot ? dot + 1 : locale;

	return strncasecmp(charset, "utf-8", 5) == 0 || strncasecmp(charset, "utf8", 4) == 0;
}

/* If nothing is set, as in a container, terminals still show UTF-8. */
bool wk_is_plain_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *locale = NULL;

	for (size_t i = 0; i < 3 && !(locale && locale[0]); i++)
		locale = wk_os_env(names[i]);
	return locale && locale[0] && !is_of_utf8(locale);
}

void wk_say(const char *sentence)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);

	wk_progress_clear();
	wk_out_text(&out, "wick: ");
	wk_out_term(&out, wk_str_c(sentence));
	wk_out_char(&out, '\n');
	wk_out_end(&out);
}

void wk_say_command(const struct wk_text_list *argv)
{
	struct wk_buf line = { 0 };

	for (size_t i = 0; i < argv->count; i++) {
		wk_buf_add_text(&line, i ? " " : "");
		wk_buf_add_shell(&line, wk_str_c(argv->at[i]));
	}
	wk_say(wk_buf_text(&line));
	wk_buf_fini(&line);
}
