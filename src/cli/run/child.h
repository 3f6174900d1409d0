/* The words of programs that wick runs for its user: cargo, sudo, a browser; os/program.h runs
 * them. */
#ifndef WK_CLI_RUN_CHILD_H
#define WK_CLI_RUN_CHILD_H

#include "base/text/text_list.h"
#include "os/program.h"

/* The line as a shell would take it, on standard error. */
void wk_argv_say(const struct wk_text_list *argv);

#endif
