/* The forms in which commands print a table: text, fitted to the terminal, comma separated values
 * and JSON. */
#ifndef WK_CLI_OPTIONS_TABLE_FORM_H
#define WK_CLI_OPTIONS_TABLE_FORM_H

#include <stdbool.h>

#include "cli/command.h"
#include "render/renderer.h"

/* What --csv and --json ask for; false, with a sentence, where both are given. */
bool wk_table_form_check(bool csv, bool json, struct wk_err *err);
const struct wk_renderer *wk_table_form(bool csv, bool json);

/* How the view fits standard output, where `out` is that: characters of the locale, columns of the
 * terminal or as COLUMNS says, colour on a terminal. `columns`, where not 0, goes before those, and
 * for a file as well. */
void wk_table_fit(struct wk_view *view, const struct wk_out *out, const struct wk_call *call,
		  uint64_t columns);

#endif
