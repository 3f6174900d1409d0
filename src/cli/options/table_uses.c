#include "cli/options/table_uses.h"

#include "base/buf.h"

/* "functions, images and heap". */
static void add_tables_with(struct wk_buf *text, unsigned uses)
{
	const struct wk_table_view *last = NULL;

	for (const struct wk_table_view *table = wk_table_views; table->name; table++) {
		if (!(table->uses & uses))
			continue;
		if (last)
			wk_buf_add_fmt(text, "%s%s", text->len ? ", " : "", last->name);
		last = table;
	}
	if (last)
		wk_buf_add_fmt(text, "%s%s", text->len ? " and " : "", last->name);
}

static bool fail_use(const struct wk_table_view *table, const struct wk_typed_use *use,
		     struct wk_err *err)
{
	struct wk_buf others = { 0 };

	if (use->use == WK_TABLE_HAS_LEVELS) {
		add_tables_with(&others, WK_TABLE_IS_CALLS | WK_TABLE_HAS_CALLS);
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the table %s has no levels, so %s does not apply; it applies to %s",
			table->name, use->option, wk_buf_text(&others));
	} else {
		add_tables_with(&others, use->use);
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s does not apply to the table %s, only to %s",
			use->option, table->name, wk_buf_text(&others));
	}
	wk_buf_fini(&others);
	return false;
}

bool wk_table_expect_uses(const struct wk_table_view *table, const struct wk_typed_use *uses,
			  struct wk_err *err)
{
	for (; uses->option; uses++)
		if (uses->is_typed && !(table->uses & uses->use))
			return fail_use(table, uses, err);
	return true;
}
