/* Help as text for a terminal or a pipe, printed from the tables of commands and options. */
#ifndef WK_CLI_HELP_H
#define WK_CLI_HELP_H

#include <stdbool.h>

#include "base/out.h"
#include "cli/command.h"

/* How wide the lines may be and whether headings stand out. */
struct wk_help_style {
	unsigned columns;
	bool color;
};

/* For standard output: the width of a terminal, else 80 columns. */
struct wk_help_style wk_help_style(void);

void wk_help_overview(struct wk_out *out, struct wk_help_style style);

/* `all`: every option; otherwise the command's common options and three examples, if it has a list
 * of common options. */
void wk_help_command(struct wk_out *out, struct wk_help_style style,
		     const struct wk_command *command, bool all);

#endif
