#include "formats/profiles/firefox_table.h"

#include <stdlib.h>

#include "base/mem.h"

#define MOST_POSITIONS 32 /* of a schema that are used */

/* The column of the layout at each position of a row, + 1. */
struct schema {
	uint8_t column_at[MOST_POSITIONS];
};

static void add(struct wk_fx_column *column, int64_t value)
{
	*WK_APPEND(column->at, column->count, column->cap) = value;
}

static int64_t cell(struct wk_json *json, unsigned decimals)
{
	switch (wk_json_peek(json)) {
	case WK_JSON_NUMBER:
		return wk_json_scaled(json, decimals);
	case WK_JSON_BOOL:
		return wk_json_bool(json);
	default:
		return WK_FX_NONE;
	}
}

/* The column of a name, + 1; 0 if it is not needed. */
static unsigned column_of(const struct wk_fx_layout *layout, struct wk_str name)
{
	for (unsigned i = 0; layout->names[i]; i++)
		if (wk_str_is(name, layout->names[i]))
			return i + 1;
	return 0;
}

static void read_column(struct wk_fx_column *column, unsigned decimals, struct wk_json *json)
{
	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json))
		add(column, cell(json, decimals));
}

static void read_schema(struct schema *schema, const struct wk_fx_layout *layout,
			struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		unsigned column = column_of(layout, key);
		uint64_t position = wk_json_u64(json);

		if (position < MOST_POSITIONS)
			schema->column_at[position] = (uint8_t)column;
	}
}

/* Each row adds a cell to each column, whatever it holds, so that numbers of rows agree. */
static void read_row(struct wk_fx_table *table, const struct wk_fx_layout *layout,
		     const struct schema *schema, struct wk_json *json)
{
	size_t position = 0;

	for (unsigned i = 0; layout->names[i]; i++)
		add(&table->columns[i], WK_FX_NONE);
	if (!wk_json_enter_array(json))
		return;
	for (; wk_json_next_element(json); position++) {
		unsigned column = position < MOST_POSITIONS ? schema->column_at[position] : 0;

		if (column)
			table->columns[column - 1].at[table->columns[column - 1].count - 1] =
				cell(json, layout->decimals[column - 1]);
	}
}

void wk_fx_table_read(struct wk_fx_table *table, const struct wk_fx_layout *layout,
		      struct wk_json *json)
{
	struct schema schema = { 0 };
	struct wk_json rows = { 0 };
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		unsigned column = column_of(layout, key);

		if (column)
			read_column(&table->columns[column - 1], layout->decimals[column - 1],
				    json);
		else if (wk_str_is(key, "schema"))
			read_schema(&schema, layout, json);
		else if (wk_str_is(key, "data") && !rows.at)
			rows = wk_json_value(json);
	}
	if (rows.at && wk_json_enter_array(&rows))
		while (wk_json_next_element(&rows))
			read_row(table, layout, &schema, &rows);
	wk_json_end_value(&rows, json);
}

void wk_fx_table_fini(struct wk_fx_table *table)
{
	for (unsigned i = 0; i < WK_FX_COLUMNS; i++)
		wk_free(table->columns[i].at);
}
