/* Tables in profiles of Firefox: columns of numbers, in either of two forms.
 *
 * Processed profiles have an array per column; Firefox itself writes a schema with the position of
 * each column in a row, and an array of rows. A layout names the needed columns; all others are
 * skipped. */
#ifndef WK_FORMATS_PROFILES_FIREFOX_TABLE_H
#define WK_FORMATS_PROFILES_FIREFOX_TABLE_H

#include "base/text/json.h"

#define WK_FX_COLUMNS 8
#define WK_FX_NONE    INT64_MIN /* null, or not there */

struct wk_fx_layout {
	const char *names[WK_FX_COLUMNS + 1]; /* NULL-terminated */
	unsigned decimals[WK_FX_COLUMNS];     /* to scale by, see wk_json_scaled */
};

struct wk_fx_column {
	int64_t *at;
	size_t count, cap;
};

struct wk_fx_table {
	struct wk_fx_column columns[WK_FX_COLUMNS];
};

/* Adds to the table what one JSON object holds of it. */
void wk_fx_table_read(struct wk_fx_table *table, const struct wk_fx_layout *layout,
		      struct wk_json *json);
void wk_fx_table_fini(struct wk_fx_table *table);

static inline int64_t wk_fx_get(const struct wk_fx_table *table, unsigned column, int64_t row)
{
	const struct wk_fx_column *rows = &table->columns[column];

	return row >= 0 && (uint64_t)row < rows->count ? rows->at[row] : WK_FX_NONE;
}

static inline size_t wk_fx_count(const struct wk_fx_table *table, unsigned column)
{
	return table->columns[column].count;
}

#endif
