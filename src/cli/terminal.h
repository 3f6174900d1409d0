/* What the standard streams can show, and words for whoever reads standard error. */
#ifndef WK_CLI_TERMINAL_H
#define WK_CLI_TERMINAL_H

#include <stdbool.h>

/* A terminal that is not "dumb", and a user who has not set NO_COLOR. */
bool wk_color_wanted(int fd);

/* Does the user's locale say that characters are not those of UTF-8? */
bool wk_is_plain_locale(void);

/* One line on standard error: "wick: " and the sentence, which may hold hostile names. */
void wk_say(const char *sentence);

/* The same for each line of a text. */
void wk_say_lines(const char *lines);

#endif
