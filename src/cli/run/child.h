/* The command lines of programs that wick runs: cargo, sudo, a browser; os/program.h runs them. */
#ifndef WK_CLI_RUN_CHILD_H
#define WK_CLI_RUN_CHILD_H

#include "base/text/text_list.h"
#include "os/program.h"

/* Prints the line on standard error, quoted for a shell. */
void wk_argv_say(const struct wk_text_list *argv);

#endif
