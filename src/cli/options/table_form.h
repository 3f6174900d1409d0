/* The forms in which commands print a table: text, fitted to the terminal, comma separated values
 * and JSON. */
#ifndef WK_CLI_OPTIONS_TABLE_FORM_H
#define WK_CLI_OPTIONS_TABLE_FORM_H

#include "cli/command.h"
#include "session/shown_table.h"

/* False, with a sentence, if both were typed. */
bool wk_table_form_check(bool csv, bool json, struct wk_err *err);

/* The form of an option or else of the suffix of `output`; NULL: standard output. */
enum wk_table_form wk_table_form(bool csv, bool json, const char *output);

/* The PERCENT of --min. */
bool wk_table_min_read(const char *text, double *percent, struct wk_err *err);

/* Fits the table to standard output, if `out` is that: characters of the locale, columns of the
 * terminal or as COLUMNS says, colour on a terminal. `columns`, if not 0, has priority, and applies
 * to files as well. */
struct wk_table_look wk_table_look(enum wk_table_form form, const struct wk_out *out,
				   const struct wk_call *call, uint64_t columns);

#endif
