/* What the standard streams can show, and messages to standard error. */
#ifndef WK_CLI_TERMINAL_H
#define WK_CLI_TERMINAL_H

#include <stdbool.h>

#include "base/text/text_list.h"

/* Whether it is a terminal that is not "dumb", and NO_COLOR is not set. */
bool wk_color_wanted(int fd);

/* Whether the user's locale is not one of UTF-8. */
bool wk_is_plain_locale(void);

/* One line on standard error: "wick: " and the sentence, which can contain hostile names. */
void wk_say(const char *sentence);

/* The same for a command line, quoted for a shell. */
void wk_say_command(const struct wk_text_list *argv);

#endif
