/* The words of programs that wick runs for its user: cargo, sudo, a browser; os/program.h runs
 * them. */
#ifndef WK_CLI_RUN_CHILD_H
#define WK_CLI_RUN_CHILD_H

#include <stddef.h>

#include "os/program.h"

/* A command line that grows; always ends with NULL. The words are borrowed. */
struct wk_argv {
	const char **at;
	size_t count, cap;
};

void wk_argv_add(struct wk_argv *argv, const char *word);

/* `option` and, behind it, `value`; nothing where the value is NULL. */
void wk_argv_add_pair(struct wk_argv *argv, const char *option, const char *value);
void wk_argv_fini(struct wk_argv *argv);

/* The line as a shell would take it, on standard error. */
void wk_argv_say(const struct wk_argv *argv);

#endif
