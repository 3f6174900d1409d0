/* Options of `wick show` that not every table has a use for: those that were typed and would
 * change nothing are refused by name, so that nobody takes what is shown for what was asked. */
#ifndef WK_CLI_OPTIONS_TABLE_USES_H
#define WK_CLI_OPTIONS_TABLE_USES_H

#include "base/err.h"
#include "views/tables/tables.h"

struct wk_typed_use {
	const char *option;
	enum wk_table_use use;
	bool is_typed;
};

/* `uses` ends with an entry without an option. The first that the table has no use for is told,
 * with the tables that have. */
bool wk_table_expect_uses(const struct wk_table_view *table, const struct wk_typed_use *uses,
			  struct wk_err *err);

#endif
