/* What the standard streams can show. */
#ifndef WK_CLI_TERMINAL_H
#define WK_CLI_TERMINAL_H

#include <stdbool.h>

/* A terminal that is not "dumb", and a user who has not set NO_COLOR. */
bool wk_color_wanted(int fd);

#endif
